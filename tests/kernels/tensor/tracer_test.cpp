#include "kernels/tensor/tracer.h"

#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace reelbrush::kernels {
namespace {

using nlohmann::json;

class TracerTest : public ::testing::Test {
  protected:
    std::filesystem::path file() const { return scratch_.path() / "trace.json"; }
    std::shared_ptr<Tracer> tracer() const { return Tracer::create(file()).value(); }
    json read() const { return json::parse(std::ifstream(file())); }
    /// The entries of one kind ("X", "C", "M").
    std::vector<json> entries(const std::string& kind) const {
        std::vector<json> found;
        for (const json& entry : read())
            if (entry["ph"] == kind) found.push_back(entry);
        return found;
    }

    testing::ScratchFolder scratch_;
};

TEST_F(TracerTest, SpansAndCountersAreTold) {
    {
        const auto tracer = this->tracer();
        const TraceRow row = traceRow(tracer.get(), "paint \"fast\"\n");
        {
            const TraceSpan outer(row, "frame", {"frame", 3});
            const TraceSpan inner(row, "vae decode");
        }
        tracer->count("memory", {{"weights", 1e9}, {"arena", 0.5}});
    }
    const auto spans = entries("X");
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_EQ(spans[0]["name"], "vae decode");
    EXPECT_FALSE(spans[0].contains("args"));
    EXPECT_EQ(spans[1]["name"], "frame");
    EXPECT_EQ(spans[1]["args"]["frame"], 3);
    EXPECT_GE(spans[0]["ts"], spans[1]["ts"]);
    const auto end = [](const json& span) { return span["ts"].get<double>() + span["dur"].get<double>(); };
    EXPECT_LE(end(spans[0]), end(spans[1]) + 1e-6);
    const auto counters = entries("C");
    ASSERT_EQ(counters.size(), 1u);
    EXPECT_EQ(counters[0]["args"]["weights"], 1e9);
    EXPECT_EQ(counters[0]["args"]["arena"], 0.5);
    bool named = false;
    for (const json& name : entries("M")) named = named || name["args"].value("name", "") == "paint \"fast\"\n";
    EXPECT_TRUE(named);
}

/// As a viewer finds it while the program runs, or after it was killed.
TEST_F(TracerTest, IsWholeAtAnyTime) {
    const auto tracer = this->tracer();
    EXPECT_TRUE(read().is_array());
    const int row = tracer->addRow(Tracer::kProgramGroup, "row");
    constexpr std::size_t kMostWaiting = std::size_t{1} << 17, kLeastEntry = 40;
    for (std::size_t i = 1; i <= 20000; ++i) {
        tracer->addSpan(row, "span", Tracer::now(), Tracer::now());
        if (i % 2000 != 0) continue;
        EXPECT_GE(std::filesystem::file_size(file()) + kMostWaiting, i * kLeastEntry) << "entries are streamed";
        ASSERT_TRUE(tracer->flush());
        EXPECT_EQ(entries("X").size(), i);
    }
}

/// A program that hangs or is killed in the middle of something long still tells what came before.
TEST_F(TracerTest, WritesWithoutBeingAsked) {
    const auto tracer = this->tracer();
    const auto before = std::filesystem::file_size(file());
    tracer->count("memory", {{"bytes", 1.0}});
    const auto start = std::chrono::steady_clock::now();
    // Parsed once it is written: a file is not read and written in one go.
    while (std::filesystem::file_size(file()) == before) {
        ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

TEST_F(TracerTest, ThreadsShareIt) {
    {
        const auto tracer = this->tracer();
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&] {
                const TraceRow row = traceRow(tracer.get(), "thread");
                for (int i = 0; i < 500; ++i) const TraceSpan span(row, "work", {"item", static_cast<double>(i)});
            });
    }
    EXPECT_EQ(entries("X").size(), 2000u);
}

TEST_F(TracerTest, GroupsAreApart) {
    {
        const auto tracer = this->tracer();
        const int gpu = tracer->addGroup("GPU 0");
        tracer->addSpan(tracer->addRow(gpu, "stream 7"), "kernel", 0, 1);
        tracer->addSpan(tracer->addRow(Tracer::kProgramGroup, "paint"), "frame", 0, 1);
    }
    const auto spans = entries("X");
    ASSERT_EQ(spans.size(), 2u);
    EXPECT_NE(spans[0]["pid"], spans[1]["pid"]);
    EXPECT_NE(spans[0]["tid"], spans[1]["tid"]);
}

TEST_F(TracerTest, NumbersThatJsonCannotHoldDoNotBreakIt) {
    tracer()->count("odd", {{"nan", std::nan("")}, {"inf", HUGE_VAL}, {"large", 1e300}});
    EXPECT_EQ(entries("C").at(0)["args"]["large"], 1e300);
}

TEST_F(TracerTest, WithoutATracerNothingHappens) {
    const TraceRow nowhere = traceRow(nullptr, "paint");
    EXPECT_FALSE(nowhere);
    const TraceSpan span(nowhere, "frame");
}

TEST_F(TracerTest, TellsWhatCannotBeWritten) {
    const auto tracer = Tracer::create(scratch_.path() / "no such folder" / "trace.json");
    ASSERT_FALSE(tracer);
    EXPECT_EQ(tracer.error().code, StatusCode::Io);
    EXPECT_NE(tracer.error().message.find("trace.json"), std::string::npos);
    if (std::filesystem::exists("/dev/full")) {
        const auto full = Tracer::create("/dev/full");
        ASSERT_FALSE(full);
        EXPECT_EQ(full.error().code, StatusCode::Io);
    }
}

}  // namespace
}  // namespace reelbrush::kernels
