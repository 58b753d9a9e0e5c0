#include "kernels/cuda/trace/activity_trace.h"

namespace reelbrush::kernels {

Result<std::unique_ptr<CudaTrace>> startActivityTrace(std::shared_ptr<Tracer>) {
    return fail(StatusCode::Unsupported,
                "the trace tells nothing of the GPU: this program was built without the headers of CUPTI");
}

}  // namespace reelbrush::kernels
