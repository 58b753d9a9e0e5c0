#pragma once

#include "kernels/cuda/cuda_memory.h"

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

namespace reelbrush::kernels {

/// Page-locked memory through which bytes of files reach the device, a piece at a time: while the device reads one
/// piece, the next is copied. Kept and used again for every weight. Thread: one at a time.
class StagedUpload {
  public:
    static constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
    /// What may be put behind a piece, such as its scales.
    static constexpr std::size_t kAppendixBytes = std::size_t{512} << 10;

    /// stream: where the work that reads pieces is queued; must outlive this. budget: of page-locked memory.
    /// Errors: OutOfMemory.
    static Result<std::unique_ptr<StagedUpload>> create(cudaStream_t stream, std::shared_ptr<MemoryBudget> budget);
    ~StagedUpload();
    StagedUpload(const StagedUpload&) = delete;
    StagedUpload& operator=(const StagedUpload&) = delete;

    /// A piece in memory that the device reaches: kPieceBytes, and behind them kAppendixBytes; 16-byte aligned. Waits
    /// until the device has read what was in it. Errors: those of the device's work.
    Result<std::byte*> nextPiece();
    /// To be called once the work that reads the last piece is queued.
    Status pieceIsQueued();
    /// Waits until the device has read all.
    Status finish();

  private:
    explicit StagedUpload(cudaStream_t stream) : stream_(stream) {}

    static constexpr std::size_t kPieces = 2;
    cudaStream_t stream_;
    std::unique_ptr<PinnedMemory> memory_;
    std::array<cudaEvent_t, kPieces> read_{};  ///< recorded behind the work that reads the piece
    std::size_t current_ = 0;
};

}  // namespace reelbrush::kernels
