/// The rules of the house, applied to the sources as they are.
#include "tests/architecture/file_rules.h"
#include "tests/architecture/layer_rules.h"
#include "tests/architecture/source_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::architecture {
namespace {

const std::vector<SourceFile>& sources() {
    static const std::vector<SourceFile> kSources = readSources(REELBRUSH_SOURCE_DIR);
    return kSources;
}

void expectNone(const std::vector<std::string>& violations) {
    for (const std::string& violation : violations) ADD_FAILURE() << violation;
}

TEST(House, HasSources) {
    EXPECT_GE(sources().size(), 20u);
}

TEST(House, IncludesPointDown) {
    for (const SourceFile& source : sources()) expectNone(includeViolations(source.path, source.text));
}

TEST(House, FilesAreShort) {
    for (const SourceFile& source : sources()) expectNone(lengthViolations(source.path, source.text));
}

TEST(House, NamesSayWhatIsInside) {
    for (const TrackedFile& file : trackedFiles(REELBRUSH_SOURCE_DIR)) expectNone(nameViolations(file.path));
}

TEST(House, CloneStaysSmall) {
    const auto files = trackedFiles(REELBRUSH_SOURCE_DIR);
    EXPECT_GE(files.size(), sources().size() / 2);
    expectNone(sizeViolations(files));
}

}  // namespace
}  // namespace reelbrush::architecture
