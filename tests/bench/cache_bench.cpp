// cache_bench CLIP...: the frame cache on the first frames of clips or picture sequences. Prints for each the ratio and
// GB/s (of unpacked bytes, processor time of one thread) of compressors and filters, and of packing as the cache does
// it, for pictures of 8, 10 and 16 bit and for float16 latents of the bundled model; then the time of hits at 1080p,
// of indexing 10,000 frames, and the policy against LRU on a trace of scrubbing.

#include "engine/cache/band_filter.h"
#include "engine/cache/disk_store.h"
#include "engine/cache/frame_cache.h"
#include "engine/cache/frame_codec.h"
#include "engine/cache/ram_tier.h"
#include "engine/core/xdg_folders.h"
#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/starter_graphs.h"
#include "engine/media/frame_source.h"
#include "kernels/cpu/cpu_backend.h"
#include "tests/bench/scrub_trace.h"

#include <fmt/format.h>
#include <time.h>
#include <zstd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <opencv2/imgproc.hpp>
#ifdef REELBRUSH_HAS_LZ4
#include <lz4.h>
#endif

namespace reelbrush::cache {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFrames = 16;

struct Frame {
    FrameShape shape;
    std::vector<std::byte> bytes;
    FrameView view() const { return {shape, bytes}; }
};

template <typename Work>
double processorSeconds(const Work& work) {
    timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    work();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    return static_cast<double>(after.tv_sec - before.tv_sec) +
           static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e9;
}

template <typename Work>
double wallSeconds(const Work& work) {
    const auto before = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

std::vector<cv::Mat> readClip(const std::string& path) {
    media::OpenOptions options;
    options.lastFrame = kFrames - 1;
    auto source = media::openFrameSource(path, options);
    std::vector<cv::Mat> frames;
    for (;;) {
        auto frame = source ? (*source)->next() : Result<std::optional<media::VideoFrame>>(std::nullopt);
        if (!frame || !*frame) return frames;
        frames.push_back((*frame)->rgb);
    }
}

Frame frameOf(const cv::Mat& rgb, SampleType type) {
    Frame frame{{type, rgb.cols, rgb.rows, 3}, {}};
    frame.bytes.resize(frame.shape.sizeBytes());
    const double most = type == SampleType::Bits8 ? 255 : type == SampleType::Bits10 ? 1023 : 65535;
    cv::Mat whole(rgb.rows, rgb.cols, type == SampleType::Bits8 ? CV_8UC3 : CV_16UC3, frame.bytes.data());
    rgb.convertTo(whole, whole.type(), most);
    return frame;
}

std::vector<Frame> latentsOf(const std::vector<cv::Mat>& clip) {
    const auto model = diffusion::StarterModel::open(resourcesFolder() / "models" / "starter");
    kernels::CpuBackend backend({});
    std::vector<Frame> latents;
    for (const cv::Mat& rgb : clip) {
        const int width = rgb.cols / 16 * 16, height = rgb.rows / 16 * 16;
        const cv::Mat cut = rgb(cv::Rect(0, 0, width, height)).clone();
        const auto* values = cut.ptr<float>();
        const auto out = model ? diffusion::runOnce(diffusion::starterEncodeGraph(*model, {width, height}), *model->vae,
                                                    backend, {{"picture", {values, values + cut.total() * 3}}})
                               : Result<diffusion::NamedTensors>(fail(model.error()));
        if (!out) return latents;
        const std::vector<float>& tensor = out->at("latents");
        Frame frame{{SampleType::Float16, width / 8, height / 8, model->latentChannels()}, {}};
        for (const float value : tensor) {
            const std::uint16_t half = kernels::floatToHalf(value);
            frame.bytes.push_back(static_cast<std::byte>(half & 255));
            frame.bytes.push_back(static_cast<std::byte>(half >> 8));
        }
        latents.push_back(std::move(frame));
    }
    return latents;
}

struct Compressor {
    std::string name;
    std::function<std::size_t(std::span<const std::byte> in, std::span<std::byte> out)> pack;
    std::function<void(std::span<const std::byte> in, std::span<std::byte> out)> unpack;
};

std::vector<Compressor> compressors() {
    std::vector<Compressor> all;
#ifdef REELBRUSH_HAS_LZ4
    all.push_back({"LZ4",
                   [](auto in, auto out) {
                       return static_cast<std::size_t>(LZ4_compress_default(
                           reinterpret_cast<const char*>(in.data()), reinterpret_cast<char*>(out.data()),
                           static_cast<int>(in.size()), static_cast<int>(out.size())));
                   },
                   [](auto in, auto out) {
                       LZ4_decompress_safe(reinterpret_cast<const char*>(in.data()),
                                           reinterpret_cast<char*>(out.data()), static_cast<int>(in.size()),
                                           static_cast<int>(out.size()));
                   }});
#endif
    for (const int level : {-5, -1, 1, 3})
        all.push_back(
            {fmt::format("zstd {}", level),
             [level](auto in, auto out) { return ZSTD_compress(out.data(), out.size(), in.data(), in.size(), level); },
             [](auto in, auto out) { ZSTD_decompress(out.data(), out.size(), in.data(), in.size()); }});
    return all;
}

struct Sums {
    double in = 0, out = 0, packing = 0, unpacking = 0;
    std::string text() const {
        return fmt::format("{:5.2f}x {:4.2f} {:4.2f}", in / out, in / packing / 1e9, in / unpacking / 1e9);
    }
};

/// Compressors alone, on whole frames that were filtered before.
void compareCompressors(const std::vector<Frame>& frames) {
    const std::pair<const char*, int> filters[] = {{"as it is", kPlain},
                                                   {"delta", kTemporal},
                                                   {"gradient, colour", kGradient | kColour},
                                                   {"all three", kAllFilters}};
    for (const auto& [name, filter] : filters) {
        std::string line = fmt::format("  {:18}", name);
        for (const Compressor& compressor : compressors()) {
            Sums sums;
            for (std::size_t i = 1; i < frames.size(); ++i) {
                const Frame& frame = frames[i];
                const BandShape band{frame.shape.type, 3, frame.shape.rowBytes(),
                                     static_cast<std::size_t>(frame.shape.height)};
                std::vector<std::byte> filtered(frame.bytes.size()), packed(2 * frame.bytes.size()),
                    back(frame.bytes.size());
                filterBand(band, static_cast<std::uint8_t>(filter), frame.bytes.data(), frames[i - 1].bytes.data(),
                           filtered.data());
                std::size_t size = 0;
                sums.packing += processorSeconds([&] { size = compressor.pack(filtered, packed); });
                sums.unpacking += processorSeconds([&] { compressor.unpack(std::span(packed).first(size), back); });
                sums.in += static_cast<double>(filtered.size());
                sums.out += static_cast<double>(size);
            }
            line += fmt::format(" | {} {}", compressor.name, sums.text());
        }
        fmt::print("{}\n", line);
    }
}

/// As the cache packs them: a key frame after every `chain` differences.
void packAsTheCacheDoes(const std::vector<Frame>& frames, const char* what) {
    for (const std::size_t chain : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{8}}) {
        Sums sums;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const std::span<const std::byte> base =
                i % (chain + 1) ? std::span<const std::byte>(frames[i - 1].bytes) : std::span<const std::byte>();
            PackedFrame packed;
            sums.packing += processorSeconds([&] { packed = packFrame(frames[i].view(), base); });
            std::vector<std::byte> back(base.begin(), base.end());
            back.resize(frames[i].bytes.size());
            sums.unpacking += processorSeconds([&] { (void)unpackFrame(frames[i].shape, packed.bytes, back); });
            if (back != frames[i].bytes) fmt::print("  NOT EXACT\n");
            sums.in += static_cast<double>(back.size());
            sums.out += static_cast<double>(packed.bytes.size());
        }
        fmt::print("  packFrame, {:8} {}x{}x{}, at most {} differences: {}\n", what, frames[0].shape.width,
                   frames[0].shape.height, frames[0].shape.channels, chain, sums.text());
    }
}

DiskStoreOptions diskIn(const fs::path& folder) {
    fs::remove_all(folder);
    return {.folder = folder, .limitBytes = std::uint64_t{4} << 30};
}

FrameKey keyOf(std::size_t number) {
    return FrameKeyBuilder("bench", 1).add("number", number).key();
}

void timeHits(const std::vector<cv::Mat>& clip, const fs::path& folder) {
    std::vector<Frame> frames;
    for (const cv::Mat& rgb : clip) {
        cv::Mat large;
        cv::resize(rgb, large, {1920, 1080}, 0, 0, cv::INTER_CUBIC);
        frames.push_back(frameOf(large, SampleType::Bits8));
    }
    FrameCacheOptions options;
    options.tiers = {std::make_shared<RamTier>(frames.size() * frames[0].bytes.size())};
    options.disk = diskIn(folder);
    double put = 0, fromRam = 0;
    {
        auto cache = FrameCache::open(options);
        if (!cache) return;
        for (std::size_t i = 0; i < frames.size(); ++i) {
            put += wallSeconds([&] {
                (void)(*cache)->put(keyOf(i), frames[i].view(), {.repaintSeconds = 1});
                (*cache)->flush();
            });
            std::vector<std::byte> copy(frames[i].bytes.size());
            fromRam = std::max(fromRam, wallSeconds([&] { (void)(*cache)->get(keyOf(i))->copyTo(copy); }));
        }
    }
    double keyFrames = 0, differences = 0;  // the slowest of each, at its fastest
    std::size_t deltas = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        double fastest = 1e9;
        bool isDelta = false;
        for (int run = 0; run < 3; ++run) {
            FrameCacheOptions again;  // a memory of one frame: nothing but the disk helps
            again.tiers = {std::make_shared<RamTier>(frames[0].bytes.size())};
            again.disk = DiskStoreOptions{.folder = folder, .limitBytes = std::uint64_t{4} << 30};
            if (auto store = DiskStore::open(*again.disk)) isDelta = (*store)->find(keyOf(i))->record.chain > 0;
            auto cache = FrameCache::open(std::move(again));
            if (!cache) return;
            fastest = std::min(fastest, wallSeconds([&] { (void)(*cache)->get(keyOf(i)); }));
        }
        deltas += isDelta;
        double& slowest = isDelta ? differences : keyFrames;
        slowest = std::max(slowest, fastest);
    }
    fmt::print(
        "  hits at 1080p: put and written {:.1f} ms; from RAM at most {:.2f} ms; from disk at most {:.1f} ms a key "
        "frame, {:.1f} ms a difference ({} of {})\n",
        1e3 * put / static_cast<double>(frames.size()), 1e3 * fromRam, 1e3 * keyFrames, 1e3 * differences, deltas,
        frames.size());
    fs::remove_all(folder);
}

void timeIndex(const fs::path& folder) {
    constexpr std::size_t kMany = 10'000;
    const Frame tiny{{SampleType::Bits8, 4, 4, 3}, std::vector<std::byte>(48)};
    double writing = 0, opening = 0, finding = 0, rebuilding = 0;
    {
        auto store = DiskStore::open(diskIn(folder));
        if (!store) return;
        writing = wallSeconds([&] {
            for (std::size_t i = 0; i < kMany; ++i) (void)(*store)->write(keyOf(i), tiny.view(), {}, std::nullopt);
        });
    }
    const DiskStoreOptions options{.folder = folder, .limitBytes = std::uint64_t{4} << 30};
    opening = wallSeconds([&] { (void)DiskStore::open(options); });
    if (auto store = DiskStore::open(options))
        finding = wallSeconds([&] {
            for (std::size_t i = 0; i < kMany; ++i) (void)(*store)->contains(keyOf(i * 7 % kMany));
        });
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove((folder / kIndexFile).string() + ending);
    rebuilding = wallSeconds([&] { (void)DiskStore::open(options); });
    fmt::print(
        "10,000 frames: written and indexed in {:.2f} s ({:.0f} us each), opened in {:.1f} ms, looked up in {:.1f} "
        "us each, index made again in {:.0f} ms\n",
        writing, 1e6 * writing / kMany, 1e3 * opening, 1e6 * finding / kMany, 1e3 * rebuilding);
    fs::remove_all(folder);
}

void comparePolicies() {
    const auto trace = scrubTrace();
    for (const std::size_t frames : {50, 100, 200, 400}) {
        const TraceResult lru = replayWithLru(trace, frames), shelf = replayWithShelf(trace, frames);
        fmt::print(
            "scrubbing, {} steps over 1,500 frames, memory of {}: LRU {:.1f} % hits, {} frames fetched; by worth "
            "{:.1f} %, {}\n",
            trace.size(), frames, 100 * lru.hitRate, lru.fetched, 100 * shelf.hitRate, shelf.fetched);
    }
}

}  // namespace
}  // namespace reelbrush::cache

int main(int argc, char** argv) {
    using namespace reelbrush::cache;
    const auto scratch = std::filesystem::temp_directory_path() / fmt::format("cache_bench_{}", getpid());
    for (int i = 1; i < argc; ++i) {
        const auto clip = readClip(argv[i]);
        if (clip.empty()) {
            fmt::print("{} cannot be read\n", argv[i]);
            return EXIT_FAILURE;
        }
        fmt::print("{}: {} frames; ratio, packing GB/s, unpacking GB/s\n", argv[i], clip.size());
        for (const auto& [what, type] : {std::pair("8-bit", SampleType::Bits8), std::pair("10-bit", SampleType::Bits10),
                                         std::pair("16-bit", SampleType::Bits16)}) {
            std::vector<Frame> frames;
            for (const cv::Mat& rgb : clip) frames.push_back(frameOf(rgb, type));
            if (type == SampleType::Bits8) compareCompressors(frames);
            packAsTheCacheDoes(frames, what);
        }
        if (const auto latents = latentsOf(clip); !latents.empty()) packAsTheCacheDoes(latents, "latents");
        timeHits(clip, scratch);
    }
    timeIndex(scratch);
    comparePolicies();
}
