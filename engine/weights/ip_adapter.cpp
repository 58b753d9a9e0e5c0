#include "engine/weights/ip_adapter.h"

#include "engine/weights/finite_weights.h"
#include "engine/weights/layouts/in_file.h"
#include "engine/weights/layouts/ip_adapter_names.h"
#include "engine/weights/layouts/vision_inference.h"
#include "engine/weights/layouts/weight_shapes.h"
#include "engine/weights/located_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace reelbrush::weights {

namespace {

constexpr int kAttentionsOfSdxl = 70;
constexpr int kSd2ContextChannels = 1024;

/// FaceID brings a LoRA along, and reads embeddings of a face recogniser.
bool isFaceId(const ListedWeights& stored) {
    return std::ranges::any_of(stored.names(), [](const std::string& name) {
        return name.starts_with("ip_adapter.") && name.find("_lora.") != name.npos;
    });
}

BaseFamily familyOf(const IpAdapterFiles& files) {
    if (files.attentions >= kAttentionsOfSdxl) return BaseFamily::Sdxl;
    return files.contextChannels == kSd2ContextChannels ? BaseFamily::Sd2 : BaseFamily::Sd15;
}

/// Odd numbers without a gap, keys and values alike.
Status countAttentions(IpAdapterFiles& files) {
    const auto has = [&](int index, const char* projection) {
        return files.weights->contains(fmt::format("ip_adapter.{}.{}.weight", index, projection));
    };
    const auto stored = std::ranges::count_if(files.weights->names(),
                                              [](const std::string& name) { return name.starts_with("ip_adapter."); });
    int count = 0;
    while (has(2 * count + 1, "to_k_ip") && has(2 * count + 1, "to_v_ip")) ++count;
    if (count == 0 || stored != 2 * count)
        return fail(StatusCode::BadInput,
                    fmt::format("it lacks keys or values of the attention 'ip_adapter.{}'; the file is incomplete",
                                2 * count + 1));
    files.attentions = count;
    files.contextChannels = static_cast<int>(WeightShapes(*files.weights).dim("ip_adapter.1.to_k_ip.weight", 1));
    files.family = familyOf(files);
    return {};
}

Status checkProjection(const ListedWeights& weights) {
    const auto hasAll = [&](std::initializer_list<const char*> names) {
        return std::ranges::all_of(names, [&](const char* name) { return weights.contains(name); });
    };
    const bool isPlus = hasAll({"latents", "proj_in.weight", "proj_out.weight"});
    const bool isFullFace = hasAll({"proj.0.weight", "proj.2.weight", "proj.3.weight"});
    if (isPlus || isFullFace || hasAll({"proj.weight", "norm.weight"})) return {};
    return fail(StatusCode::BadInput,
                "its projection of the picture ('image_proj') is incomplete, or none of base, "
                "Plus and full face");
}

}  // namespace

Result<IpAdapterFiles> openIpAdapter(const std::filesystem::path& path) {
    LocatedPart located;
    located.path = path;
    RB_ASSIGN(located.weights, ModelWeights::open(path));
    if (!hasPrefix(*located.weights, "ip_adapter.")) return notSuchAPart(located, "IP-Adapter");
    if (isFaceId(*located.weights))
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is an IP-Adapter FaceID, which needs a face recogniser and is not supported; use a "
                                "base, Plus or full-face IP-Adapter",
                                quotedPath(path)));
    IpAdapterFiles files;
    files.path = path;
    TranslatedNames names = ipAdapterNames(*located.weights);
    files.unreadTensors = std::move(names.unknown);
    RB_ASSIGN(files.weights, inFile(path, RenamedWeights::make({located.weights}, std::move(names.weights))));
    RB_TRY(inFile(path, countAttentions(files)));
    RB_TRY(inFile(path, checkProjection(*files.weights)));
    files.weights = requireFinite(std::move(files.weights), path);
    return files;
}

Result<ModelPart> openImageEncoder(const std::filesystem::path& path) {
    RB_ASSIGN(const LocatedPart located, locatePart(path, "image_encoder"));
    TranslatedNames names = clipVisionNames(*located.weights);
    ModelPart part;
    RB_ASSIGN(part.weights, inFile(located.path, RenamedWeights::make({located.weights}, std::move(names.weights))));
    if (!part.weights->contains("embeddings.class_embedding")) return notSuchAPart(located, "CLIP image encoder");
    part.config = located.config;
    if (located.config.empty()) {
        RB_ASSIGN(part.config, inFile(located.path, inferVisionEncoderConfig(*part.weights)));
    }
    part.config.update(located.overrides);
    part.weights = requireFinite(std::move(part.weights), located.path);
    return part;
}

}  // namespace reelbrush::weights
