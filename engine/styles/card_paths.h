#pragma once

#include <filesystem>
#include <string>

namespace reelbrush::styles {

/// A path as a card's file gives it, seen from the folder of that file.
std::filesystem::path absoluteFrom(const std::filesystem::path& cardFile, const std::string& path);

/// How a card's file gives a path: relative where the target lies below the card's folder or below the one above it,
/// so that the folders can be moved together; otherwise absolute.
std::string pathForCard(const std::filesystem::path& target, const std::filesystem::path& cardFile);

/// A model as a card's file gives it: a path where something lies there, otherwise a name for the model library.
std::string modelFrom(const std::filesystem::path& cardFile, const std::string& nameOrPath);
/// The inverse.
std::string modelForCard(const std::string& nameOrPath, const std::filesystem::path& cardFile);

}  // namespace reelbrush::styles
