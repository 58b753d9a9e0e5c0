#include "engine/imaging/each_picture.h"

#include "engine/imaging/opencv_guard.h"

#include <opencv2/core/utility.hpp>
#include <vector>

namespace reelbrush::imaging {

Status forEachPicture(std::size_t count, const std::function<Status(std::size_t)>& work) {
    const auto guardedWork = [&](std::size_t index) -> Status {
        return guarded("working on a picture", [&] { return work(index); });
    };
    if (count == 1) return guardedWork(0);
    std::vector<Status> results(count);
    RB_TRY(guarded("working on several pictures", [&]() -> Status {
        cv::parallel_for_(cv::Range(0, static_cast<int>(count)), [&](const cv::Range& range) {
            for (int i = range.start; i < range.end; ++i)
                results[static_cast<std::size_t>(i)] = guardedWork(static_cast<std::size_t>(i));
        });
        return {};
    }));
    for (Status& result : results) RB_TRY(std::move(result));
    return {};
}

}  // namespace reelbrush::imaging
