#include "engine/media/surface_download.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace reelbrush::media::test {

namespace {

Frame emptyFrame(AVPixelFormat format, int width, int height) {
    Frame frame(av_frame_alloc());
    frame->format = format;
    frame->width = width;
    frame->height = height;
    EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
    return frame;
}

template <typename Sample>
Sample& at(AVFrame& frame, int plane, int x, int y) {
    return reinterpret_cast<Sample*>(frame.data[plane] + std::ptrdiff_t{y} * frame.linesize[plane])[x];
}

int lumaOf(int x, int y) {
    return 16 + (x * 7 + y * 3) % 200;
}
int blueOf(int x, int y) {
    return 30 + (x * 5 + y * 11) % 190;
}
int redOf(int x, int y) {
    return 40 + (x * 13 + y) % 180;
}

/// Such a frame as the card gives: bits at the top of each sample.
template <typename Sample>
Frame surfaceLike(AVPixelFormat format, int width, int height, int shift) {
    Frame frame = emptyFrame(format, width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) at<Sample>(*frame, 0, x, y) = static_cast<Sample>(lumaOf(x, y) << shift);
    for (int y = 0; y < (height + 1) / 2; ++y) {
        for (int x = 0; x < (width + 1) / 2; ++x) {
            at<Sample>(*frame, 1, 2 * x, y) = static_cast<Sample>(blueOf(x, y) << shift);
            at<Sample>(*frame, 1, 2 * x + 1, y) = static_cast<Sample>(redOf(x, y) << shift);
        }
    }
    return frame;
}

template <typename Sample>
void expectPlanes(AVFrame& planes, int left, int top) {
    for (int y = 0; y < planes.height; ++y)
        for (int x = 0; x < planes.width; ++x)
            ASSERT_EQ(at<Sample>(planes, 0, x, y), lumaOf(x + left, y + top)) << x << ',' << y;
    for (int y = 0; y < planes.height / 2; ++y) {
        for (int x = 0; x < planes.width / 2; ++x) {
            ASSERT_EQ(at<Sample>(planes, 1, x, y), blueOf(x + left / 2, y + top / 2)) << x << ',' << y;
            ASSERT_EQ(at<Sample>(planes, 2, x, y), redOf(x + left / 2, y + top / 2)) << x << ',' << y;
        }
    }
}

}  // namespace

TEST(SurfacePlanes, EightBitsBecomeThreePlanes) {
    for (const auto& [width, height] : {std::pair{64, 48}, {2, 2}, {322, 182}, {33, 17}}) {
        const Frame pairs = surfaceLike<std::uint8_t>(AV_PIX_FMT_NV12, width, height, 0);
        auto planes = planesOf(*pairs, AV_PIX_FMT_YUVJ420P);
        ASSERT_TRUE(planes) << planes.error().message;
        EXPECT_EQ((*planes)->format, AV_PIX_FMT_YUVJ420P);
        expectPlanes<std::uint8_t>(**planes, 0, 0);
    }
}

TEST(SurfacePlanes, TenAndTwelveBitsMoveDown) {
    const Frame ten = surfaceLike<std::uint16_t>(AV_PIX_FMT_P010LE, 66, 38, 6);
    auto planes = planesOf(*ten, AV_PIX_FMT_YUV420P10LE);
    ASSERT_TRUE(planes) << planes.error().message;
    expectPlanes<std::uint16_t>(**planes, 0, 0);
    const Frame twelve = surfaceLike<std::uint16_t>(AV_PIX_FMT_P016LE, 66, 38, 4);
    planes = planesOf(*twelve, AV_PIX_FMT_YUV420P12LE);
    ASSERT_TRUE(planes) << planes.error().message;
    expectPlanes<std::uint16_t>(**planes, 0, 0);
}

TEST(SurfacePlanes, TagsTimesAndCroppingCome) {
    const Frame pairs = surfaceLike<std::uint8_t>(AV_PIX_FMT_NV12, 128, 64, 0);
    pairs->color_primaries = AVCOL_PRI_BT2020;
    pairs->colorspace = AVCOL_SPC_BT2020_NCL;
    pairs->color_range = AVCOL_RANGE_JPEG;
    pairs->chroma_location = AVCHROMA_LOC_TOPLEFT;
    pairs->best_effort_timestamp = 1234;
    pairs->pkt_duration = 7;
    pairs->interlaced_frame = 1;
    pairs->crop_left = 64;
    pairs->crop_top = 4;
    auto planes = planesOf(*pairs, AV_PIX_FMT_YUV420P);
    ASSERT_TRUE(planes) << planes.error().message;
    EXPECT_EQ((*planes)->width, 64);
    EXPECT_EQ((*planes)->height, 60);
    expectPlanes<std::uint8_t>(**planes, 64, 4);
    EXPECT_EQ((*planes)->color_primaries, AVCOL_PRI_BT2020);
    EXPECT_EQ((*planes)->colorspace, AVCOL_SPC_BT2020_NCL);
    EXPECT_EQ((*planes)->color_range, AVCOL_RANGE_JPEG);
    EXPECT_EQ((*planes)->chroma_location, AVCHROMA_LOC_TOPLEFT);
    EXPECT_EQ((*planes)->best_effort_timestamp, 1234);
    EXPECT_EQ((*planes)->pkt_duration, 7);
    EXPECT_EQ((*planes)->interlaced_frame, 1);
}

TEST(SurfacePlanes, OtherLayoutsAreRefused) {
    const Frame eight = surfaceLike<std::uint8_t>(AV_PIX_FMT_NV12, 64, 48, 0);
    EXPECT_FALSE(planesOf(*eight, AV_PIX_FMT_YUV420P10LE));
    EXPECT_FALSE(planesOf(*eight, AV_PIX_FMT_YUV444P));
    EXPECT_FALSE(planesOf(*eight, AV_PIX_FMT_NONE));
    const Frame deep = surfaceLike<std::uint16_t>(AV_PIX_FMT_P010LE, 64, 48, 6);
    EXPECT_FALSE(planesOf(*deep, AV_PIX_FMT_YUV420P));
    const Frame full = emptyFrame(AV_PIX_FMT_YUV444P, 64, 48);
    EXPECT_FALSE(planesOf(*full, AV_PIX_FMT_YUV420P));
}

}  // namespace reelbrush::media::test
