#include "engine/render/frame_pipeline.h"

#include "tests/engine/render/fake_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace reelbrush::render {
namespace {

using testing::FakePainter;
using testing::FakeSink;
using testing::FakeSource;
using testing::FramesInFlight;

PipelineOptions optionsFor(cv::Size size) {
    PipelineOptions options;
    options.size = size;
    options.paint.steps = 2;
    options.paint.seed = 11;
    return options;
}

TEST(FramePipeline, PaintsEveryFrameInOrder) {
    FakeSource source(20, {50, 33});
    FakePainter painter;
    FakeSink sink;
    std::vector<std::pair<PipelineStage, std::int64_t>> told;
    const auto report =
        renderFrames({source, painter, sink}, optionsFor({50, 33}), {},
                     [&](PipelineStage stage, std::int64_t frames) { told.emplace_back(stage, frames); });
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->frames, 20);
    EXPECT_EQ(report->shots, 1);
    ASSERT_EQ(sink.times.size(), 20u);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(sink.times[static_cast<std::size_t>(i)], Rational(i, 25));
    EXPECT_TRUE(sink.finished);
    EXPECT_EQ(sink.last.size(), cv::Size(50, 33));
    ASSERT_EQ(told.size(), 22u);
    EXPECT_EQ(told.front(), std::make_pair(PipelineStage::Painting, std::int64_t{0}));
    EXPECT_EQ(told.back(), std::make_pair(PipelineStage::Finishing, std::int64_t{20}));
}

TEST(FramePipeline, DecodingAndEncodingNeverHoldMemoryAtTheSameMoment) {
    FakeSource source(30, {50, 33});
    FakePainter painter;
    FakeSink sink;
    FramesInFlight working;
    source.onNext = sink.onWrite = [&] {
        working.entered();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        working.left();
    };
    ASSERT_TRUE(renderFrames({source, painter, sink}, optionsFor({50, 33}), {}));
    EXPECT_EQ(working.most, 1);
}

TEST(FramePipeline, StagesAbreastChangeNothingInTheFilm) {
    const auto rendered = [](int abreast, int windowFrames) {
        FakeSource source(23, {50, 33});
        source.cutAt = 9;
        FakePainter painter;
        painter.wanted.windowFrames = windowFrames;
        painter.wanted.structureImage = false;  // so that colours are put right after painting
        FakeSink sink;
        PipelineOptions options = optionsFor({50, 33});
        options.structure.keepColours = true;
        options.abreast = abreast;
        const auto report = renderFrames({source, painter, sink}, options, {});
        EXPECT_TRUE(report && report->frames == 23 && report->shots == 2);
        EXPECT_TRUE(std::ranges::is_sorted(sink.times));
        EXPECT_EQ(sink.times.size(), 23u);
        return sink.last.clone();
    };
    const cv::Mat one = rendered(1, 1);
    for (const auto& [abreast, windowFrames] : {std::pair{4, 1}, {4, 4}, {1, 4}})
        EXPECT_EQ(cv::norm(rendered(abreast, windowFrames), one, cv::NORM_INF), 0.0);
}

TEST(FramePipeline, TinyPicturesWork) {
    FakeSource source(2, {1, 1});
    FakePainter painter;
    FakeSink sink;
    const auto report = renderFrames({source, painter, sink}, optionsFor({1, 1}), {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(sink.last.size(), cv::Size(1, 1));
}

TEST(FramePipeline, EveryShotStartsFromTheSameSeed) {
    FakeSource source(30, {64, 48});
    source.cutAt = 15;
    FakePainter painter;
    FakeSink sink;
    const auto report = renderFrames({source, painter, sink}, optionsFor({64, 48}), {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->shots, 2);
    EXPECT_EQ(painter.shotSeeds, (std::vector<std::uint64_t>{11, 11}));
}

TEST(FramePipeline, StopsAfterTheWantedNumberOfFrames) {
    FakeSource source(20, {32, 32});
    FakePainter painter;
    FakeSink sink;
    PipelineOptions options = optionsFor({32, 32});
    options.mostFrames = 3;
    const auto report = renderFrames({source, painter, sink}, options, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->frames, 3);
    EXPECT_EQ(source.delivered(), 3);
}

/// However long the clip and whichever stage is slow, only so many frames live at once.
TEST(FramePipeline, HoldsAFixedNumberOfFrames) {
    for (const auto& [slowSink, abreast] : {std::pair{false, 1}, {true, 1}, {false, 4}, {true, 4}}) {
        FramesInFlight flight;
        FakeSource source(200, {32, 32}, &flight);
        FakePainter painter;
        FakeSink sink(&flight);
        const auto pause = [] { std::this_thread::sleep_for(std::chrono::microseconds(300)); };
        if (slowSink)
            sink.onWrite = pause;
        else
            painter.onStep = [&](int, int) { pause(); };
        PipelineOptions options = optionsFor({32, 32});
        options.abreast = abreast;
        const auto report = renderFrames({source, painter, sink}, options, {});
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_EQ(report->frames, 200);
        EXPECT_EQ(flight.now, 0);
        EXPECT_LE(flight.most, framesInFlight(abreast));
    }
}

TEST(FramePipeline, AFailingStageEndsAllOfThemWithItsOwnError) {
    const auto run = [](auto breakSomething) {
        FakeSource source(50, {32, 32});
        FakePainter painter;
        FakeSink sink;
        breakSomething(source, painter, sink);
        auto report = renderFrames({source, painter, sink}, optionsFor({32, 32}), {});
        EXPECT_FALSE(sink.finished);
        EXPECT_FALSE(report);
        return report ? Error{} : report.error();
    };
    for (const int at : {0, 1, 7, 49}) {
        EXPECT_EQ(run([&](auto& source, auto&, auto&) { source.failAt = at; }).message, "the source is damaged");
        EXPECT_EQ(run([&](auto&, auto& painter, auto&) { painter.failAt = at; }).message, "the painter broke");
        EXPECT_EQ(run([&](auto&, auto&, auto& sink) { sink.failAt = at; }).message, "the disk is full");
    }
    EXPECT_EQ(run([](auto&, auto&, auto& sink) { sink.failFinish = true; }).message, "the disk is full at the end");
}

TEST(FramePipeline, ExceptionsBecomeErrors) {
    const auto run = [](auto breakSomething) {
        FakeSource source(9, {32, 32});
        FakePainter painter;
        FakeSink sink;
        breakSomething(source, painter, sink);
        auto report = renderFrames({source, painter, sink}, optionsFor({32, 32}), {});
        EXPECT_FALSE(report);
        return report ? Error{} : report.error();
    };
    EXPECT_NE(run([](auto& source, auto&, auto&) { source.throwAt = 4; }).message.find("thrown by the source"),
              std::string::npos);
    EXPECT_NE(run([](auto&, auto& painter, auto&) { painter.throwAt = 4; }).message.find("thrown by the painter"),
              std::string::npos);
    EXPECT_EQ(run([](auto&, auto&, auto& sink) { sink.throwAt = 4; }).code, StatusCode::OutOfMemory);
}

TEST(FramePipeline, CancelsWithinOneDenoisingStep) {
    FakeSource source(1000, {32, 32});
    FakePainter painter;
    FakeSink sink;
    const CancelToken cancel;
    PipelineOptions options = optionsFor({32, 32});
    options.paint.steps = 10;
    painter.onStep = [&](int frame, int step) {
        if (frame == 3 && step == 4) cancel.cancel();
    };
    const auto report = renderFrames({source, painter, sink}, options, cancel);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, StatusCode::Cancelled);
    EXPECT_EQ(painter.steps, 3 * 10 + 4);
    EXPECT_FALSE(sink.finished);
    EXPECT_LE(source.delivered(), 3 + framesInFlight(1));
}

TEST(FramePipeline, CancelledFromTheStartPaintsNothing) {
    FakeSource source(10, {32, 32});
    FakePainter painter;
    FakeSink sink;
    const CancelToken cancel;
    cancel.cancel();
    const auto report = renderFrames({source, painter, sink}, optionsFor({32, 32}), cancel);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, StatusCode::Cancelled);
    EXPECT_EQ(painter.painted, 0);
}

TEST(FramePipeline, AClipWithoutFramesIsAnError) {
    FakeSource source(0, {32, 32});
    FakePainter painter;
    FakeSink sink;
    const auto report = renderFrames({source, painter, sink}, optionsFor({32, 32}), {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, StatusCode::BadInput);
    EXPECT_FALSE(sink.finished);
}

TEST(FramePipeline, WindowsOverlapAndStayWithinTheirShot) {
    FakeSource source(13, {32, 32});
    source.cutAt = 8;
    FakePainter painter;
    painter.wanted.windowFrames = 4;
    painter.wanted.windowOverlap = 1;
    painter.wanted.relatesFrames = true;
    FakeSink sink;
    PipelineOptions options;
    options.size = {32, 32};
    options.paint.steps = 1;
    const auto report = renderFrames({source, painter, sink}, options, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->frames, 13);
    EXPECT_EQ(report->shots, 2);
    // Eight frames: 4, then 3 more behind the last of those, then the one that is left behind the last three.
    // Five frames: 4, then one behind three.
    using Window = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(painter.windows, (std::vector<Window>{{4, 4}, {4, 3}, {4, 1}, {4, 4}, {4, 1}}));
    ASSERT_EQ(sink.times.size(), 13u);
    for (int i = 0; i < 13; ++i) EXPECT_EQ(sink.times[static_cast<std::size_t>(i)], Rational(i, 25));
}

TEST(FramePipeline, AShotShorterThanTheWindowIsPaintedAsItIs) {
    FakeSource source(2, {32, 32});
    FakePainter painter;
    painter.wanted.windowFrames = 16;
    painter.wanted.windowOverlap = 4;
    painter.wanted.relatesFrames = true;
    FakeSink sink;
    PipelineOptions options;
    options.size = {32, 32};
    options.paint.steps = 1;
    ASSERT_TRUE(renderFrames({source, painter, sink}, options, {}));
    using Window = std::pair<std::size_t, std::size_t>;
    EXPECT_EQ(painter.windows, (std::vector<Window>{{2, 2}}));
}

TEST(FramePipeline, KeepsTheClipsColoursOfPaintersThatSeeTheFrame) {
    FakeSource source(1, {32, 32});
    FakePainter painter;
    painter.wanted.structureImage = false;
    FakeSink sink;
    PipelineOptions options;
    options.size = {32, 32};
    options.paint.steps = 1;
    options.structure.keepColours = true;
    ASSERT_TRUE(renderFrames({source, painter, sink}, options, {}));
    // Far from the yellow corner the frame is green; the painter turns it inside out.
    const auto frame = cv::Vec3f(0.2f, 0.8f, 0.3f), painted = sink.last.at<cv::Vec3f>(30, 30);
    const auto light = [](cv::Vec3f c) { return 0.299f * c[0] + 0.587f * c[1] + 0.114f * c[2]; };
    EXPECT_NEAR(light(painted), 1 - light(frame), 0.05);
    EXPECT_NEAR(painted[1] - light(painted), frame[1] - light(frame), 0.06);
}

}  // namespace
}  // namespace reelbrush::render
