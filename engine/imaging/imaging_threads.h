#pragma once

namespace reelbrush::imaging {

/// How many threads one call of this folder may use; 0: all processors. OpenCV keeps this once for the whole process.
void setImagingThreads(int threads);

}  // namespace reelbrush::imaging
