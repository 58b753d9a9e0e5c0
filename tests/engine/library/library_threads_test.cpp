#include "tests/engine/library/library_bench.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <thread>

namespace reelbrush::library {
namespace {

using namespace reelbrush::testing;
using ::testing::IsEmpty;

class LibraryThreads : public LibraryBench {
  protected:
    static constexpr std::size_t kModels = 300;
    void SetUp() override {
        for (std::size_t i = 0; i < kModels; ++i) put(fmt::format("loras{}/ink{}.safetensors", i % 7, i), fakeLora());
    }
};

TEST_F(LibraryThreads, RefreshesInTheBackground) {
    const auto library = opened();
    library->startRefresh();
    library->startRefresh();
    ASSERT_TRUE(library->find("ink17", {"LoRA"})) << "a name is waited for";
    EXPECT_EQ(library->records().size(), kModels);
}

TEST_F(LibraryThreads, CancellingEndsTheWaitingOnly) {
    const auto library = opened();
    const CancelToken cancel;
    cancel.cancel();
    const Status status = library->refresh(cancel);
    // A very fast refresh may have ended before the token was asked.
    EXPECT_TRUE(status || status.error().code == StatusCode::Cancelled);
    const auto found = library->find("ink17", {"LoRA"}, cancel);
    EXPECT_TRUE(found || found.error().code == StatusCode::Cancelled);
    ASSERT_TRUE(library->refresh());
    EXPECT_EQ(library->records().size(), kModels);
}

TEST_F(LibraryThreads, CanGoInTheMiddleOfARefresh) {
    for (int i = 0; i < 20; ++i) {
        const auto library = opened();
        library->startRefresh();
        if (i % 2) std::this_thread::yield();
        if (i % 5 == 0) (void)library->records();
    }
    EXPECT_EQ(refreshed()->records().size(), kModels) << "the index is whole all the same";
}

TEST_F(LibraryThreads, SeveralProgramsShareOneIndex) {
    std::vector<std::jthread> threads;
    for (int program = 0; program < 4; ++program)
        threads.emplace_back([this, program] {
            const auto library = refreshed();
            ASSERT_TRUE(library);
            EXPECT_EQ(library->records().size(), kModels);
            EXPECT_THAT(library->notes(), IsEmpty());
            for (const ModelRecord& record : library->records())
                if (record.name().ends_with(std::to_string(program))) {
                    EXPECT_TRUE(library->setHash(record.path, std::to_string(program)));
                }
        });
    threads.clear();
    const auto library = opened();
    EXPECT_THAT(library->notes(), IsEmpty());
    std::size_t hashed = 0;
    for (const ModelRecord& record : library->records())
        if (!record.xxh3.empty()) {
            EXPECT_TRUE(record.name().ends_with(record.xxh3));
            ++hashed;
        }
    EXPECT_EQ(hashed, kModels * 4 / 10);
}

TEST_F(LibraryThreads, ManyMayAskAtOnce) {
    const auto library = opened();
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&library, thread] {
            for (int i = 0; i < 5; ++i) {
                EXPECT_TRUE(library->find(fmt::format("ink{}", 10 * thread + i), {}));
                EXPECT_FALSE(library->find("nothing", {}));
                (void)library->notes();
            }
        });
}

}  // namespace
}  // namespace reelbrush::library
