#include "engine/styles/style_catalogue.h"

#include "engine/core/xdg_folders.h"
#include "engine/styles/near_miss.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <system_error>

namespace reelbrush::styles {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> cardFiles(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code problem;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem))
        if (lowerCase(entry->path().extension().string()) == ".json") files.push_back(entry->path());
    std::sort(files.begin(), files.end());
    return files;
}

StyleCard cardOfPicture(const fs::path& picture) {
    StyleCard card;
    card.name = picture.stem().string();
    card.title.en = card.name;
    card.pictures = {picture};
    return card;
}

bool holdsWeights(const fs::path& file) {
    const std::string extension = lowerCase(file.extension().string());
    return extension == ".safetensors" || extension == ".ckpt" || extension == ".pt" || extension == ".pth";
}

}  // namespace

StyleCatalogue StyleCatalogue::load() {
    return load({resourcesFolder() / "styles", dataFolder() / "styles"});
}

StyleCatalogue StyleCatalogue::load(const std::vector<fs::path>& folders) {
    StyleCatalogue catalogue;
    std::map<std::string, StyleCard> byName;
    for (const fs::path& folder : folders)
        for (const fs::path& file : cardFiles(folder)) {
            auto card = readStyleCard(file);
            if (card)
                byName.insert_or_assign(lowerCase(card->name), std::move(*card));
            else
                catalogue.problems_.push_back({file, std::move(card).error()});
        }
    for (auto& [name, card] : byName) catalogue.cards_.push_back(std::move(card));
    return catalogue;
}

Result<StyleCard> StyleCatalogue::find(std::string_view name) const {
    const std::string wanted = lowerCase(name);
    for (const StyleCard& card : cards_)
        if (lowerCase(card.name) == wanted) return card;
    for (const StyleCard& card : cards_)
        if (lowerCase(card.title.en) == wanted || (!wanted.empty() && card.title.zh == name)) return card;
    for (const Problem& problem : problems_)
        if (lowerCase(problem.file.stem().string()) == wanted) return fail(problem.error);

    std::vector<std::string> names;
    for (const StyleCard& card : cards_) names.push_back(card.name);
    const auto meant = nearMisses(name, names);
    return fail(StatusCode::BadInput,
                fmt::format("there is no style '{}'{}; 'reelbrush-cli styles' lists all, and any picture can be given "
                            "by its path",
                            name, meant.empty() ? "" : fmt::format(": did you mean {}?", fmt::join(meant, " or "))));
}

Result<StyleCard> resolveStyle(std::string_view text, const StyleCatalogue& catalogue) {
    auto named = catalogue.find(text);
    if (named) return named;
    const fs::path file(text);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return named;
    const auto refuse = [&](const char* why) {
        return fail(StatusCode::BadInput, fmt::format("cannot use '{}' as a style: {}", text, why));
    };
    if (fs::is_directory(file, ignored)) return refuse("it is a folder; name a picture or a style card");
    if (holdsWeights(file)) return refuse("it holds weights; give a LoRA with --lora");
    if (lowerCase(file.extension().string()) == ".json") return readStyleCard(file);
    return cardOfPicture(fs::absolute(file, ignored).lexically_normal());
}

}  // namespace reelbrush::styles
