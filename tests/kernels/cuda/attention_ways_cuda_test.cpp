#include "kernels/cuda/attention_cuda.h"
#include "kernels/cuda/cuda_device.h"
#include "kernels/reference/reference_backend.h"
#include "tests/kernels/cuda/cuda_conformance.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

namespace reelbrush::kernels {
namespace {

/// A CUDA device that computes attentions in the way it is told to.
class OneWay final : public Backend {
  public:
    explicit OneWay(std::unique_ptr<CudaContext> context) : context_(std::move(context)), device_(*context_) {}

    void take(std::size_t way) { way_ = way; }
    /// Ways that the last prepared node had.
    std::size_t count() const { return count_; }
    const std::string& algorithm() const { return algorithm_; }

    Result<std::unique_ptr<Step>> prepare(const StepRequest& request) override {
        RB_ASSIGN(auto steps, attentionSteps(request, *context_));
        count_ = steps.size();
        algorithm_ = steps.at(way_)->algorithm();
        return std::move(steps[way_]);
    }
    Device* device() override { return &device_; }
    Result<std::unique_ptr<DeviceMemory>> allocateArena(std::size_t bytes) override {
        return context_->allocate(bytes, "a test");
    }

  private:
    std::unique_ptr<CudaContext> context_;
    CudaDevice device_;
    std::size_t way_ = 0, count_ = 0;
    std::string algorithm_;
};

/// Every way that a device has to compute an attention, not only the one that is fastest there.
class AttentionWaysCuda : public CudaConformance {
  protected:
    static void TearDownTestSuite() { devices().clear(); }

    void expectConforms(const std::string& label, const NodeCase& node, double tolerance = 2e-5) {
        SCOPED_TRACE(label);
        ReferenceBackend reference;
        for (const DType type : {DType::F16, DType::BF16}) {
            const NodeCase rounded = roundedTo(type, node);
            const auto expected = runNode(reference, rounded);
            ASSERT_TRUE(expected) << expected.error().message;
            OneWay& device = deviceOf(type);
            std::size_t way = 0;
            do {
                device.take(way);
                const auto actual = runNode(device, rounded);
                ASSERT_TRUE(actual) << nameOf(type) << " " << device.algorithm() << ": " << actual.error().message;
                const Difference difference = compare(*actual, *expected);
                EXPECT_TRUE(difference.comparable) << nameOf(type) << " " << device.algorithm();
                EXPECT_LE(difference.maxRelative, tolerance + roundingOf(type))
                    << nameOf(type) << " " << device.algorithm() << ": " << difference.toString();
            } while (++way < device.count());
        }
    }

  private:
    static std::map<DType, std::unique_ptr<OneWay>>& devices() {
        static std::map<DType, std::unique_ptr<OneWay>> opened;
        return opened;
    }
    static OneWay& deviceOf(DType type) {
        auto& device = devices()[type];
        if (!device) {
            auto context = CudaContext::create(0, type, nullptr);
            if (!context) throw std::runtime_error(context.error().message);
            device = std::make_unique<OneWay>(*std::move(context));
        }
        return *device;
    }
};

NodeCase attention(std::int64_t batch, std::int64_t queries, std::int64_t keys, int heads, int headSize) {
    const std::int64_t channels = std::int64_t{heads} * headSize;
    return {Attention{heads, headSize, 0.0f, {}},
            {normalTensor({batch, queries, channels}, 1), normalTensor({batch, keys, channels}, 2),
             normalTensor({batch, keys, channels}, 3)},
            {}};
}

constexpr int kHeadSizes[] = {40, 64, 80, 128, 160};

TEST_F(AttentionWaysCuda, HeadSizesUpToEachThatAKernelIsMadeFor) {
    for (const int headSize : {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 120, 128, 136, 152, 160})
        expectConforms(fmt::format("head {}", headSize), attention(2, 70, 70, 2, headSize));
}

TEST_F(AttentionWaysCuda, NumbersOfTokensNearATile) {
    for (const int headSize : kHeadSizes)
        for (const std::int64_t tokens : {1, 7, 63, 64, 65, 96, 127, 129, 193, 257})
            expectConforms(fmt::format("{} tokens, head {}", tokens, headSize),
                           attention(1, tokens, tokens, 2, headSize));
}

TEST_F(AttentionWaysCuda, MoreTilesThanStages) {
    for (const int headSize : kHeadSizes) {
        expectConforms(fmt::format("1300 keys, head {}", headSize), attention(3, 129, 1300, 2, headSize));
        expectConforms(fmt::format("a text's keys, head {}", headSize), attention(3, 300, 77, 2, headSize));
    }
}

TEST_F(AttentionWaysCuda, SegmentsSomeSharedByTheBatch) {
    for (const int headSize : {24, 40, 64, 80, 160}) {
        const std::int64_t c = 2 * headSize;
        const NodeCase node{Attention{2, headSize, 0.0f, {}},
                            {normalTensor({3, 150, c}, 1), normalTensor({3, 150, c}, 2), normalTensor({3, 150, c}, 3),
                             normalTensor({1, 1, c}, 4), normalTensor({1, 1, c}, 5), normalTensor({1, 401, c}, 6),
                             normalTensor({1, 401, c}, 7), normalTensor({3, 13, c}, 8), normalTensor({1, 13, c}, 9)},
                            {}};
        expectConforms(fmt::format("four segments, head {}", headSize), node);
    }
}

TEST_F(AttentionWaysCuda, MoreSegmentsThanSomeWaysTake) {
    NodeCase node{Attention{1, 40, 0.0f, {}}, {normalTensor({2, 65, 40}, 1)}, {}};
    for (unsigned i = 0; i < 18; ++i) node.inputs.push_back(normalTensor({2, 5 + i / 2 * 16, 40}, 2 + i));
    expectConforms("nine segments", node);
    node.inputs.resize(17);
    expectConforms("eight segments", node);
}

TEST_F(AttentionWaysCuda, AJointProductReadInPlace) {
    for (const int headSize : {32, 40, 64, 80, 104, 160}) {
        const int channels = 3 * headSize;
        const TestTensor joint = normalTensor({2, 170, 3 * channels + 8}, 1);
        const NodeCase node{
            Attention{3, headSize, 0.0f, {0, channels + 8, 2 * channels + 8}}, {joint, joint, joint}, {}};
        expectConforms(fmt::format("head {}", headSize), node);
    }
}

TEST_F(AttentionWaysCuda, WhatLiesBesideAHeadDoesNotCount) {
    // Huge values in the channels around those used.
    for (const int headSize : {40, 72, 136}) {
        const std::int64_t row = headSize + 16;
        TestTensor joint = normalTensor({3, 70, row}, 1);
        for (std::size_t i = 0; i < joint.values.size(); ++i) {
            const auto channel = static_cast<std::int64_t>(i) % row;
            if (channel < 8 || channel >= 8 + headSize) joint.values[i] = 6e4f;
        }
        const NodeCase node{Attention{1, headSize, 0.0f, {8, 8, 8}}, {joint, joint, joint}, {}};
        expectConforms(fmt::format("head {}", headSize), node);
    }
}

TEST_F(AttentionWaysCuda, ScoresThatRiseStepByStep) {
    // Below and above what the sums take before they are brought down.
    for (const int headSize : kHeadSizes)
        for (const float step : {0.002f, 0.02f, 0.2f}) {
            const Shape shape{2, 700, headSize};
            TestTensor q = randomTensor(shape, 1, 0.5f, 1.0f), k = randomTensor(shape, 2);
            for (std::size_t i = 0; i < k.values.size(); ++i)
                k.values[i] += step * static_cast<float>(i / static_cast<std::size_t>(headSize) % 700);
            expectConforms(fmt::format("step {}, head {}", step, headSize),
                           {Attention{1, headSize, 0.0f, {}}, {q, k, normalTensor(shape, 3)}, {}}, 1e-3);
        }
}

TEST_F(AttentionWaysCuda, ScoresFarBelowZeroLoseToNoPadding) {
    for (const int headSize : kHeadSizes) {
        const Shape shape{1, 330, headSize};
        const TestTensor q = randomTensor(shape, 1, 3.0f, 5.0f), k = randomTensor(shape, 2, -5.0f, -3.0f);
        expectConforms(fmt::format("head {}", headSize),
                       {Attention{1, headSize, 0.0f, {}}, {q, k, normalTensor(shape, 3)}, {}}, 1e-3);
    }
}

}  // namespace
}  // namespace reelbrush::kernels
