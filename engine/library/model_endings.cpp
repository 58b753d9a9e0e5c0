#include "engine/library/model_endings.h"

#include "engine/styles/near_miss.h"

#include <algorithm>
#include <array>
#include <utility>

namespace reelbrush::library {

namespace {

using styles::lowerCase;

struct Ending {
    std::string_view text;
    FileForm form;
};

// The longer before those that they end with.
constexpr std::array kEndings = {
    Ending{".safetensors.index.json", FileForm::ShardIndex},
    Ending{".safetensors", FileForm::Safetensors},
    Ending{".sft", FileForm::Safetensors},
    Ending{".ckpt", FileForm::Pickle},
    Ending{".pt", FileForm::Pickle},
    Ending{".pth", FileForm::Pickle},
    Ending{".bin", FileForm::Pickle},
    Ending{".gguf", FileForm::Gguf},
};
constexpr std::array<std::string_view, 6> kUnfinished = {".part",     ".crdownload", ".partial",
                                                         ".download", ".incomplete", ".tmp"};

const Ending* endingOf(std::string_view lower) {
    const auto found = std::ranges::find_if(kEndings, [&](const Ending& end) { return lower.ends_with(end.text); });
    return found == kEndings.end() ? nullptr : &*found;
}

}  // namespace

FileForm formOf(std::string_view fileName) {
    const std::string lower = lowerCase(fileName);
    if (const Ending* ending = endingOf(lower)) return ending->form;
    for (const std::string_view unfinished : kUnfinished) {
        if (!lower.ends_with(unfinished)) continue;
        const Ending* ending = endingOf(std::string_view(lower).substr(0, lower.size() - unfinished.size()));
        if (ending && ending->form != FileForm::ShardIndex) return FileForm::UnfinishedDownload;
    }
    return FileForm::Other;
}

std::string withoutModelEnding(std::string_view fileName) {
    const std::string lower = lowerCase(fileName);
    const Ending* ending = endingOf(lower);
    return std::string(fileName.substr(0, fileName.size() - (ending ? ending->text.size() : 0)));
}

std::filesystem::path besideModel(const std::filesystem::path& model, std::string_view ending) {
    return model.parent_path() / (withoutModelEnding(model.filename().native()) + std::string(ending));
}

const std::vector<std::string>& pictureEndings() {
    static const std::vector<std::string> kPictures = {".preview.png", ".preview.jpg", ".preview.jpeg", ".preview.webp",
                                                       ".png",         ".jpg",         ".jpeg",         ".webp"};
    return kPictures;
}

const std::vector<std::string>& companionEndings() {
    static const std::vector<std::string> kCompanions = [] {
        std::vector<std::string> endings = pictureEndings();
        endings.insert(endings.end(), {".json", ".civitai.info"});
        return endings;
    }();
    return kCompanions;
}

}  // namespace reelbrush::library
