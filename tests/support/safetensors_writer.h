#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace reelbrush::testing {

/// Writes small safetensors files for tests; and damaged ones, from a header given as text.
class SafetensorsWriter {
  public:
    using Dims = std::vector<std::int64_t>;

    SafetensorsWriter& addF32(const std::string& name, const Dims& shape, const std::vector<float>& values);
    SafetensorsWriter& addF16(const std::string& name, const Dims& shape, const std::vector<float>& values);
    SafetensorsWriter& addI8(const std::string& name, const Dims& shape, const std::vector<std::int8_t>& values);
    /// dtype: as safetensors spells it; data: the stored bytes.
    SafetensorsWriter& add(const std::string& name, const char* dtype, const Dims& shape, std::string data);
    /// Of zeros: for what only names and shapes decide.
    SafetensorsWriter& addZeros(const std::string& name, const Dims& shape);
    SafetensorsWriter& setMetadata(const std::string& key, const std::string& value);

    /// The file's bytes. headerPadding: spaces after the header, which shift the data's alignment.
    std::string bytes(std::size_t headerPadding = 0) const;
    std::filesystem::path write(const std::filesystem::path& path, std::size_t headerPadding = 0) const;

  private:
    std::string entries_;
    std::map<std::string, std::string> metadata_;
    std::string data_;
};

/// The length of the header, the header, the data.
std::string safetensorsBytes(const std::string& header, const std::string& data);
std::filesystem::path writeBytes(const std::filesystem::path& path, const std::string& bytes);

}  // namespace reelbrush::testing
