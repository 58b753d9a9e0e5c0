#include "app/cli/exit_code.h"
#include "app/cli/model_library_verbs.h"
#include "engine/library/file_digests.h"
#include "engine/library/model_examiner.h"
#include "engine/session/lora_check.h"
#include "engine/session/model_locator.h"
#include "engine/weights/model_inspection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::cli {

namespace {

using library::ModelRecord;
using weights::ModelInspection;

constexpr const char* kStarter = "starter";

struct InspectArguments {
    std::string model, with;
    bool tensors = false, hash = false, json = false;
};

/// A LoRA held against a model.
struct Coverage {
    std::string model;
    session::LoraCheck check;
};

/// Nothing where the model is no LoRA that can be applied, or where nobody asked and it is none for the starter model.
Result<std::optional<Coverage>> coverageOf(const ModelInspection& inspection, const std::string& with,
                                           const CancelToken& cancel) {
    if (!with.empty() && !inspection.lora)
        return fail(StatusCode::BadInput, fmt::format("'{}' is of the kind {}; --with is for LoRAs",
                                                      inspection.path.string(), inspection.kind));
    if (!inspection.lora || !inspection.lora->whyNotApplied.empty()) return std::optional<Coverage>();
    const std::string& base = inspection.identity.baseModel;
    if (with.empty() && !base.empty() && base != weights::kStarterModelName) return std::optional<Coverage>();
    Coverage coverage{with.empty() ? kStarter : with, {}};
    const auto model = session::libraryLocator()(session::ModelRole::Base, coverage.model, cancel);
    if (!model && with.empty()) return std::optional<Coverage>();
    if (!model) return fail(model.error());
    RB_ASSIGN(coverage.check, session::checkLora(inspection.path, *model));
    return coverage;
}

void printLora(const weights::LoraSummary& lora) {
    printLine(fmt::format("  LoRA       {}, {} modules, rank {}{}", lora.family, lora.modules, lora.minRank,
                          lora.maxRank != lora.minRank ? fmt::format(" to {}", lora.maxRank) : std::string()));
}

void printFacts(const ModelRecord& facts) {
    const auto print = [](const char* what, const std::string& value) {
        if (!value.empty()) printLine(fmt::format("  {:<10} {}", what, value));
    };
    print("title", facts.title);
    print("author", facts.author);
    print("licence", facts.licence);
    print("about", facts.description);
    print("triggers", fmt::format("{}", fmt::join(facts.triggerWords, ", ")));
    print("thumbnail", facts.thumbnail.string());
    print("not usable", facts.problem);
}

void printInspection(const ModelInspection& inspection, const ModelRecord& facts) {
    printLine(fmt::format("{}: {}", inspection.path.string(), inspection.kind));
    const weights::ModelIdentity& identity = inspection.identity;
    const std::string base = identity.baseModel.empty() ? facts.baseModel : identity.baseModel;
    printLine(fmt::format("  base       {}{}{}", base.empty() ? "unknown" : base,
                          identity.variant.empty() ? "" : ", " + identity.variant,
                          identity.prediction.empty() ? "" : ", " + identity.prediction));
    printLine(fmt::format("  size       {} tensors, {:.2f} million parameters, {}", inspection.tensors.size(),
                          static_cast<double>(inspection.parameters) / 1e6,
                          bytesText(static_cast<double>(inspection.sizeBytes))));
    for (const auto& [type, share] : inspection.dtypes)
        printLine(
            fmt::format("  {:<10} {} tensors, {}", type, share.tensors, bytesText(static_cast<double>(share.bytes))));
    if (!inspection.components.empty())
        printLine(fmt::format("  parts      {}", fmt::join(inspection.components, ", ")));
    if (inspection.lora) printLora(*inspection.lora);
    printFacts(facts);
}

void printRest(const ModelInspection& inspection, bool tensors) {
    for (const auto& [key, value] : inspection.metadata)
        printLine(fmt::format("  metadata   {}: {}", key, value.size() > 100 ? value.substr(0, 100) + "..." : value));
    if (!tensors) return;
    for (const weights::TensorSummary& tensor : inspection.tensors)
        printLine(fmt::format("  {} [{}]", tensor.name, fmt::join(tensor.shape, ",")));
}

/// SHA-256 of a model in a single file, as download sites show it; empty for others.
Result<std::string> sha256Of(const std::filesystem::path& path, const CancelToken& cancel) {
    if (std::filesystem::is_directory(path) || path.extension() == ".json") return std::string();
    RB_ASSIGN(const auto file, weights::SafetensorsFile::open(path));
    library::ModelDigester digester(cancel, nullptr);
    RB_ASSIGN(const library::FileDigests digests, digester.add(*file, {.sha256 = true}));
    return digests.sha256;
}

int inspectModel(const InspectArguments& arguments, const InterruptWatch& interrupts) {
    const auto library = openUserLibrary();
    if (!library) return failWith(library.error());
    const auto path = modelAt(**library, arguments.model, interrupts.token());
    if (!path) return failUnlessInterrupted(path.error(), interrupts);
    weights::InspectOptions options;
    options.hash = arguments.hash;
    const auto inspection = weights::inspectModel(*path, options);
    if (!inspection) return failWith(inspection.error());
    const auto userLibrary = library::userLibrary();
    if (!userLibrary) return failWith(userLibrary.error());
    const ModelRecord facts = library::examineAt(*path, userLibrary->thumbnailFolder);
    const auto coverage = coverageOf(*inspection, arguments.with, interrupts.token());
    if (!coverage) return failUnlessInterrupted(coverage.error(), interrupts);
    std::string sha256;
    if (arguments.hash) {
        auto digits = sha256Of(*path, interrupts.token());
        if (!digits) return failUnlessInterrupted(digits.error(), interrupts);
        sha256 = *std::move(digits);
    }

    if (!arguments.json) {
        printInspection(*inspection, facts);
        if (*coverage)
            printLine(fmt::format("  coverage   of '{}': {}", (*coverage)->model, (*coverage)->check.summary));
        if (!inspection->xxh3.empty()) printLine("  XXH3-128   " + inspection->xxh3);
        if (!sha256.empty()) printLine("  SHA-256    " + sha256);
        printRest(*inspection, arguments.tensors);
        return kDone;
    }
    Json document = Json::parse(weights::toJson(*inspection));
    const Json record = recordJson(facts);
    for (const auto& [key, value] : record.items())
        if (!document.contains(key) && key != "bundled" && key != "xxh3") document[key] = value;
    if (!sha256.empty()) document["sha256"] = sha256;
    if (*coverage)
        document["coverage"] = {{"model", (*coverage)->model},
                                {"fits", (*coverage)->check.fits},
                                {"complete", (*coverage)->check.complete},
                                {"summary", (*coverage)->check.summary}};
    printJson(document);
    return kDone;
}

}  // namespace

void addModelsInspectVerb(CLI::App& models, Action& action) {
    const auto arguments = std::make_shared<InspectArguments>();
    CLI::App* verb = models.add_subcommand("inspect", "what a file of weights or a model folder holds");
    verb->add_option("MODEL", arguments->model,
                     "a name in the library, a safetensors file, a shard index or a model folder")
        ->required();
    verb->add_option("--with", arguments->with, "a LoRA: how much of it would reach this model")
        ->type_name("NAME|PATH");
    verb->add_flag("--tensors", arguments->tensors, "list every tensor");
    verb->add_flag("--hash", arguments->hash, "compute the hashes of the weights: XXH3-128, and SHA-256 of a file");
    verb->add_flag("--json", arguments->json, "print it as JSON, with every tensor");
    verb->callback([arguments, &action] {
        action = [arguments](InterruptWatch& interrupts) { return inspectModel(*arguments, interrupts); };
    });
}

}  // namespace reelbrush::cli
