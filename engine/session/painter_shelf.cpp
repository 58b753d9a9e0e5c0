#include "engine/session/painter_shelf.h"

#include <algorithm>
#include <tuple>

namespace reelbrush::session {

namespace {

bool sameLoras(const std::vector<diffusion::LoraChoice>& a, const std::vector<diffusion::LoraChoice>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
        return one.file == other.file && one.strength == other.strength;
    });
}

auto keyOf(const diffusion::PainterOptions& o) {
    return std::tie(o.width, o.height, o.guided, o.precision, o.threads, o.ramBytes, o.algorithmCacheFile);
}

}  // namespace

Result<diffusion::FramePainter*> PainterShelf::take(const std::filesystem::path& modelFolder,
                                                    const std::vector<diffusion::LoraChoice>& loras,
                                                    const diffusion::PainterOptions& options) {
    const bool same =
        painter_ && modelFolder_ == modelFolder && sameLoras(loras_, loras) && keyOf(options_) == keyOf(options);
    if (!same) {
        painter_.reset();  // before the next is made: two would not fit
        RB_ASSIGN(painter_, factory_(modelFolder, loras, options));
        modelFolder_ = modelFolder;
        loras_ = loras;
        options_ = options;
    }
    return painter_.get();
}

}  // namespace reelbrush::session
