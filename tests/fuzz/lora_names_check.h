#pragma once

#include <string_view>

namespace reelbrush::testing {

/// Makes a model and a LoRA with arbitrary names and shapes and merges one into the other. The input is text: one
/// tensor a line, "NAME DIM DIM ..."; first the model's, behind a line "--" those of the LoRA, behind a further one the
/// block weights. Throws std::logic_error where a promise of the headers of engine/weights does not hold.
void checkLoraNames(std::string_view input);

}  // namespace reelbrush::testing
