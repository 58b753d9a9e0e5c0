#include "tests/engine/media/sink_test_kit.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

namespace reelbrush::media {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr int kWidth = 64, kHeight = 48;

/// Two seconds of picture and whatever `inputs` and `mapping` add, made by FFmpeg.
void makeSource(const std::filesystem::path& file, const std::string& inputs, const std::string& mapping) {
    shell(
        fmt::format("ffmpeg -v error -y -f lavfi -i testsrc=s={}x{}:r=25:d=2 {} -map 0:v -pix_fmt yuv420p -c:v libx264 "
                    "-preset ultrafast {} {}",
                    kWidth, kHeight, inputs, mapping, inQuotes(file)));
}

std::vector<nlohmann::json> streamsOf(const std::filesystem::path& file, const std::string& type) {
    std::vector<nlohmann::json> found;
    const auto probed = probe(file);
    for (const auto& stream : probed["streams"]) {
        if (stream["codec_type"] == type) found.push_back(stream);
    }
    return found;
}

/// Decoded sound, mono, 48 kHz, 16 bits, from the container's zero on.
std::vector<double> soundOf(const std::filesystem::path& file, int stream = 0) {
    const std::string raw =
        shell(fmt::format("ffmpeg -v error -copyts -i {} -map 0:a:{} -af aresample=48000:first_pts=0 -ac 1 -f s16le -",
                          inQuotes(file), stream));
    std::vector<double> samples;
    for (std::size_t i = 0; i + 1 < raw.size(); i += 2) {
        samples.push_back(static_cast<std::int16_t>(static_cast<unsigned char>(raw[i]) |
                                                    (static_cast<unsigned char>(raw[i + 1]) << 8)) /
                          32768.0);
    }
    return samples;
}

/// The time at which a sound that starts with silence becomes loud.
double onsetOf(const std::vector<double>& samples) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (std::abs(samples[i]) > 0.03) return static_cast<double>(i) / 48000;
    }
    return -1;
}

const char* const kSine = "-f lavfi -i sine=f=440:d=2:r=48000";
/// Silence, then a tone from exactly one second on.
const char* const kOnset = "-f lavfi -i \"aevalsrc='if(gte(t,1),0.5*sin(2*PI*1000*t),0)':s=48000:d=2\"";

TEST(SoundSink, IsCopiedBitForBitWhereTheContainerAllows) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    const auto source = folder / "in.mp4";
    makeSource(source, kSine, "-map 1:a -c:a aac");
    const auto hashes = packetHashes(source, "a");
    ASSERT_EQ(hashes.size(), 1U);
    for (const char* name : {"out.mp4", "out.mov", "out.mkv"}) {
        EXPECT_THAT(writeClip(folder / name, clipOf(kWidth, kHeight), 50, source), IsEmpty()) << name;
        EXPECT_EQ(packetHashes(folder / name, "a"), hashes) << name;
        if (std::string(name) != "out.mkv") {
            EXPECT_EQ(streamsOf(folder / name, "audio")[0]["duration"], streamsOf(source, "audio")[0]["duration"])
                << name;
        }
        const auto frames = shownFrames(folder / name);
        ASSERT_EQ(frames.size(), 50U);
        EXPECT_EQ(frames.front().time, Rational(0)) << name;
        EXPECT_EQ(frames.back().time, Rational(49, 25)) << name;
    }
}

TEST(SoundSink, StaysInStepWithThePicture) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    const auto source = folder / "in.mp4";
    makeSource(source, kOnset, "-map 1:a -c:a aac");
    const double wanted = onsetOf(soundOf(source));
    ASSERT_NEAR(wanted, 1.0, 0.002);
    for (const char* name : {"out.mp4", "out.mkv", "out.webm", "out.avi"}) {
        writeClip(folder / name, clipOf(kWidth, kHeight), 50, source);
        // Matroska stores milliseconds.
        EXPECT_NEAR(onsetOf(soundOf(folder / name)), wanted, 0.0021) << name;
    }
}

TEST(SoundSink, IsReencodedWhereItMustBe) {
    SKIP_WITHOUT_FFMPEG();
    struct Case {
        const char *in, *codec, *out, *result, *note;
    };
    for (const Case& c :
         {Case{"in.mp4", "aac", "out.webm", "opus", "Opus"}, Case{"in.mkv", "libvorbis", "out.mp4", "aac", "AAC"},
          Case{"in.mp4", "aac", "out.avi", "pcm_s16le", "PCM"}, Case{"in.mov", "pcm_s24le", "out.mp4", "aac", "AAC"}}) {
        const ScratchFolder folder;
        makeSource(folder / c.in, kSine, fmt::format("-map 1:a -ac 2 -c:a {}", c.codec));
        const auto notes = writeClip(folder / c.out, clipOf(kWidth, kHeight), 50, folder / c.in);
        EXPECT_THAT(notes, ElementsAre(HasSubstr(c.note))) << c.out;
        const auto sounds = streamsOf(folder / c.out, "audio");
        ASSERT_EQ(sounds.size(), 1U) << c.out;
        EXPECT_EQ(sounds[0]["codec_name"], c.result);
        EXPECT_EQ(sounds[0]["channels"], 2);
        const auto before = soundOf(folder / c.in), after = soundOf(folder / c.out);
        EXPECT_NEAR(static_cast<double>(after.size()) / 48000, 2.0, 0.03) << c.out;
        double energyBefore = 0, energyAfter = 0;
        for (std::size_t i = 4800; i < 90000; ++i) {
            energyBefore += before[i] * before[i];
            energyAfter += after[i] * after[i];
        }
        EXPECT_NEAR(energyAfter / energyBefore, 1.0, 0.05) << c.out;
    }
}

/// Opus knows no "5.1(side)", which many films have.
TEST(SoundSink, SurroundIsReencoded) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    makeSource(folder / "in.mkv", "-f lavfi -i \"anoisesrc=d=2:r=44100:a=0.2,aformat=channel_layouts=5.1(side)\"",
               "-map 1:a -c:a ac3");
    EXPECT_THAT(writeClip(folder / "out.webm", clipOf(kWidth, kHeight), 50, folder / "in.mkv"),
                ElementsAre(HasSubstr("Opus")));
    const auto sounds = streamsOf(folder / "out.webm", "audio");
    ASSERT_EQ(sounds.size(), 1U);
    EXPECT_EQ(sounds[0]["channels"], 6);
}

TEST(SoundSink, AllStreamsLanguagesAndDispositionsAreKept) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    const auto source = folder / "in.mkv";
    makeSource(source, std::string(kSine) + " -f lavfi -i sine=f=880:d=2",
               "-map 1:a -map 2:a -c:a:0 aac -c:a:1 ac3 -metadata:s:a:0 language=deu -metadata:s:a:1 language=fra "
               "-metadata:s:a:1 title=Kommentar -disposition:a:0 0 -disposition:a:1 default");
    for (const char* name : {"out.mp4", "out.mkv"}) {
        EXPECT_THAT(writeClip(folder / name, clipOf(kWidth, kHeight), 50, source), IsEmpty());
        EXPECT_EQ(packetHashes(folder / name, "a"), packetHashes(source, "a")) << name;
        const auto sounds = streamsOf(folder / name, "audio");
        ASSERT_EQ(sounds.size(), 2U) << name;
        EXPECT_EQ(sounds[0]["tags"]["language"], "deu") << name;
        EXPECT_EQ(sounds[1]["tags"]["language"], "fra") << name;
        EXPECT_EQ(sounds[0]["disposition"]["default"], 0) << name;
        EXPECT_EQ(sounds[1]["disposition"]["default"], 1) << name;
    }
}

TEST(SoundSink, ClipsWithoutSoundStaySilent) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    makeSource(folder / "in.mp4", "", "");
    EXPECT_THAT(writeClip(folder / "out.mp4", clipOf(kWidth, kHeight), 50, folder / "in.mp4"), IsEmpty());
    EXPECT_EQ(probe(folder / "out.mp4")["streams"].size(), 1U);
}

TEST(SoundSink, LongerSoundIsKeptToItsEnd) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    makeSource(folder / "in.mp4", "-f lavfi -i sine=d=5", "-map 1:a -c:a aac");
    writeClip(folder / "out.mp4", clipOf(kWidth, kHeight), 50, folder / "in.mp4");
    EXPECT_EQ(packetHashes(folder / "out.mp4", "a"), packetHashes(folder / "in.mp4", "a"));
}

/// The picture starts half a second after the sound, and still does.
TEST(SoundSink, LateFirstFrameKeepsItsPlace) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    makeSource(folder / "in.mp4", kOnset, "-map 1:a -c:a aac");
    ClipInfo clip = clipOf(kWidth, kHeight);
    clip.video.startTime = Rational(1, 2);
    for (const char* name : {"out.mp4", "out.mkv", "out.webm"}) {
        writeClip(folder / name, clip, 25, folder / "in.mp4");
        EXPECT_EQ(shownFrames(folder / name).front().time, Rational(1, 2)) << name;
        EXPECT_NEAR(onsetOf(soundOf(folder / name)), 1.0, 0.003) << name;
    }
}

/// A transport stream's clock starts anywhere; the film starts at zero, in step.
TEST(SoundSink, TransportStreamsAreBroughtToZero) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    makeSource(folder / "in.ts", kOnset, "-map 1:a -c:a aac -output_ts_offset 100");
    const auto video = videoStreamOf(probe(folder / "in.ts"));
    ClipInfo clip = clipOf(kWidth, kHeight);
    clip.video.timeBase = Rational(1, 90000);
    clip.video.startTime = Rational(video["start_pts"].get<std::int64_t>(), 90000);
    ASSERT_GT(clip.video.startTime, Rational(100));
    writeClip(folder / "out.mp4", clip, 50, folder / "in.ts");
    const double first = shownFrames(folder / "out.mp4").front().time.toDouble();
    EXPECT_LT(first, 0.1);
    EXPECT_NEAR(onsetOf(soundOf(folder / "out.mp4")) - first, 1.0, 0.003);
}

TEST(SoundSink, RangesAreCutAndStartAtZero) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    makeSource(folder / "in.mp4", kOnset, "-map 1:a -c:a aac");
    EncodeOptions options;
    options.startTime = Rational(4, 5);
    options.endTime = Rational(8, 5);
    for (const char* name : {"out.mp4", "out.mkv", "out.webm"}) {
        writeClip(folder / name, clipOf(kWidth, kHeight), 20, folder / "in.mp4", options);
        const auto frames = shownFrames(folder / name);
        ASSERT_EQ(frames.size(), 20U) << name;
        EXPECT_EQ(frames.front().time, Rational(0)) << name;
        EXPECT_NEAR(onsetOf(soundOf(folder / name)), 0.2, 0.003) << name;
        // Copied packets are whole: up to one of them may stick out.
        EXPECT_NEAR(static_cast<double>(soundOf(folder / name).size()) / 48000, 0.8, 0.03) << name;
    }
}

TEST(SoundSink, SubtitlesAreKeptOrConvertedOrToldToBeLeftOut) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    std::ofstream(folder / "s.srt") << "1\n00:00:00,200 --> 00:00:00,900\nGuten <i>Tag</i>\n\n"
                                       "2\n00:00:01,000 --> 00:00:01,500\n你好\n";
    const std::string input = "-i " + inQuotes(folder / "s.srt");
    makeSource(folder / "in.mkv", input, "-map 1:s -c:s srt -metadata:s:s:0 language=deu");
    makeSource(folder / "in.mp4", input, "-map 1:s -c:s mov_text -metadata:s:s:0 language=deu");
    for (const char* in : {"in.mkv", "in.mp4"}) {
        for (const auto& [out, codec] : {std::pair{"out.mkv", "subrip"}, std::pair{"out.mp4", "mov_text"},
                                         std::pair{"out.mov", "mov_text"}, std::pair{"out.webm", "webvtt"}}) {
            EXPECT_THAT(writeClip(folder / out, clipOf(kWidth, kHeight), 50, folder / in), IsEmpty());
            const auto subtitles = streamsOf(folder / out, "subtitle");
            ASSERT_EQ(subtitles.size(), 1U) << in << out;
            EXPECT_EQ(subtitles[0]["codec_name"], codec) << in << out;
            // QuickTime's own list has the older name.
            EXPECT_EQ(subtitles[0]["tags"]["language"], std::string(out) == "out.mov" ? "ger" : "deu") << in << out;
            const std::string text = shell("ffmpeg -v error -i " + inQuotes(folder / out) + " -map 0:s -f srt -");
            EXPECT_THAT(text, HasSubstr("00:00:00,200 --> 00:00:00,900")) << in << out;
            EXPECT_THAT(text, HasSubstr("00:00:01,000 --> 00:00:01,500")) << in << out;
            EXPECT_THAT(text, HasSubstr("Tag")) << in << out;
            EXPECT_THAT(text, HasSubstr("你好")) << in << out;
        }
        EXPECT_THAT(writeClip(folder / "out.avi", clipOf(kWidth, kHeight), 50, folder / in),
                    ElementsAre(HasSubstr("subtitles left out")));
    }
    EncodeOptions options;
    options.startTime = Rational(1, 2);
    options.endTime = Rational(6, 5);
    for (const char* out : {"cut.mkv", "cut.mp4"}) {
        writeClip(folder / out, clipOf(kWidth, kHeight), 17, folder / "in.mkv", options);
        const std::string text = shell("ffmpeg -v error -i " + inQuotes(folder / out) + " -map 0:s -f srt -");
        EXPECT_THAT(text, HasSubstr("00:00:00,000 --> 00:00:00,400")) << out;
        EXPECT_THAT(text, HasSubstr("00:00:00,500 --> ")) << out;
    }
}

TEST(SoundSink, ChaptersAndMetadataAreCarried) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    std::ofstream(folder / "m.txt")
        << ";FFMETADATA1\ntitle=Ein Film\nartist=Jemand\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=800\n"
           "title=Eins\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=800\nEND=2000\ntitle=Zwei\n";
    makeSource(folder / "in.mkv", "-i " + inQuotes(folder / "m.txt"), "-map_metadata 1 -map_chapters 1");
    for (const char* name : {"out.mp4", "out.mkv"}) {
        writeClip(folder / name, clipOf(kWidth, kHeight), 50, folder / "in.mkv");
        const auto probed = probe(folder / name);
        EXPECT_EQ(probed["format"]["tags"]["title"], "Ein Film") << name;
        EXPECT_FALSE(probed["format"]["tags"].contains("creation_time")) << name;
        ASSERT_EQ(probed["chapters"].size(), 2U) << name;
        EXPECT_EQ(probed["chapters"][1]["tags"]["title"], "Zwei") << name;
        EXPECT_NEAR(std::stod(probed["chapters"][1]["start_time"].get<std::string>()), 0.8, 1e-3) << name;
    }
    EncodeOptions options;
    options.startTime = Rational(1);
    options.endTime = Rational(3, 2);
    writeClip(folder / "cut.mkv", clipOf(kWidth, kHeight), 12, folder / "in.mkv", options);
    const auto probed = probe(folder / "cut.mkv");
    ASSERT_EQ(probed["chapters"].size(), 1U);
    EXPECT_EQ(probed["chapters"][0]["tags"]["title"], "Zwei");
    EXPECT_NEAR(std::stod(probed["chapters"][0]["end_time"].get<std::string>()), 0.5, 1e-3);
}

/// A source that breaks off half-way gives what it has.
TEST(SoundSink, TruncatedSourceIsCarriedAsFarAsItGoes) {
    SKIP_WITHOUT_FFMPEG();
    const ScratchFolder folder;
    makeSource(folder / "in.mkv", kSine, "-map 1:a -c:a aac");
    std::filesystem::resize_file(folder / "in.mkv", std::filesystem::file_size(folder / "in.mkv") / 2);
    for (const char* name : {"out.mp4", "out.webm"}) {
        writeClip(folder / name, clipOf(kWidth, kHeight), 20, folder / "in.mkv");
        EXPECT_EQ(streamsOf(folder / name, "audio").size(), 1U) << name;
        EXPECT_EQ(shownFrames(folder / name).size(), 20U) << name;
    }
}

}  // namespace

}  // namespace reelbrush::media
