#pragma once

#include "engine/core/status.h"
#include "engine/media/ffmpeg_handles.h"

namespace reelbrush::media {

/// A GPU as FFmpeg's decoders and encoders take it. Works in the device's primary context, which the painter uses too:
/// a context of its own would cost some hundred MiB; and on a stream of its own, so that neither waits for the other.
/// The driver is opened at run time; nothing is linked. index: counted from 0. Thread: any.
/// Errors: Unsupported (no driver, no such card, FFmpeg without CUDA; says which), OutOfMemory.
Result<BufferRef> openCudaVideoDevice(int index);

}  // namespace reelbrush::media
