#include "app/cli/exit_code.h"
#include "app/cli/model_library_verbs.h"
#include "app/cli/progress_display.h"
#include "engine/library/model_verification.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace reelbrush::cli {

namespace {

namespace fs = std::filesystem;
using library::ModelRecord;

struct VerifyArguments {
    std::vector<std::string> models;
    std::string progress = "auto";
    bool json = false;
};

/// Where nobody watches a terminal only those who ask for progress get it.
ProgressDisplay::Form formOf(const std::string& progress) {
    const ProgressDisplay::Form form = progressForm(progress);
    return progress == "auto" && form == ProgressDisplay::Form::JsonLines ? ProgressDisplay::Form::None : form;
}

/// What cannot be read whatever its content, and so neither verified nor found damaged.
bool isForeign(const ModelRecord& record) {
    return record.kind == "pickle" || record.kind == "GGUF";
}

Result<library::ModelVerification> verifyOne(const ModelRecord& record, const VerifyArguments& arguments,
                                             const CancelToken& cancel) {
    if (record.kind == "download") return library::ModelVerification{{}, {}, {}, {record.problem}};
    constexpr std::uint64_t kMebibyte = 1 << 20;
    ProgressDisplay display(formOf(arguments.progress));
    jobs::JobEvent event;
    event.state = jobs::JobState::Running;
    event.stage = "verifying " + record.name();
    library::VerifyOptions options;
    options.knownXxh3 = record.xxh3;
    options.sha256 = arguments.json;
    options.cancel = cancel;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
        event.progress = {static_cast<std::int64_t>(done / kMebibyte), static_cast<std::int64_t>(total / kMebibyte),
                          "MiB"};
        display.show(event);
    };
    return library::verifyModel(record.path, options);
}

/// What is verified: all of the library, or what was named. Of a file outside of the library only the path is known.
Result<std::vector<ModelRecord>> chosen(library::ModelLibrary& library, const VerifyArguments& arguments,
                                        const CancelToken& cancel) {
    RB_TRY(library.refresh(cancel));
    const std::vector<ModelRecord> all = library.records();
    if (arguments.models.empty()) {
        std::vector<ModelRecord> readable = all;
        std::erase_if(readable, isForeign);
        return readable;
    }
    std::vector<ModelRecord> records;
    for (const std::string& name : arguments.models) {
        RB_ASSIGN(const fs::path found, modelAt(library, name, cancel));
        std::error_code ignored;
        const fs::path path = fs::absolute(found, ignored).lexically_normal();
        const auto known = std::ranges::find(all, path, &ModelRecord::path);
        ModelRecord outside;
        outside.path = path;
        outside.relative = name;
        records.push_back(known != all.end() ? *known : outside);
    }
    return records;
}

std::string soundText(const library::ModelVerification& verified) {
    return verified.agreed.empty() ? "sound" : fmt::format("sound; agrees with {}", fmt::join(verified.agreed, ", "));
}

int verifyModels(const VerifyArguments& arguments, const InterruptWatch& interrupts) {
    const auto library = openUserLibrary();
    if (!library) return failWith(library.error());
    const auto records = chosen(**library, arguments, interrupts.token());
    printNotes(**library);
    if (!records) return failUnlessInterrupted(records.error(), interrupts);

    Json models = Json::array();
    std::size_t damaged = 0;
    for (const ModelRecord& record : *records) {
        const auto verified = verifyOne(record, arguments, interrupts.token());
        if (!verified) return failUnlessInterrupted(verified.error(), interrupts);
        const bool isSound = verified->problems.empty();
        if (!isSound) ++damaged;
        if (isSound) {
            const Status kept = (*library)->setHash(record.path, verified->xxh3);
            if (!kept) printError(kept.error().message);
        }
        if (arguments.json)
            models.push_back({{"name", record.name()},
                              {"path", record.path.string()},
                              {"sound", isSound},
                              {"xxh3", verified->xxh3},
                              {"sha256", verified->sha256},
                              {"agreed", verified->agreed},
                              {"problems", verified->problems}});
        else
            printLine(
                fmt::format("{:<32} {}", record.name(),
                            isSound ? soundText(*verified) : fmt::format("{}", fmt::join(verified->problems, "; "))));
    }
    if (arguments.json)
        printJson({{"models", models}, {"damaged", damaged}});
    else if (damaged > 0)
        printLine(fmt::format("{} of {} cannot be used as they are", damaged, records->size()));
    return damaged == 0 ? kDone : kFailed;
}

}  // namespace

void addModelsVerifyVerb(CLI::App& models, Action& action) {
    const auto arguments = std::make_shared<VerifyArguments>();
    CLI::App* verb = models.add_subcommand(
        "verify", "read models from end to end: are they complete, are all values numbers, do the hashes agree");
    verb->add_option("MODEL", arguments->models,
                     "names or files; where none is given all of the library but pickles and GGUF files");
    verb->add_option("--progress", arguments->progress, "auto: on a terminal only; json: lines on stderr; none")
        ->type_name("FORM")
        ->check(CLI::IsMember({"auto", "json", "none"}));
    verb->add_flag("--json", arguments->json, "print the findings as JSON, with XXH3-128 and SHA-256");
    verb->callback([arguments, &action] {
        action = [arguments](InterruptWatch& watch) { return verifyModels(*arguments, watch); };
    });
}

}  // namespace reelbrush::cli
