#include "tests/support/unpack.h"

#include <unistd.h>
#include <zstd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace reelbrush::testing {

namespace {

namespace fs = std::filesystem;

std::string quotedForShell(const fs::path& path) {
    std::string quoted = "'";
    for (const char letter : path.string()) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return quoted + "'";
}

void decompress(const fs::path& archive, std::FILE* sink) {
    std::ifstream packed(archive, std::ios::binary);
    if (!packed) throw std::runtime_error("cannot open " + archive.string());
    const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(), &ZSTD_freeDStream);
    std::vector<char> in(ZSTD_DStreamInSize()), out(ZSTD_DStreamOutSize());
    std::size_t wanted = 1;  // 0 once a whole frame has been read
    while (packed.read(in.data(), static_cast<std::streamsize>(in.size())), packed.gcount() > 0) {
        ZSTD_inBuffer input{in.data(), static_cast<std::size_t>(packed.gcount()), 0};
        while (input.pos < input.size) {
            ZSTD_outBuffer output{out.data(), out.size(), 0};
            wanted = ZSTD_decompressStream(stream.get(), &output, &input);
            if (ZSTD_isError(wanted))
                throw std::runtime_error("cannot unpack " + archive.string() + ": " + ZSTD_getErrorName(wanted));
            if (std::fwrite(out.data(), 1, output.pos, sink) != output.pos)
                throw std::runtime_error("cannot write what " + archive.string() + " holds: is the disk full?");
        }
    }
    if (wanted != 0) throw std::runtime_error("cannot unpack " + archive.string() + ": the file is cut");
}

void decompressToFile(const fs::path& archive, const fs::path& target) {
    const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(target.c_str(), "wb"), &std::fclose);
    if (!file) throw std::runtime_error("cannot create " + target.string());
    decompress(archive, file.get());
    if (std::fflush(file.get()) != 0) throw std::runtime_error("cannot write " + target.string());
}

void decompressTar(const fs::path& archive, const fs::path& target) {
    fs::create_directory(target);
    std::FILE* tar = popen(("tar -xf - -C " + quotedForShell(target)).c_str(), "w");
    if (!tar) throw std::runtime_error("cannot start the program tar to unpack " + archive.string());
    try {
        decompress(archive, tar);
    } catch (...) {
        pclose(tar);
        throw;
    }
    if (pclose(tar) != 0) throw std::runtime_error("the program tar could not unpack " + archive.string());
}

}  // namespace

void unpack(const fs::path& archive, const fs::path& target, PackedAs packedAs) {
    fs::create_directories(target.parent_path());
    const fs::path partial = target.string() + ".partial" + std::to_string(getpid());
    fs::remove_all(partial);
    try {
        if (packedAs == PackedAs::TarArchive)
            decompressTar(archive, partial);
        else
            decompressToFile(archive, partial);
        std::error_code quicker;  // a folder that another process has put there is not replaced
        fs::rename(partial, target, quicker);
        if (quicker && !fs::exists(target))
            throw std::runtime_error("cannot create " + target.string() + ": " + quicker.message());
    } catch (...) {
        fs::remove_all(partial);
        throw;
    }
    fs::remove_all(partial);
}

}  // namespace reelbrush::testing
