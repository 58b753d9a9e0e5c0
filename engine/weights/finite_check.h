#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"

#include <string_view>

namespace reelbrush::weights {

/// Errors: BadInput naming the weight and the place of its first value that is not a number or is infinite.
Status checkFinite(std::string_view name, const kernels::WeightView& view);

/// Reads every weight once and finds values that are not numbers or infinite, as damaged downloads and failed merges
/// have. Streams: needs no memory of the weights' size, and gives the pages back.
/// Errors: BadInput as above; Cancelled; as of find().
Status checkFinite(const ListedWeights& weights, const CancelToken& cancel = {});

}  // namespace reelbrush::weights
