#pragma once

#include "engine/core/status.h"
#include "engine/weights/base_model.h"
#include "engine/weights/lora_file.h"
#include "kernels/plan/weight_provider.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace reelbrush::weights {

/// The part of a model that LoRAs are matched against.
struct LoraTarget {
    std::string component = "unet";  ///< modules of this component, and those that name none, belong here
    /// Parts of the model that are matched by themselves; their modules are not counted here.
    std::vector<std::string> otherComponents = {};
    std::string modelName = kStarterModelName;  ///< as errors call the model, and as baseModel() of a fitting LoRA
};

/// How much of a LoRA reaches a model. All names are full names: "unet.down_blocks.0.resnets.0.conv1".
struct LoraCoverage {
    std::filesystem::path file;
    std::string baseModel;          ///< what the LoRA was probably made for; empty where unknown
    std::size_t modulesInFile = 0;  ///< those of otherComponents not counted
    std::size_t applied = 0;
    std::vector<std::string> missing;          ///< modules that the model does not have
    std::vector<std::string> shapeMismatches;  ///< modules that the model has in another shape, both shapes named
    std::vector<std::string> unreadTensors;    ///< tensors that are no module at all

    bool isComplete() const { return applied == modulesInFile && unreadTensors.empty(); }
    /// "78 of 78 modules applied"
    std::string summary() const;
    /// One sentence that lists what was left out (the first few); empty where the coverage is complete.
    std::string warning() const;
};

/// A LoRA module and the weight that it changes.
struct LoraMatch {
    const LoraModule* module = nullptr;
    std::string weight;  ///< "down_blocks.0.resnets.0.conv1.weight"
};

struct LoraMatching {
    LoraCoverage coverage;
    std::vector<LoraMatch> matches;  ///< pointers live as long as the LoraFile
};

/// Finds for every module of a LoRA the weight that it changes; computes nothing.
/// Errors: BadInput when nothing fits, naming the probable base model of the LoRA and this model.
Result<LoraMatching> matchLora(const LoraFile& lora, const kernels::WeightProvider& model, const LoraTarget& target);

}  // namespace reelbrush::weights
