#include "engine/cache/memory_shelf.h"

#include "engine/cache/device_tier.h"
#include "engine/cache/ram_tier.h"
#include "tests/engine/cache/host_device.h"
#include "tests/engine/cache/test_frames.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>

namespace reelbrush::cache::testing {
namespace {

using Reason = MemoryShelf::Reason;

const std::size_t kFrameBytes = kSmall.sizeBytes();

std::vector<std::shared_ptr<CacheTier>> ram(std::size_t frames) {
    return {std::make_shared<RamTier>(frames * kFrameBytes)};
}

struct Shown {
    double repaintSeconds = 1, entropyBits = 4;
    std::optional<std::int64_t> position = {};
    bool isOnDisk = false;
    FrameShape shape = kSmall;
    Reason reason = Reason::Painted;
};

bool put(MemoryShelf& shelf, int number, const Shown& shown = {}) {
    const MemoryShelf::Entry entry{keyOf(number),
                                   shown.shape,
                                   {.repaintSeconds = shown.repaintSeconds, .entropyBits = shown.entropyBits},
                                   shown.position,
                                   shown.isOnDisk};
    auto frame = shelf.allocate(entry, shown.reason);
    if (!frame) return false;
    EXPECT_TRUE(frame->tier->write(*frame->block, makeFrame(shown.shape, number).bytes));
    shelf.add(std::move(frame), entry);
    return true;
}

/// Which of the numbers are there.
std::set<int> there(const MemoryShelf& shelf, int count) {
    std::set<int> numbers;
    for (int number = 0; number < count; ++number)
        if (shelf.peek(keyOf(number))) numbers.insert(number);
    return numbers;
}

void expectExact(const MemoryShelf& shelf, int number) {
    const FrameHandle frame = shelf.peek(keyOf(number));
    ASSERT_TRUE(frame);
    std::vector<std::byte> bytes(frame->shape.sizeBytes());
    ASSERT_TRUE(frame->tier->read(*frame->block, bytes));
    EXPECT_EQ(bytes, makeFrame(frame->shape, number).bytes) << number;
}

TEST(MemoryShelf, LetsGoWhatWasNotUsedLongestWhereAllElseIsEqual) {
    MemoryShelf shelf(ram(3));
    for (int number = 0; number < 3; ++number) EXPECT_TRUE(put(shelf, number));
    EXPECT_TRUE(shelf.find(keyOf(0), std::nullopt));
    EXPECT_TRUE(put(shelf, 3));
    EXPECT_EQ(there(shelf, 4), (std::set{0, 2, 3}));
    EXPECT_EQ(shelf.counts().lost, 1u);
}

TEST(MemoryShelf, LetsGoWhatIsCheapToPaintAgain) {
    MemoryShelf shelf(ram(3));
    put(shelf, 0, {.repaintSeconds = 5});
    put(shelf, 1, {.repaintSeconds = 0.2});
    put(shelf, 2, {.repaintSeconds = 3});
    EXPECT_TRUE(put(shelf, 3));
    EXPECT_EQ(there(shelf, 4), (std::set{0, 2, 3}));
    EXPECT_FALSE(put(shelf, 4, {.repaintSeconds = 0.1}));  // worth less than all that is there
    EXPECT_EQ(there(shelf, 5), (std::set{0, 2, 3}));
}

TEST(MemoryShelf, LetsGoWhatSaysLittleAndIsOnDisk) {
    MemoryShelf shelf(ram(3));
    put(shelf, 0, {.repaintSeconds = 1});
    put(shelf, 1, {.entropyBits = 7, .isOnDisk = true});
    put(shelf, 2, {.entropyBits = 2, .isOnDisk = true});
    put(shelf, 3);
    EXPECT_EQ(there(shelf, 4), (std::set{0, 1, 3}));
    put(shelf, 4);
    EXPECT_EQ(there(shelf, 5), (std::set{0, 3, 4}));
    EXPECT_EQ(shelf.counts().swappedOut, 2u);
    EXPECT_EQ(shelf.counts().lost, 0u);
}

TEST(MemoryShelf, LetsGoWhatIsFarFromThePlayhead) {
    MemoryShelf shelf(ram(4));
    shelf.setPlayhead({10, 1});
    put(shelf, 0, {.position = 8});  // behind: 6
    put(shelf, 1, {.position = 30});
    put(shelf, 2, {.position = 12});
    put(shelf, 3);  // nowhere
    put(shelf, 4, {.position = 10});
    EXPECT_EQ(there(shelf, 5), (std::set{0, 1, 2, 4}));
    put(shelf, 5, {.position = 11});
    EXPECT_EQ(there(shelf, 6), (std::set{0, 2, 4, 5}));
    shelf.setPlayhead({10, -1});  // turned: 12 counts as 6, 11 as 3
    put(shelf, 6, {.position = 9});
    EXPECT_EQ(there(shelf, 7), (std::set{0, 4, 5, 6}));
}

TEST(MemoryShelf, FetchedAheadTakesNoRoomOfEquals) {
    MemoryShelf shelf(ram(2));
    put(shelf, 0, {.isOnDisk = true});
    put(shelf, 1, {.isOnDisk = true});
    EXPECT_FALSE(put(shelf, 2, {.isOnDisk = true, .reason = Reason::Ahead}));
    EXPECT_TRUE(put(shelf, 2, {.isOnDisk = true, .reason = Reason::Painted}));
    EXPECT_EQ(there(shelf, 3), (std::set{1, 2}));
}

TEST(MemoryShelf, AskedForTakesTheRoomOfAnything) {
    MemoryShelf shelf(ram(1));
    put(shelf, 0, {.repaintSeconds = 1000});
    EXPECT_TRUE(put(shelf, 1, {.repaintSeconds = 0, .isOnDisk = true, .reason = Reason::Asked}));
    EXPECT_EQ(there(shelf, 2), (std::set{1}));
}

TEST(MemoryShelf, KeepsWhatSomebodyHolds) {
    MemoryShelf shelf(ram(2));
    put(shelf, 0);
    put(shelf, 1);
    FrameHandle held = shelf.find(keyOf(0), std::nullopt);
    const FrameHandle other = shelf.find(keyOf(1), std::nullopt);
    EXPECT_FALSE(put(shelf, 2, {.reason = Reason::Asked}));
    EXPECT_EQ(shelf.tiers()[0]->budget().heldBytes(), 2 * kFrameBytes);
    held.reset();
    EXPECT_TRUE(put(shelf, 2, {.reason = Reason::Asked}));
    EXPECT_EQ(there(shelf, 3), (std::set{1, 2}));
}

TEST(MemoryShelf, RefusesWhatIsLargerThanItsMemory) {
    MemoryShelf shelf(ram(2));
    put(shelf, 0);
    EXPECT_FALSE(put(shelf, 1, {.shape = {SampleType::Bits16, 40, 60, 3}, .reason = Reason::Asked}));
    EXPECT_EQ(there(shelf, 2), (std::set{0}));
}

class TwoTiers : public ::testing::Test {
  protected:
    /// A frame takes 3,600 bytes of RAM, and 3,840 of the device.
    MemoryShelf shelf(std::size_t onDevice, std::size_t inRam) {
        auto gpu = DeviceTier::make(device_, onDevice * 3840);
        EXPECT_TRUE(gpu);
        return MemoryShelf(
            {std::shared_ptr<CacheTier>(std::move(*gpu)), std::make_shared<RamTier>(inRam * kFrameBytes)});
    }
    static std::string tierOf(const MemoryShelf& shelf, int number) {
        const FrameHandle frame = shelf.peek(keyOf(number));
        return frame ? frame->tier->name() : "";
    }
    std::shared_ptr<HostDevice> device_ = std::make_shared<HostDevice>();
};

TEST_F(TwoTiers, RaisesAndLowersFramesExactly) {
    MemoryShelf shelf = this->shelf(1, 3);
    put(shelf, 0, {.position = 5});
    put(shelf, 1, {.position = 1});
    EXPECT_EQ(tierOf(shelf, 0), "RAM");
    EXPECT_TRUE(shelf.raise(keyOf(0)));
    EXPECT_EQ(tierOf(shelf, 0), "GPU");
    EXPECT_TRUE(shelf.raise(keyOf(1)));  // nearer: the other goes down
    EXPECT_EQ(tierOf(shelf, 0), "RAM");
    EXPECT_EQ(tierOf(shelf, 1), "GPU");
    EXPECT_FALSE(shelf.raise(keyOf(0)));
    EXPECT_FALSE(shelf.raise(keyOf(9)));
    expectExact(shelf, 0);
    expectExact(shelf, 1);
    EXPECT_EQ(shelf.counts().lowered, 1u);
    EXPECT_EQ(shelf.counts().raised, 2u);
    shelf.clear();
    EXPECT_EQ(device_->allocatedBytes(), 0u);
}

TEST_F(TwoTiers, ADeviceThatIsFullLeavesFramesInRam) {
    device_->mostBytes = 100;
    MemoryShelf shelf = this->shelf(2, 2);
    put(shelf, 0);
    EXPECT_FALSE(shelf.raise(keyOf(0)));
    EXPECT_EQ(tierOf(shelf, 0), "RAM");
    expectExact(shelf, 0);
}

TEST_F(TwoTiers, NoBudgetIsExceededWhateverHappens) {
    const std::size_t gpuLimit = 10'000, ramLimit = 25'000;
    auto gpu = DeviceTier::make(device_, gpuLimit);
    ASSERT_TRUE(gpu);
    const auto memory = std::make_shared<RamTier>(ramLimit);
    MemoryShelf shelf({std::shared_ptr<CacheTier>(std::move(*gpu)), memory});
    std::mt19937 random(5);
    std::vector<FrameHandle> held;
    for (int step = 0; step < 4000; ++step) {
        const int number = static_cast<int>(random() % 40);
        const FrameShape shape{SampleType::Bits8, 1 + static_cast<std::int32_t>(number % 7) * 11, 10 + number, 3};
        put(shelf, number,
            {.repaintSeconds = 0.1 * static_cast<double>(random() % 30),
             .position = number,
             .isOnDisk = random() % 2 == 0,
             .shape = shape,
             .reason = static_cast<Reason>(random() % 3)});
        shelf.raise(keyOf(static_cast<int>(random() % 40)));
        if (random() % 3 == 0) held.push_back(shelf.find(keyOf(number), number));
        if (held.size() > 3) held.erase(held.begin());
        shelf.setPlayhead({static_cast<std::int64_t>(random() % 40), static_cast<int>(random() % 3) - 1});
        for (const auto& tier : shelf.tiers()) ASSERT_LE(tier->budget().heldBytes(), tier->budget().limitBytes());
        ASSERT_LE(device_->allocatedBytes(), gpuLimit);
    }
    for (const auto& tier : shelf.tiers()) EXPECT_LE(tier->budget().peakBytes(), tier->budget().limitBytes());
    for (const auto& listed : shelf.list()) (void)listed;
    int count = 0;
    for (int number = 0; number < 40; ++number)
        if (shelf.peek(keyOf(number))) ++count, expectExact(shelf, number);
    EXPECT_GT(count, 3);
    EXPECT_GT(shelf.counts().lowered, 10u);
    held.clear();
    shelf.clear();
    for (const auto& tier : shelf.tiers()) EXPECT_EQ(tier->budget().heldBytes(), 0u);
    EXPECT_EQ(device_->allocatedBytes(), 0u);
}

}  // namespace
}  // namespace reelbrush::cache::testing
