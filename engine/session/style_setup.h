#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/diffusion/frame_painter.h"
#include "engine/imaging/control_image.h"
#include "engine/session/model_locator.h"
#include "engine/styles/style_card.h"

#include <string>
#include <vector>

namespace reelbrush::session {

/// What the user said beside the card: it wins over what would be chosen for them.
struct GivenSettings {
    bool steps = false, guidance = false;
};

/// A style card made ready for a painter: names found, LoRA tags taken out of the prompt, and the sampler, steps and
/// guidance that a few-step model or LoRA was made for, where the card leaves them open (sampler "auto").
struct StyleSetup {
    diffusion::PaintingSetup files;
    diffusion::PaintSettings paint;
    diffusion::StyleInputs inputs;                         ///< without pictures
    std::vector<imaging::ControlPreprocessor> controls{};  ///< one for each of files.controls
    std::vector<std::string> notes{};                      ///< sentences about what was chosen
};

/// Reads headers of files only. Errors: those of the locator and of the files; BadInput for a control whose kind cannot
/// be told from its name.
Result<StyleSetup> setUpStyle(const styles::StyleCard& card, const GivenSettings& given, const ModelLocator& locate,
                              const CancelToken& cancel);

}  // namespace reelbrush::session
