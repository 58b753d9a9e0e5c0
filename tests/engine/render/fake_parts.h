#pragma once

#include "engine/diffusion/frame_painter.h"
#include "engine/media/frame_sink.h"
#include "engine/media/frame_source.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <stdexcept>

/// Stand-ins for FFmpeg and the model: as little as the pipeline needs, and switches to make each of them fail.
namespace reelbrush::render::testing {

/// How many frames left the source and did not reach the sink yet, and the most that there ever were.
struct FramesInFlight {
    std::atomic<int> now{0};
    std::atomic<int> most{0};

    void entered() {
        const int count = ++now;
        int seen = most.load();
        while (count > seen && !most.compare_exchange_weak(seen, count)) {
        }
    }
    void left() { --now; }
};

class FakeSource : public media::FrameSource {
  public:
    FakeSource(int frames, cv::Size size, FramesInFlight* flight = nullptr)
        : frames_(frames), size_(size), flight_(flight) {
        info_.video.width = size.width;
        info_.video.height = size.height;
        info_.video.frameCount = frames;
        info_.video.averageRate = info_.video.nominalRate = Rational(25);
    }
    const media::ClipInfo& info() const override { return info_; }
    Result<std::optional<media::VideoFrame>> next() override {
        if (onNext) onNext();
        if (next_ == failAt) return fail(StatusCode::BadInput, "the source is damaged");
        if (next_ == throwAt) throw std::runtime_error("thrown by the source");
        if (next_ >= frames_) return std::optional<media::VideoFrame>();
        media::VideoFrame frame;
        // Shots of very different looks, so that the cut detector finds their borders.
        frame.rgb = cv::Mat(size_, CV_32FC3, cv::Scalar(0.2, 0.8, 0.3));
        if (cutAt >= 0 && next_ >= cutAt)
            for (int y = 0; y < size_.height; ++y)
                for (int x = 0; x < size_.width; ++x)
                    frame.rgb.at<cv::Vec3f>(y, x) = (x / 8 + y / 8) % 2 ? cv::Vec3f(1, 0, 0) : cv::Vec3f(0, 0, 1);
        else
            frame.rgb(cv::Rect(0, 0, size_.width / 2, size_.height / 2)).setTo(cv::Scalar(0.9, 0.9, 0.1));
        frame.time = Rational(next_, 25);
        frame.index = next_++;
        if (flight_) flight_->entered();
        return std::optional<media::VideoFrame>(std::move(frame));
    }
    int delivered() const { return next_; }

    int failAt = -1, throwAt = -1, cutAt = -1;
    std::function<void()> onNext;

  private:
    const int frames_;
    const cv::Size size_;
    FramesInFlight* flight_;
    std::atomic<int> next_{0};
    media::ClipInfo info_;
};

/// Paints the structure upside down in value, and remembers what it was asked for.
class FakePainter : public diffusion::FramePainter {
  public:
    diffusion::PainterNeeds needs() const override { return wanted; }
    Status switchLoras(const std::vector<diffusion::LoraChoice>& loras, const CancelToken&) override {
        if (failSwitch) return fail(StatusCode::BadInput, "a LoRA for another model");
        switchedLoras = loras;
        return {};
    }
    Status setStyle(const diffusion::StyleInputs& style, const CancelToken&) override {
        stylePictures = static_cast<int>(style.pictures.size());
        return {};
    }
    void beginShot(const diffusion::PaintSettings& settings) override { shotSeeds.push_back(settings.seed); }
    Status paint(std::span<const diffusion::FrameInput> frames, const diffusion::PaintSettings& settings,
                 const CancelToken& cancel, std::span<const std::span<float>> out) override {
        windows.emplace_back(frames.size(), out.size());
        if (!wanted.relatesFrames && frames.size() != out.size())
            return fail(StatusCode::Internal, "frames that were painted already");
        for (std::size_t i = 0; i < out.size(); ++i)
            RB_TRY(paintOne(frames[frames.size() - out.size() + i].picture, settings, cancel, out[i]));
        return {};
    }
    Status paintOne(std::span<const float> structure, const diffusion::PaintSettings& settings,
                    const CancelToken& cancel, std::span<float> out) {
        if (painted == failAt) return fail(StatusCode::Internal, "the painter broke");
        if (painted == throwAt) throw std::runtime_error("thrown by the painter");
        if (structure.size() != out.size()) return fail(StatusCode::Internal, "sizes differ");
        for (int step = 0; step < settings.steps; ++step) {
            if (onStep) onStep(painted, step);
            RB_TRY(cancel.check());
            ++steps;
        }
        std::transform(structure.begin(), structure.end(), out.begin(), [](float value) { return 1 - value; });
        ++painted;
        return {};
    }
    diffusion::PainterMemory memory() const override { return {1 << 20, 1 << 20, 1 << 20}; }
    const std::vector<std::string>& loraReports() const override { return reports; }
    const std::vector<std::string>& notes() const override { return noteList; }

    int failAt = -1, throwAt = -1;
    bool failSwitch = false;
    std::vector<diffusion::LoraChoice> switchedLoras;
    int painted = 0, steps = 0, stylePictures = -1;
    std::vector<std::uint64_t> shotSeeds;
    std::function<void(int frame, int step)> onStep;
    std::vector<std::string> reports, noteList;
    diffusion::PainterNeeds wanted{.styleWidth = 224, .styleHeight = 224};
    std::vector<std::pair<std::size_t, std::size_t>> windows;  ///< of each call: frames seen, frames painted
};

class FakeSink : public media::FrameSink {
  public:
    explicit FakeSink(FramesInFlight* flight = nullptr) : flight_(flight) {}
    Status write(const media::VideoFrame& frame) override {
        if (static_cast<int>(times.size()) == failAt) return fail(StatusCode::Io, "the disk is full");
        if (static_cast<int>(times.size()) == throwAt) throw std::bad_alloc();
        if (onWrite) onWrite();
        times.push_back(frame.time);
        last = frame.rgb.clone();
        if (flight_) flight_->left();
        return {};
    }
    Status finish() override {
        if (failFinish) return fail(StatusCode::Io, "the disk is full at the end");
        finished = true;
        return {};
    }
    const std::vector<std::string>& notes() const override { return noteList; }
    std::int64_t bytesWritten() const override { return 0; }

    int failAt = -1, throwAt = -1;
    bool failFinish = false, finished = false;
    std::vector<Rational> times;
    cv::Mat last;
    std::function<void()> onWrite;
    std::vector<std::string> noteList;

  private:
    FramesInFlight* flight_;
};

}  // namespace reelbrush::render::testing
