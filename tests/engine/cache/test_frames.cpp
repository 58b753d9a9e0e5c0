#include "tests/engine/cache/test_frames.h"

#include "engine/cache/frame_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace reelbrush::cache::testing {

namespace fs = std::filesystem;

TestFrame makeFrame(const FrameShape& shape, int number) {
    TestFrame frame{shape, std::vector<std::byte>(shape.sizeBytes())};
    std::minstd_rand random(static_cast<unsigned>(number) + 1);
    const std::size_t width = bytesOf(shape.type), rowBytes = shape.rowBytes();
    for (std::size_t i = 0; i < frame.bytes.size(); ++i) {
        const auto x = static_cast<int>(i % rowBytes), y = static_cast<int>(i / rowBytes);
        const bool isInSquare = std::abs(x - 3 * number) < 12 && std::abs(y - number % 20) < 6;
        const int noise = random() % 16 == 0 ? static_cast<int>(random() % 4) : 0;
        // High bytes of wider samples change slowly, as those of pictures do.
        const bool isHigh = width > 1 && i % width == width - 1;
        frame.bytes[i] =
            static_cast<std::byte>(isHigh ? 2 + isInSquare : (x * 2 + y * 3 + (isInSquare ? 77 : 0) + noise) & 255);
    }
    return frame;
}

TestFrame makeNoise(const FrameShape& shape, int number) {
    TestFrame frame{shape, std::vector<std::byte>(shape.sizeBytes())};
    std::mt19937 random(static_cast<unsigned>(number));
    for (std::byte& byte : frame.bytes) byte = static_cast<std::byte>(random() & 255);
    return frame;
}

FrameKey keyOf(int number) {
    return FrameKeyBuilder("test frame", 1).add("number", number).key();
}

std::unique_ptr<DiskStore> openStore(const DiskStoreOptions& options) {
    auto store = DiskStore::open(options);
    if (store) return std::move(*store);
    ADD_FAILURE() << store.error().message;
    return nullptr;
}

std::vector<std::byte> readFrame(DiskStore& store, const FrameKey& key, const BaseSource& base) {
    const auto stored = store.find(key);
    if (!stored) return {};
    std::vector<std::byte> bytes(stored->record.shape.sizeBytes());
    return store.read(*stored, bytes, base) ? bytes : std::vector<std::byte>();
}

int writeFrames(DiskStore& store, int from, int to, const FrameShape& shape) {
    int written = 0;
    TestFrame before;
    for (int number = from; number < to; ++number) {
        TestFrame frame = makeFrame(shape, number);
        std::optional<BaseFrame> base;
        if (!before.bytes.empty()) base = BaseFrame{keyOf(number - 1), before.bytes};
        const FrameNotes notes{.repaintSeconds = 0.5, .entropyBits = 4};
        written += store.write(keyOf(number), frame.view(), notes, base) == DiskStore::Written::Yes;
        before = std::move(frame);
    }
    return written;
}

int countExact(DiskStore& store, int from, int to, const FrameShape& shape) {
    int count = 0;
    for (int number = from; number < to; ++number) {
        const auto bytes = readFrame(store, keyOf(number));
        if (bytes.empty()) continue;
        ++count;
        EXPECT_EQ(bytes, makeFrame(shape, number).bytes) << "frame " << number;
    }
    return count;
}

std::vector<fs::path> segmentsIn(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (SegmentFile::idOf(entry.path())) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::uint64_t segmentBytesIn(const fs::path& folder) {
    std::uint64_t bytes = 0;
    for (const fs::path& file : segmentsIn(folder)) bytes += fs::file_size(file);
    return bytes;
}

}  // namespace reelbrush::cache::testing
