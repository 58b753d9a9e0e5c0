#include "engine/imaging/lanczos_resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace reelbrush::imaging {

namespace {

constexpr double kLobes = 3;
constexpr int kChannels = 3;

double lanczos(double x) {
    if (x == 0) return 1;
    if (std::abs(x) >= kLobes) return 0;
    const double angle = std::numbers::pi * x;
    return kLobes * std::sin(angle) * std::sin(angle / kLobes) / (angle * angle);
}

/// The source pixels that one destination pixel is made of: `weights` for those from `first` on.
struct Taps {
    int first = 0;
    std::vector<float> weights;
};

std::vector<Taps> tapsAlong(int sourceLength, int targetLength, cv::Range part) {
    const double step = static_cast<double>(sourceLength) / targetLength;
    const double width = std::max(step, 1.0);
    std::vector<Taps> all;
    all.reserve(part.size());
    for (int i = part.start; i < part.end; ++i) {
        const double centre = (i + 0.5) * step;
        Taps taps;
        taps.first = std::max(0, static_cast<int>(std::floor(centre - kLobes * width + 0.5)));
        const int end = std::min(sourceLength, static_cast<int>(std::floor(centre + kLobes * width + 0.5)));
        double sum = 0;
        for (int x = taps.first; x < end; ++x) {
            const double weight = lanczos((x + 0.5 - centre) / width);
            taps.weights.push_back(static_cast<float>(weight));
            sum += weight;
        }
        for (float& weight : taps.weights) weight = static_cast<float>(weight / sum);
        all.push_back(std::move(taps));
    }
    return all;
}

void mixRows(const cv::Mat& source, const Taps& taps, float* target) {
    const int count = source.cols * kChannels;
    std::fill_n(target, count, 0.0F);
    for (std::size_t k = 0; k < taps.weights.size(); ++k) {
        const float weight = taps.weights[k];
        const float* row = source.ptr<float>(taps.first + static_cast<int>(k));
        for (int x = 0; x < count; ++x) target[x] += weight * row[x];
    }
}

void mixColumns(const float* source, const std::vector<Taps>& columns, float* target) {
    for (const Taps& taps : columns) {
        const float* pixel = source + taps.first * kChannels;
        float red = 0, green = 0, blue = 0;
        for (const float weight : taps.weights) {
            red += weight * pixel[0];
            green += weight * pixel[1];
            blue += weight * pixel[2];
            pixel += kChannels;
        }
        for (const float value : {red, green, blue}) *target++ = std::clamp(value, 0.0F, 1.0F);
    }
}

}  // namespace

cv::Mat lanczosResample(const cv::Mat& picture, cv::Size size, cv::Rect window) {
    const auto columns = tapsAlong(picture.cols, size.width, {window.x, window.x + window.width});
    const auto rows = tapsAlong(picture.rows, size.height, {window.y, window.y + window.height});
    cv::Mat result(window.size(), CV_32FC3);
    cv::parallel_for_({0, window.height}, [&](const cv::Range& range) {
        std::vector<float> mixed(static_cast<std::size_t>(picture.cols) * kChannels);
        for (int y = range.start; y < range.end; ++y) {
            mixRows(picture, rows[y], mixed.data());
            mixColumns(mixed.data(), columns, result.ptr<float>(y));
        }
    });
    return result;
}

}  // namespace reelbrush::imaging
