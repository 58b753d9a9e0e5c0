#include "engine/media/part_file.h"

#include "engine/media/ffmpeg_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace reelbrush::media {

namespace {

namespace fs = std::filesystem;

constexpr int kAttempts = 100;
/// NAME_MAX is 255 bytes; what is left of the stem beside ".", ".part-<pid>-<attempt>" and the extension.
constexpr std::size_t kStemBytes = 200;

std::string megabytes(std::int64_t bytes) {
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

std::string reason(int errorNumber) {
    return std::error_code(errorNumber, std::generic_category()).message();
}

/// A link is followed, so that what it points to is replaced and the link stays.
fs::path followLink(const fs::path& target) {
    std::error_code ignored;
    if (!fs::is_symlink(target, ignored)) return target;
    const fs::path real = fs::weakly_canonical(target, ignored);
    return real.empty() ? target : real;
}

}  // namespace

fs::path partName(const fs::path& folder, const fs::path& target, int attempt) {
    std::string stem = target.stem().string();
    if (stem.size() > kStemBytes) {
        std::size_t end = kStemBytes;
        while (end > 0 && (static_cast<unsigned char>(stem[end]) & 0xC0U) == 0x80U) --end;
        stem.resize(end);
    }
    const std::string again = attempt == 0 ? std::string() : fmt::format("-{}", attempt);
    return folder / fmt::format(".{}.part-{}{}{}", stem, ::getpid(), again, target.extension().string());
}

void syncFolder(const fs::path& folder) {
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    ::fsync(descriptor);
    ::close(descriptor);
}

Result<std::unique_ptr<PartFile>> PartFile::create(const fs::path& wanted) {
    const fs::path target = followLink(wanted);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::error_code status;
    if (!fs::is_directory(folder, status)) {
        return fail(StatusCode::Io, fmt::format("cannot write {}: there is no folder {}; create it first",
                                                quoted(wanted), quoted(folder)));
    }
    if (fs::exists(target, status) && !fs::is_regular_file(target, status)) {
        return fail(StatusCode::Io,
                    fmt::format("cannot write {}: it is not a file; give the name of a file", quoted(wanted)));
    }
    int error = 0;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        const fs::path temporary = partName(folder, target, attempt);
        const int descriptor = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) return std::unique_ptr<PartFile>(new PartFile(target, temporary, descriptor));
        error = errno;
        if (error != EEXIST) break;
    }
    return fail(StatusCode::Io, fmt::format("cannot write into the folder {}: {}; choose another folder or change its "
                                            "permissions",
                                            quoted(folder), reason(error)));
}

PartFile::PartFile(fs::path target, fs::path temporary, int descriptor)
    : target_(std::move(target)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

PartFile::~PartFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool PartFile::write(std::span<const std::uint8_t> bytes) {
    if (failed()) return false;
    while (!bytes.empty()) {
        const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), position_);
        if (written < 0) {
            if (errno == EINTR) continue;
            errorNumber_ = errno;
            return false;
        }
        position_ += written;
        size_ = std::max(size_, position_);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

bool PartFile::seek(std::int64_t position) {
    if (position < 0) return false;
    position_ = position;
    return true;
}

tl::unexpected<Error> PartFile::failure(WorkDone work) const {
    std::string text = fmt::format("cannot write {}: {}", quoted(target_), reason(errorNumber_));
    if (errorNumber_ == EFBIG) {
        text += fmt::format(" (files here may not grow beyond {})", megabytes(size_));
    } else if (errorNumber_ == ENOSPC || errorNumber_ == EDQUOT) {
        std::error_code status;
        const fs::space_info space = fs::space(temporary_.parent_path(), status);
        text += fmt::format("; {} were written", megabytes(size_));
        if (!status) text += fmt::format(" and {} are free", megabytes(static_cast<std::int64_t>(space.available)));
        if (work.done > 0 && work.total > work.done) {
            const double more = static_cast<double>(size_) * static_cast<double>(work.total - work.done) /
                                static_cast<double>(work.done);
            text += fmt::format(", about {} more are needed", megabytes(static_cast<std::int64_t>(more)));
        }
        text += "; free some room or choose another disk";
    }
    return fail(StatusCode::Io, text);
}

Status PartFile::commit(WorkDone work) {
    if (failed()) return failure(work);
    // Some file systems (NFS) find out that the disk is full only here.
    int error = ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS ? errno : 0;
    if (::close(descriptor_) != 0 && error == 0) error = errno;
    descriptor_ = -1;
    if (error == 0 && ::rename(temporary_.c_str(), target_.c_str()) != 0) error = errno;
    if (error != 0) {
        errorNumber_ = error;
        return failure(work);
    }
    temporary_.clear();
    syncFolder(target_.has_parent_path() ? target_.parent_path() : fs::path("."));
    return {};
}

}  // namespace reelbrush::media
