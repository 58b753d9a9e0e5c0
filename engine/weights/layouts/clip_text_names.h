#pragma once

#include "engine/weights/layouts/name_translation.h"

#include <string_view>

namespace reelbrush::weights {

/// Names of a CLIP text encoder as transformers stores it (CLIPTextModel, CLIPTextModelWithProjection), with
/// "text_model." added where an old or bare file leaves it out. Names without prefix.
NameTranslation clipTextName(std::string_view name);

/// Layers of an OpenCLIP text encoder; 0 where it is none.
int openClipLayers(const ListedWeights& stored, std::string_view prefix);

/// Names of an OpenCLIP text encoder to those of transformers' CLIPTextModelWithProjection. Names without prefix.
/// layers: how many are kept; those above are known but unused (SD 2.x never computes its last layer).
/// Fused in_proj tensors become row ranges, text_projection is transposed.
/// Source: diffusers, single_file_utils; open_clip, transformer.py.
NameTranslation openClipName(std::string_view name, int layers);

}  // namespace reelbrush::weights
