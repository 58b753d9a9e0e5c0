/// What a job shows of itself: a trace, and memory that does not grow with the clip.
#include "engine/session/session.h"
#include "tests/engine/render/fake_parts.h"
#include "tests/engine/session/written_films.h"
#include "tests/support/test_data.h"
#include "tests/support/trace_file.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <set>
#include <thread>

namespace reelbrush::session {
namespace {

using reelbrush::testing::TraceFile;
using render::testing::FakePainter;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Holds as much as its model, and more with every frame where it leaks.
class HoldingPainter final : public FakePainter {
  public:
    explicit HoldingPainter(bool leaks) : leaks_(leaks) {}
    std::vector<MemoryHolder> holders() const override {
        const std::size_t leaked = leaks_ ? static_cast<std::size_t>(painted) * 1000 : 0;
        return {{"UNet", MemoryPlace::Ram, kMebibyte, kMebibyte, kMebibyte},
                {"image encoder", MemoryPlace::Ram, std::nullopt, leaked, leaked}};
    }
    void traceTo(kernels::TraceRow row) override {
        traced = static_cast<bool>(row);
        if (row) kernels::TraceSpan(row, "a stage of the painter");
    }
    static inline bool traced = false;

  private:
    bool leaks_;
};

class JobSightTest : public ::testing::Test {
  protected:
    std::filesystem::path at(const std::string& name) const { return scratch_.path() / name; }
    SessionOptions fakes(bool leaks = false) {
        SessionOptions options;
        options.algorithmCacheFile = at("algorithms.json");
        options.painterFactory = [this, leaks](const auto&, const auto&, const auto&) {
            auto painter = std::make_unique<HoldingPainter>(leaks);
            painter->onStep = onStep_;
            return Result<std::unique_ptr<diffusion::FramePainter>>(std::move(painter));
        };
        return options;
    }
    StylizeRequest request(int frames) {
        const std::filesystem::path film = at("in" + std::to_string(frames) + ".mkv");
        if (!std::filesystem::exists(film)) testing::writeFilm(film, {64, 48}, testing::evenTimes(frames));
        StylizeRequest request;
        request.input = film;
        request.output = at("out.mkv");
        request.codec = "ffv1";
        request.style.name = "test";
        request.style.steps = 1;
        request.device = {diffusion::ComputeDevice::Kind::Cpu, 0};
        request.threads = 2;
        return request;
    }
    static Result<StylizeReport> run(SessionOptions options, const StylizeRequest& request) {
        Session session(std::move(options));
        const auto job = session.stylize(request);
        if (!job) return fail(job.error());
        return session.wait(*job);
    }
    static MemoryHolder holder(const StylizeReport& report, const std::string& name) {
        const auto& holders = report.memory.holders;
        const auto found = std::ranges::find(holders, name, &MemoryHolder::name);
        return found == holders.end() ? MemoryHolder{"none"} : *found;
    }

    /// Without peaks: choosing algorithms packs weights in several ways, once.
    static std::vector<std::pair<std::string, std::size_t>> held(const MemorySample& sample) {
        std::vector<std::pair<std::string, std::size_t>> bytes;
        for (const MemoryHolder& holder : sample.holders) bytes.emplace_back(holder.name, holder.heldBytes.value_or(0));
        return bytes;
    }

    reelbrush::testing::ScratchFolder scratch_;
    std::function<void(int, int)> onStep_;
};

TEST_F(JobSightTest, ATraceTellsOfEveryFrame) {
    StylizeRequest traced = request(12);
    traced.traceFile = at("trace.json");
    const auto report = run(fakes(), traced);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(HoldingPainter::traced) << "the painter outlives the trace";
    EXPECT_TRUE(report->notes.empty());
    const TraceFile trace(traced.traceFile);
    EXPECT_EQ(trace.overlap(), "");
    for (const char* stage : {"decode", "prepare", "paint", "encode"}) {
        std::set<int> frames;
        for (const auto& span : trace.spans(stage))
            if (!span.values.is_null()) frames.insert(span.values.at("frame").get<int>());
        EXPECT_EQ(frames.size(), 12u) << stage;
        EXPECT_EQ(*frames.rbegin(), 11) << stage;
    }
    for (const char* name : {"make the painter", "set the style", "a stage of the painter"})
        EXPECT_EQ(trace.spans(name).size(), 1u) << name;
    for (const char* counter : {"resident memory", "held in RAM", "frames in flight", "work space",
                                "decoded frames waiting", "prepared frames waiting", "painted frames waiting"})
        EXPECT_GE(trace.counters().contains(counter) ? trace.counters().at(counter) : 0, 12) << counter;
    EXPECT_EQ(trace.last("held in RAM", "UNet"), static_cast<double>(kMebibyte));
    EXPECT_GT(trace.last("resident memory", "bytes"), static_cast<double>(kMebibyte));
}

TEST_F(JobSightTest, ATraceOfACancelledJobIsWhole) {
    std::promise<void> painting;
    std::once_flag once;
    onStep_ = [&](int frame, int) {
        if (frame == 3) std::call_once(once, [&] { painting.set_value(); });
        if (frame >= 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    StylizeRequest traced = request(12);
    traced.traceFile = at("trace.json");
    traced.style.steps = 1000;
    {
        Session session(fakes());
        const auto job = session.stylize(traced);
        ASSERT_TRUE(job);
        painting.get_future().wait();
        session.cancel(*job);
        const auto report = session.wait(*job);
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code, StatusCode::Cancelled);
        EXPECT_FALSE(HoldingPainter::traced);
    }
    const TraceFile trace(traced.traceFile);
    EXPECT_EQ(trace.overlap(), "");
    EXPECT_GE(trace.spans("paint").size(), 4u);
    EXPECT_LT(trace.spans("paint").size(), 12u);
    EXPECT_FALSE(std::filesystem::exists(traced.output));
}

TEST_F(JobSightTest, ATraceHasAFileOfItsOwn) {
    StylizeRequest traced = request(2);
    for (const std::filesystem::path& file : {traced.input, traced.output, at("in2.mkv/../in2.mkv")}) {
        traced.traceFile = file;
        const auto report = run(fakes(), traced);
        ASSERT_FALSE(report) << file;
        EXPECT_NE(report.error().message.find("trace"), std::string::npos) << report.error().message;
    }
    EXPECT_TRUE(media::inspectClip(traced.input)) << "the clip is untouched";
    traced.traceFile = at("nowhere") / "trace.json";
    const auto report = run(fakes(), traced);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, StatusCode::Io);
    EXPECT_FALSE(std::filesystem::exists(traced.output));
}

TEST_F(JobSightTest, WhoHoldsWhatIsPredictedAndCounted) {
    const auto report = run(fakes(), request(12));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(holder(*report, "UNet").heldBytes, kMebibyte);
    const MemoryHolder frames = holder(*report, "frames in flight");
    EXPECT_EQ(frames.predictedBytes, report->forecast.frameBytes);
    EXPECT_EQ(frames.heldBytes, std::size_t{0}) << "all are written";
    EXPECT_GT(frames.peakBytes, std::size_t{0});
    EXPECT_LE(*frames.peakBytes, *frames.predictedBytes);
    const MemoryHolder rest = holder(*report, "program, decoder and encoder");
    EXPECT_EQ(rest.predictedBytes, report->forecast.baseBytes + report->forecast.codecBytes);
    EXPECT_GT(rest.heldBytes, std::size_t{0});
    EXPECT_EQ(report->memory.early.framesDone, 5);
    EXPECT_EQ(report->memory.late.framesDone, 12);
    EXPECT_EQ(report->memory.heldGrowthBytes(), 0);
}

TEST_F(JobSightTest, GrowthOverFramesIsTold) {
    const auto report = run(fakes(true), request(12));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->memory.heldGrowthBytes(), (12 - 5) * 1000);
}

/// The real model: every holder has to the byte what it had after five frames, and in a longer clip what it has in a
/// short one.
TEST_F(JobSightTest, MemoryDoesNotGrowWithTheClip) {
    constexpr std::int64_t kTolerance = 12 * static_cast<std::int64_t>(kMebibyte);
    std::optional<MemoryReport> first;
    for (const int frames : {8, 60}) {
        SessionOptions options;
        options.algorithmCacheFile = at("algorithms.json");
        const auto report = run(options, request(frames));
        ASSERT_TRUE(report) << report.error().message;
        const MemoryReport& memory = report->memory;
        ASSERT_GE(memory.early.holders.size(), 3u);
        EXPECT_EQ(memory.early.framesDone, 5);
        EXPECT_EQ(memory.late.framesDone, frames);
        EXPECT_EQ(memory.early.holders, memory.late.holders) << frames << " frames";
        EXPECT_LE(memory.residentGrowthBytes(), kTolerance) << frames << " frames";
        EXPECT_LE(*holder(*report, "frames in flight").peakBytes, report->forecast.frameBytes);
        if (first) {
            EXPECT_EQ(held(memory.late), held(first->late));
            EXPECT_LE(static_cast<std::int64_t>(memory.late.residentBytes),
                      static_cast<std::int64_t>(first->late.residentBytes) + kTolerance);
        }
        first = memory;
    }
}

}  // namespace
}  // namespace reelbrush::session
