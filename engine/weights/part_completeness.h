#pragma once

#include "engine/core/status.h"
#include "engine/weights/layouts/implied_names.h"
#include "engine/weights/listed_weights.h"

#include <string>
#include <vector>

namespace reelbrush::weights {

/// Holds a part's weights against the names that its configuration implies. Appends weights that nothing reads to
/// `unread`; does nothing where `implied` is empty. what: "UNet", "VAE" ...
/// Errors: BadInput where weights are missing: how many, and the first few.
Status checkComplete(const ListedWeights& weights, const ImpliedNames& implied, const char* what,
                     std::vector<std::string>& unread);

}  // namespace reelbrush::weights
