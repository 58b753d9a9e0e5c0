#include "tests/app/cli/workbench.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace reelbrush::cli::testing {
namespace {

using Json = nlohmann::json;

class Progress : public Workbench {
  protected:
    /// The lines on stderr, each parsed.
    std::vector<Json> linesOf(const std::vector<std::string>& options) {
        std::vector<std::string> arguments{"stylize", makeClip(), at("film.mp4"), "--style", "scream", "--steps", "1"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
        out_ = outcome.out;
        std::vector<Json> lines;
        std::istringstream stream(outcome.err);
        for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
        return lines;
    }
    std::string out_;
};

TEST_F(Progress, JsonLinesTellStagesAndFrames) {
    const std::vector<Json> lines = linesOf({"--progress", "json"});
    ASSERT_GE(lines.size(), 4u);
    std::int64_t done = 0;
    bool painted = false;
    for (const Json& line : lines) {
        EXPECT_EQ(line["event"], "progress");
        EXPECT_EQ(line["unit"], "frames");
        EXPECT_GE(line["done"], done) << "never backwards";
        done = line["done"];
        painted = painted || line["stage"] == "painting";
        if (line.contains("secondsLeft")) {
            EXPECT_GE(line["secondsLeft"], 0.0);
        }
    }
    EXPECT_TRUE(painted);
    EXPECT_EQ(lines.back()["stage"], "completing the file");
    EXPECT_EQ(lines.back()["done"], 8);
    EXPECT_EQ(lines.back()["total"], 8);
    EXPECT_GT(lines.back()["fps"], 0.0);
    EXPECT_NE(out_.find("8 frames"), std::string::npos) << "the report is on stdout";
}

TEST_F(Progress, AutoIsJsonWhereThereIsNoTerminal) {
    EXPECT_GE(linesOf({}).size(), 4u);
}

TEST_F(Progress, NoneIsSilent) {
    EXPECT_TRUE(linesOf({"--progress", "none"}).empty());
}

TEST_F(Progress, ResultsAndProgressDoNotMix) {
    EXPECT_GE(linesOf({"--progress", "json", "--json"}).size(), 4u);
    EXPECT_EQ(Json::parse(out_)["frames"], 8);
}

}  // namespace
}  // namespace reelbrush::cli::testing
