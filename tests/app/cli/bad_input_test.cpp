#include "tests/app/cli/workbench.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include <fstream>

/// Whatever is wrong: one sentence, exit code 1 or 2, nothing left behind.
namespace reelbrush::cli::testing {
namespace {

namespace fs = std::filesystem;

class BadInput : public Workbench {
  protected:
    /// Runs, and looks that the folder holds what it held before.
    void expectNothingDone(const std::vector<std::string>& arguments, int exitCode, const std::string& text,
                           const RunOptions& options = {}) {
        const auto before = namesIn(folder());
        expectRefused(run(arguments, options), exitCode, text);
        EXPECT_EQ(namesIn(folder()), before);
    }
    void write(const std::string& name, const std::string& content) { std::ofstream(at(name)) << content; }
    std::string film() const { return at("film.mp4"); }
};

TEST_F(BadInput, AMissingFile) {
    expectNothingDone(stylizing(at("nowhere.mp4"), film()), 1, "nowhere.mp4");
    expectNothingDone(stylizing(at("shot.%04d.png"), film()), 1, "shot.%04d.png");
}

TEST_F(BadInput, ATruncatedVideo) {
    const std::string clip = makeClip("whole.mkv", {"-t", "2", "-g", "1"});
    fs::resize_file(clip, fs::file_size(clip) / 2);
    expectNothingDone(stylizing(clip, film()), 1, "whole.mkv");
    const std::string headless = makeClip("headless.mp4");
    fs::resize_file(headless, fs::file_size(headless) / 2);
    expectNothingDone(stylizing(headless, film()), 1, "headless.mp4");
}

TEST_F(BadInput, TextNamedMp4) {
    write("text.mp4", "This is not a film.\nIt is a poem.\n");
    expectNothingDone(stylizing(at("text.mp4"), film()), 1, "text.mp4");
}

TEST_F(BadInput, ZeroBytes) {
    write("empty.mp4", "");
    expectNothingDone(stylizing(at("empty.mp4"), film()), 1, "empty");
}

TEST_F(BadInput, AudioOnly) {
    ffmpeg({"-f", "lavfi", "-i", "sine", "-t", "0.2", at("sound.m4a")});
    expectNothingDone(stylizing(at("sound.m4a"), film()), 1, "sound.m4a");
}

TEST_F(BadInput, AFolderThatIsNoSequence) {
    fs::create_directory(folder() / "holiday");
    expectNothingDone(stylizing(at("holiday"), film()), 1, "holiday");
}

TEST_F(BadInput, AFolderWithoutPermission) {
    RunOptions options;
    options.asNobody = geteuid() == 0;
    if (options.asNobody && !canBecomeNobody())
        GTEST_SKIP() << "root may read everything, and no other user can start the program here";
    const std::string clip = makeClip();
    fs::create_directory(folder() / "locked");
    fs::copy_file(clip, folder() / "locked" / "clip.mp4");
    ASSERT_EQ(chmod(folder().c_str(), 0777), 0);
    ASSERT_EQ(chmod(at("locked").c_str(), 0), 0);
    expectNothingDone(stylizing(at("locked/clip.mp4"), film()), 1, "locked", options);
    expectNothingDone(stylizing(clip, at("locked/film.mp4")), 1, "locked", options);
    ASSERT_EQ(chmod(at("locked").c_str(), 0555), 0);
    expectNothingDone(stylizing(clip, at("locked/film.mp4")), 1, "locked", options);
    ASSERT_EQ(chmod(at("locked").c_str(), 0777), 0);
}

TEST_F(BadInput, AFullDisk) {
    const std::string clip = makeClip("clip.mp4", {"-t", "2"});
    const fs::path disk = folder() / "disk";
    fs::create_directory(disk);
    if (mount("none", disk.c_str(), "tmpfs", 0, "size=16k") != 0)
        GTEST_SKIP() << "a small disk can be made only by root outside containers";
    for (const char* name : {"film.mkv", "frame.%03d.png"}) {
        expectRefused(run(stylizing(clip, disk / name, {"--codec", std::string(name) == "film.mkv" ? "ffv1" : ""})), 1,
                      "No space left on device");
        EXPECT_TRUE(namesIn(disk).empty());
    }
    umount(disk.c_str());
}

TEST_F(BadInput, AnUnknownCodec) {
    const std::string clip = makeClip();
    expectNothingDone(stylizing(clip, film(), {"--codec", "betamax"}), 1, "betamax");
    expectNothingDone(stylizing(clip, at("film.webm"), {"--codec", "h264"}), 1, "h264");
}

TEST_F(BadInput, ACodecThatNoGraphicsCardEncodes) {
    expectNothingDone(stylizing(makeClip(), at("film.mov"), {"--codec", "prores", "--encoder", "nvenc"}), 1, "NVENC");
}

TEST_F(BadInput, AnOutputThatCannotBe) {
    const std::string clip = makeClip();
    expectNothingDone(stylizing(clip, at("film.xyz")), 1, "film.xyz");
    expectNothingDone(stylizing(clip, at("nowhere/film.mp4")), 1, "nowhere");
}

TEST_F(BadInput, AnAbsurdSize) {
    const std::string picture = makePicture();
    for (const char* size : {"0x48", "64x0", "-64x48", "16385x48", "64", "big", "1e9x1e9"})
        expectNothingDone(stylizing(picture, at("out.png"), {std::string("--size=") + size}), 2, size);
}

TEST_F(BadInput, MoreThanTheMemory) {
    const std::string picture = makePicture();
    expectNothingDone(stylizing(picture, at("out.png"), {"--ram", "60M"}), 1, "MiB");
    expectNothingDone(stylizing(picture, at("out.png"), {"--size", "12000x12000", "--ram", "2G"}), 1,
                      "2048 MiB are allowed");
    expectNothingDone(stylizing(picture, at("out.png"), {"--ram", "lots"}), 2, "lots");
    EXPECT_EQ(run(stylizing(picture, at("out.png"), {"--ram", "1G"})).exitCode, 0);
}

TEST_F(BadInput, AnOutputThatIsTheInput) {
    const std::string clip = makeClip();
    const auto size = fs::file_size(clip);
    fs::create_symlink(clip, at("link.mp4"));
    for (const std::string& target : {clip, at("./clip.mp4"), at("link.mp4")})
        expectNothingDone(stylizing(clip, target), 1, "input");
    EXPECT_EQ(fs::file_size(clip), size);

    const std::string picture = makePicture(), style = makePicture("style.png");
    expectNothingDone({"stylize", picture, style, "--style", style, "--progress", "none"}, 1, "a file of the style");
}

TEST_F(BadInput, AnUnknownStyleIsToldWithASuggestion) {
    const std::string picture = makePicture();
    expectNothingDone({"stylize", picture, at("out.png"), "--style", "screem"}, 1, "scream");
    write("notes.txt", "hello");
    expectNothingDone({"stylize", picture, at("out.png"), "--style", at("notes.txt"), "--progress", "none"}, 1,
                      "notes.txt");
}

TEST_F(BadInput, ARangeOutsideTheClip) {
    const std::string clip = makeClip();
    expectNothingDone(stylizing(clip, film(), {"--range", "100-200"}), 1, "100");
    expectNothingDone(stylizing(clip, film(), {"--range", "5-2"}), 2, "5-2");
    expectNothingDone(stylizing(clip, film(), {"--range", "abc"}), 2, "abc");
}

TEST_F(BadInput, ValuesOutsideTheirRange) {
    const std::string picture = makePicture();
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"--structure", "1.5"}, {"--structure", "nan"},  {"--guidance", "-1"},   {"--quality", "101"},
        {"--threads", "-2"},    {"--precision", "int4"}, {"--progress", "loud"}, {"--rate", "0"},
        {"--seed", "-1"},       {"--seed", "x"},         {"--encoder", "gpu"}};
    for (const auto& [option, value] : wrong)
        expectNothingDone({"stylize", picture, at("out.png"), "--style", "scream", option + "=" + value}, 2,
                          option.substr(2));
    expectNothingDone({"stylize", picture, at("out.png"), "--style", "scream", "--steps", "0"}, 2, "steps");
    expectNothingDone({"stylize", picture, at("out.png"), "--style", "scream", "--steps", "many"}, 2, "steps");
}

TEST_F(BadInput, AWrongCommandLine) {
    expectNothingDone({}, 2, "--help");
    expectNothingDone({"paint"}, 2, "paint");
    expectNothingDone({"stylize"}, 2, "reelbrush-cli stylize --help");
    expectNothingDone({"stylize", "a", "b"}, 2, "--style");
    expectNothingDone({"stylize", "a", "b", "--style", "scream", "--bogus"}, 2, "--bogus");
    expectNothingDone({"stylize", "a", "b", "--style", "scream", "--keep-colours", "--style-colours"}, 2, "colours");
    expectNothingDone({"models", "frobnicate"}, 2, "frobnicate");
}

}  // namespace
}  // namespace reelbrush::cli::testing
