#include "engine/weights/layouts/model_part_reader.h"

#include "engine/weights/layouts/clip_text_names.h"
#include "engine/weights/layouts/taesd_names.h"
#include "engine/weights/layouts/unet_inference.h"
#include "engine/weights/layouts/unet_names.h"
#include "engine/weights/layouts/vae_inference.h"
#include "engine/weights/layouts/vae_names.h"

#include <algorithm>
#include <utility>

namespace reelbrush::weights {

namespace {

using Stored = std::shared_ptr<const ListedWeights>;

Result<ReadPart> renamedPart(const Stored& stored, TranslatedNames names) {
    ReadPart read;
    read.unread = std::move(names.unknown);
    RB_ASSIGN(read.part.weights, RenamedWeights::make({stored}, std::move(names.weights)));
    return read;
}

/// The LDM names of a VAE begin with one of these.
std::string_view ldmVaePrefix(const ListedWeights& stored) {
    for (const std::string_view prefix : {"first_stage_model.", "vae."})
        if (hasPrefix(stored, prefix)) return prefix;
    return {};
}

}  // namespace

Result<ReadPart> readUnet(const Stored& stored, const nlohmann::json& config, std::int64_t pooledWidth) {
    ReadPart read;
    const std::string_view prefix = hasPrefix(*stored, kLdmUnetPrefix) ? kLdmUnetPrefix : std::string_view();
    if (!prefix.empty() || stored->contains("input_blocks.0.0.weight")) {
        const int layers = ldmLayersPerBlock(*stored, prefix);
        const auto translate = [layers](std::string_view name) { return ldmUnetName(name, layers); };
        RB_ASSIGN(read, renamedPart(stored, translateNames(*stored, prefix, translate)));
    } else if (stored->contains("conv_in.weight")) {
        RB_ASSIGN(read, renamedPart(stored, translateNames(*stored, "", diffusersUnetName)));
    } else {
        return read;
    }
    read.part.config = config;
    if (!config.empty()) return read;
    UnetInference options;
    options.pooledWidth = pooledWidth;
    RB_ASSIGN(read.part.config, inferUnetConfig(*read.part.weights, options));
    return read;
}

Result<ReadPart> readVae(const Stored& stored, const nlohmann::json& config, double scalingFactor) {
    if (isTinyVae(*stored)) {
        RB_ASSIGN(ReadPart read, renamedPart(stored, taesdNames(*stored)));
        read.part.config = config;
        if (config.empty()) {
            RB_ASSIGN(read.part.config, inferTinyVaeConfig(*read.part.weights));
        }
        return read;
    }
    const std::string_view prefix = ldmVaePrefix(*stored);
    const int levels = ldmVaeLevels(*stored, prefix);
    ReadPart read;
    if (levels > 0) {
        const auto translate = [levels](std::string_view name) { return ldmVaeName(name, levels); };
        RB_ASSIGN(read, renamedPart(stored, translateNames(*stored, prefix, translate)));
    } else if (hasPrefix(*stored, std::string(prefix) + "decoder.up_blocks.")) {
        RB_ASSIGN(read, renamedPart(stored, translateNames(*stored, prefix, diffusersVaeName)));
    } else {
        return read;
    }
    read.part.config = config;
    if (config.empty()) {
        RB_ASSIGN(read.part.config, inferVaeConfig(*read.part.weights, scalingFactor));
    }
    return read;
}

Result<ReadPart> readClipText(const Stored& stored, std::string_view prefix, const nlohmann::json& config,
                              TextEncoderKind kind) {
    RB_ASSIGN(ReadPart read, renamedPart(stored, translateNames(*stored, prefix, clipTextName)));
    if (read.part.weights->names().empty()) {
        read.part.weights = nullptr;
        return read;
    }
    read.part.config = config;
    if (config.empty()) {
        RB_ASSIGN(read.part.config, inferTextEncoderConfig(*read.part.weights, kind));
    } else if (!config.contains("architectures")) {
        const bool projects = read.part.weights->contains("text_projection.weight");
        read.part.config["architectures"] = {projects ? "CLIPTextModelWithProjection" : "CLIPTextModel"};
    }
    return read;
}

Result<ReadPart> readOpenClipText(const Stored& stored, std::string_view prefix, bool withoutLastLayer) {
    const int storedLayers = openClipLayers(*stored, prefix);
    if (storedLayers == 0) return ReadPart{};
    const int layers = storedLayers - (withoutLastLayer ? 1 : 0);
    const auto translate = [&](std::string_view name) {
        const bool isProjection = name.starts_with("text_projection");
        return withoutLastLayer && isProjection ? NameTranslation::unused() : openClipName(name, layers);
    };
    RB_ASSIGN(ReadPart read, renamedPart(stored, translateNames(*stored, prefix, translate)));
    RB_ASSIGN(read.part.config, inferTextEncoderConfig(*read.part.weights, TextEncoderKind::OpenClip));
    return read;
}

}  // namespace reelbrush::weights
