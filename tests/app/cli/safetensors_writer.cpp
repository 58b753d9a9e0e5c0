#include "tests/app/cli/safetensors_writer.h"

#include <fstream>
#include <vector>

namespace reelbrush::cli::testing {

void writeSafetensors(const std::filesystem::path& file, const std::string& header, std::size_t dataBytes,
                      std::int64_t headerBytes) {
    const auto claimed = headerBytes < 0 ? header.size() : static_cast<std::uint64_t>(headerBytes);
    std::ofstream stream(file, std::ios::binary);
    for (int byte = 0; byte < 8; ++byte) stream.put(static_cast<char>(claimed >> (8 * byte) & 0xFF));
    stream << header;
    const std::vector<char> zeros(dataBytes, 0);
    stream.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
}

}  // namespace reelbrush::cli::testing
