#include "app/cli/exit_code.h"
#include "app/cli/model_library_verbs.h"
#include "engine/weights/model_kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace reelbrush::cli {

namespace {

using library::ModelRecord;
using weights::ModelKind;

struct ListArguments {
    std::string type, base;
    bool problems = false, json = false, rescan = false;
};

/// "SD 1.5" as "sd15", "IP-Adapter" as "ipadapter": people need not remember the blanks.
std::string lettersOf(std::string_view text) {
    std::string letters;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)))
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return letters;
}

std::vector<std::string> kinds() {
    constexpr std::array kKinds = {ModelKind::Checkpoint,   ModelKind::Unet,        ModelKind::Vae,
                                   ModelKind::TinyVae,      ModelKind::TextEncoder, ModelKind::ImageEncoder,
                                   ModelKind::Lora,         ModelKind::ControlNet,  ModelKind::IpAdapter,
                                   ModelKind::MotionModule, ModelKind::Embedding,   ModelKind::ImageProjection,
                                   ModelKind::Unknown};
    std::vector<std::string> names{"model folder", "pickle", "GGUF", "download"};
    for (const ModelKind kind : kKinds) names.emplace_back(weights::nameOf(kind));
    return names;
}

/// Columns that a terminal takes for a text: letters of Asia take two.
std::size_t columnsOf(const std::string& text) {
    std::size_t columns = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        columns += byte < 0x80 || byte >= 0xc0 ? 1 : 0;
        columns += byte >= 0xe3 ? 1 : 0;
    }
    return columns;
}

std::string padded(const std::string& text, std::size_t columns) {
    return text + std::string(columns - std::min(columns, columnsOf(text)), ' ');
}

using Row = std::array<std::string, 5>;

Row rowOf(const ModelRecord& record) {
    std::string type = record.kind, base = record.baseModel.empty() ? "-" : record.baseModel;
    for (const std::string& fact : {record.variant, record.prediction})
        if (!fact.empty()) base += ", " + fact;
    std::string size = bytesText(static_cast<double>(record.sizeBytes));
    std::string notes = fmt::format("{}", fmt::join(record.triggerWords, ", "));
    if (isBundled(record)) size += ", bundled";
    return {record.name(), std::move(type), std::move(base), std::move(size), std::move(notes)};
}

void printTable(const std::vector<ModelRecord>& records) {
    std::vector<Row> rows{{"NAME", "TYPE", "BASE", "SIZE", "TRIGGER WORDS"}};
    for (const ModelRecord& record : records) rows.push_back(rowOf(record));
    constexpr std::size_t last = std::tuple_size_v<Row> - 1;
    std::array<std::size_t, std::tuple_size_v<Row>> widths{};
    for (const Row& row : rows)
        for (std::size_t column = 0; column < last; ++column)
            widths[column] = std::max(widths[column], columnsOf(row[column]));
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t column = 0; column < last; ++column) line += padded(row[column], widths[column] + 2);
        line += row[last];
        line.erase(line.find_last_not_of(' ') + 1);
        printLine(line);
    }
}

/// Those that were asked for, what comes with the program first.
std::vector<ModelRecord> chosen(std::vector<ModelRecord> records, const ListArguments& arguments) {
    const std::string type = lettersOf(arguments.type), base = lettersOf(arguments.base);
    std::erase_if(records, [&](const ModelRecord& record) {
        return !lettersOf(record.kind).starts_with(type) || !lettersOf(record.baseModel).starts_with(base) ||
               (arguments.problems && record.problem.empty());
    });
    std::ranges::stable_partition(records, isBundled);
    return records;
}

void printList(std::vector<ModelRecord> records) {
    if (records.empty()) {
        printLine("no such models; 'models folders list' shows where they are looked for");
        return;
    }
    std::vector<ModelRecord> unusable;
    for (const ModelRecord& record : records)
        if (!record.problem.empty()) unusable.push_back(record);
    std::erase_if(records, [](const ModelRecord& record) { return !record.problem.empty(); });
    if (!records.empty()) printTable(records);
    for (const ModelRecord& record : unusable)
        printLine(fmt::format("{} cannot be used: {}", record.name(), record.problem));
}

int listModels(const ListArguments& arguments, const InterruptWatch& interrupts) {
    const std::vector<std::string> known = kinds();
    const std::string type = lettersOf(arguments.type);
    const auto isOfType = [&](const std::string& kind) { return lettersOf(kind).starts_with(type); };
    if (!arguments.type.empty() && (type.empty() || std::ranges::none_of(known, isOfType)))
        return refuseUsage(
            fmt::format("there is no type '{}' of models; types are: {}", arguments.type, fmt::join(known, ", ")));
    const auto library = openUserLibrary(arguments.rescan);
    if (!library) return failWith(library.error());
    if (const Status refreshed = (*library)->refresh(interrupts.token()); !refreshed)
        return failUnlessInterrupted(refreshed.error(), interrupts);
    printNotes(**library);

    std::vector<ModelRecord> records = chosen((*library)->records(), arguments);
    if (!arguments.json) {
        printList(std::move(records));
        return kDone;
    }
    Json models = Json::array();
    for (const ModelRecord& record : records) models.push_back(recordJson(record));
    printJson({{"models", models}});
    return kDone;
}

}  // namespace

void addModelsListVerb(CLI::App& models, Action& action) {
    const auto arguments = std::make_shared<ListArguments>();
    CLI::App* verb = models.add_subcommand("list", "the models in your folders and those that come with the program");
    verb->add_option("--type", arguments->type, "only these: checkpoint, lora, vae, controlnet, embedding ...")
        ->type_name("TYPE");
    verb->add_option("--base", arguments->base, "only those for this base model: \"SD 1.5\", SDXL ...")
        ->type_name("MODEL");
    verb->add_flag("--problems", arguments->problems, "only those that cannot be used, with the reason");
    verb->add_flag("--rescan", arguments->rescan, "look into every file again, also where nothing seems changed");
    verb->add_flag("--json", arguments->json, "print them as JSON, with all that is known of each");
    verb->callback([arguments, &action] {
        action = [arguments](InterruptWatch& watch) { return listModels(*arguments, watch); };
    });
}

}  // namespace reelbrush::cli
