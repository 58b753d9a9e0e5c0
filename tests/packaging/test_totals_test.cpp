/// packaging/test_totals.awk: continuous integration must not call a broken run a good one.
#include "tests/packaging/command_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace reelbrush::packaging {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const std::string kPassed =
    "\t<testcase name=\"A.Passes\" classname=\"A.Passes\" time=\"0.1\" status=\"run\">\n"
    "\t\t<system-out>[ RUN      ] A.Passes\n[       OK ] A.Passes (0 ms)\n</system-out>\n\t</testcase>\n";
const std::string kFailed =
    "\t<testcase name=\"A.Fails\" classname=\"A.Fails\" time=\"0.1\" status=\"fail\">\n\t\t<failure message=\"\"/>\n"
    "\t\t<system-out>[  FAILED  ] A.Fails (0 ms)\n</system-out>\n\t</testcase>\n";
const std::string kSkipped =
    "\t<testcase name=\"A.Skips\" classname=\"A.Skips\" time=\"0.1\" status=\"notrun\">\n"
    "\t\t<skipped message=\"SKIP_REGULAR_EXPRESSION_MATCHED\"/>\n"
    "\t\t<system-out>[ RUN      ] A.Skips\na_test.cpp:3: Skipped\nno &lt;clips&gt; here\nnor there\n"
    "[  SKIPPED ] A.Skips (0 ms)\n[  SKIPPED ] 1 test, listed below:\n</system-out>\n\t</testcase>\n";
const std::string kFailedThenSkipped =
    "\t<testcase name=\"A.Both\" classname=\"A.Both\" time=\"0.1\" status=\"notrun\">\n"
    "\t\t<skipped message=\"SKIP_REGULAR_EXPRESSION_MATCHED\"/>\n"
    "\t\t<system-out>a_test.cpp:3: Failure\na_test.cpp:4: Skipped\n\n[  FAILED  ] A.Both (0 ms)\n</system-out>\n"
    "\t</testcase>\n";
const std::string kDisabled =
    "\t<testcase name=\"A.Off\" classname=\"A.Off\" time=\"0\" status=\"disabled\">\n"
    "\t\t<system-out>Disabled</system-out>\n\t</testcase>\n";
const std::string kNotBuilt =
    "\t<testcase name=\"b_NOT_BUILT\" classname=\"b_NOT_BUILT\" time=\"0\" status=\"notrun\">\n"
    "\t\t<skipped message=\"Unable to find executable\"/>\n"
    "\t\t<system-out>Unable to find executable: b_NOT_BUILT</system-out>\n\t</testcase>\n";

CommandOutput totals(const std::string& cases) {
    const auto file = std::filesystem::temp_directory_path() / ("reelbrush-junit-" + std::to_string(getpid()) + ".xml");
    std::ofstream(file)
        << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"(empty)\"\n\ttests=\"1\"\n\t>\n"
        << cases << "</testsuite>\n";
    auto output = runCommand("awk -f '" REELBRUSH_SOURCE_DIR "/packaging/test_totals.awk' '" + file.string() + "'");
    std::filesystem::remove(file);
    return output;
}

TEST(TestTotals, PassedAndSkippedAreSuccess) {
    const auto output = totals(kPassed + kSkipped + kPassed + kDisabled);
    EXPECT_EQ(output.exitCode, 0);
    EXPECT_THAT(output.text, HasSubstr("skipped: A.Skips: no <clips> here nor there\n"));
    EXPECT_THAT(output.text, HasSubstr("skipped: A.Off: disabled\n"));
    EXPECT_THAT(output.text, EndsWith("2 passed, 0 failed, 2 skipped\n"));
}

TEST(TestTotals, OneFailureFails) {
    const auto output = totals(kPassed + kFailed);
    EXPECT_EQ(output.exitCode, 1);
    EXPECT_THAT(output.text, EndsWith("failed: A.Fails\n1 passed, 1 failed, 0 skipped\n"));
}

TEST(TestTotals, FailedThenSkippedIsAFailure) {
    const auto output = totals(kPassed + kFailedThenSkipped);
    EXPECT_EQ(output.exitCode, 1);
    EXPECT_THAT(output.text, EndsWith("1 passed, 1 failed, 0 skipped\n"));
}

TEST(TestTotals, MissingProgramIsAFailure) {
    const auto output = totals(kPassed + kNotBuilt);
    EXPECT_EQ(output.exitCode, 1);
    EXPECT_THAT(output.text, EndsWith("1 passed, 1 failed, 0 skipped\n"));
}

TEST(TestTotals, NothingRunIsAFailure) {
    EXPECT_EQ(totals("").exitCode, 1);
    EXPECT_EQ(totals(kSkipped).exitCode, 1);
}

}  // namespace
}  // namespace reelbrush::packaging
