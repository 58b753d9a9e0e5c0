#pragma once

#include <cstddef>
#include <span>

namespace reelbrush::diffusion {

/// Guidance steers a prediction further from what the model says without a prompt. 1 takes the prompted prediction as
/// it is; 0 stands for the same by convention, so that both need a single pass of the model.
inline bool needsSecondPass(float guidance) {
    return guidance != 0.0f && guidance != 1.0f;
}

/// How much guidance is left at a step: guidance * (1 - step / steps)^power. step: 0..steps-1. power 0: all of it.
float fallingGuidance(float guidance, std::size_t step, std::size_t steps, float power = 0.5f);

/// out = plain + guidance * (prompted - plain). All of one size; out may be any of them.
/// Source: Ho and Salimans 2022.
void guide(std::span<const float> plain, std::span<const float> prompted, float guidance, std::span<float> out);

/// The three predictions of InstructPix2Pix: of neither text nor picture, of the picture alone, of both.
struct EditPredictions {
    std::span<const float> plain, pictured, both;
};
/// out = plain + pictureGuidance * (pictured - plain) + textGuidance * (both - pictured). out may be any of them.
/// Source: Brooks et al. 2023, equation 3.
void guideEdit(const EditPredictions& predictions, float textGuidance, float pictureGuidance, std::span<float> out);

/// Brings the spread of a guided prediction back to that of the prompted one, against over-saturated pictures, by a
/// share of 0 (not at all) to 1 (wholly; 0.7 is usual); each of `pictures` equal parts by itself.
/// Source: Lin et al. 2023, section 3.4.
void rescaleGuidance(std::span<const float> prompted, float share, std::size_t pictures, std::span<float> guided);

}  // namespace reelbrush::diffusion
