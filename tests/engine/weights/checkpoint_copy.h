#pragma once

#include "engine/weights/listed_weights.h"
#include "tests/support/safetensors_writer.h"

#include <functional>
#include <memory>
#include <string>

namespace reelbrush::testing {

/// The tiny SD 1.5 checkpoint that the tests bring along, under its stored (LDM) names.
std::shared_ptr<const weights::ListedWeights> tinyCheckpoint();
/// Its file.
std::filesystem::path tinyCheckpointFile();

/// Copies weights into a new file under other names and in another element type.
struct CopyOptions {
    /// The new name; empty leaves the tensor out.
    std::function<std::string(const std::string&)> rename = [](const std::string& name) { return name; };
    kernels::DType dtype = kernels::DType::F16;  ///< F32, F16, BF16, F8E4M3 or F8E5M2
    bool squeezed = false;                       ///< 1x1 convolutions are stored as matrices
};
void copyWeights(const weights::ListedWeights& source, const CopyOptions& options, SafetensorsWriter& into);

/// One weight of the source under another name.
void copyWeight(const weights::ListedWeights& source, const std::string& name, const std::string& newName,
                SafetensorsWriter& into);

/// The text encoder of the tiny checkpoint as OpenCLIP names it, fused projections and all, with one more layer on top
/// (a copy of the first) and a projection that is not symmetric.
void addOpenClip(const weights::ListedWeights& checkpoint, const std::string& prefix, SafetensorsWriter& into);

/// The rename rule that keeps only names with a prefix, and exchanges it.
std::function<std::string(const std::string&)> exchangePrefix(const std::string& from, const std::string& to);

}  // namespace reelbrush::testing
