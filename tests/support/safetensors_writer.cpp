#include "tests/support/safetensors_writer.h"

#include "kernels/tensor/dtype.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace reelbrush::testing {

namespace {

template <typename T>
std::string rawBytes(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::size_t elements(const SafetensorsWriter::Dims& shape) {
    std::size_t count = 1;
    for (std::int64_t dim : shape) count *= static_cast<std::size_t>(dim);
    return count;
}

}  // namespace

SafetensorsWriter& SafetensorsWriter::addF32(const std::string& name, const Dims& shape,
                                             const std::vector<float>& values) {
    return add(name, "F32", shape, rawBytes(values));
}

SafetensorsWriter& SafetensorsWriter::addF16(const std::string& name, const Dims& shape,
                                             const std::vector<float>& values) {
    std::vector<std::uint16_t> halves;
    for (float value : values) halves.push_back(kernels::floatToHalf(value));
    return add(name, "F16", shape, rawBytes(halves));
}

SafetensorsWriter& SafetensorsWriter::addI8(const std::string& name, const Dims& shape,
                                            const std::vector<std::int8_t>& values) {
    return add(name, "I8", shape, rawBytes(values));
}

SafetensorsWriter& SafetensorsWriter::addZeros(const std::string& name, const Dims& shape) {
    return add(name, "F16", shape, std::string(elements(shape) * 2, '\0'));
}

SafetensorsWriter& SafetensorsWriter::setMetadata(const std::string& key, const std::string& value) {
    metadata_[key] = value;
    return *this;
}

SafetensorsWriter& SafetensorsWriter::add(const std::string& name, const char* dtype, const Dims& shape,
                                          std::string data) {
    if (!entries_.empty()) entries_ += ',';
    entries_ += fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", nlohmann::json(name).dump(),
                            dtype, fmt::join(shape, ","), data_.size(), data_.size() + data.size());
    data_ += data;
    return *this;
}

std::string SafetensorsWriter::bytes(std::size_t headerPadding) const {
    std::string header = "{";
    if (!metadata_.empty()) {
        header += R"("__metadata__":)" + nlohmann::json(metadata_).dump();
        if (!entries_.empty()) header += ',';
    }
    header += entries_ + "}" + std::string(headerPadding, ' ');
    return safetensorsBytes(header, data_);
}

std::filesystem::path SafetensorsWriter::write(const std::filesystem::path& path, std::size_t headerPadding) const {
    return writeBytes(path, bytes(headerPadding));
}

std::string safetensorsBytes(const std::string& header, const std::string& data) {
    const std::uint64_t length = header.size();
    std::string bytes(sizeof length, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    return bytes + header + data;
}

std::filesystem::path writeBytes(const std::filesystem::path& path, const std::string& bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path.string());
    return path;
}

}  // namespace reelbrush::testing
