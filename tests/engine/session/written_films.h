#pragma once

#include "engine/media/frame_sink.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

namespace reelbrush::session::testing {

/// Writes a lossless film of grey frames, one for each time (in seconds); the last is shown for 1/25 s.
inline void writeFilm(const std::filesystem::path& file, cv::Size size, const std::vector<Rational>& times) {
    media::ClipInfo info;
    info.video.width = size.width;
    info.video.height = size.height;
    info.video.averageRate = info.video.nominalRate = Rational(25);
    info.video.timeBase = Rational(1, 1000);
    info.video.variableRate = true;
    media::EncodeOptions options;
    options.codec = "ffv1";
    auto sink = media::openFrameSink(file, size.width, size.height, info, {}, options);
    ASSERT_TRUE(sink) << sink.error().message;
    for (std::size_t i = 0; i < times.size(); ++i) {
        media::VideoFrame frame;
        frame.rgb = cv::Mat(size, CV_32FC3, cv::Scalar::all(0.1 + 0.8 * static_cast<double>(i % 5) / 4));
        frame.time = times[i];
        frame.duration = i + 1 < times.size() ? times[i + 1] - times[i] : Rational(1, 25);
        frame.index = static_cast<std::int64_t>(i);
        const Status status = (*sink)->write(frame);
        ASSERT_TRUE(status) << status.error().message;
    }
    const Status status = (*sink)->finish();
    ASSERT_TRUE(status) << status.error().message;
}

inline std::vector<Rational> evenTimes(int frames) {
    std::vector<Rational> times;
    for (int i = 0; i < frames; ++i) times.emplace_back(i, 25);
    return times;
}

}  // namespace reelbrush::session::testing
