#include "engine/diffusion/networks/config_fields.h"

#include <gtest/gtest.h>

namespace reelbrush::diffusion {
namespace {

TEST(ConfigFields, NullAndMissingTakeTheDefault) {
    const nlohmann::json json{{"a", nullptr}};
    const ConfigFields fields(json, "test configuration");
    EXPECT_EQ(fields.positive("a", 3).value(), 3);
    EXPECT_EQ(fields.text("b", "x").value(), "x");
    EXPECT_FALSE(fields.positive("a"));
}

TEST(ConfigFields, WrongTypesAreNamedWithWhatWasThere) {
    const nlohmann::json json{{"a", "many"}, {"b", {1, 2}}, {"c", 0}, {"d", 1e300}, {"e", 10000000000}};
    const ConfigFields fields(json, "test configuration");
    const auto result = fields.positive("a");
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().message, "test configuration: 'a' must be a positive integer, got \"many\"");
    EXPECT_FALSE(fields.positives("b", 3));
    EXPECT_FALSE(fields.positive("c"));
    EXPECT_FALSE(fields.number("d"));
    EXPECT_FALSE(fields.positive("e"));
}

TEST(ConfigFields, OneIntegerStandsForAListOfThem) {
    const nlohmann::json json{{"heads", 8}, {"list", {3, 5, 8}}};
    const ConfigFields fields(json, "test configuration");
    EXPECT_EQ(fields.positives("heads", 3).value(), (std::vector<int>{8, 8, 8}));
    EXPECT_EQ(fields.positives("list", 3).value(), (std::vector<int>{3, 5, 8}));
}

TEST(ConfigFields, SomethingOtherThanAnObjectIsAnError) {
    const nlohmann::json json = {1, 2, 3};
    EXPECT_FALSE(ConfigFields(json, "test configuration").positive("a"));
}

}  // namespace
}  // namespace reelbrush::diffusion
