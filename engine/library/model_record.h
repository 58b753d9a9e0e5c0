#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace reelbrush::library {

/// What the library knows of a model without opening it again. Texts come from files of any origin: they are trimmed,
/// free of control characters, valid UTF-8 and at most some hundred bytes long.
struct ModelRecord {
    std::filesystem::path path;      ///< absolute: a file, or a folder in the diffusers layout
    std::filesystem::path relative;  ///< to the folder of the library that it was found in
    std::uint64_t sizeBytes = 0;     ///< of all weights files
    std::int64_t modifiedNs = 0;     ///< of the file or of the folder's newest configuration or weights
    std::uint64_t companions = 0;    ///< changes with the pictures and sidecars that lie beside it
    /// As weights::nameOf(ModelKind) calls it, or "model folder"; for what is not read "pickle", "GGUF" or "download";
    /// empty where it cannot be told.
    std::string kind;
    std::string baseModel;   ///< "SD 1.5", "SDXL" ...; empty where unknown
    std::string variant;     ///< "inpainting", "Plus" ...
    std::string prediction;  ///< "v-prediction" ...; empty for the plain form
    std::string title, author, licence, description;
    std::vector<std::string> triggerWords;
    std::string family;               ///< of LoRAs: "PEFT", "LoHa (LyCORIS)" ...
    std::int64_t rank = 0;            ///< of LoRAs, the largest; 0 where there is none
    std::filesystem::path thumbnail;  ///< a picture beside the file, or one taken out of it; empty for none
    std::string xxh3;                 ///< XXH3-128 of the weights files, 32 hex digits; empty until verified
    std::string problem;              ///< why it cannot be used, a sentence; empty where it can

    /// What it is asked for by: the relative path without ending.
    std::string name() const;
};

}  // namespace reelbrush::library
