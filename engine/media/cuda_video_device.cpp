#include "engine/media/cuda_video_device.h"

#include "engine/media/cuda_driver.h"
#include "engine/media/ffmpeg_error.h"

#include <memory>

/// FFmpeg's header wants CUDA's own one, unless that one is there already. Two opaque types of it are all that is used.
#define CUDA_VERSION 0
using CUcontext = CUctx_st*;
using CUstream = CUstream_st*;

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
}

namespace reelbrush::media {

namespace {

using SharedContext = std::shared_ptr<CudaPrimaryContext>;

/// FFmpeg calls it once nothing uses the device any more.
void giveBack(AVHWDeviceContext* device) {
    delete static_cast<SharedContext*>(device->user_opaque);
}

}  // namespace

Result<BufferRef> openCudaVideoDevice(int index) {
    RB_ASSIGN(const SharedContext context, CudaPrimaryContext::open(index));
    BufferRef reference(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA));
    if (!reference) return fail(StatusCode::Unsupported, "the installed FFmpeg was built without CUDA");
    auto* device = reinterpret_cast<AVHWDeviceContext*>(reference->data);
    auto* cuda = static_cast<AVCUDADeviceContext*>(device->hwctx);
    cuda->cuda_ctx = context->context();
    cuda->stream = context->makeStream();
    if (!cuda->stream) return fail(StatusCode::OutOfMemory, "the graphics card has no memory left for video");
    device->user_opaque = new SharedContext(context);
    device->free = giveBack;
    const int code = av_hwdevice_ctx_init(reference.get());
    if (code < 0) return ffmpegFailure(code, "FFmpeg cannot use the graphics card");
    return reference;
}

}  // namespace reelbrush::media
