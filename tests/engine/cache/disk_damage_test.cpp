/// What a killed machine, a bad disk or a curious user leaves of a cache folder: missing frames at worst, never wrong
/// ones.
#include "tests/engine/cache/test_frames.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

namespace reelbrush::cache::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string contentOf(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void replaceContent(const fs::path& file, const std::string& content) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

class Damage : public ::testing::Test {
  protected:
    static constexpr int kFrames = 12;

    DiskStoreOptions options() const { return {.folder = scratch_.path(), .limitBytes = 100 << 20, .longestChain = 2}; }
    fs::path indexFile() const { return scratch_.path() / kIndexFile; }
    void fill() {
        const auto store = openStore(options());
        ASSERT_TRUE(store);
        ASSERT_EQ(writeFrames(*store, 0, kFrames), kFrames);
    }
    /// Paints again what is missing, after which everything has to be there.
    void expectRepaints(DiskStore& store) {
        EXPECT_EQ(writeFrames(store, 0, kFrames), kFrames);
        EXPECT_EQ(countExact(store, 0, kFrames), kFrames);
    }

    reelbrush::testing::ScratchFolder scratch_;
};

TEST_F(Damage, FlippedBitsMakeFramesMissingNeverWrong) {
    fill();
    const fs::path segment = segmentsIn(scratch_.path()).at(0);
    const std::string sound = contentOf(segment);
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        std::string bytes = sound;
        const std::size_t at = random() % bytes.size();
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        for (const char* ending : {"", "-wal", "-shm"}) fs::remove(indexFile().string() + ending);
        {
            replaceContent(segment, sound);
            const auto store = openStore(options());  // an index of all
            ASSERT_TRUE(store);
            ASSERT_EQ(store->reading().totals.frames, static_cast<std::uint64_t>(kFrames));
        }
        replaceContent(segment, bytes);
        const auto store = openStore(options());
        ASSERT_TRUE(store);
        const int exact = countExact(*store, 0, kFrames);
        EXPECT_LT(exact, kFrames) << at;
        EXPECT_GE(exact, kFrames - 3) << at;  // the frame, and the two that are differences to it
        EXPECT_GT(store->reading().damaged, 0u);
        EXPECT_EQ(countExact(*store, 0, kFrames), exact);
    }
}

TEST_F(Damage, EveryFlippedBitOfOneFrameIsFound) {
    {
        const auto store = openStore(options());
        ASSERT_TRUE(store);
        const TestFrame frame = makeNoise({SampleType::Bits8, 3, 2, 3}, 1);
        ASSERT_EQ(store->write(keyOf(0), frame.view(), {}, std::nullopt), DiskStore::Written::Yes);
    }
    const fs::path segment = segmentsIn(scratch_.path()).at(0);
    const std::string sound = contentOf(segment);
    const std::string index = contentOf(indexFile());
    for (std::size_t at = 0; at < sound.size(); ++at) {
        std::string bytes = sound;
        bytes[at] = static_cast<char>(bytes[at] ^ 16);
        replaceContent(segment, bytes);
        for (const char* beside : {"-wal", "-shm"}) fs::remove(indexFile().string() + beside);
        replaceContent(indexFile(), index);
        const auto store = openStore(options());
        ASSERT_TRUE(store);
        EXPECT_TRUE(readFrame(*store, keyOf(0)).empty()) << "byte " << at;
        EXPECT_EQ(store->reading().damaged, 1u);
        EXPECT_EQ(store->reading().totals.frames, 0u);
    }
}

TEST_F(Damage, ACutSegmentLosesWhatWasCutOff) {
    fill();
    const fs::path segment = segmentsIn(scratch_.path()).at(0);
    const auto size = fs::file_size(segment);
    fs::resize_file(segment, size - 10);
    {
        const auto store = openStore(options());
        ASSERT_TRUE(store);
        EXPECT_EQ(countExact(*store, 0, kFrames), kFrames - 1);
        expectRepaints(*store);
    }
    fs::resize_file(segmentsIn(scratch_.path()).at(0), 0);
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    EXPECT_EQ(countExact(*store, 0, kFrames), 0);
    expectRepaints(*store);
}

TEST_F(Damage, ARemovedSegmentLosesItsFrames) {
    fill();
    fs::remove(segmentsIn(scratch_.path()).at(0));
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    EXPECT_EQ(store->reading().totals.frames, 0u);
    expectRepaints(*store);
}

TEST_F(Damage, TheIndexIsMadeAgainWithOneSentence) {
    for (const std::string& garbage : {std::string("no database, but long enough to be one. ") + std::string(5000, 'x'),
                                       std::string("SQLite format 3\0 and then nothing of use", 40)}) {
        fill();
        for (const char* beside : {"-wal", "-shm"}) fs::remove(indexFile().string() + beside);
        replaceContent(indexFile(), garbage);
        const auto store = openStore(options());
        ASSERT_TRUE(store);
        const auto notes = store->takeNotes();
        ASSERT_EQ(notes.size(), 1u);
        EXPECT_THAT(notes[0], HasSubstr("made again"));
        EXPECT_THAT(notes[0], HasSubstr("12 frames"));
        EXPECT_TRUE(store->takeNotes().empty());
        EXPECT_EQ(countExact(*store, 0, kFrames), kFrames);
    }
}

TEST_F(Damage, AMissingIndexIsMadeAgain) {
    fill();
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(indexFile().string() + ending);
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    EXPECT_EQ(store->takeNotes().size(), 1u);
    EXPECT_EQ(countExact(*store, 0, kFrames), kFrames);
}

TEST_F(Damage, AnIndexOfAnotherMakeIsMadeAgain) {
    fill();
    for (const char* ending : {"", "-wal", "-shm"}) fs::remove(indexFile().string() + ending);
    {
        auto other = sqlite::SqliteConnection::open(indexFile());
        ASSERT_TRUE(other);
        ASSERT_TRUE(other->execute("CREATE TABLE frames (id INTEGER)"));
        ASSERT_TRUE(other->execute("PRAGMA user_version = 1"));
    }
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    EXPECT_EQ(store->takeNotes().size(), 1u);
    EXPECT_EQ(countExact(*store, 0, kFrames), kFrames);
}

TEST_F(Damage, FramesThatWereNeverIndexedAreCutOff) {
    fill();
    const fs::path segment = segmentsIn(scratch_.path()).at(0);
    const auto size = fs::file_size(segment);
    replaceContent(segment, contentOf(segment) + std::string(500, 'x'));  // killed while writing
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    EXPECT_EQ(countExact(*store, 0, kFrames), kFrames);
    EXPECT_EQ(writeFrames(*store, 50, 51), 1);
    EXPECT_EQ(countExact(*store, 50, 51), 1);
    EXPECT_EQ(segmentsIn(scratch_.path()).size(), 1u);
    EXPECT_EQ(store->find(keyOf(50))->place.offset, size);
}

TEST_F(Damage, FilesThatAreNoSegmentsStay) {
    fill();
    std::ofstream(scratch_.path() / "holiday.jpg") << "a picture";
    std::ofstream(scratch_.path() / "12.frames") << "not one of ours";
    std::ofstream(scratch_.path() / "00000000000000ff.frames") << "left by a process that was killed";
    const auto store = openStore(options());
    ASSERT_TRUE(store);
    ASSERT_TRUE(store->clear());
    EXPECT_TRUE(fs::exists(scratch_.path() / "holiday.jpg"));
    EXPECT_TRUE(fs::exists(scratch_.path() / "12.frames"));
    EXPECT_FALSE(fs::exists(scratch_.path() / "00000000000000ff.frames"));
}

}  // namespace
}  // namespace reelbrush::cache::testing
