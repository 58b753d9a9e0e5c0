#pragma once

#include "engine/cache/disk_store.h"
#include "engine/cache/frame_format.h"
#include "engine/cache/frame_key.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace reelbrush::cache::testing {

inline constexpr FrameShape kSmall{SampleType::Bits8, 40, 30, 3};

/// Frames of a made-up shot: a pattern that stays but for a square that moves and some noise. Always the same.
struct TestFrame {
    FrameShape shape;
    std::vector<std::byte> bytes;

    FrameView view() const { return {shape, bytes}; }
};
TestFrame makeFrame(const FrameShape& shape, int number);
/// Bytes without any pattern, NaN and infinities of floats included.
TestFrame makeNoise(const FrameShape& shape, int number);

FrameKey keyOf(int number);

/// Opens it; fails the test and gives null where that fails.
std::unique_ptr<DiskStore> openStore(const DiskStoreOptions& options);
/// A frame from disk; empty where it is missing or damaged.
std::vector<std::byte> readFrame(DiskStore& store, const FrameKey& key, const BaseSource& base = {});
/// Writes frames [from, to) of kSmall, each with the one before as its possible base; returns how many were written.
int writeFrames(DiskStore& store, int from, int to, const FrameShape& shape = kSmall);
/// How many of [from, to) are there; fails the test where one is there but not exact.
int countExact(DiskStore& store, int from, int to, const FrameShape& shape = kSmall);

/// The segment files of a folder, sorted by name, and their bytes.
std::vector<std::filesystem::path> segmentsIn(const std::filesystem::path& folder);
std::uint64_t segmentBytesIn(const std::filesystem::path& folder);

}  // namespace reelbrush::cache::testing
