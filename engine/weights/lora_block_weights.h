#pragma once

#include "engine/core/status.h"
#include "engine/weights/lora_dictionary.h"

#include <map>
#include <string>
#include <string_view>

namespace reelbrush::weights {

/// How strongly a LoRA acts in each block of a model, beside its strength. Unless told: 1 everywhere.
class LoraBlockWeights {
  public:
    LoraBlockWeights() = default;

    /// text: either a list "1,0,0.5,..." in the order that A1111's block weight extension uses, of
    ///   17 numbers (SD 1.5): BASE IN01 IN02 IN04 IN05 IN07 IN08 MID OUT03 .. OUT11,
    ///   12 numbers (SDXL): BASE IN04 IN05 IN07 IN08 MID OUT00 .. OUT05,
    ///   20 numbers (SDXL): BASE IN00 .. IN08 MID OUT00 .. OUT08,
    ///   26 numbers: BASE IN00 .. IN11 MID OUT00 .. OUT11,
    /// where BASE is the text encoders and blocks that a list leaves out get 0; or names, "OUT04=0.5,mid_block=0,*=1",
    /// each a block of that kind or the beginning of a diffusers name ("up_blocks.1.attentions.0"; the longest counts),
    /// `*` for all others (1 unless given). Empty: 1 everywhere.
    /// Errors: BadInput saying what was expected.
    static Result<LoraBlockWeights> parse(std::string_view text);

    /// Layers of the UNet that lie in no block (time embedding, output) have the weight of `*`.
    float of(const LoraPlace& place) const;

  private:
    std::map<std::string, float, std::less<>> weights_;
    float others_ = 1;
};

}  // namespace reelbrush::weights
