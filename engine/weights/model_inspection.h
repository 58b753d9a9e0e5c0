#pragma once

#include "engine/core/status.h"
#include "engine/weights/base_model.h"
#include "engine/weights/lora_details.h"
#include "engine/weights/model_kind.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::weights {

struct TensorSummary {
    std::string name;  ///< from the file, so it may hold control characters
    kernels::DType dtype = kernels::DType::F32;
    std::vector<std::int64_t> shape;
};

struct DtypeShare {
    std::size_t tensors = 0;
    std::uint64_t bytes = 0;
};

/// What a LoRA of any family holds.
struct LoraSummary {
    std::string family;        ///< "PEFT", "LoHa (LyCORIS)" ...
    std::size_t modules = 0;   ///< layers that it changes
    std::int64_t minRank = 0;  ///< 0 where the family has no rank
    std::int64_t maxRank = 0;
    float minFactor = 0;  ///< alpha / rank; only where the file can be applied
    float maxFactor = 0;
    LoraDetails details;
    std::string whyNotApplied;  ///< why this version cannot apply it, a sentence; empty where it can
};

/// A file of weights, or a model folder, looked at from outside.
struct ModelInspection {
    std::filesystem::path path;
    std::string kind;             ///< "checkpoint", "UNet", "LoRA", "model folder" ...
    ModelIdentity identity;       ///< of a folder: its UNet's
    std::uint64_t sizeBytes = 0;  ///< of all weights files
    std::int64_t parameters = 0;  ///< values over all tensors; scales of int8 weights are not counted
    std::map<std::string, DtypeShare> dtypes;
    std::vector<TensorSummary> tensors;   ///< as stored, sorted; in a folder "unet/conv_in.weight"
    Metadata metadata;                    ///< from the file, so it may hold anything; of a folder: empty
    std::vector<std::string> components;  ///< parts of a model folder
    std::optional<LoraSummary> lora;
    std::string xxh3;  ///< XXH3-128 of the weights files one after the other, 32 hex digits; empty unless asked for
};

struct InspectOptions {
    bool hash = false;  ///< reads the whole file
};

/// Looks at a safetensors file, a shard index, or a folder in the diffusers layout (of a whole model or of one part).
/// Errors: as StoredTensors::open and DiffusersFolder::open; pickles are refused with how to convert them.
Result<ModelInspection> inspectModel(const std::filesystem::path& path, const InspectOptions& options = {});

/// One JSON object, indented, valid UTF-8 whatever the file held. Metadata values beyond 4096 bytes (thumbnails, tag
/// lists) are replaced by their length.
std::string toJson(const ModelInspection& inspection);

}  // namespace reelbrush::weights
