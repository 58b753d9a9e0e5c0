#include "engine/session/painter_shelf.h"

#include "tests/engine/render/fake_parts.h"

#include <gtest/gtest.h>

namespace reelbrush::session {
namespace {

using render::testing::FakePainter;

/// Counts how many there are.
class CountedPainter : public FakePainter {
  public:
    explicit CountedPainter(int& alive) : alive_(alive) { ++alive_; }
    ~CountedPainter() override { --alive_; }

  private:
    int& alive_;
};

struct Shelf {
    int made = 0, alive = 0, mostAlive = 0;
    bool failNext = false;
    PainterShelf shelf{
        [this](const auto&, const auto&, const auto&) -> Result<std::unique_ptr<diffusion::FramePainter>> {
            if (failNext) return fail(StatusCode::BadInput, "broken");
            ++made;
            mostAlive = std::max(mostAlive, alive + 1);
            return std::unique_ptr<diffusion::FramePainter>(std::make_unique<CountedPainter>(alive));
        }};
};

TEST(PainterShelf, MakesOneForEachKindOfWork) {
    Shelf s;
    diffusion::PainterOptions options;
    ASSERT_TRUE(s.shelf.take({.model = "model"}, options, {}));
    ASSERT_TRUE(s.shelf.take({.model = "model"}, options, {}));
    EXPECT_EQ(s.made, 1);
    options.width = 64;
    ASSERT_TRUE(s.shelf.take({.model = "model"}, options, {}));
    EXPECT_EQ(s.made, 2);
    ASSERT_TRUE(s.shelf.take({.model = "model", .loras = {{"a", 1.0f}}}, options, {}));
    ASSERT_TRUE(s.shelf.take({.model = "model", .loras = {{"a", 0.5f}}}, options, {}));
    ASSERT_TRUE(s.shelf.take({.model = "other", .loras = {{"a", 0.5f}}}, options, {}));
    EXPECT_EQ(s.made, 3) << "LoRAs are switched in place";
    EXPECT_EQ(s.mostAlive, 1) << "two would not fit";
    s.shelf.clear();
    EXPECT_EQ(s.alive, 0);
}

TEST(PainterShelf, AFailureLeavesNoPainterBehind) {
    Shelf s;
    ASSERT_TRUE(s.shelf.take({.model = "model"}, {}, {}));
    s.failNext = true;
    EXPECT_FALSE(s.shelf.take({.model = "other"}, {}, {}));
    EXPECT_EQ(s.alive, 0);
    s.failNext = false;
    ASSERT_TRUE(s.shelf.take({.model = "model"}, {}, {}));
    EXPECT_EQ(s.made, 2) << "the first is gone";
}

TEST(PainterShelf, SwitchesLorasOfThePainterAtHand) {
    FakePainter* made = nullptr;
    PainterShelf shelf([&](const auto&, const auto&, const auto&) -> Result<std::unique_ptr<diffusion::FramePainter>> {
        auto painter = std::make_unique<FakePainter>();
        made = painter.get();
        return std::unique_ptr<diffusion::FramePainter>(std::move(painter));
    });
    ASSERT_TRUE(shelf.take({.model = "model", .loras = {{"a"}}}, {}, {}));
    const FakePainter* first = made;
    ASSERT_TRUE(shelf.take({.model = "model", .loras = {{"b"}}}, {}, {}));
    EXPECT_EQ(made, first);
    EXPECT_EQ(made->switchedLoras.at(0).file, "b");

    made->failSwitch = true;
    EXPECT_FALSE(shelf.take({.model = "model", .loras = {{"c"}}}, {}, {}));
    made = nullptr;
    ASSERT_TRUE(shelf.take({.model = "model", .loras = {{"b"}}}, {}, {}));
    EXPECT_NE(made, nullptr) << "a painter whose switch failed is not used again";
}

}  // namespace
}  // namespace reelbrush::session
