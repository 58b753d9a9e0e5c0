#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace reelbrush::weights {

/// Spells the modules of a UNet, named as in diffusers, as the original (LDM) single files do: LoRAs come in both
/// spellings. Which block has how many layers, attention and resampling is read off the model's own names, so that
/// SD 1.5, SDXL and their relatives all come out right. Immutable.
class LoraLdmNames {
  public:
    /// names: the UNet's weights, "down_blocks.0.resnets.0.conv1.weight" ...
    explicit LoraLdmNames(std::span<const std::string> names);

    /// "down_blocks.1.attentions.0.proj_in" is "input_blocks.4.1.proj_in" in SD 1.5. Empty where there is no such name.
    std::string spell(std::string_view module) const;

  private:
    struct Block {
        int layers = 0;  ///< residual blocks
        bool hasAttention = false;
        bool hasResampling = false;
        int first = 0;  ///< index of its first layer among input_blocks or output_blocks
    };
    using Blocks = std::map<int, Block>;

    std::string spellInBlock(std::string_view rest, const Blocks& blocks, bool down) const;

    Blocks down_, up_;
};

}  // namespace reelbrush::weights
