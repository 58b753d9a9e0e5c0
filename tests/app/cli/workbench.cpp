#include "tests/app/cli/workbench.h"

#include "engine/media/frame_source.h"

#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <sstream>

extern char** environ;

namespace reelbrush::cli::testing {

namespace fs = std::filesystem;

void Workbench::ffmpeg(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{"ffmpeg", "-nostdin", "-v", "error", "-y"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    pid_t pid = 0;
    ASSERT_EQ(posix_spawnp(&pid, "ffmpeg", nullptr, nullptr, pointers.data(), environ), 0) << "is ffmpeg installed?";
    int status = 0;
    waitpid(pid, &status, 0);
    ASSERT_EQ(status, 0) << "ffmpeg failed";
}

std::string Workbench::makeClip(const std::string& name, const std::vector<std::string>& how) {
    std::vector<std::string> arguments{"-f", "lavfi", "-i",       "testsrc2=size=64x48:rate=25",
                                       "-f", "lavfi", "-i",       "sine=frequency=440:sample_rate=48000",
                                       "-t", "0.32",  "-pix_fmt", "yuv420p"};
    arguments.insert(arguments.end(), how.begin(), how.end());
    arguments.push_back("file:" + at(name));
    ffmpeg(arguments);
    return at(name);
}

std::string Workbench::makePicture(const std::string& name, int width, int height) {
    // The source rounds to even sizes; the filter does not.
    const std::string size = std::to_string(width) + ":" + std::to_string(height);
    ffmpeg({"-f", "lavfi", "-i", "testsrc2=rate=1:size=320x240", "-vf", "format=rgb24,scale=" + size, "-frames:v", "1",
            "-update", "1", "file:" + at(name)});
    return at(name);
}

std::vector<std::string> Workbench::stylizing(const std::string& input, const std::string& output,
                                              const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"stylize", input, output, "--style", "scream", "--progress", "none"};
    if (std::find(more.begin(), more.end(), "--steps") == more.end())
        arguments.insert(arguments.end(), {"--steps", "2"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

media::ClipInfo Workbench::inspected(const std::string& path) {
    const auto info = media::inspectClip(path);
    EXPECT_TRUE(info) << info.error().message;
    return info ? *info : media::ClipInfo();
}

std::vector<media::VideoFrame> Workbench::framesOf(const std::string& path) {
    std::vector<media::VideoFrame> frames;
    const auto source = media::openFrameSource(path);
    EXPECT_TRUE(source) << source.error().message;
    if (!source) return frames;
    for (;;) {
        auto frame = (*source)->next();
        EXPECT_TRUE(frame) << frame.error().message;
        if (!frame || !*frame) return frames;
        frames.push_back(**std::move(frame));
    }
}

std::vector<std::string> Workbench::namesIn(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

void Workbench::expectRefused(const Outcome& outcome, int exitCode, const std::string& text) {
    EXPECT_EQ(outcome.exitCode, exitCode) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(text), std::string::npos) << "'" << text << "' is not in: " << outcome.err;
    EXPECT_EQ(outcome.err.rfind("reelbrush-cli: ", 0), 0u) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "one line: " << outcome.err;
}

std::string Workbench::bundled(const std::string& path) {
    return (fs::path(REELBRUSH_SOURCE_DIR) / "resources" / path).string();
}

std::string Workbench::lora(const std::string& name) {
    return bundled("models/starter/loras/" + name + ".safetensors");
}

}  // namespace reelbrush::cli::testing
