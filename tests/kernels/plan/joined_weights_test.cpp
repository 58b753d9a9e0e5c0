#include "kernels/plan/joined_weights.h"

#include "tests/kernels/support/memory_weights.h"

#include <gtest/gtest.h>

namespace reelbrush::kernels {
namespace {

float firstOf(const WeightView& view) {
    std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
    view.toFloat(values.data());
    return values[0];
}

TEST(JoinedWeights, TheFirstThatHasANameGivesIt) {
    MemoryWeights model, added;
    model.add("both", {{1}, {1}});
    model.add("model", {{1}, {2}});
    added.add("both", {{1}, {3}});
    added.add("added", {{1}, {4}});
    const JoinedWeights joined({&model, &added});
    for (const auto& [name, value] : {std::pair{"both", 1.0f}, {"model", 2.0f}, {"added", 4.0f}}) {
        EXPECT_TRUE(joined.contains(name));
        const auto view = joined.find(name);
        ASSERT_TRUE(view) << name;
        EXPECT_EQ(firstOf(*view), value) << name;
    }
    EXPECT_FALSE(joined.contains("absent"));
    const auto absent = joined.find("absent");
    ASSERT_FALSE(absent);
    EXPECT_EQ(absent.error().code, StatusCode::BadInput);
    EXPECT_NE(absent.error().message.find("absent"), std::string::npos);
}

TEST(JoinedWeights, OneAloneWordsItsOwnErrors) {
    const MemoryWeights model;
    const auto own = model.find("absent"), joined = JoinedWeights({&model}).find("absent");
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().message, own.error().message);
}

}  // namespace
}  // namespace reelbrush::kernels
