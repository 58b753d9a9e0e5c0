#include "kernels/tensor/buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#include <vector>

namespace reelbrush::kernels {

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      sizeBytes_(std::exchange(other.sizeBytes_, 0)),
      claim_(std::move(other.claim_)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    if (this != &other) {
        release();
        data_ = std::exchange(other.data_, nullptr);
        sizeBytes_ = std::exchange(other.sizeBytes_, 0);
        claim_ = std::move(other.claim_);
    }
    return *this;
}

Buffer::~Buffer() {
    release();
}

void Buffer::release() {
    if (!data_) return;
    munmap(data_, sizeBytes_);
    claim_.release();
    data_ = nullptr;
    sizeBytes_ = 0;
}

Result<Buffer> Buffer::allocate(std::size_t bytes, std::shared_ptr<MemoryBudget> budget, const char* purpose) {
    Buffer buffer;
    if (bytes == 0) return buffer;
    RB_ASSIGN(buffer.claim_, MemoryClaim::make(std::move(budget), bytes, purpose));
    void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
        return fail(StatusCode::OutOfMemory,
                    fmt::format("the system refused {:.1f} MiB for {}", bytes / 1048576.0, purpose));
    buffer.data_ = static_cast<std::byte*>(block);
    buffer.sizeBytes_ = bytes;
    return buffer;
}

std::size_t Buffer::residentBytes() const {
    if (!data_) return 0;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> present((sizeBytes_ + page - 1) / page);
    if (mincore(data_, sizeBytes_, present.data()) != 0) return 0;
    std::size_t count = 0;
    for (unsigned char flag : present) count += flag & 1u;
    return count * page;
}

}  // namespace reelbrush::kernels
