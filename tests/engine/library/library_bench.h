#pragma once

#include "engine/library/model_library.h"
#include "tests/engine/library/fake_models.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::library {

/// An empty folder for models, and an index beside it.
class LibraryBench : public ::testing::Test {
  protected:
    using Writer = reelbrush::testing::SafetensorsWriter;

    LibraryBench();

    std::filesystem::path root() const { return options_.folders.front(); }
    /// Writes below the first folder; dates in tests must differ, so each file is a second older than the one before.
    std::filesystem::path put(const std::string& name, const Writer& writer);
    std::filesystem::path put(const std::string& name, const std::string& text);

    /// Another object for the same index; fails the test where it cannot be opened.
    std::unique_ptr<ModelLibrary> opened() const;
    /// Opened and refreshed.
    std::unique_ptr<ModelLibrary> refreshed() const;

    /// Of all records: "loras/ink: LoRA, SD 1.5".
    static std::vector<std::string> shown(const ModelLibrary& library);
    /// The record of that name; fails the test where there is none.
    static ModelRecord recordOf(const ModelLibrary& library, const std::string& name);
    /// The file that find() says, or the error's message.
    static std::string foundBy(ModelLibrary& library, const std::string& name, const std::vector<std::string>& kinds);

    LibraryOptions options_;

  private:
    void age(const std::filesystem::path& file);

    reelbrush::testing::ScratchFolder scratch_;
    int filesPut_ = 0;
};

}  // namespace reelbrush::library
