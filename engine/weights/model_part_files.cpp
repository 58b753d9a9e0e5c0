#include "engine/weights/model_part_files.h"

#include "engine/weights/finite_weights.h"
#include "engine/weights/layouts/clip_text_names.h"
#include "engine/weights/layouts/controlnet_names.h"
#include "engine/weights/layouts/in_file.h"
#include "engine/weights/layouts/model_family.h"
#include "engine/weights/layouts/model_part_reader.h"
#include "engine/weights/layouts/taesd_halves.h"
#include "engine/weights/layouts/unet_inference.h"
#include "engine/weights/layouts/vae_inference.h"
#include "engine/weights/located_part.h"
#include "engine/weights/part_completeness.h"

#include <fmt/format.h>

#include <utility>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;

Result<ModelPart> finished(Result<ReadPart> read, const LocatedPart& located, const char* wanted,
                           ImpliedNames (*impliedNames)(const nlohmann::json&)) {
    RB_ASSIGN(ReadPart found, inFile(located.path, std::move(read)));
    if (!found.part.weights) return notSuchAPart(located, wanted);
    found.part.config.update(located.overrides);
    RB_TRY(inFile(located.path,
                  checkComplete(*found.part.weights, impliedNames(found.part.config), wanted, found.unread)));
    found.part.weights = requireFinite(std::move(found.part.weights), located.path);
    return std::move(found.part);
}

/// The first of the prefixes under which the names of an OpenCLIP text encoder begin.
Result<ReadPart> readOpenClipAnywhere(const LocatedPart& located, const char* prefix, bool withoutLastLayer) {
    for (const std::string_view candidate : {std::string_view(prefix), std::string_view()})
        if (openClipLayers(*located.weights, candidate) > 0)
            return readOpenClipText(located.weights, candidate, withoutLastLayer);
    return readClipText(located.weights, "", located.config, TextEncoderKind::OpenClip);
}

Result<ReadPart> readClipAnywhere(const LocatedPart& located) {
    for (const std::string_view prefix : {"cond_stage_model.transformer.", "conditioner.embedders.0.transformer."})
        if (hasPrefix(*located.weights, prefix))
            return readClipText(located.weights, prefix, located.config, TextEncoderKind::ClipL);
    return readClipText(located.weights, "", located.config, TextEncoderKind::ClipL);
}

}  // namespace

Result<ModelPart> openVae(const fs::path& path, BaseFamily usedWith) {
    RB_ASSIGN(const LocatedPart located, locatePart(path, "vae"));
    if (isTaesdHalf(*located.weights)) {
        RB_ASSIGN(ModelPart part, openTaesdHalves(path, located.weights));
        part.config.update(located.overrides);
        part.weights = requireFinite(std::move(part.weights), located.path);
        return part;
    }
    const double scaling = usedWith == BaseFamily::Sdxl ? kSdxlScalingFactor : kSdScalingFactor;
    return finished(readVae(located.weights, located.config, scaling), located, "VAE", impliedVaeNames);
}

Result<ModelPart> openTextEncoder(const fs::path& path, TextEncoderRole role) {
    const bool isSecond = role == TextEncoderRole::SdxlSecond;
    RB_ASSIGN(const LocatedPart located, locatePart(path, isSecond ? "text_encoder_2" : "text_encoder"));
    switch (role) {
        case TextEncoderRole::ClipL:
            return finished(readClipAnywhere(located), located, "CLIP-L text encoder", impliedTextEncoderNames);
        case TextEncoderRole::Sd2:
            return finished(readOpenClipAnywhere(located, "cond_stage_model.model.", true), located,
                            "OpenCLIP text encoder", impliedTextEncoderNames);
        case TextEncoderRole::SdxlSecond:
            return finished(readOpenClipAnywhere(located, "conditioner.embedders.1.model.", false), located,
                            "OpenCLIP text encoder", impliedTextEncoderNames);
    }
    return fail(StatusCode::Internal, "unknown role of a text encoder");
}

Result<ControlNetFiles> openControlNet(const fs::path& path) {
    RB_ASSIGN(const LocatedPart located, locatePart(path, "controlnet"));
    if (const char* relative = controlNetRelative(*located.weights))
        return fail(StatusCode::Unsupported, fmt::format("{} is a {}, which is not supported; use the full ControlNet",
                                                         quotedPath(located.path), relative));
    ControlNetFiles files;
    files.path = path;
    TranslatedNames names = controlNetNames(*located.weights);
    if (names.weights.empty()) return notSuchAPart(located, "ControlNet");
    files.unreadTensors = std::move(names.unknown);
    RB_ASSIGN(files.part.weights,
              inFile(located.path, RenamedWeights::make({located.weights}, std::move(names.weights))));
    files.part.config = located.config;
    if (located.config.empty()) {
        RB_ASSIGN(files.part.config, inFile(located.path, inferControlNetConfig(*files.part.weights)));
    }
    files.part.config.update(located.overrides);
    files.family = familyOf(files.part.config);
    RB_TRY(inFile(located.path, checkComplete(*files.part.weights, impliedControlNetNames(files.part.config),
                                              "ControlNet", files.unreadTensors)));
    files.part.weights = requireFinite(std::move(files.part.weights), located.path);
    return files;
}

}  // namespace reelbrush::weights
