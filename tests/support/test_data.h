#pragma once

#include <filesystem>
#include <optional>

/// Where tests find the data that is too large to be written in their source. Every function may be called from several
/// test programs at once: unpacking happens beside the target and becomes visible by one rename. Unpacked data lies in
/// the build folder, named after the hash of its archive, and is reused. A broken archive throws std::runtime_error,
/// which GoogleTest reports as the failure of the test. Unpacked data must not be written to.
namespace reelbrush::testing {

/// The values of every stage of three stylisations by the starter model (safetensors; see resources/models/starter).
std::filesystem::path starterGolden();

/// The folder with tokenizer, rng, schedulers, taesd-tiny, ip-adapter-tiny and sd15-tiny (without diffusers/).
std::filesystem::path fixturesFolder();

/// The larger folder that need not be there, with fixtures/, media/ and starter/: $REELBRUSH_FIXTURES, else "shared"
/// beside the source tree. Without it: skip visibly, with GTEST_SKIP().
std::optional<std::filesystem::path> sharedFolder();

/// An empty folder of this test process alone, under the system's temporary folder; removed when the object goes.
class ScratchFolder {
  public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace reelbrush::testing
