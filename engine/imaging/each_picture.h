#pragma once

#include "engine/core/status.h"

#include <cstddef>
#include <functional>

namespace reelbrush::imaging {

/// Calls work(index) for each of `count` pictures, as many at once as setImagingThreads allows; one alone gets all
/// threads for itself. Errors: the first one's, by index; what is thrown becomes one.
Status forEachPicture(std::size_t count, const std::function<Status(std::size_t index)>& work);

}  // namespace reelbrush::imaging
