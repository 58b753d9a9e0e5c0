#include "engine/weights/layouts/taesd_halves.h"

#include "engine/weights/layouts/in_file.h"
#include "engine/weights/layouts/taesd_names.h"
#include "engine/weights/layouts/vae_inference.h"
#include "engine/weights/model_weights.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <utility>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;

/// The decoder's layer 0 is its clamp, which has no weights.
bool isDecoder(const ListedWeights& half) {
    return !half.contains("0.weight");
}

Result<fs::path> otherHalf(const fs::path& path, bool decoder) {
    const std::string here = decoder ? "decoder" : "encoder";
    const std::string there = decoder ? "encoder" : "decoder";
    std::string name = path.filename().native();
    const auto at = name.rfind(here);
    if (at != name.npos) {
        name.replace(at, here.size(), there);
        std::error_code ignored;
        if (fs::is_regular_file(path.parent_path() / name, ignored)) return path.parent_path() / name;
    }
    return fail(StatusCode::BadInput,
                fmt::format("{} is only the {} of a tiny VAE; put its {} beside it, named alike but with '{}' for '{}'",
                            quotedPath(path), here, there, there, here));
}

}  // namespace

bool isTaesdHalf(const ListedWeights& stored) {
    return stored.contains("1.conv.0.weight") || stored.contains("3.conv.0.weight");
}

Result<ModelPart> openTaesdHalves(const fs::path& path, std::shared_ptr<const ListedWeights> half) {
    const bool decoder = isDecoder(*half);
    RB_ASSIGN(const fs::path otherPath, otherHalf(path, decoder));
    RB_ASSIGN(std::shared_ptr<const ListedWeights> other, ModelWeights::open(otherPath));
    if (!isTaesdHalf(*other) || isDecoder(*other) == decoder)
        return fail(StatusCode::BadInput,
                    fmt::format("{} is not the other half of {}", quotedPath(otherPath), quotedPath(path)));
    const auto translate = [](const ListedWeights& stored, std::size_t source) {
        const bool isDecoding = isDecoder(stored);
        return translateNames(
            stored, "", [isDecoding](std::string_view name) { return taesdHalfName(name, isDecoding); }, source);
    };
    TranslatedNames names = translate(*half, 0);
    for (RenamedWeight& weight : translate(*other, 1).weights) names.weights.push_back(std::move(weight));
    ModelPart part;
    RB_ASSIGN(part.weights, inFile(path, RenamedWeights::make({half, other}, std::move(names.weights))));
    RB_ASSIGN(part.config, inFile(path, inferTinyVaeConfig(*part.weights)));
    return part;
}

}  // namespace reelbrush::weights
