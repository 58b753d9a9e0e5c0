#include "engine/media/frame_decoder.h"
#include "engine/media/frame_source.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

/// decode_bench CARD THREADS FILE...: how fast films are read, and what comes out. CARD: -1 for the processor alone.
namespace {

using namespace reelbrush;
using Clock = std::chrono::steady_clock;

struct Reading {
    int frames = 0;
    double seconds = 0;
    std::uint64_t hash = 0;
    bool byCard = false;
    std::string trouble;
};

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Planes in memory, nothing converted.
Reading decode(const std::string& file, int threads, int card) {
    Reading reading;
    auto decoder = media::FrameDecoder::open(file, {.threads = threads, .cudaDevice = card});
    if (!decoder) return {.trouble = decoder.error().message};
    const auto start = Clock::now();
    for (auto frame = (*decoder)->next(); frame && *frame; frame = (*decoder)->next()) ++reading.frames;
    reading.seconds = secondsSince(start);
    reading.byCard = (*decoder)->usesHardware();
    for (const std::string& note : (*decoder)->notes()) reading.trouble += note;
    return reading;
}

/// As renders read: R'G'B' floats. The hash is taken outside the time.
Reading read(const std::string& file, int threads, int card) {
    Reading reading;
    media::OpenOptions options;
    options.threads = threads;
    options.cudaDevice = card;
    options.toneMapHdr = true;
    auto source = media::openFrameSource(file, options);
    if (!source) return {.trouble = source.error().message};
    for (;;) {
        const auto start = Clock::now();
        const auto frame = (*source)->next();
        reading.seconds += secondsSince(start);
        if (!frame) reading.trouble = frame.error().message;
        if (!frame || !*frame) break;
        ++reading.frames;
        const cv::Mat& rgb = (*frame)->rgb;
        for (int y = 0; y < rgb.rows; ++y)
            reading.hash =
                XXH3_64bits_withSeed(rgb.ptr(y), static_cast<std::size_t>(rgb.cols) * rgb.elemSize(), reading.hash);
    }
    reading.byCard = (*source)->usesHardware();
    return reading;
}

void print(const char* what, const Reading& reading) {
    fmt::print("  {:<28} {:5} frames {:8.1f} fps  {:016x} {} {}\n", what, reading.frames,
               reading.frames / reading.seconds, reading.hash, reading.byCard ? "NVDEC" : "processor", reading.trouble);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const int card = std::atoi(argv[1]), threads = std::atoi(argv[2]);
    bool same = true;
    for (int i = 3; i < argc; ++i) {
        fmt::print("{}\n", argv[i]);
        print("processor, planes", decode(argv[i], threads, -1));
        const Reading processor = read(argv[i], threads, -1);
        print("processor, R'G'B'", processor);
        if (card < 0) continue;
        print("card, planes", decode(argv[i], threads, card));
        const Reading byCard = read(argv[i], threads, card);
        print("card, R'G'B'", byCard);
        same = same && byCard.hash == processor.hash && byCard.frames == processor.frames;
    }
    if (card >= 0) fmt::print("{}\n", same ? "all frames are the same" : "FRAMES DIFFER");
    return same ? 0 : 1;
}
