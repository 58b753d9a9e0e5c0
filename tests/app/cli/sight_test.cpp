/// What the program shows of its work: traces, and who holds memory.
#include "tests/app/cli/workbench.h"
#include "tests/support/trace_file.h"

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

namespace reelbrush::cli::testing {
namespace {

using Json = nlohmann::json;
using reelbrush::testing::TraceFile;

class Sight : public Workbench {
  protected:
    /// Denoising steps in a trace that is still written to, and may be in the middle of that.
    static std::size_t stepsIn(const std::string& file) {
        try {
            return TraceFile(file).spans("denoising step").size();
        } catch (const Json::exception&) {
            return 0;
        }
    }
};

TEST_F(Sight, ATracedFilmTellsOfEveryFrameAndStage) {
    const Outcome outcome =
        run(stylizing(makeClip(), at("film.mp4"), {"--device", "cpu", "--trace", at("trace.json")}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const TraceFile trace(at("trace.json"));
    EXPECT_EQ(trace.overlap(), "");
    for (const char* stage : {"prepare", "paint", "encode", "write", "vae encode", "vae decode"})
        EXPECT_EQ(trace.spans(stage).size(), 8u) << stage;
    EXPECT_EQ(trace.spans("denoising step").size(), 8u * 2);
    EXPECT_EQ(trace.spans("style tokens").size(), 1u);
    for (const char* counter : {"resident memory", "held in RAM", "work space", "painted frames waiting"})
        EXPECT_TRUE(trace.counters().contains(counter)) << counter;
    EXPECT_GT(trace.last("held in RAM", "UNet"), 1e6);
    EXPECT_NE(run({"stylize", "--help"}).out.find("--trace"), std::string::npos);
}

/// Whichever way it ends: what was written up to then can be looked at.
TEST_F(Sight, ATraceOfAStoppedProgramIsWhole) {
    for (const int signal : {SIGINT, SIGKILL}) {
        Program program({"stylize", bundled("clips/sample.mp4"), at("film.mp4"), "--style", "scream", "--size", "64x48",
                         "--steps", "1000", "--progress", "json", "--device", "cpu", "--trace", at("trace.json")});
        ASSERT_TRUE(program.waitForError("\"painting\"")) << "it never began to paint";
        const auto start = std::chrono::steady_clock::now();
        while (stepsIn(at("trace.json")) < 5) {
            ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::minutes(1)) << "nothing is streamed";
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
        program.send(signal);
        program.wait();
        const TraceFile trace(at("trace.json"));
        EXPECT_EQ(trace.overlap(), "");
        EXPECT_GE(trace.spans("decode").size(), 1u);
        EXPECT_EQ(trace.spans("paint").size(), signal == SIGKILL ? 0u : 1u) << "what was begun ends in order, or not";
    }
}

TEST_F(Sight, TheReportNamesWhoHoldsWhat) {
    const Outcome outcome = run(stylizing(makeClip(), at("film.mp4"), {"--device", "cpu", "--json"}));
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const Json report = Json::parse(outcome.out);
    std::map<std::string, Json> holders;
    for (const Json& holder : report["memoryHolders"]) holders[holder["name"]] = holder;
    for (const char* name : {"UNet", "VAE", "work space", "frames in flight", "program, decoder and encoder"}) {
        ASSERT_TRUE(holders.contains(name)) << name;
        EXPECT_EQ(holders[name]["place"], "RAM");
        EXPECT_GT(holders[name]["predictedBytes"], 0) << name;
    }
    EXPECT_EQ(holders["work space"]["heldBytes"], report["memory"]["arenaBytes"]);
    EXPECT_EQ(report["memoryGrowth"]["heldBytes"], 0);
    EXPECT_EQ(report["memoryGrowth"]["fromFrame"], 5);
    EXPECT_EQ(report["memoryGrowth"]["toFrame"], 8);
}

TEST_F(Sight, ABenchmarkIsTraced) {
    const Outcome outcome = run({"bench", "--size", "64x64", "--repeats", "1", "--stage", "unet", "--device", "cpu",
                                 "--json", "--trace", at("trace.json")});
    ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
    const Json report = Json::parse(outcome.out);
    EXPECT_GT(report["peakGigabytesPerSecond"], 0.0);
    const TraceFile trace(at("trace.json"));
    for (const Json& stage : report["stages"]) {
        EXPECT_EQ(trace.spans(stage["stage"]).size(), 1u);
        for (const char* number :
             {"teraOperationsPerSecond", "gigabytesPerSecond", "peakFraction", "bandwidthFraction"})
            EXPECT_GT(stage[number], 0.0) << number;
        EXPECT_EQ(stage["holders"].size(), 2u);
    }
}

TEST_F(Sight, ATraceThatCannotBeWrittenIsTold) {
    const std::string nowhere = at("nowhere/trace.json");
    expectRefused(run({"bench", "--size", "64x64", "--trace", nowhere}), 1, "nowhere/trace.json");
    expectRefused(run(stylizing(makeClip(), at("film.mp4"), {"--trace", nowhere})), 1, "nowhere/trace.json");
    expectRefused(run(stylizing(at("clip.mp4"), at("film.mp4"), {"--trace", at("clip.mp4")})), 1, "clip.mp4");
    EXPECT_EQ(namesIn(folder()), std::vector<std::string>{"clip.mp4"});
    EXPECT_EQ(inspected(at("clip.mp4")).video.frameCount, 8);
}

}  // namespace
}  // namespace reelbrush::cli::testing
