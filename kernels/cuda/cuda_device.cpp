#include "kernels/cuda/cuda_device.h"

#include "kernels/cuda/convert_values.h"
#include "kernels/cuda/cuda_status.h"

#include <utility>

namespace reelbrush::kernels {

namespace {

/// A captured CUDA graph.
class CudaRecording final : public Recording {
  public:
    CudaRecording(cudaGraphExec_t graph, cudaStream_t stream) : graph_(graph), stream_(stream) {}
    ~CudaRecording() override { cudaGraphExecDestroy(graph_); }
    CudaRecording(const CudaRecording&) = delete;
    CudaRecording& operator=(const CudaRecording&) = delete;

    Status replay() override { return cudaStatus(cudaGraphLaunch(graph_, stream_), "starting a CUDA graph"); }

  private:
    cudaGraphExec_t graph_;
    cudaStream_t stream_;
};

class Event {
  public:
    Event() { cudaEventCreate(&event_); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    cudaEvent_t get() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<DeviceMemory>> CudaDevice::allocateShared(std::size_t bytes, const char* purpose) {
    return PinnedMemory::allocate(bytes, context_.pinnedBudget, purpose);
}

Status CudaDevice::load(const float* shared, std::int64_t count, DType type, std::byte* value) {
    return convertFromFloat(shared, count, type, value, context_.stream);
}

Status CudaDevice::store(const std::byte* value, DType type, std::int64_t count, float* shared) {
    return convertToFloat(value, type, count, shared, context_.stream);
}

Status CudaDevice::finish() {
    return cudaStatus(cudaStreamSynchronize(context_.stream), "computing on the GPU");
}

Result<std::unique_ptr<Recording>> CudaDevice::record(const std::function<Status()>& work) {
    RB_TRY(cudaStatus(cudaStreamBeginCapture(context_.stream, cudaStreamCaptureModeThreadLocal),
                      "recording a CUDA graph"));
    const Status queued = work();
    cudaGraph_t graph = nullptr;
    const Status ended = cudaStatus(cudaStreamEndCapture(context_.stream, &graph), "recording a CUDA graph");
    if (!queued || !ended) {
        if (graph) cudaGraphDestroy(graph);
        return fail(queued ? ended.error() : queued.error());
    }
    cudaGraphExec_t executable = nullptr;
    const Status made = cudaStatus(cudaGraphInstantiate(&executable, graph, 0), "preparing a CUDA graph");
    cudaGraphDestroy(graph);
    RB_TRY(made);
    return std::make_unique<CudaRecording>(executable, context_.stream);
}

Result<double> CudaDevice::timed(const std::function<Status()>& work) {
    const Event before, after;
    RB_TRY(cudaStatus(cudaEventRecord(before.get(), context_.stream), "timing on the GPU"));
    RB_TRY(work());
    RB_TRY(cudaStatus(cudaEventRecord(after.get(), context_.stream), "timing on the GPU"));
    RB_TRY(finish());
    float milliseconds = 0.0f;
    RB_TRY(cudaStatus(cudaEventElapsedTime(&milliseconds, before.get(), after.get()), "timing on the GPU"));
    return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace reelbrush::kernels
