#include "tests/architecture/file_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::architecture {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(FileRules, EmptyNamesAreFound) {
    for (const char* path : {"engine/core/utils.h", "kernels/helpers/a.cpp", "engine/media/frame_manager.cpp",
                             "ui/common/a.h", "app/cli/string_util.cpp"})
        EXPECT_THAT(nameViolations(path), SizeIs(1)) << path;
    for (const char* path : {"engine/core/status.h", "engine/media/uncommon_rates.cpp", "kernels/ops/utility.h"})
        EXPECT_THAT(nameViolations(path), IsEmpty()) << path;
}

TEST(FileRules, LengthCountsTheLastLineWithoutNewline) {
    std::string text;
    for (int line = 0; line < kMaxLines; ++line) text += "\n";
    EXPECT_THAT(lengthViolations("a.h", text), IsEmpty());
    EXPECT_THAT(lengthViolations("a.h", text + "x"), SizeIs(1));
    EXPECT_THAT(lengthViolations("a.h", ""), IsEmpty());
}

TEST(FileRules, SizeLimitsEachFileAndTheSum) {
    EXPECT_THAT(sizeViolations({{"a", kMaxFileBytes}, {"b", kMaxFileBytes}}), IsEmpty());
    EXPECT_THAT(sizeViolations({{"a", kMaxFileBytes + 1}}), SizeIs(1));
    EXPECT_THAT(sizeViolations({{"a", kMaxFileBytes}, {"b", kMaxFileBytes}, {"c", 2'000'000}}), SizeIs(1));
}

}  // namespace
}  // namespace reelbrush::architecture
