#include "engine/render/memory_forecast.h"

#include <gtest/gtest.h>

namespace reelbrush::render {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

diffusion::PainterMemory painterOf(std::size_t arena, std::size_t weights) {
    return {arena, weights, 0};
}

TEST(MemoryForecast, AddsUpWhatIsHeldAtOnce) {
    const MemoryForecast forecast = forecastMemory(painterOf(64 * kMebibyte, 30 * kMebibyte), {{512, 512}, {512, 512}});
    EXPECT_EQ(forecast.arenaBytes, 64 * kMebibyte);
    EXPECT_EQ(forecast.weightBytes, 30 * kMebibyte);
    EXPECT_GT(forecast.frameBytes, std::size_t{7} * 512 * 512 * 3 * 4) << "seven frames of floats";
    EXPECT_EQ(forecast.totalBytes(), forecast.baseBytes + forecast.weightBytes + forecast.arenaBytes +
                                         forecast.frameBytes + forecast.codecBytes);
}

TEST(MemoryForecast, GrowsWithWhatMakesFramesLarger) {
    const auto painter = painterOf(kMebibyte, kMebibyte);
    const FrameShape usual{{512, 288}, {512, 288}};
    const auto total = [&](FrameShape shape) { return forecastMemory(painter, shape).totalBytes(); };
    FrameShape other = usual;
    other.source = {1920, 1080};
    EXPECT_GT(total(other), total(usual));
    other = usual;
    other.written = {1024, 576};
    EXPECT_GT(total(other), total(usual));
    other = usual;
    other.hasAlpha = true;
    EXPECT_GT(total(other), total(usual));
    other = usual;
    other.isVideo = false;
    EXPECT_LT(total(other), total(usual));
}

TEST(MemoryForecast, MergingCountsOnlyWhereItIsTheLargerPart) {
    FrameShape shape{{32, 32}, {32, 32}};
    const auto small = painterOf(kMebibyte, kMebibyte), large = painterOf(500 * kMebibyte, kMebibyte);
    FrameShape withLoras = shape;
    withLoras.hasLoras = true;
    EXPECT_GT(forecastMemory(small, withLoras).totalBytes(), forecastMemory(small, shape).totalBytes());
    EXPECT_EQ(forecastMemory(large, withLoras).totalBytes(), forecastMemory(large, shape).totalBytes());
}

TEST(MemoryForecast, ACeilingThatIsTooLowSaysWhatIsNeeded) {
    const MemoryForecast forecast = forecastMemory(painterOf(64 * kMebibyte, 30 * kMebibyte), {{512, 512}, {512, 512}});
    EXPECT_TRUE(checkForecast(forecast, forecast.totalBytes()));
    const Status status = checkForecast(forecast, forecast.totalBytes() - 1);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, StatusCode::OutOfMemory);
    const std::size_t needed = (forecast.totalBytes() + kMebibyte - 1) / kMebibyte;
    EXPECT_NE(status.error().message.find("needs " + std::to_string(needed) + " MiB"), std::string::npos)
        << status.error().message;
}

TEST(MemoryForecast, RefusesTheHopelessBeforeAPainterIsMade) {
    EXPECT_TRUE(checkPaintable({512, 512}, kMebibyte)) << "harmless to try, and then known exactly";
    EXPECT_TRUE(checkPaintable({4096, 4096}, std::size_t{64} << 30));
    const Status status = checkPaintable({16384, 16384}, std::size_t{2} << 30);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, StatusCode::OutOfMemory);
    EXPECT_NE(status.error().message.find("2048 MiB are allowed"), std::string::npos);
}

}  // namespace
}  // namespace reelbrush::render
