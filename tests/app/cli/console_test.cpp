#include "app/cli/console.h"

#include <gtest/gtest.h>

namespace reelbrush::cli {
namespace {

TEST(Console, AmountsAndTimesReadWell) {
    EXPECT_EQ(bytesText(12), "12 bytes");
    EXPECT_EQ(bytesText(2048), "2 KiB");
    EXPECT_EQ(bytesText(412.0 * 1024 * 1024), "412 MiB");
    EXPECT_EQ(bytesText(1.5 * 1024 * 1024 * 1024), "1.5 GiB");
    EXPECT_EQ(clockText(0), "0:00");
    EXPECT_EQ(clockText(26.2), "0:27");
    EXPECT_EQ(clockText(3723), "1:02:03");
}

TEST(Console, ErrorsAreOneLineThatATerminalDoesNotObey) {
    ::testing::internal::CaptureStderr();
    printError("a file called 'x\x1b[2J\ny'");
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "reelbrush-cli: a file called 'x\\x1b[2J y'\n");
}

TEST(Console, JsonSurvivesNamesThatAreNoUtf8) {
    ::testing::internal::CaptureStdout();
    printJson({{"name", "caf\xe9"}});
    EXPECT_EQ(Json::parse(::testing::internal::GetCapturedStdout())["name"], "caf\xef\xbf\xbd");
}

}  // namespace
}  // namespace reelbrush::cli
