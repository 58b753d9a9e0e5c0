#include "engine/diffusion/image_prompt.h"

#include "engine/diffusion/frame_painter.h"
#include "engine/diffusion/networks/run_once.h"
#include "kernels/cpu/cpu_backend.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/engine/diffusion/miniature_model.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {
namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 2e-5;
const fs::path kEncoder = fs::path(REELBRUSH_TEST_DATA_DIR) / "clip-vision-tiny";

class ImagePromptTest : public ::testing::Test {
  protected:
    static IpAdapterChoice choice(const std::string& name) {
        return {testing::fixturesFolder() / "ip-adapter-tiny" / (name + ".safetensors"), kEncoder / "model.safetensors",
                false};
    }
    ImagePrompt prompt(const IpAdapterChoice& choice) const {
        auto opened = ImagePrompt::open(choice, *model_);
        if (!opened) throw std::runtime_error(opened.error().message);
        return *std::move(opened);
    }
    std::string refusal(const IpAdapterChoice& choice) const {
        const auto opened = ImagePrompt::open(choice, *model_);
        return opened ? "accepted" : opened.error().message;
    }
    std::vector<float> pictureAt(std::size_t index) const {
        const auto all = golden_.image("pictures");
        const std::size_t each = all.size() / 2;
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(index * each);
        return {first, first + static_cast<std::ptrdiff_t>(each)};
    }

    /// The adapter's tokens from golden values of picture `index` of two.
    std::vector<float> projected(const ImagePrompt& adapter, const std::vector<float>& golden, std::size_t index) {
        const auto config = ImageProjectionConfig::fromWeights(*adapter.files().weights, 16);
        if (!config) throw std::runtime_error(config.error().message);
        const std::size_t each = golden.size() / 2;
        const auto first = golden.begin() + static_cast<std::ptrdiff_t>(index * each);
        kernels::Graph graph;
        const auto in = graph.input("in", {1, static_cast<std::int64_t>(each) / 24, 24});
        graph.output("out", buildImageProjection(graph, *config, in));
        auto out = runOnce(std::move(graph), *adapter.files().weights, backend_,
                           {{"in", {first, first + static_cast<std::ptrdiff_t>(each)}}});
        if (!out) throw std::runtime_error(out.error().message);
        return std::move(out->at("out"));
    }

    testing::ScratchFolder scratch_;
    testing::GoldenTensors golden_{kEncoder / "golden.safetensors"};
    Result<FullModel> model_ = FullModel::open({.model = testing::miniatureModel(scratch_.path())});
    kernels::CpuBackend backend_{kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32}};
};

/// The image encoder's golden values, seen through the adapter's projection.
TEST_F(ImagePromptTest, TokensAreThoseOfTheReferenceEncoder) {
    for (const auto& [name, tensor] : {std::pair("base", "image_embeds"), std::pair("plus", "penultimate")}) {
        const ImagePrompt adapter = prompt(choice(name));
        EXPECT_EQ(adapter.pictureSize(), 12);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto picture = pictureAt(i);
            const auto expected = projected(adapter, golden_.values(tensor), i);
            ASSERT_EQ(expected.size(), static_cast<std::size_t>(adapter.tokens()) * 16);
            const std::span<const float> view(picture);
            const auto tokens = adapter.encode({&view, 1}, backend_, {});
            ASSERT_TRUE(tokens) << tokens.error().message;
            EXPECT_LE(testing::agreement(name, tokens->pictures, expected).relativeError, kTolerance);
            EXPECT_NE(tokens->nothing, tokens->pictures);
        }
    }
}

TEST_F(ImagePromptTest, SeveralPicturesAreAveraged) {
    const ImagePrompt adapter = prompt(choice("plus"));
    const auto first = pictureAt(0), second = pictureAt(1);
    const std::vector<std::span<const float>> both{first, second};
    const auto together = adapter.encode(both, backend_, {});
    const auto one = adapter.encode(std::span(both).first(1), backend_, {});
    const auto other = adapter.encode(std::span(both).last(1), backend_, {});
    ASSERT_TRUE(together && one && other);
    for (std::size_t i = 0; i < together->pictures.size(); ++i)
        ASSERT_NEAR(together->pictures[i], (one->pictures[i] + other->pictures[i]) / 2, 1e-5f) << i;
    EXPECT_EQ(together->nothing, one->nothing);
}

TEST_F(ImagePromptTest, WrongFilesAreNamed) {
    IpAdapterChoice wrong = choice("base");
    wrong.file = scratch_.path() / "absent.safetensors";
    EXPECT_NE(refusal(wrong).find("absent.safetensors"), std::string::npos) << refusal(wrong);

    wrong = choice("base");
    wrong.file = kEncoder / "model.safetensors";
    EXPECT_NE(refusal(wrong).find("holds no IP-Adapter"), std::string::npos) << refusal(wrong);

    wrong = choice("base");
    wrong.imageEncoder = choice("plus").file;
    EXPECT_NE(refusal(wrong).find("holds no CLIP image encoder: it is an IP-Adapter"), std::string::npos)
        << refusal(wrong);
}

TEST_F(ImagePromptTest, AnAdapterForAnotherFamilyIsNamed) {
    testing::SafetensorsWriter writer;
    for (int i = 0; i < 70; ++i)
        for (const char* projection : {"to_k_ip", "to_v_ip"})
            writer.addZeros("ip_adapter." + std::to_string(2 * i + 1) + "." + projection + ".weight", {8, 2048});
    writer.addZeros("image_proj.proj.weight", {8192, 24});
    writer.addZeros("image_proj.norm.weight", {2048});
    IpAdapterChoice wrong = choice("base");
    wrong.file = writer.write(scratch_.path() / "for-sdxl.safetensors");
    EXPECT_NE(refusal(wrong).find("was made for SDXL, but the model"), std::string::npos) << refusal(wrong);
    EXPECT_NE(refusal(wrong).find("is SD 1.5"), std::string::npos) << refusal(wrong);
}

TEST_F(ImagePromptTest, FaceIdAndTornFilesAreNamed) {
    testing::SafetensorsWriter writer;
    writer.addZeros("image_proj.proj.0.weight", {8, 512});
    writer.addZeros("ip_adapter.0.to_q_lora.down.weight", {4, 8});
    IpAdapterChoice wrong = choice("base");
    wrong.file = writer.write(scratch_.path() / "faceid.safetensors");
    EXPECT_NE(refusal(wrong).find("FaceID, which needs a face recogniser"), std::string::npos) << refusal(wrong);

    testing::SafetensorsWriter torn;
    torn.addZeros("image_proj.proj.weight", {64, 24});
    torn.addZeros("image_proj.norm.weight", {16});
    torn.addZeros("ip_adapter.1.to_k_ip.weight", {32, 16});
    torn.addZeros("ip_adapter.1.to_v_ip.weight", {32, 16});
    torn.addZeros("ip_adapter.3.to_k_ip.weight", {32, 16});
    wrong.file = torn.write(scratch_.path() / "torn.safetensors");
    EXPECT_NE(refusal(wrong).find("lacks keys or values of the attention 'ip_adapter.3'"), std::string::npos)
        << refusal(wrong);
}

constexpr float kSame = 1e-6f, kVisible = 1e-3f;

float difference(const std::vector<float>& a, const std::vector<float>& b) {
    float largest = 0.0f;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

/// Through the painter, as a style card or the command line sets it up.
class PaintingThroughAnIpAdapter : public ImagePromptTest {
  protected:
    std::vector<float> paint(PaintingSetup setup, const std::vector<float>& picture, float strength, bool guided) {
        // Choices made by time are kept, so that all painters of the test compute alike.
        const PainterOptions options{.width = 64,
                                     .height = 64,
                                     .guided = guided,
                                     .precision = kernels::Precision::Float32,
                                     .threads = 2,
                                     .algorithmCacheFile = scratch_.path() / "algorithms.json"};
        setup.stylePictures = true;
        const auto painter = FramePainter::create(setup, options, {});
        if (!painter) throw std::runtime_error(painter.error().message);
        EXPECT_EQ((*painter)->needs().styleWidth, 12);
        StyleInputs style{.prompt = "x"};
        style.pictures.push_back(picture);
        if (const Status set = (*painter)->setStyle(style, {}); !set) throw std::runtime_error(set.error().message);
        const PaintSettings settings{
            .freedom = 0.6f, .steps = 3, .guidance = guided ? 4.0f : 1.0f, .ipAdapterStrength = strength};
        std::vector<float> frame(64 * 64 * 3, 0.4f), out(frame.size());
        const FrameInput input{frame, {}};
        const std::span<float> view(out);
        (*painter)->beginShot(settings);
        const Status painted = (*painter)->paint({&input, 1}, settings, {}, {&view, 1});
        EXPECT_TRUE(painted) << painted.error().message;
        return out;
    }
};

TEST_F(PaintingThroughAnIpAdapter, ThePictureAndItsStrengthShow) {
    for (const char* name : {"base", "plus"}) {
        const PaintingSetup setup{.model = model_->files.path, .ipAdapter = choice(name)};
        const auto first = paint(setup, pictureAt(0), 1.0f, true);
        EXPECT_GT(difference(paint(setup, pictureAt(1), 1.0f, true), first), kVisible);
        EXPECT_GT(difference(paint(setup, pictureAt(0), 0.5f, true), first), kVisible);
        EXPECT_LT(difference(paint(setup, pictureAt(0), 0.0f, true), paint(setup, pictureAt(1), 0.0f, true)), kSame);
        EXPECT_LT(difference(paint(setup, pictureAt(0), 1.0f, true), first), kSame);
        EXPECT_GT(difference(paint(setup, pictureAt(0), 1.0f, false), first), kVisible);
        PaintingSetup styleOnly = setup;
        styleOnly.ipAdapter->styleOnly = true;
        EXPECT_GT(difference(paint(styleOnly, pictureAt(0), 1.0f, true), first), kVisible);
    }
}

}  // namespace
}  // namespace reelbrush::diffusion
