#include "tests/engine/media/sink_test_kit.h"

#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <opencv2/core.hpp>

namespace reelbrush::media {

namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr int kSide = 64;

const char* const kTargets[] = {"a.mp4", "a.mkv", "a.webm", "a.avi", "a.gif", "a.png", "a.exr", "%03d.png"};

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(SinkSafety, AbandonedSinksLeaveNothing) {
    for (const char* name : kTargets) {
        const ScratchFolder folder;
        {
            auto sink = openFrameSink(folder / name, kSide, kSide, clipOf(kSide, kSide), {}, {});
            ASSERT_TRUE(sink) << sink.error().message;
            EXPECT_THAT(folder.contents(), Not(IsEmpty())) << "no temporary file of " << name;
            ASSERT_TRUE((*sink)->write(movingFrame(kSide, kSide, 0)));
        }
        EXPECT_THAT(folder.contents(), IsEmpty()) << name;
    }
}

TEST(SinkSafety, AnExistingFileStaysUntilTheRename) {
    for (const char* name : {"a.mp4", "a.png"}) {
        const ScratchFolder folder;
        std::ofstream(folder / name) << "mine";
        {
            auto sink = openFrameSink(folder / name, kSide, kSide, clipOf(kSide, kSide), {}, {});
            ASSERT_TRUE(sink);
            ASSERT_TRUE((*sink)->write(movingFrame(kSide, kSide, 0)));
            EXPECT_EQ(contentOf(folder / name), "mine");
        }
        EXPECT_EQ(contentOf(folder / name), "mine");
        writeClip(folder / name, clipOf(kSide, kSide), 1);
        EXPECT_GT(fs::file_size(folder / name), 50U);
        EXPECT_EQ(folder.contents().size(), 1U);
    }
}

TEST(SinkSafety, TwoSinksForOneTargetDoNotMeet) {
    const ScratchFolder folder;
    auto one = openFrameSink(folder / "a.mp4", kSide, kSide, clipOf(kSide, kSide), {}, {});
    auto two = openFrameSink(folder / "a.mp4", kSide, kSide, clipOf(kSide, kSide), {}, {});
    ASSERT_TRUE(one);
    ASSERT_TRUE(two);
    EXPECT_EQ(folder.contents().size(), 2U);
}

TEST(SinkSafety, ALinkIsFollowed) {
    const ScratchFolder folder;
    std::ofstream(folder / "real.mp4") << "old";
    fs::create_symlink("real.mp4", folder / "link.mp4");
    writeClip(folder / "link.mp4", clipOf(kSide, kSide), 1);
    EXPECT_TRUE(fs::is_symlink(folder / "link.mp4"));
    EXPECT_GT(fs::file_size(folder / "real.mp4"), 50U);
}

TEST(SinkSafety, NamesOfAnyKindWork) {
    SKIP_WITHOUT_FFMPEG();
    std::string longName;
    for (int i = 0; i < 80; ++i) longName += "画";
    for (const std::string& name :
         {std::string("with spaces and 'quotes'.mp4"), std::string("电影 风格.mkv"), std::string("🎬🖌️.mp4"),
          std::string("-dash.mp4"), std::string("50%.mp4"), std::string("%d.mp4"), std::string("a:b|c.mp4"),
          std::string(".hidden.mp4"), std::string("new\nline.mp4"), longName + ".mp4", longName + ".png",
          std::string("画 %02d 🎬.png")}) {
        const ScratchFolder folder;
        writeClip(folder / name, clipOf(kSide, kSide), 1);
        ASSERT_EQ(folder.contents().size(), 1U) << name;
        const fs::path written = folder / folder.contents()[0];
        EXPECT_EQ(decoded("file:" + written.string(), "rgb24").size(), static_cast<std::size_t>(3 * kSide * kSide))
            << name;
    }
}

TEST(SinkSafety, RelativeTargetsWork) {
    const ScratchFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    writeClip("here.mp4", clipOf(kSide, kSide), 1);
    writeClip("n%d.png", clipOf(kSide, kSide), 1);
    fs::current_path(before);
    EXPECT_THAT(folder.contents(), ElementsAre("here.mp4", "n1.png"));
}

Error refusal(const fs::path& target, const fs::path& source = {}) {
    auto sink = openFrameSink(target, kSide, kSide, clipOf(kSide, kSide), source, {});
    if (sink) ADD_FAILURE() << target << " was accepted";
    return sink ? Error{} : sink.error();
}

TEST(SinkSafety, TheSourceIsNeverTheTarget) {
    const ScratchFolder folder;
    const fs::path source = folder / "in.mp4";
    std::ofstream(source) << "film";
    fs::create_symlink(source, folder / "link.mp4");
    fs::create_hard_link(source, folder / "hard.mp4");
    fs::create_directory(folder / "sub");
    for (const fs::path& target : {source, folder / "link.mp4", folder / "hard.mp4", folder / "sub" / "../in.mp4"}) {
        const Error error = refusal(target, source);
        EXPECT_EQ(error.code, StatusCode::BadInput);
        EXPECT_THAT(error.message, HasSubstr("is the input itself"));
    }
    EXPECT_EQ(contentOf(source), "film");
}

TEST(SinkSafety, TheSourceSequenceIsNeverTheTarget) {
    const ScratchFolder folder;
    std::ofstream(folder / "f.0001.png") << "x";
    for (const fs::path& source :
         {folder / "f.%04d.png", folder / "f.0001.png", folder.path(), fs::path(folder.path().string() + "/")}) {
        EXPECT_EQ(refusal(folder / "f.%04d.png", source).code, StatusCode::BadInput) << source;
    }
    // Other names in the same folder are fine.
    EXPECT_TRUE(openFrameSink(folder / "g.%04d.png", kSide, kSide, clipOf(kSide, kSide), folder / "f.0001.png", {}));
}

TEST(SinkSafety, FoldersThatCannotBeWrittenAreNamed) {
    const ScratchFolder folder;
    for (const char* name : {"missing/a.mp4", "missing/a.png", "missing/%d.png", "missing/deeper/"}) {
        const Error error = refusal(folder / name);
        EXPECT_EQ(error.code, StatusCode::Io) << name;
        EXPECT_THAT(error.message, HasSubstr("there is no folder")) << name;
        EXPECT_THAT(error.message, HasSubstr("missing")) << name;
    }
    std::ofstream(folder / "file") << "x";
    EXPECT_EQ(refusal(folder / "file" / fs::path("a.mp4")).code, StatusCode::Io);
    EXPECT_EQ(refusal("/proc/a.mp4").code, StatusCode::Io);
    EXPECT_EQ(refusal("/proc/a.%d.png").code, StatusCode::Io);
    if (::geteuid() != 0) {
        fs::create_directory(folder / "locked");
        fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
        EXPECT_THAT(refusal(folder / "locked" / fs::path("a.mp4")).message, HasSubstr("permissions"));
    }
}

TEST(SinkSafety, AVideoIntoAFolderOfThatNameBecomesASequenceAndDevicesAreRefused) {
    EXPECT_EQ(refusal("/dev/null").code, StatusCode::Unsupported);
    const ScratchFolder folder;
    fs::create_symlink("/dev/null", folder / "null.mp4");
    const Error error = refusal(folder / "null.mp4");
    EXPECT_EQ(error.code, StatusCode::Io);
    EXPECT_THAT(error.message, HasSubstr("is not a file"));
}

/// Writes noise until an error comes; gives it.
Error writeUntilItFails(const fs::path& target) {
    ClipInfo clip = clipOf(256, 256);
    clip.video.frameCount = 400;
    EncodeOptions options;
    options.quality = 100;
    options.threads = 1;
    auto sink = openFrameSink(target, 256, 256, clip, {}, options);
    if (!sink) return sink.error();
    cv::RNG random(7);
    for (int i = 0; i < 400; ++i) {
        VideoFrame frame = flatFrame(256, 256, {0, 0, 0}, i);
        random.fill(frame.rgb, cv::RNG::UNIFORM, 0.F, 1.F);
        const Status written = (*sink)->write(frame);
        if (!written) return written.error();
    }
    const Status finished = (*sink)->finish();
    if (!finished) return finished.error();
    ADD_FAILURE() << "nothing failed";
    return {};
}

TEST(SinkSafety, AFullDiskIsToldAndNothingIsLeft) {
    const ScratchFolder folder;
    const fs::path disk = folder / "disk";
    fs::create_directory(disk);
    if (::geteuid() != 0 || ::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=300k") != 0) {
        GTEST_SKIP() << "mounting a small disk needs root";
    }
    for (const char* name : {"a.mp4", "a.mkv", "%04d.png", "a.gif"}) {
        const Error error = writeUntilItFails(disk / name);
        EXPECT_EQ(error.code, StatusCode::Io) << name;
        EXPECT_THAT(error.message, HasSubstr("No space left on device")) << name;
        EXPECT_THAT(error.message, HasSubstr(disk.string())) << name;
        EXPECT_THAT(error.message, HasSubstr("MB are free")) << name;
        EXPECT_TRUE(fs::is_empty(disk)) << name;
    }
    EXPECT_THAT(writeUntilItFails(disk / "b.mkv").message, HasSubstr("more are needed"));
    ::umount(disk.c_str());
}

/// 0: the limit was told and nothing is left. For a process of its own: the limit cannot be lifted again.
int writeUnderFileSizeLimit(const ScratchFolder& folder) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = 100'000;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    for (const char* name : {"a.mp4", "a.mkv"}) {
        const Error error = writeUntilItFails(folder / name);
        if (error.code != StatusCode::Io || error.message.find("may not grow") == std::string::npos) {
            std::fprintf(stderr, "%s\n", error.message.c_str());
            return 1;
        }
        if (!folder.contents().empty()) return 2;
    }
    return 0;
}

TEST(SinkSafety, AFileSizeLimitIsToldAndNothingIsLeft) {
    const ScratchFolder folder;
    EXPECT_EXIT(std::_Exit(writeUnderFileSizeLimit(folder)), ::testing::ExitedWithCode(0), "");
}

TEST(SinkSafety, FinishWithoutAFrameIsAnErrorThatLeavesNothing) {
#ifdef NDEBUG
    const ScratchFolder folder;
    for (const char* name : {"a.mp4", "a.png", "%d.png"}) {
        {
            auto sink = openFrameSink(folder / name, kSide, kSide, clipOf(kSide, kSide), {}, {});
            ASSERT_TRUE(sink);
            EXPECT_FALSE((*sink)->finish()) << name;
        }
        EXPECT_THAT(folder.contents(), IsEmpty()) << name;
    }
#else
    GTEST_SKIP() << "debug builds abort on misuse";
#endif
}

}  // namespace

}  // namespace reelbrush::media
