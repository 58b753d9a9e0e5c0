#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/style_thumbnails.h"
#include "app/cli/verb.h"
#include "engine/core/xdg_folders.h"
#include "engine/styles/style_catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <vector>

namespace reelbrush::cli {

namespace {

using styles::StyleCard;
using styles::StyleCatalogue;

Json cardJson(const StyleCard& card) {
    Json loras = Json::array(), pictures = Json::array();
    for (const styles::StyleLora& lora : card.loras)
        loras.push_back({{"file", lora.file.string()}, {"strength", lora.strength}});
    for (const auto& picture : card.pictures) pictures.push_back(picture.string());
    return {{"name", card.name},
            {"title", {{"en", card.title.en}, {"zh", card.title.zh}}},
            {"file", card.file.string()},
            {"baseModel", card.baseModel},
            {"loras", loras},
            {"pictures", pictures},
            {"structure", card.structure},
            {"keepColours", card.keepColours},
            {"steps", card.steps},
            {"guidance", card.guidance},
            {"sampler", card.sampler},
            {"seed", card.seed},
            {"thumbnail", card.thumbnail.string()},
            {"author", card.author},
            {"licence", card.licence},
            {"attribution", card.attribution},
            {"tags", card.tags}};
}

int listStyles(bool json) {
    const StyleCatalogue catalogue = StyleCatalogue::load();
    Json cards = Json::array(), problems = Json::array();
    for (const StyleCard& card : catalogue.cards()) {
        if (json)
            cards.push_back(cardJson(card));
        else
            printLine(fmt::format("{:<24} {}{}", card.name, card.title.en,
                                  card.tags.empty() ? "" : fmt::format(" ({})", fmt::join(card.tags, ", "))));
    }
    for (const auto& problem : catalogue.problems()) {
        if (json)
            problems.push_back({{"file", problem.file.string()}, {"problem", problem.error.message}});
        else
            printError(problem.error.message);
    }
    if (json) printJson({{"styles", cards}, {"problems", problems}});
    return kDone;
}

int showStyle(const std::string& name, bool json) {
    const auto card = styles::resolveStyle(name, StyleCatalogue::load());
    if (!card) return failWith(card.error());
    if (json) {
        printJson(cardJson(*card));
        return kDone;
    }
    printLine(
        fmt::format("{}: {}{}", card->name, card->title.en, card->title.zh.empty() ? "" : " / " + card->title.zh));
    printLine("  model      " + card->baseModel);
    for (const styles::StyleLora& lora : card->loras)
        printLine(fmt::format("  LoRA       {} at {}", lora.file.string(), lora.strength));
    for (const auto& picture : card->pictures) printLine("  picture    " + picture.string());
    printLine(fmt::format("  structure  {} ({})", card->structure,
                          card->keepColours ? "the clip's colours" : "the style's colours"));
    printLine(fmt::format("  sampling   {} steps of {}, guidance {}, seed {}", card->steps, card->sampler,
                          card->guidance, card->seed));
    if (!card->author.empty()) printLine("  author     " + card->author);
    if (!card->licence.empty()) printLine("  licence    " + card->licence);
    if (!card->attribution.empty()) printLine("  source     " + card->attribution);
    if (!card->file.empty()) printLine("  file       " + card->file.string());
    return kDone;
}

}  // namespace

void addStylesVerb(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("styles", "list and show styles; render their thumbnails");
    verb->require_subcommand(1);
    const auto json = std::make_shared<bool>(false);

    CLI::App* list = verb->add_subcommand("list", "every style card");
    list->add_flag("--json", *json, "print them as JSON");
    list->callback([json, &action] { action = [json](InterruptWatch&) { return listStyles(*json); }; });

    const auto name = std::make_shared<std::string>();
    CLI::App* show = verb->add_subcommand("show", "all that one style card says");
    show->add_option("NAME", *name, "a style card by name or file, or any picture")->required();
    show->add_flag("--json", *json, "print it as JSON");
    show->callback(
        [name, json, &action] { action = [name, json](InterruptWatch&) { return showStyle(*name, *json); }; });

    const auto arguments = std::make_shared<ThumbnailArguments>();
    CLI::App* thumbnails = verb->add_subcommand("thumbnails", "paint a picture in each style and keep it small");
    thumbnails->add_option("NAMES", arguments->names, "which styles; default: all");
    thumbnails->add_option("--of", arguments->picture, "what is painted; default: the bundled clip's first frame")
        ->type_name("PICTURE");
    thumbnails->add_option("--out", arguments->folder, "where to; default: where the cards look for them")
        ->type_name("DIR");
    thumbnails->add_flag("--json", arguments->json, "print what was written as JSON");
    thumbnails->callback([arguments, &action] {
        action = [arguments](InterruptWatch& interrupts) { return renderThumbnails(*arguments, interrupts); };
    });
}

}  // namespace reelbrush::cli
