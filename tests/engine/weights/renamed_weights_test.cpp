#include "engine/weights/renamed_weights.h"

#include "engine/weights/finite_check.h"
#include "engine/weights/model_weights.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace reelbrush::weights {

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SafetensorsWriter;
using testing::ScratchFolder;

std::vector<float> valuesOf(const ListedWeights& weights, const std::string& name) {
    const auto view = weights.find(name);
    if (!view) return {};
    std::vector<float> values(static_cast<std::size_t>(view->shape.elements()));
    view->toFloat(values.data());
    return values;
}

RenamedWeight renamed(std::string name, std::string storedName) {
    RenamedWeight weight;
    weight.name = std::move(name);
    weight.storedName = std::move(storedName);
    return weight;
}

RenamedWeight rows(std::string name, std::string storedName, int part, int parts) {
    RenamedWeight weight = renamed(std::move(name), std::move(storedName));
    weight.form = RenamedWeight::Form::RowRange;
    weight.part = part;
    weight.parts = parts;
    return weight;
}

RenamedWeight transposed(std::string name, std::string storedName) {
    RenamedWeight weight = renamed(std::move(name), std::move(storedName));
    weight.form = RenamedWeight::Form::Transposed;
    return weight;
}

class RenamedWeightsTest : public ::testing::Test {
  protected:
    std::shared_ptr<const ListedWeights> open(const SafetensorsWriter& writer) {
        return *ModelWeights::open(writer.write(scratch_.path() / "m.safetensors"));
    }
    ScratchFolder scratch_;
};

TEST_F(RenamedWeightsTest, RowRangesPointIntoTheStoredBytes) {
    SafetensorsWriter writer;
    writer.addF16("fused", {6, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
        .addF32("bias", {3}, {1, 2, 3})
        .addI8("int", {3, 2}, {1, 2, 3, 4, 5, 6})
        .addF16("int_scale", {3}, {1, 10, 100});
    const auto stored = open(writer);
    const auto weights =
        RenamedWeights::make({stored}, {rows("q", "fused", 0, 3), rows("k", "fused", 1, 3), rows("v", "fused", 2, 3),
                                        rows("b", "bias", 1, 3), rows("i", "int", 2, 3), renamed("all", "fused")});
    ASSERT_TRUE(weights) << weights.error().message;
    EXPECT_THAT((*weights)->names(), ElementsAre("all", "b", "i", "k", "q", "v"));
    EXPECT_THAT(valuesOf(**weights, "q"), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(valuesOf(**weights, "k"), ElementsAre(5, 6, 7, 8));
    EXPECT_THAT(valuesOf(**weights, "v"), ElementsAre(9, 10, 11, 12));
    EXPECT_THAT(valuesOf(**weights, "b"), ElementsAre(2));
    EXPECT_THAT(valuesOf(**weights, "i"), ElementsAre(500, 600));
    EXPECT_EQ((*weights)->find("k")->shape, (kernels::Shape{2, 2}));
    EXPECT_EQ((*weights)->find("all")->data, stored->find("fused")->data);
    EXPECT_EQ((*weights)->find("k")->data, static_cast<const char*>(stored->find("fused")->data) + 8);
}

TEST_F(RenamedWeightsTest, TransposesOnceAndKeepsTheMatrix) {
    SafetensorsWriter writer;
    writer.addF16("m", {2, 3}, {1, 2, 3, 4, 5, 6}).addF16("vector", {2}, {1, 2});
    const auto weights = RenamedWeights::make({open(writer)}, {transposed("t", "m"), transposed("bad", "vector")});
    ASSERT_TRUE(weights);
    EXPECT_THAT(valuesOf(**weights, "t"), ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_EQ((*weights)->find("t")->shape, (kernels::Shape{3, 2}));
    EXPECT_EQ((*weights)->find("t")->data, (*weights)->find("t")->data);
    (*weights)->dropPages();
    EXPECT_THAT(valuesOf(**weights, "t"), ElementsAre(1, 4, 2, 5, 3, 6));
    EXPECT_THAT((*weights)->find("bad").error().message, HasSubstr("where a matrix is needed"));
}

TEST_F(RenamedWeightsTest, RefusesWhatCannotBeRenamed) {
    SafetensorsWriter writer;
    writer.addF16("a", {4}, {1, 2, 3, 4}).addF16("b", {4}, {1, 2, 3, 4}).addF16("scalar", {}, {1});
    const auto stored = open(writer);
    EXPECT_THAT(RenamedWeights::make({stored}, {renamed("x", "a"), renamed("x", "b")}).error().message,
                AllOf(HasSubstr("'a'"), HasSubstr("'b'"), HasSubstr("both claim to be the weight 'x'")));
    EXPECT_THAT(RenamedWeights::make({stored}, {renamed("x", "none")}).error().message, HasSubstr("no tensor 'none'"));
    const auto weights = RenamedWeights::make({stored}, {rows("x", "a", 0, 3), rows("y", "scalar", 0, 3)});
    ASSERT_TRUE(weights);
    EXPECT_THAT((*weights)->find("x").error().message, HasSubstr("do not divide into 3 parts"));
    EXPECT_FALSE((*weights)->find("y"));
    EXPECT_THAT((*weights)->find("z").error().message, HasSubstr("lacks the weight 'z'"));
}

TEST_F(RenamedWeightsTest, FiniteCheckNamesTheWeight) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const auto message = [&](const SafetensorsWriter& writer) {
        const Status status = checkFinite(*open(writer));
        return status ? std::string("fine") : status.error().message;
    };
    SafetensorsWriter fine;
    fine.addF16("a", {3}, {-65504, 0, 65504}).addF32("b", {2}, {3e38f, -1e-40f}).addI8("c", {2}, {-128, 127});
    fine.add("d", "BF16", {1}, std::string("\x7f\x7f", 2)).add("e", "F8_E4M3", {2}, std::string("\x7e\xfe", 2));
    fine.add("f", "F8_E5M2", {2}, std::string("\x7b\xfb", 2)).addF16("empty", {0, 3}, {});
    EXPECT_EQ(message(fine), "fine");
    std::vector<float> many(200'000, 1.0f);
    many[150'000] = kNan;
    EXPECT_THAT(message(SafetensorsWriter().addF32("ok", {1}, {1}).addF32("w", {200'000}, many)),
                AllOf(HasSubstr("'w'"), HasSubstr("number 150001 of 200000")));
    EXPECT_THAT(message(SafetensorsWriter().addF16("w", {2}, {1, -kInfinity})), HasSubstr("number 2 of 2"));
    EXPECT_THAT(message(SafetensorsWriter().add("w", "BF16", {1}, std::string("\x80\x7f", 2))), HasSubstr("'w'"));
    EXPECT_THAT(message(SafetensorsWriter().add("w", "F8_E4M3", {1}, std::string("\xff", 1))), HasSubstr("'w'"));
    EXPECT_THAT(message(SafetensorsWriter().add("w", "F8_E5M2", {1}, std::string("\x7c", 1))), HasSubstr("'w'"));
    EXPECT_THAT(message(SafetensorsWriter().add("w", "F64", {1}, std::string("\0\0\0\0\0\0\xf0\x7f", 8))),
                HasSubstr("'w'"));
    const CancelToken cancelled;
    cancelled.cancel();
    EXPECT_EQ(checkFinite(*open(fine), cancelled).error().code, StatusCode::Cancelled);
}

}  // namespace

}  // namespace reelbrush::weights
