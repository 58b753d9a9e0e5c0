#pragma once

#include "engine/library/model_record.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace reelbrush::library {

/// Text from a file of any origin, fit to be shown: valid UTF-8, control characters as blanks, blanks at the ends gone,
/// cut to at most `most` bytes at a character's border.
std::string shownText(std::string_view text, std::size_t most);

/// Adds what other programs wrote beside a model: NAME.civitai.info (Civitai Helper: trained words, base model,
/// licence) and NAME.json (A1111: activation text, sd version, description). What the model's own metadata say stays.
void addSidecarFacts(ModelRecord& record);

}  // namespace reelbrush::library
