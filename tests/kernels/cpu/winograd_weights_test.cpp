#include "kernels/cpu/winograd_weights.h"

#include "kernels/tensor/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::kernels {
namespace {

using dnnl::memory;

struct Layer {
    int channels, outChannels, height, width;
};

/// What oneDNN asks for; an empty description where it has no such convolution here.
memory::desc transformedDesc(const Layer& layer, const dnnl::engine& engine) {
    const auto f32 = memory::data_type::f32;
    const memory::desc source({1, layer.channels, layer.height, layer.width}, f32, memory::format_tag::nChw16c);
    const memory::desc weights({layer.outChannels, layer.channels, 3, 3}, f32, memory::format_tag::any);
    const memory::desc output({1, layer.outChannels, layer.height, layer.width}, f32, memory::format_tag::nChw16c);
    const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference,
                                               dnnl::algorithm::convolution_winograd, source, weights, output, {1, 1},
                                               {1, 1}, {1, 1});
    try {
        return dnnl::convolution_forward::primitive_desc(desc, engine).weights_desc();
    } catch (const dnnl::error&) {
        return {};
    }
}

class WinogradWeights : public testing::TestWithParam<Layer> {};
INSTANTIATE_TEST_SUITE_P(Layers, WinogradWeights,
                         testing::Values(Layer{16, 16, 8, 8}, Layer{96, 48, 16, 16}, Layer{320, 640, 32, 32},
                                         Layer{256, 128, 32, 64}, Layer{320, 320, 18, 64}, Layer{64, 512, 16, 128}));

TEST_P(WinogradWeights, AreWhatOnednnMakes) {
    const Layer layer = GetParam();
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    const memory::desc desc = transformedDesc(layer, engine);
    const auto layout = WinogradWeightLayout::of(desc);
    if (!layout) GTEST_SKIP() << "no Winograd convolution on this processor";
    ASSERT_EQ(layout->floats() * sizeof(float), desc.get_size());

    const memory::dims dims{layer.outChannels, layer.channels, 3, 3};
    memory stored(memory::desc(dims, memory::data_type::f32, memory::format_tag::oihw), engine);
    memory blocked(memory::desc(dims, memory::data_type::f32, memory::format_tag::OIhw16i16o), engine);
    memory expected(desc, engine);
    auto* values = static_cast<float*>(stored.get_data_handle());
    for (std::size_t i = 0; i < stored.get_desc().get_size() / sizeof(float); ++i)
        values[i] = static_cast<float>(i * 2654435761u % 2001) * 1e-3f - 1.0f;
    dnnl::reorder(stored, blocked).execute(stream, stored, blocked);
    dnnl::reorder(stored, expected).execute(stream, stored, expected);

    Buffer made = *Buffer::allocate(desc.get_size(), nullptr, "test");
    transformWinogradWeights(static_cast<const float*>(blocked.get_data_handle()), *layout, 2, made.as<float>());
    const auto* wanted = static_cast<const float*>(expected.get_data_handle());
    float worst = 0.0f;
    for (std::size_t i = 0; i < layout->floats(); ++i)
        worst = std::max(worst, std::abs(made.as<float>()[i] - wanted[i]));
    EXPECT_LT(worst, 2e-6f);
}

TEST(WinogradWeightLayout, NothingForOtherLayouts) {
    EXPECT_FALSE(WinogradWeightLayout::of(memory::desc()));
    EXPECT_FALSE(
        WinogradWeightLayout::of(memory::desc({16, 16, 3, 3}, memory::data_type::f32, memory::format_tag::OIhw16i16o)));
}

}  // namespace
}  // namespace reelbrush::kernels
