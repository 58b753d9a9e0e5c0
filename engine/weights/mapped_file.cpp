#include "engine/weights/mapped_file.h"

#include "engine/weights/quoted_name.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace reelbrush::weights {

namespace {

class Descriptor {
  public:
    // O_NONBLOCK: opening a pipe without a writer must not wait for ever; it means nothing for regular files.
    explicit Descriptor(const std::filesystem::path& path)
        : number_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }

  private:
    int number_;
};

tl::unexpected<Error> systemError(const char* action, const std::filesystem::path& path, int code) {
    return fail(StatusCode::Io,
                fmt::format("cannot {} {}: {}", action, quotedPath(path), std::generic_category().message(code)));
}

}  // namespace

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::filesystem::path& path) {
    const Descriptor file(path);
    if (file.number() < 0) return systemError("open", path, errno);
    struct stat about {};
    if (::fstat(file.number(), &about) != 0) return systemError("examine", path, errno);
    if (S_ISDIR(about.st_mode))
        return fail(StatusCode::BadInput, fmt::format("{} is a folder where a file is needed", quotedPath(path)));
    if (!S_ISREG(about.st_mode))
        return fail(StatusCode::BadInput, fmt::format("{} is not a regular file", quotedPath(path)));

    const auto sizeBytes = static_cast<std::size_t>(about.st_size);
    const std::byte* data = nullptr;
    if (sizeBytes > 0) {
        void* address = ::mmap(nullptr, sizeBytes, PROT_READ, MAP_PRIVATE, file.number(), 0);
        if (address == MAP_FAILED) return systemError("map", path, errno);
        data = static_cast<const std::byte*>(address);
    }
    return std::shared_ptr<const MappedFile>(new MappedFile(path, data, sizeBytes));
}

MappedFile::MappedFile(std::filesystem::path path, const std::byte* data, std::size_t sizeBytes)
    : path_(std::move(path)), data_(data), sizeBytes_(sizeBytes) {}

MappedFile::~MappedFile() {
    if (data_) ::munmap(const_cast<std::byte*>(data_), sizeBytes_);
}

void MappedFile::dropPages() const {
    // Advice only: should the system refuse, nothing is lost but the memory it could have had back.
    if (data_) ::madvise(const_cast<std::byte*>(data_), sizeBytes_, MADV_DONTNEED);
}

}  // namespace reelbrush::weights
