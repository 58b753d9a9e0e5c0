#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace reelbrush::kernels {

/// Which algorithm was fastest for which shape, remembered in memory and, where there is a file, between runs.
/// The file is JSON, {"version": 1, "machines": {machine: {shape: algorithm}}}, and a pure cache: one that is missing,
/// damaged or of another version counts as empty and is replaced, a folder that cannot be written to is no error.
/// Several programs may share it: it is replaced as a whole, and what others wrote meanwhile is kept.
/// Thread-safe.
class AlgorithmCache {
  public:
    /// file: may be empty. machine: everything but the shape that decides (processor, instructions, threads).
    AlgorithmCache(std::filesystem::path file, std::string machine);

    std::optional<std::string> find(const std::string& shape) const;
    /// Remembers a choice and writes the file.
    void remember(const std::string& shape, const std::string& algorithm);

  private:
    void save() const;

    const std::filesystem::path file_;
    const std::string machine_;
    mutable std::mutex mutex_;
    std::map<std::string, std::string> choices_;   ///< all that are in force
    std::map<std::string, std::string> measured_;  ///< those among them that this process adds to the file
};

}  // namespace reelbrush::kernels
