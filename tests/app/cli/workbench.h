#pragma once

#include "engine/media/clip_info.h"
#include "engine/media/video_frame.h"
#include "tests/app/cli/program.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::cli::testing {

/// What every test of stylize has: an empty folder, small clips, and a look at what came out.
class Workbench : public ::testing::Test {
  protected:
    /// A name in the test's folder.
    std::string at(const std::string& name) const { return (scratch_.path() / name).string(); }
    const std::filesystem::path& folder() const { return scratch_.path(); }

    /// A clip of 8 frames, 64x48, 25 fps, with sound, made by FFmpeg; returns its path.
    std::string makeClip(const std::string& name = "clip.mp4", const std::vector<std::string>& how = {});
    /// One picture of that size.
    std::string makePicture(const std::string& name = "picture.png", int width = 64, int height = 48);
    /// Runs the ffmpeg program; fails the test where it fails.
    static void ffmpeg(const std::vector<std::string>& arguments);

    /// "stylize", input, output, a bundled style and two steps, then the rest.
    static std::vector<std::string> stylizing(const std::string& input, const std::string& output,
                                              const std::vector<std::string>& more = {});

    /// Fails the test where the file is no clip.
    static media::ClipInfo inspected(const std::string& path);
    static std::vector<media::VideoFrame> framesOf(const std::string& path);

    /// Names in a folder, sorted, hidden ones too.
    static std::vector<std::string> namesIn(const std::filesystem::path& folder);

    /// Exit code, one sentence on stderr that holds the text, nothing on stdout.
    static void expectRefused(const Outcome& outcome, int exitCode, const std::string& text);

    /// The bundled LoRA of that name.
    static std::string lora(const std::string& name);
    static std::string bundled(const std::string& path);

  private:
    reelbrush::testing::ScratchFolder scratch_;
};

}  // namespace reelbrush::cli::testing
