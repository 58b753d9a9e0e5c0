#include "tests/engine/library/library_bench.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace reelbrush::library {

namespace fs = std::filesystem;

LibraryBench::LibraryBench() {
    options_.folders = {scratch_.path() / "models"};
    options_.databaseFile = scratch_.path() / "cache" / "models.sqlite";
    options_.thumbnailFolder = scratch_.path() / "cache" / "thumbnails";
    fs::create_directories(root());
}

void LibraryBench::age(const fs::path& file) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::seconds(1000 - filesPut_));
    ++filesPut_;
}

fs::path LibraryBench::put(const std::string& name, const Writer& writer) {
    const fs::path file = writer.write(root() / name);
    age(file);
    return file;
}

fs::path LibraryBench::put(const std::string& name, const std::string& text) {
    const fs::path file = reelbrush::testing::writeBytes(root() / name, text);
    age(file);
    return file;
}

std::unique_ptr<ModelLibrary> LibraryBench::opened() const {
    auto library = ModelLibrary::open(options_);
    EXPECT_TRUE(library) << library.error().message;
    return library ? *std::move(library) : nullptr;
}

std::unique_ptr<ModelLibrary> LibraryBench::refreshed() const {
    auto library = opened();
    if (library) {
        const Status status = library->refresh();
        EXPECT_TRUE(status) << status.error().message;
    }
    return library;
}

std::vector<std::string> LibraryBench::shown(const ModelLibrary& library) {
    std::vector<std::string> lines;
    for (const ModelRecord& record : library.records())
        lines.push_back(record.name() + ": " + record.kind + (record.baseModel.empty() ? "" : ", " + record.baseModel));
    std::sort(lines.begin(), lines.end());
    return lines;
}

ModelRecord LibraryBench::recordOf(const ModelLibrary& library, const std::string& name) {
    for (const ModelRecord& record : library.records())
        if (record.name() == name) return record;
    ADD_FAILURE() << "there is no record of " << name;
    return {};
}

std::string LibraryBench::foundBy(ModelLibrary& library, const std::string& name,
                                  const std::vector<std::string>& kinds) {
    const auto found = library.find(name, kinds);
    return found ? found->path.string() : found.error().message;
}

}  // namespace reelbrush::library
