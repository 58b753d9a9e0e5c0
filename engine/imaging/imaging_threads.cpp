#include "engine/imaging/imaging_threads.h"

#include <opencv2/core/utility.hpp>

namespace reelbrush::imaging {

void setImagingThreads(int threads) {
    cv::setNumThreads(threads > 0 ? threads : -1);  // 0 would mean: no threading at all
}

}  // namespace reelbrush::imaging
