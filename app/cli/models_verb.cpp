#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/verb.h"
#include "engine/session/lora_check.h"
#include "engine/session/model_folders.h"
#include "engine/weights/model_inspection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

namespace reelbrush::cli {

namespace {

using weights::ModelInspection;

constexpr const char* kCoverageModel = "starter";

int listModels(bool json) {
    const std::vector<session::ModelFolder> models = session::listModelFolders();
    Json list = Json::array();
    for (const session::ModelFolder& model : models) {
        const auto inspection = weights::inspectModel(model.folder);
        if (json) {
            Json entry{{"name", model.name}, {"folder", model.folder.string()}, {"bundled", model.bundled}};
            if (inspection) {
                entry["kind"] = inspection->kind;
                entry["baseModel"] = inspection->identity.baseModel;
                entry["parameters"] = inspection->parameters;
                entry["sizeBytes"] = inspection->sizeBytes;
            } else {
                entry["problem"] = inspection.error().message;
            }
            list.push_back(std::move(entry));
        } else if (inspection) {
            printLine(fmt::format(
                "{:<20} {:.1f} million parameters, {}{}", model.name, static_cast<double>(inspection->parameters) / 1e6,
                bytesText(static_cast<double>(inspection->sizeBytes)), model.bundled ? ", bundled" : ""));
        } else {
            printLine(fmt::format("{:<20} cannot be used: {}", model.name, inspection.error().message));
        }
    }
    if (json) printJson({{"models", list}});
    return kDone;
}

void printLora(const weights::LoraSummary& lora) {
    printLine(fmt::format("  LoRA       {}, {} modules, rank {}{}", lora.family, lora.modules, lora.minRank,
                          lora.maxRank != lora.minRank ? fmt::format(" to {}", lora.maxRank) : std::string()));
    if (!lora.whyNotApplied.empty()) printLine("  not usable " + lora.whyNotApplied);
}

/// Empty where the file is no LoRA that can be applied.
std::string coverageOf(const ModelInspection& inspection) {
    if (!inspection.lora || !inspection.lora->whyNotApplied.empty()) return {};
    const auto model = session::findModelFolder(kCoverageModel);
    if (!model) return {};
    const auto coverage = session::loraCoverage(inspection.path, *model);
    return coverage ? *coverage : coverage.error().message;
}

void printInspection(const ModelInspection& inspection, const std::string& coverage, bool tensors) {
    printLine(fmt::format("{}: {}", inspection.path.string(), inspection.kind));
    const weights::ModelIdentity& identity = inspection.identity;
    printLine(fmt::format("  base       {}{}{}", identity.baseModel.empty() ? "unknown" : identity.baseModel,
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
    if (!coverage.empty()) printLine(fmt::format("  coverage   of '{}': {}", kCoverageModel, coverage));
    for (const auto& [key, value] : inspection.metadata)
        printLine(fmt::format("  metadata   {}: {}", key, value.size() > 100 ? value.substr(0, 100) + "..." : value));
    if (!inspection.xxh3.empty()) printLine("  XXH3-128   " + inspection.xxh3);
    if (!tensors) return;
    for (const weights::TensorSummary& tensor : inspection.tensors)
        printLine(fmt::format("  {} [{}]", tensor.name, fmt::join(tensor.shape, ",")));
}

struct InspectArguments {
    std::string file;
    bool tensors = false, hash = false, json = false;
};

int inspectFile(const InspectArguments& arguments) {
    weights::InspectOptions options;
    options.hash = arguments.hash;
    const auto inspection = weights::inspectModel(arguments.file, options);
    if (!inspection) return failWith(inspection.error());
    const std::string coverage = coverageOf(*inspection);
    if (!arguments.json) {
        printInspection(*inspection, coverage, arguments.tensors);
        return kDone;
    }
    Json document = Json::parse(weights::toJson(*inspection));
    if (!coverage.empty()) document["coverage"] = {{"model", kCoverageModel}, {"summary", coverage}};
    printJson(document);
    return kDone;
}

}  // namespace

void addModelsVerb(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("models", "list models; look into a file of weights");
    verb->require_subcommand(1);

    const auto listJson = std::make_shared<bool>(false);
    CLI::App* list = verb->add_subcommand("list", "the models that style cards can name");
    list->add_flag("--json", *listJson, "print them as JSON");
    list->callback([listJson, &action] { action = [listJson](InterruptWatch&) { return listModels(*listJson); }; });

    const auto arguments = std::make_shared<InspectArguments>();
    CLI::App* inspect = verb->add_subcommand("inspect", "what a file of weights or a model folder holds");
    inspect->add_option("FILE", arguments->file, "a safetensors file, a shard index or a model folder")->required();
    inspect->add_flag("--tensors", arguments->tensors, "list every tensor");
    inspect->add_flag("--hash", arguments->hash, "compute the hash of the weights");
    inspect->add_flag("--json", arguments->json, "print it as JSON, with every tensor");
    inspect->callback(
        [arguments, &action] { action = [arguments](InterruptWatch&) { return inspectFile(*arguments); }; });
}

}  // namespace reelbrush::cli
