#include "engine/weights/motion_module.h"

#include "engine/weights/finite_weights.h"
#include "engine/weights/layouts/in_file.h"
#include "engine/weights/layouts/motion_inference.h"
#include "engine/weights/layouts/motion_names.h"
#include "engine/weights/located_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace reelbrush::weights {

namespace {

constexpr int kLevelsOfSd15 = 4;

MotionVersion versionOf(const MotionModuleFiles& motion) {
    if (motion.positions == 0) return MotionVersion::AnimateLcm;
    if (motion.family == BaseFamily::Sdxl) return MotionVersion::Sdxl;
    if (motion.hasMiddle) return MotionVersion::V2;
    return motion.positions == 32 ? MotionVersion::V3 : MotionVersion::V1;
}

bool isMotionLora(const ListedWeights& stored) {
    return std::ranges::any_of(stored.names(), [](const std::string& name) {
        return name.find("motion_modules.") != name.npos && name.find("_lora.") != name.npos;
    });
}

}  // namespace

const char* nameOf(MotionVersion version) {
    switch (version) {
        case MotionVersion::V1:
            return "v1";
        case MotionVersion::V2:
            return "v2";
        case MotionVersion::V3:
            return "v3";
        case MotionVersion::Sdxl:
            return "SDXL";
        case MotionVersion::AnimateLcm:
            return "AnimateLCM";
    }
    return "?";
}

Result<MotionModuleFiles> openMotionModule(const std::filesystem::path& path) {
    RB_ASSIGN(const LocatedPart located, locatePart(path, "motion_adapter"));
    if (isMotionLora(*located.weights))
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is a LoRA for a motion module (a camera move), which is not supported",
                                quotedPath(located.path)));
    MotionModuleFiles motion;
    motion.path = path;
    TranslatedNames names = motionNames(*located.weights);
    if (names.weights.empty()) return notSuchAPart(located, "motion module");
    motion.unreadTensors = std::move(names.unknown);
    RB_ASSIGN(motion.part.weights,
              inFile(located.path, RenamedWeights::make({located.weights}, std::move(names.weights))));
    RB_ASSIGN(const nlohmann::json inferred, inFile(located.path, inferMotionConfig(*motion.part.weights)));
    motion.part.config = located.config.empty() ? inferred : located.config;
    motion.part.config.update(located.overrides);
    motion.family = inferred.at("block_out_channels").size() == kLevelsOfSd15 ? BaseFamily::Sd15 : BaseFamily::Sdxl;
    motion.hasMiddle = inferred.at("use_motion_mid_block").get<bool>();
    motion.positions = motionPositions(*motion.part.weights);
    motion.version = versionOf(motion);
    motion.part.weights = requireFinite(std::move(motion.part.weights), located.path);
    return motion;
}

}  // namespace reelbrush::weights
