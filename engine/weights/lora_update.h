#pragma once

#include "engine/core/status.h"
#include "engine/weights/lora_file.h"
#include "kernels/tensor/shape.h"

#include <span>
#include <string>

namespace reelbrush::weights {

/// True where the module changes weights of this shape: [out, in], [out, in, kh, kw], norms [channels]. A linear update
/// fits a pointwise convolution, and the other way round.
bool fitsWeight(const LoraModule& module, const kernels::Shape& weight);
/// True where the module's change of the bias fits a bias of this shape.
bool fitsBias(const LoraModule& module, const kernels::Shape& bias);
/// "640x320", the shape of the update flattened to two dimensions; for error sentences.
std::string updateShapeText(const LoraModule& module);

/// Adds a module's effect on a weight that it fits, in fp32: weight += strength * dW, where
///   low rank   dW = factor * up.flatten(1) @ down.flatten(1), with mid summed over both ranks,
///   LoHa       dW = factor * (w1a @ w1b) o (w2a @ w2b), each factor a Tucker product where it has a core,
///   LoKr       dW = factor * kron(w1, w2),
///   difference dW as stored,
///   DoRA       dW = m * V / |V| - W with V = W + dW of its kind; |V| for each output, or for each input over outputs
///              and kernel, as the shape of m says.
/// pristine: W, read for DoRA only; weight: as many values, changed.
/// Errors: as LoraFile::values. Source: Hu et al. 2021; Yeh et al. 2023 (LyCORIS); Liu et al. 2024 (DoRA).
Status addWeightUpdate(const LoraFile& file, const LoraModule& module, float strength, std::span<const float> pristine,
                       std::span<float> weight);
/// The same for the bias: bias += strength * (factor * up's bias + difference).
Status addBiasUpdate(const LoraFile& file, const LoraModule& module, float strength, std::span<float> bias);

}  // namespace reelbrush::weights
