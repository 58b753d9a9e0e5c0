#pragma once

#include "engine/core/status.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::media {

/// A hidden temporary folder in which numbered pictures gather; commit() moves them to their folder, each by a rename.
/// Destroyed without commit() it removes itself, and nothing in the user's folder has changed. Not thread-safe.
class PartFolder {
  public:
    /// target: the folder that the files go to; with mayCreate, commit() makes it where it does not exist (its parent
    /// must). Errors: Io.
    static Result<std::unique_ptr<PartFolder>> create(const std::filesystem::path& target, bool mayCreate);
    ~PartFolder();
    PartFolder(const PartFolder&) = delete;
    PartFolder& operator=(const PartFolder&) = delete;

    /// Where the file that will be called `name` is written.
    std::filesystem::path pathFor(const std::string& name);
    /// Moves all files of pathFor(). Files of the same names are replaced, others stay. Errors: Io.
    Status commit();

  private:
    PartFolder(std::filesystem::path target, std::filesystem::path temporary);

    std::filesystem::path target_, temporary_;
    std::vector<std::string> names_;
};

}  // namespace reelbrush::media
