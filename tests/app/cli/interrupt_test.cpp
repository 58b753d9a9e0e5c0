#include "tests/app/cli/workbench.h"

#include <csignal>

namespace reelbrush::cli::testing {
namespace {

class Interrupt : public Workbench {
  protected:
    /// Far more work than the test waits for.
    std::vector<std::string> longJob(const std::string& output) {
        return {"stylize", bundled("clips/sample.mp4"),
                output,    "--style",
                "scream",  "--size",
                "64x48",   "--steps",
                "1000",    "--progress",
                "json"};
    }
};

TEST_F(Interrupt, LeavesNoHalfFile) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        for (const char* name : {"film.mp4", "frame.%04d.png", "still.png"}) {
            Program program(longJob(at(name)));
            ASSERT_TRUE(program.waitForError("\"painting\"")) << "it never began to paint";
            program.send(signal);
            const Outcome outcome = program.wait();
            EXPECT_EQ(outcome.exitCode, 130) << outcome.err;
            EXPECT_NE(outcome.err.find("reelbrush-cli: interrupted"), std::string::npos) << outcome.err;
            EXPECT_EQ(outcome.out, "");
            EXPECT_TRUE(namesIn(folder()).empty());
        }
    }
}

TEST_F(Interrupt, WhilePreparingToo) {
    Program program(longJob(at("film.mp4")));
    ASSERT_TRUE(program.waitForError("\"preparing the model\""));
    program.send(SIGINT);
    EXPECT_EQ(program.wait().exitCode, 130);
    EXPECT_TRUE(namesIn(folder()).empty());
}

TEST_F(Interrupt, TwiceEndsAtOnceAndStillLeavesNothing) {
    for (const char* name : {"film.mp4", "frames/"}) {
        Program program(longJob(at(name)));
        ASSERT_TRUE(program.waitForError("\"painting\""));
        program.send(SIGINT);
        program.send(SIGTERM);
        EXPECT_EQ(program.wait().exitCode, 130);
        EXPECT_TRUE(namesIn(folder()).empty());
    }
}

TEST_F(Interrupt, WhatWasThereBeforeStays) {
    const std::string film = makeClip("film.mp4");
    const auto size = std::filesystem::file_size(film);
    Program program(longJob(film));
    ASSERT_TRUE(program.waitForError("\"painting\""));
    program.send(SIGINT);
    EXPECT_EQ(program.wait().exitCode, 130);
    EXPECT_EQ(std::filesystem::file_size(film), size);
    EXPECT_EQ(namesIn(folder()), (std::vector<std::string>{"film.mp4"}));
}

}  // namespace
}  // namespace reelbrush::cli::testing
