#pragma once

#include "engine/core/rational.h"

#include <cstdint>
#include <string>
#include <vector>

namespace reelbrush::media {

/// Colour tags of a stream as numbers of ITU-T H.273 (the same as FFmpeg's enums); 2 = unspecified. They are what the
/// file says; colour_defaults.h fills in what it leaves open. matrix is 0 for RGB data. Float pictures have transfer 13
/// (sRGB), which is what they arrive with; tone-mapped HDR has BT.709's tags.
struct ColourTags {
    int primaries = 2;
    int transfer = 2;
    int matrix = 2;
    bool fullRange = false;  ///< where not tagged: as guessed
    bool rangeKnown = false;
    /// H.273 chroma sample location as FFmpeg's AVChromaLocation; 0 = unspecified.
    int chromaLocation = 0;
    /// PQ (16) or HLG (18) transfer.
    bool isHdr() const { return transfer == 16 || transfer == 18; }
};

struct VideoStreamInfo {
    int index = 0;  ///< in the container
    std::string codec;
    std::string pixelFormat;
    int codedWidth = 0, codedHeight = 0;  ///< as stored: before rotation
    int width = 0, height = 0;            ///< as displayed: after rotation
    int bitsPerComponent = 8;             ///< 32: float
    bool hasAlpha = false;
    Rational pixelAspect{1, 1};  ///< width of a pixel over its height, after rotation
    int rotationDegrees = 0;     ///< clockwise turn that display needs: 0, 90, 180, 270
    bool mirrored = false;       ///< flipped left to right before the turn
    bool interlaced = false;
    Rational averageRate;  ///< frames per second, mean over the clip; unknown for pictures
    Rational nominalRate;  ///< as tagged; equals averageRate for constant-rate clips; unknown for pictures
    bool variableRate = false;
    Rational timeBase;            ///< seconds per tick of the container
    Rational startTime;           ///< seconds, of the first frame shown
    Rational duration;            ///< seconds; unknown where the container does not say
    std::int64_t frameCount = 0;  ///< exact where cheap (index or count in container), else estimated
    bool frameCountExact = false;
    ColourTags colour;
};

struct OtherStreamInfo {
    int index = 0;
    std::string kind;  ///< "audio", "subtitle", "data", "attachment"
    std::string codec;
    std::string language;
    int sampleRate = 0, channels = 0;  ///< audio only
    Rational startTime, duration;
};

/// What a file holds, read without decoding more than the first frames. Source: FFmpeg's demuxers.
struct ClipInfo {
    std::string container;    ///< "mov,mp4,m4a,3gp,3g2,mj2", "image2", ...
    bool isPicture = false;   ///< exactly one still picture
    bool isSequence = false;  ///< numbered pictures
    VideoStreamInfo video;
    std::vector<OtherStreamInfo> others;
    std::int64_t sizeBytes = 0;
    Rational duration;
};

}  // namespace reelbrush::media
