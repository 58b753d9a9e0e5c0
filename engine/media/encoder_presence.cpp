#include "engine/media/encoder_presence.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/avutil.h>
}

namespace reelbrush::media {

bool hasEncoder(const std::string& name) {
    return avcodec_find_encoder_by_name(name.c_str()) != nullptr;
}

std::string ffmpegVersion() {
    return av_version_info();
}

}  // namespace reelbrush::media
