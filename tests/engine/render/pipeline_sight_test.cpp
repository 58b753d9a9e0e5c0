/// What the pipeline tells of itself: a trace of its stages, and what frames in flight take.
#include "engine/render/frame_pipeline.h"
#include "tests/engine/render/fake_parts.h"
#include "tests/support/test_data.h"
#include "tests/support/trace_file.h"

#include <gtest/gtest.h>

#include <set>

namespace reelbrush::render {
namespace {

using reelbrush::testing::TraceFile;
using testing::FakePainter;
using testing::FakeSink;
using testing::FakeSource;

class PipelineSight : public ::testing::Test {
  protected:
    static PipelineOptions options(int abreast = 1) {
        PipelineOptions options;
        options.size = {48, 32};
        options.paint.steps = 1;
        options.abreast = abreast;
        return options;
    }
    std::filesystem::path file() const { return scratch_.path() / "trace.json"; }
    /// Renders with a trace that ends with the render.
    Result<PipelineReport> traced(PipelineOptions options, const PipelineParts& parts, const CancelToken& cancel = {}) {
        const auto tracer = kernels::Tracer::create(file()).value();
        options.trace = kernels::traceRow(tracer.get(), "paint");
        return renderFrames(parts, options, cancel);
    }
    /// The frames that a stage tells of: one for each span, or as many as it took at once.
    static std::multiset<int> framesOf(const TraceFile& trace, const std::string& stage) {
        std::multiset<int> frames;
        for (const TraceFile::Span& span : trace.spans(stage)) {
            if (span.values.is_null()) continue;  // the attempt to decode after the last frame
            const int first = span.values.at("frame"), count = span.values.value("frames", 1);
            for (int i = 0; i < count; ++i) frames.insert(first + i);
        }
        return frames;
    }

    reelbrush::testing::ScratchFolder scratch_;
};

TEST_F(PipelineSight, EveryFrameIsThereInEveryStage) {
    constexpr int kFrames = 25;
    std::multiset<int> all;
    for (int i = 0; i < kFrames; ++i) all.insert(i);
    for (const int abreast : {1, 4}) {
        FakeSource source(kFrames, {48, 32});
        FakePainter painter;
        painter.wanted.windowFrames = abreast;
        FakeSink sink;
        const auto report = traced(options(abreast), {source, painter, sink});
        ASSERT_TRUE(report) << report.error().message;
        const TraceFile trace(file());
        EXPECT_EQ(trace.overlap(), "");
        for (const char* stage : {"decode", "prepare", "paint", "encode", "write"})
            EXPECT_EQ(framesOf(trace, stage), all) << stage << ", " << abreast << " abreast";
        for (const char* queue : {"decoded", "prepared", "painted"})
            EXPECT_GE(trace.counters().at(queue + std::string(" frames waiting")), kFrames / abreast) << queue;
        std::set<std::string> rows;
        for (const auto& span : trace.spans()) rows.insert(span.row);
        EXPECT_EQ(rows, (std::set<std::string>{"decode", "encode", "paint", "prepare"}));
    }
}

TEST_F(PipelineSight, ATraceOfACancelledRenderIsWhole) {
    FakeSource source(1000, {48, 32});
    FakePainter painter;
    FakeSink sink;
    const CancelToken cancel;
    painter.onStep = [&](int frame, int) {
        if (frame == 7) cancel.cancel();
    };
    const auto report = traced(options(), {source, painter, sink}, cancel);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, StatusCode::Cancelled);
    const TraceFile trace(file());
    EXPECT_EQ(trace.overlap(), "");
    EXPECT_EQ(trace.spans("paint").size(), 8u) << "the one that was cancelled ends too";
    EXPECT_GE(trace.spans("decode").size(), 8u);
}

/// However long the clip, and whatever becomes of it.
TEST_F(PipelineSight, FramesInFlightAreCounted) {
    for (const int abreast : {1, 4}) {
        for (const int frames : {20, 200}) {
            FakeSource source(frames, {48, 32});
            FakePainter painter;
            painter.wanted.windowFrames = abreast;
            FakeSink sink;
            PipelineOptions options = PipelineSight::options(abreast);
            options.frameMemory = std::make_shared<kernels::MemoryBudget>();
            std::size_t most = 0;
            sink.onWrite = [&] { most = std::max(most, options.frameMemory->heldBytes()); };
            sink.failAt = frames == 200 ? 150 : -1;
            EXPECT_EQ(renderFrames({source, painter, sink}, options, {}).has_value(), frames == 20);
            EXPECT_EQ(options.frameMemory->heldBytes(), 0u);
            constexpr std::size_t kFrameBytes = std::size_t{48} * 32 * 3 * sizeof(float);
            EXPECT_GE(most, kFrameBytes);
            // Each of them once as it is and, in the painter's hands, once as it becomes.
            const auto mostFrames = static_cast<std::size_t>(framesInFlight(abreast) + 2 * abreast + abreast);
            EXPECT_LE(options.frameMemory->peakBytes(), mostFrames * kFrameBytes);
            const auto holdings = options.frameMemory->holdings();
            EXPECT_EQ(holdings.size(), 3u) << "decoded, prepared, painted";
        }
    }
}

}  // namespace
}  // namespace reelbrush::render
