/// packaging/setup.sh as a newcomer meets it. What it installs and builds is not repeated here.
#include "tests/packaging/command_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace reelbrush::packaging {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kSetup = "'" REELBRUSH_SOURCE_DIR "/packaging/setup.sh'";

/// Commands that stand in for the system's own.
class Setup : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("reelbrush-setup-" + std::to_string(getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    void fake(const std::string& command, const std::string& script) {
        std::ofstream(folder_ / command) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(folder_ / command, fs::perms::owner_all);
    }
    CommandOutput deps() { return runCommand("PATH='" + folder_.string() + "':\"$PATH\" " + kSetup + " deps"); }

    fs::path folder_;
};

TEST_F(Setup, HelpNamesEveryVerb) {
    const auto help = runCommand(kSetup + " help");
    EXPECT_EQ(help.exitCode, 0);
    for (const char* verb : {"deps", "build", "demo", "test", "help"}) EXPECT_THAT(help.text, HasSubstr(verb));
}

TEST_F(Setup, UnknownVerbIsWrongUsage) {
    const auto output = runCommand(kSetup + " polish");
    EXPECT_EQ(output.exitCode, 2);
    EXPECT_THAT(output.text, HasSubstr("Usage"));
}

TEST_F(Setup, UnknownPresetFails) {
    const auto output = runCommand(kSetup + " build no-such-preset");
    EXPECT_EQ(output.exitCode, 1);
    EXPECT_THAT(output.text, HasSubstr("no-such-preset"));
}

TEST_F(Setup, NothingMissingNeedsNoRootAndInstallsNothing) {
    fake("dpkg-query", "shift 2; for package in \"$@\"; do echo \"$package installed\"; done");
    fake("apt-get", "echo apt-get was called; exit 1");
    const auto output = deps();
    EXPECT_EQ(output.exitCode, 0);
    EXPECT_THAT(output.text, HasSubstr("packages are installed"));
}

TEST_F(Setup, OnlyWhatIsMissingIsInstalled) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root: as another user nothing would be installed";
    fake("dpkg-query",
         "shift 2; for package in \"$@\"; do\n"
         "  case $package in mold) ;; ccache) echo 'ccache config-files' ;; *) echo \"$package installed\" ;; esac\n"
         "done; exit 1");
    fake("apt-get", "echo \"called: $*\"");
    const auto output = deps();
    EXPECT_EQ(output.exitCode, 0);
    EXPECT_THAT(output.text, HasSubstr("--no-install-recommends"));
    EXPECT_THAT(output.text, HasSubstr(" ccache mold\n"));
}

TEST_F(Setup, FailedInstallationIsTold) {
    if (geteuid() != 0) GTEST_SKIP() << "needs root: as another user nothing would be installed";
    fake("dpkg-query", "exit 1");
    fake("apt-get", "exit 100");
    const auto output = deps();
    EXPECT_EQ(output.exitCode, 1);
    EXPECT_THAT(output.text, HasSubstr("apt-get could not install"));
}

}  // namespace
}  // namespace reelbrush::packaging
