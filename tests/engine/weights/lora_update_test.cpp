#include "engine/weights/lora_update.h"

#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace reelbrush::weights {

namespace {

using testing::SafetensorsWriter;
using testing::ScratchFolder;
using Dims = SafetensorsWriter::Dims;

constexpr float kStrength = 0.7f;

/// Random tensors of one module, kept for computing what the update should be with plain loops in double precision.
class LoraUpdateTest : public ::testing::Test {
  protected:
    void add(const std::string& ending, const Dims& shape) {
        std::size_t count = 1;
        for (const std::int64_t dim : shape) count *= static_cast<std::size_t>(dim);
        std::vector<float> values(count);
        for (float& value : values) value = normal_(random_);
        writer_.addF32("lora_unet_m." + ending, shape, values);
        tensors_[ending] = {shape, values};
    }
    void addAlpha(float alpha) { writer_.addF32("lora_unet_m.alpha", {}, {alpha}); }

    /// The element of a tensor at an index.
    double at(const std::string& name, std::initializer_list<std::size_t> index) const {
        const auto& [shape, values] = tensors_.at(name);
        std::size_t flat = 0, axis = 0;
        for (const std::size_t i : index) flat = flat * static_cast<std::size_t>(shape[axis++]) + i;
        return values.at(flat);
    }

    /// W + strength * dW, computed by the library for a random W of this shape, against delta(out, in, kernel) and,
    /// with DoRA, against finish(V, W).
    void expectUpdate(const Dims& shape, const std::function<double(std::size_t, std::size_t, std::size_t)>& delta,
                      const std::function<std::vector<double>(std::vector<double>)>& finish = {}) {
        const auto file = LoraFile::open(writer_.write(scratch_.path() / "style.safetensors"));
        ASSERT_TRUE(file) << file.error().message;
        ASSERT_EQ((*file)->modules().size(), 1u);
        const LoraModule& module = (*file)->modules()[0];
        const kernels::Shape weightShape{std::span<const std::int64_t>(shape)};
        ASSERT_TRUE(fitsWeight(module, weightShape)) << updateShapeText(module);
        const auto outputs = static_cast<std::size_t>(shape[0]), inputs = static_cast<std::size_t>(shape[1]);
        std::vector<float> pristine(static_cast<std::size_t>(weightShape.elements()));
        for (float& value : pristine) value = normal_(random_);
        const std::size_t kernel = pristine.size() / (outputs * inputs);
        std::vector<double> changed;
        for (std::size_t o = 0; o < outputs; ++o)
            for (std::size_t i = 0; i < inputs; ++i)
                for (std::size_t k = 0; k < kernel; ++k) changed.push_back(pristine[changed.size()] + delta(o, i, k));
        if (finish) changed = finish(changed);
        std::vector<float> merged = pristine;
        const auto status = addWeightUpdate(**file, module, kStrength, pristine, merged);
        ASSERT_TRUE(status) << status.error().message;
        for (std::size_t n = 0; n < merged.size(); ++n)
            ASSERT_NEAR(merged[n], pristine[n] + kStrength * (changed[n] - pristine[n]), 2e-5) << n;
    }

    ScratchFolder scratch_;
    SafetensorsWriter writer_;
    std::map<std::string, std::pair<Dims, std::vector<float>>> tensors_;
    std::mt19937 random_{5};
    std::normal_distribution<float> normal_;
};

TEST_F(LoraUpdateTest, TuckerConvolution) {
    add("lora_up.weight", {5, 2, 1, 1});
    add("lora_mid.weight", {2, 3, 3, 2});
    add("lora_down.weight", {3, 7, 1, 1});
    addAlpha(6);
    expectUpdate({5, 7, 3, 2}, [&](std::size_t o, std::size_t i, std::size_t k) {
        double sum = 0;
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t q = 0; q < 3; ++q)
                sum += at("lora_up.weight", {o, p}) * at("lora_mid.weight", {p, q, k / 2, k % 2}) *
                       at("lora_down.weight", {q, i});
        return 6.0 / 3 * sum;
    });
}

TEST_F(LoraUpdateTest, LoHaOfAConvolution) {
    add("hada_w1_a", {5, 2});
    add("hada_w1_b", {2, 7 * 6});
    add("hada_w2_a", {5, 2});
    add("hada_w2_b", {2, 7 * 6});
    addAlpha(1);
    expectUpdate({5, 7, 3, 2}, [&](std::size_t o, std::size_t i, std::size_t k) {
        double first = 0, second = 0;
        for (std::size_t r = 0; r < 2; ++r) {
            first += at("hada_w1_a", {o, r}) * at("hada_w1_b", {r, i * 6 + k});
            second += at("hada_w2_a", {o, r}) * at("hada_w2_b", {r, i * 6 + k});
        }
        return first * second / 2;
    });
}

TEST_F(LoraUpdateTest, LoHaWithTuckerCores) {
    for (const char* side : {"1", "2"}) {
        add(std::string("hada_w") + side + "_a", {2, 5});
        add(std::string("hada_w") + side + "_b", {2, 7});
        add(std::string("hada_t") + side, {2, 2, 3, 2});
    }
    addAlpha(4);
    const auto factor = [&](const std::string& side, std::size_t o, std::size_t i, std::size_t k) {
        double sum = 0;
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t q = 0; q < 2; ++q)
                sum += at("hada_w" + side + "_a", {p, o}) * at("hada_t" + side, {p, q, k / 2, k % 2}) *
                       at("hada_w" + side + "_b", {q, i});
        return sum;
    };
    expectUpdate({5, 7, 3, 2}, [&](std::size_t o, std::size_t i, std::size_t k) {
        return 4.0 / 2 * factor("1", o, i, k) * factor("2", o, i, k);
    });
}

TEST_F(LoraUpdateTest, LoKrOfWholeFactorsIgnoresAlpha) {
    add("lokr_w1", {2, 3});
    add("lokr_w2", {5, 4});
    addAlpha(9);
    expectUpdate({10, 12}, [&](std::size_t o, std::size_t i, std::size_t) {
        return at("lokr_w1", {o / 5, i / 4}) * at("lokr_w2", {o % 5, i % 4});
    });
}

TEST_F(LoraUpdateTest, LoKrOfFactorisedFactors) {
    add("lokr_w1_a", {2, 2});
    add("lokr_w1_b", {2, 3});
    add("lokr_w2_a", {5, 2});
    add("lokr_w2_b", {2, 4 * 6});
    addAlpha(3);
    expectUpdate({10, 12, 3, 2}, [&](std::size_t o, std::size_t i, std::size_t k) {
        double first = 0, second = 0;
        for (std::size_t r = 0; r < 2; ++r) {
            first += at("lokr_w1_a", {o / 5, r}) * at("lokr_w1_b", {r, i / 4});
            second += at("lokr_w2_a", {o % 5, r}) * at("lokr_w2_b", {r, i % 4 * 6 + k});
        }
        return 3.0 / 2 * first * second;
    });
}

TEST_F(LoraUpdateTest, LoKrWithATuckerCore) {
    add("lokr_w1", {2, 3});
    add("lokr_w2_a", {2, 5});
    add("lokr_w2_b", {2, 4});
    add("lokr_t2", {2, 2, 3, 2});
    addAlpha(1);
    expectUpdate({10, 12, 3, 2}, [&](std::size_t o, std::size_t i, std::size_t k) {
        double second = 0;
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t q = 0; q < 2; ++q)
                second +=
                    at("lokr_w2_a", {p, o % 5}) * at("lokr_t2", {p, q, k / 2, k % 2}) * at("lokr_w2_b", {q, i % 4});
        return at("lokr_w1", {o / 5, i / 4}) * second / 2;
    });
}

TEST_F(LoraUpdateTest, FullDifference) {
    add("diff", {5, 7, 3, 3});
    addAlpha(9);
    expectUpdate({5, 7, 3, 3}, [&](std::size_t o, std::size_t i, std::size_t k) {
        return at("diff", {o, i, k / 3, k % 3});
    });
}

/// The three shapes of DoRA's magnitude, on a low-rank convolution [5,7,3,2].
class LoraUpdateDora : public LoraUpdateTest {
  protected:
    double lowRank(std::size_t o, std::size_t i, std::size_t k) const {
        double sum = 0;
        for (std::size_t r = 0; r < 2; ++r)
            sum += at("lora_up.weight", {o, r}) * at("lora_down.weight", {r, i, k / 2, k % 2});
        return sum;
    }
    void check(const std::string& magnitude, const Dims& shape, bool perOutput) {
        add("lora_up.weight", {5, 2, 1, 1});
        add("lora_down.weight", {2, 7, 3, 2});
        add(magnitude, shape);
        expectUpdate(
            {5, 7, 3, 2}, [&](std::size_t o, std::size_t i, std::size_t k) { return lowRank(o, i, k); },
            [&](std::vector<double> v) {
                const auto group = [&](std::size_t n) { return perOutput ? n / 42 : n / 6 % 7; };
                std::vector<double> squares(perOutput ? 5 : 7);
                for (std::size_t n = 0; n < v.size(); ++n) squares[group(n)] += v[n] * v[n];
                for (std::size_t n = 0; n < v.size(); ++n)
                    v[n] *= tensors_.at(magnitude).second[group(n)] / std::sqrt(squares[group(n)]);
                return v;
            });
    }
};

TEST_F(LoraUpdateDora, OneMagnitudeForEachInput) {
    check("dora_scale", {1, 7, 1, 1}, false);
}

TEST_F(LoraUpdateDora, OneMagnitudeForEachOutput) {
    check("dora_scale", {5, 1, 1, 1}, true);
}

TEST_F(LoraUpdateDora, MagnitudeVectorsOfPeftBelongToOutputsWhateverTheirShape) {
    check("lora_magnitude_vector.weight", {1, 5, 1, 1}, true);
}

TEST_F(LoraUpdateTest, FitsOnlyWeightsOfItsShape) {
    const auto fits = [&](std::initializer_list<std::pair<const char*, Dims>> tensors, const kernels::Shape& weight) {
        SafetensorsWriter writer;
        for (const auto& [ending, shape] : tensors) writer.addZeros(std::string("lora_unet_m.") + ending, shape);
        const auto file = LoraFile::open(writer.write(scratch_.path() / "shapes.safetensors"));
        EXPECT_TRUE(file) << file.error().message;
        return fitsWeight((*file)->modules()[0], weight);
    };
    const std::pair<const char*, Dims> up{"lora_up.weight", {5, 2}};
    EXPECT_TRUE(fits({up, {"lora_down.weight", {2, 7}}}, {5, 7}));
    EXPECT_TRUE(fits({up, {"lora_down.weight", {2, 7}}}, {5, 7, 1, 1}));
    EXPECT_TRUE(fits({up, {"lora_down.weight", {2, 7, 1, 1}}}, {5, 7}));
    EXPECT_FALSE(fits({up, {"lora_down.weight", {2, 7, 3, 1}}}, {5, 7, 1, 3}));
    EXPECT_FALSE(fits({up, {"lora_down.weight", {2, 3, 7, 1}}}, {5, 7, 3, 1}));
    EXPECT_FALSE(fits({up, {"lora_down.weight", {2, 6}}}, {5, 7}));
    EXPECT_FALSE(fits({up, {"lora_down.weight", {2, 7}}}, {4, 7}));
    EXPECT_FALSE(fits({up, {"lora_down.weight", {2, 1}}}, {5})) << "a norm";
    EXPECT_FALSE(fits({up, {"lora_down.weight", {2, 7}}, {"dora_scale", {1, 6}}}, {5, 7}));
    EXPECT_FALSE(fits({up, {"lora_down.weight", {2, 7}}, {"dora_scale", {5, 2}}}, {5, 7}));
    EXPECT_TRUE(fits({{"diff", {5}}}, {5}));
    EXPECT_FALSE(fits({{"diff", {7, 5}}}, {5, 7}));
    EXPECT_TRUE(fits({{"lokr_w1", {5, 1}}, {"lokr_w2", {1, 7}}}, {5, 7}));
    EXPECT_FALSE(fits({{"lokr_w1", {5, 2}}, {"lokr_w2", {1, 7}}}, {5, 7}));
}

}  // namespace

}  // namespace reelbrush::weights
