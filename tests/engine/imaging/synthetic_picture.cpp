#include "tests/engine/imaging/synthetic_picture.h"

#include <algorithm>
#include <opencv2/imgproc.hpp>

namespace reelbrush::testing {

cv::Mat blobScene(cv::Size size, unsigned seed, cv::Point corner) {
    cv::RNG random(seed * 7919 + 1);
    const cv::Scalar ground(random.uniform(0.0, 1.0), random.uniform(0.0, 1.0), random.uniform(0.0, 1.0));
    cv::Mat field(size * 2, CV_32FC3, ground);
    for (int i = 0; i < 120; ++i) {
        const cv::Point centre(random.uniform(0, field.cols), random.uniform(0, field.rows));
        const int radius = random.uniform(2, std::max(3, size.height / 6));
        const cv::Scalar colour(ground[0] + random.uniform(-0.5, 0.5), ground[1] + random.uniform(-0.5, 0.5),
                                ground[2] + random.uniform(-0.5, 0.5));
        cv::circle(field, centre, radius, colour, cv::FILLED);
    }
    cv::GaussianBlur(field, field, {0, 0}, 1.0);
    cv::Mat scene = field(cv::Rect(corner, size)).clone();
    cv::min(cv::max(scene, 0.0), 1.0, scene);
    return scene;
}

}  // namespace reelbrush::testing
