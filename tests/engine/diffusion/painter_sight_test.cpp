/// What a painter tells of itself: who holds its memory, and what it does when.
#include "engine/diffusion/frame_painter.h"
#include "engine/diffusion/part_holders.h"
#include "kernels/tensor/tracer.h"
#include "tests/engine/diffusion/miniature_model.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace reelbrush::diffusion {
namespace {

using nlohmann::json;

constexpr int kSide = 64;

class PainterSight : public ::testing::Test {
  protected:
    PaintingSetup starter() const { return {.model = REELBRUSH_SOURCE_DIR "/resources/models/starter"}; }
    PaintingSetup miniature() const { return {.model = testing::miniatureModel(scratch_.path())}; }

    static std::unique_ptr<FramePainter> painterFor(const PaintingSetup& setup) {
        const PainterOptions options{
            .width = kSide, .height = kSide, .precision = kernels::Precision::Float32, .threads = 2};
        return FramePainter::create(setup, options, {}).value();
    }
    static void paint(FramePainter& painter, const PaintSettings& settings) {
        const std::vector<float> picture(kSide * kSide * 3, 0.4f);
        std::vector<float> out(picture.size());
        const FrameInput input{picture, {}};
        const std::span<float> view(out);
        ASSERT_TRUE(painter.paint({&input, 1}, settings, {}, {&view, 1}));
    }
    static MemoryHolder holder(const FramePainter& painter, const std::string& name) {
        const auto holders = painter.holders();
        const auto found = std::ranges::find(holders, name, &MemoryHolder::name);
        return found == holders.end() ? MemoryHolder{"none"} : *found;
    }
    static void expectHoldsWhatWasPredicted(const FramePainter& painter, const char* part) {
        const MemoryHolder found = holder(painter, part);
        EXPECT_EQ(found.place, MemoryPlace::Ram);
        ASSERT_TRUE(found.predictedBytes && found.heldBytes) << part;
        EXPECT_GT(*found.predictedBytes, 0u) << part;
        EXPECT_NEAR(static_cast<double>(*found.heldBytes), static_cast<double>(*found.predictedBytes),
                    0.02 * static_cast<double>(*found.predictedBytes))
            << part;
    }
    /// It was there for a moment only.
    static void expectCameAndWent(const FramePainter& painter, const char* part) {
        const MemoryHolder found = holder(painter, part);
        EXPECT_EQ(found.heldBytes, std::size_t{0}) << part;
        EXPECT_GT(found.peakBytes, std::size_t{0}) << part;
    }
    /// How often each span was written.
    std::map<std::string, int> spans() const {
        std::map<std::string, int> counts;
        for (const json& entry : json::parse(std::ifstream(traceFile())))
            if (entry["ph"] == "X") ++counts[entry["name"]];
        return counts;
    }
    std::filesystem::path traceFile() const { return scratch_.path() / "trace.json"; }

    testing::ScratchFolder scratch_;
};

TEST_F(PainterSight, TheStarterModelNamesItsHolders) {
    const auto painter = painterFor(starter());
    const std::vector<float> picture(224 * 224 * 3, 0.5f);
    ASSERT_TRUE(painter->setStyle({.pictures = {picture}}, {}));
    for (const char* part : {kUnetPart, kVaePart, kWorkSpacePart}) expectHoldsWhatWasPredicted(*painter, part);
    expectCameAndWent(*painter, kPicturePart);
    EXPECT_EQ(holder(*painter, kWorkSpacePart).heldBytes, painter->memory().arenaBytes);
    painter->beginShot({});
    paint(*painter, {.steps = 1});
    const auto after = painter->holders();
    for (int frame = 0; frame < 3; ++frame) paint(*painter, {.steps = 1});
    EXPECT_EQ(painter->holders(), after) << "painting allocates nothing";
}

TEST_F(PainterSight, FullModelsNameTheirHolders) {
    PaintingSetup setup = miniature();
    setup.stylePictures = true;  // injected, so that there is a style bank
    const auto painter = painterFor(setup);
    EXPECT_TRUE(painter->holders().empty()) << "nothing is packed before the style is known";
    const std::vector<float> picture(kSide * kSide * 3, 0.5f);
    ASSERT_TRUE(painter->setStyle({.prompt = "a cat", .pictures = {picture}}, {}));
    for (const char* part : {kUnetPart, kVaePart, kWorkSpacePart}) expectHoldsWhatWasPredicted(*painter, part);
    expectCameAndWent(*painter, kTextPart);
    const PaintSettings settings{.freedom = 0.5f, .steps = 4, .guidance = 3.0f};
    painter->beginShot(settings);
    paint(*painter, settings);
    const MemoryHolder bank = holder(*painter, "style bank");
    ASSERT_TRUE(bank.heldBytes);
    EXPECT_EQ(bank.heldBytes, bank.predictedBytes);
    EXPECT_EQ(painter->keptBytes(settings).value(), bank.heldBytes);
}

TEST_F(PainterSight, TellsItsStages) {
    for (const bool isFull : {false, true}) {
        const auto painter = painterFor(isFull ? miniature() : starter());
        {
            const auto tracer = kernels::Tracer::create(traceFile()).value();
            painter->traceTo(kernels::traceRow(tracer.get(), "paint"));
            const std::vector<float> picture(224 * 224 * 3, 0.5f);
            StyleInputs style{.prompt = "a cat"};
            if (!isFull) style = {.pictures = {picture}};
            ASSERT_TRUE(painter->setStyle(style, {}));
            const PaintSettings settings{.freedom = 1.0f, .steps = 3, .guidance = 2.0f};
            painter->beginShot(settings);
            for (int frame = 0; frame < 2; ++frame) paint(*painter, settings);
            painter->traceTo({});
            paint(*painter, settings);
        }
        const auto counts = spans();
        EXPECT_EQ(counts.at("vae encode"), 2);
        EXPECT_EQ(counts.at("vae decode"), 2);
        EXPECT_EQ(counts.at("denoising step"), 2 * 3);
        EXPECT_EQ(counts.count(isFull ? "text encoders" : "style tokens"), 1u);
        EXPECT_EQ(counts.count("compile the UNet"), isFull ? 1u : 0u);
    }
}

}  // namespace
}  // namespace reelbrush::diffusion
