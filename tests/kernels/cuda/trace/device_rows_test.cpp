#include "kernels/cuda/trace/device_rows.h"

#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace reelbrush::kernels {
namespace {

using nlohmann::json;

/// What is written of some work, spans by name.
class DeviceRowsTest : public ::testing::Test {
  protected:
    std::shared_ptr<Tracer> tracer() const { return Tracer::create(file()).value(); }
    std::filesystem::path file() const { return scratch_.path() / "trace.json"; }
    std::vector<json> spans(const std::string& name) const {
        std::vector<json> found;
        for (const json& entry : json::parse(std::ifstream(file())))
            if (entry["ph"] == "X" && entry["name"] == name) found.push_back(entry);
        return found;
    }
    static DeviceWork work(std::uint32_t launch, std::uint32_t graph, std::int64_t start, std::int64_t end) {
        const std::int64_t now = Tracer::now();
        return {.device = 0, .stream = 7, .launch = launch, .graph = graph, .startNs = now + start, .endNs = now + end};
    }

    testing::ScratchFolder scratch_;
};

TEST_F(DeviceRowsTest, LaunchesOfGraphsHoldTheirKernels) {
    {
        DeviceRows rows(tracer(), {"Card"});
        rows.addKernel(work(1, 0, 0, 1000), "alone", {});
        for (std::uint32_t launch = 2; launch < 5; ++launch) {
            const std::int64_t start = launch * 1'000'000;
            rows.addKernel(work(launch, 9, start, start + 2000), "first", {});
            rows.addCopy(work(launch, 9, start + 3000, start + 4000), "copy", 5000);
        }
    }
    EXPECT_EQ(spans("alone").size(), 1u);
    ASSERT_EQ(spans("first").size(), 3u);
    ASSERT_EQ(spans("copy").size(), 3u);
    EXPECT_DOUBLE_EQ(spans("copy")[0]["args"]["gigabytesPerSecond"], 5.0);
    const auto graphs = spans("graph 9");
    ASSERT_EQ(graphs.size(), 3u);
    for (std::size_t i = 0; i < graphs.size(); ++i) {
        EXPECT_EQ(graphs[i]["args"]["works"], 2);
        EXPECT_LE(graphs[i]["ts"].get<double>(), spans("first")[i]["ts"].get<double>());
        EXPECT_NE(graphs[i]["tid"], spans("first")[i]["tid"]);
        EXPECT_EQ(graphs[i]["pid"], spans("first")[i]["pid"]);
    }
}

TEST_F(DeviceRowsTest, DevicesAndStreamsHaveRowsOfTheirOwn) {
    {
        DeviceRows rows(tracer(), {"Card"});
        DeviceWork other = work(1, 0, 0, 10);
        rows.addKernel(other, "a", {});
        other.stream = 8;
        rows.addKernel(other, "b", {});
        other.device = 1;  // of which no name is known
        rows.addKernel(other, "c", {});
    }
    EXPECT_NE(spans("a")[0]["tid"], spans("b")[0]["tid"]);
    EXPECT_NE(spans("b")[0]["pid"], spans("c")[0]["pid"]);
}

TEST_F(DeviceRowsTest, WhatWasLostIsTold) {
    {
        DeviceRows rows(tracer(), {});
        rows.addLost(0);
        rows.addLost(3);
        rows.addLost(4);
    }
    double lost = 0;
    for (const json& entry : json::parse(std::ifstream(file())))
        if (entry["ph"] == "C") lost = entry["args"]["records"];
    EXPECT_EQ(lost, 7);
}

}  // namespace
}  // namespace reelbrush::kernels
