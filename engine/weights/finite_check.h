#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"

namespace reelbrush::weights {

/// Reads every weight once and finds values that are not numbers or infinite, as damaged downloads and failed merges
/// have. Streams: needs no memory of the weights' size, and gives the pages back.
/// Errors: BadInput naming the weight and the place of its first such value; Cancelled; as of find().
Status checkFinite(const ListedWeights& weights, const CancelToken& cancel = {});

}  // namespace reelbrush::weights
