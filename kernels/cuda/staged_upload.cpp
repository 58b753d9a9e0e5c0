#include "kernels/cuda/staged_upload.h"

#include "kernels/cuda/cuda_status.h"

namespace reelbrush::kernels {

Result<std::unique_ptr<StagedUpload>> StagedUpload::create(cudaStream_t stream, std::shared_ptr<MemoryBudget> budget) {
    std::unique_ptr<StagedUpload> upload(new StagedUpload(stream));
    RB_ASSIGN(upload->memory_, PinnedMemory::allocate(kPieces * (kPieceBytes + kAppendixBytes), std::move(budget),
                                                      "copying weights to the GPU"));
    for (cudaEvent_t& event : upload->read_)
        RB_TRY(cudaStatus(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making a CUDA event"));
    return upload;
}

StagedUpload::~StagedUpload() {
    for (const cudaEvent_t event : read_)
        if (event) cudaEventDestroy(event);
}

/// An event that was never recorded counts as done.
Result<std::byte*> StagedUpload::nextPiece() {
    current_ = (current_ + 1) % kPieces;
    RB_TRY(cudaStatus(cudaEventSynchronize(read_[current_]), "copying weights to the GPU"));
    return memory_->data() + current_ * (kPieceBytes + kAppendixBytes);
}

Status StagedUpload::pieceIsQueued() {
    return cudaStatus(cudaEventRecord(read_[current_], stream_), "copying weights to the GPU");
}

Status StagedUpload::finish() {
    return cudaStatus(cudaStreamSynchronize(stream_), "copying weights to the GPU");
}

}  // namespace reelbrush::kernels
