#pragma once

#include "engine/core/status.h"
#include "engine/weights/base_model.h"
#include "engine/weights/lora_dictionary.h"
#include "engine/weights/lora_file.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::weights {

/// How much of a LoRA reaches a model. All names are as in the LoRA's file, without the endings.
struct LoraCoverage {
    std::filesystem::path file;
    std::string baseModel;          ///< what the LoRA was probably made for; empty where unknown
    std::string modelName;          ///< the model it was matched against; empty where unknown
    std::size_t modulesInFile = 0;  ///< of all parts together
    std::size_t applied = 0;
    std::vector<std::string> missing;          ///< modules that the model does not have
    std::vector<std::string> shapeMismatches;  ///< modules that the model has in another shape, both shapes named
    std::vector<std::string> unreadTensors;    ///< tensors that are no module at all

    bool isComplete() const { return applied == modulesInFile && unreadTensors.empty(); }
    /// "78 of 78 modules applied"
    std::string summary() const;
    /// What was left out (the first few) and why, as it follows the summary; empty where the coverage is complete.
    std::string warning() const;
};

/// A LoRA module and the layer that it changes; both pointers live as long as what they were matched from.
struct LoraMatch {
    const LoraModule* module = nullptr;
    const LoraPlace* place = nullptr;
};

struct LoraMatching {
    LoraCoverage coverage;
    std::vector<LoraMatch> matches;  ///< whatever these modules change (weight, bias) fits
};

/// Finds for every module of a LoRA the layer that it changes, over all parts of a model together; computes nothing.
/// modelName: as errors call the model, and as baseModel() of a fitting LoRA: "SD 1.5", "SDXL"; empty where unknown.
/// Errors: BadInput when nothing fits, or less than half of a LoRA that is known to be made for another base model,
/// naming both; as the weights' find().
Result<LoraMatching> matchLora(const LoraFile& lora, const LoraDictionary& model, const std::string& modelName);

}  // namespace reelbrush::weights
