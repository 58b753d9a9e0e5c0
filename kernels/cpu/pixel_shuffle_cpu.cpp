#include "kernels/cpu/pixel_shuffle_cpu.h"

#include "kernels/cpu/bound_step.h"
#include "kernels/cpu/parallel_for.h"

namespace reelbrush::kernels {

namespace {

/// Both directions walk the small picture, whose pixels hold channels * factor^2 values. Pictures have 3 channels here
/// and the whole is a few milliseconds of memory traffic at most, so plain loops do.
class PixelShuffleStep : public BoundStep {
  public:
    /// packed: the shape with factor^2 times the channels.
    PixelShuffleStep(const Shape& packed, int factor, bool unshuffles, int threads)
        : packed_(packed), factor_(factor), unshuffles_(unshuffles), threads_(threads) {}

    Status run() override {
        const std::int64_t grain = 8192 / (packed_[2] * packed_[3]) + 1;
        parallelFor(threads_, packed_[0] * packed_[1], grain, [this](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row)
                for (int dy = 0; dy < factor_; ++dy)
                    for (int dx = 0; dx < factor_; ++dx) moveLattice(row, dy, dx);
        });
        return {};
    }

  private:
    /// The pixels at one place within the factor x factor squares of a row of squares.
    void moveLattice(std::int64_t row, int dy, int dx) const {
        const std::int64_t squares = factor_ * factor_, channels = packed_[3] / squares;
        std::int64_t packedIndex = row * packed_[2] * packed_[3] + dy * factor_ + dx;
        std::int64_t wideIndex = ((row * factor_ + dy) * packed_[2] * factor_ + dx) * channels;
        for (std::int64_t x = 0; x < packed_[2]; ++x, packedIndex += packed_[3], wideIndex += factor_ * channels)
            for (std::int64_t c = 0; c < channels; ++c) {
                if (unshuffles_)
                    buffers_.output[packedIndex + c * squares] = buffers_.inputs[0][wideIndex + c];
                else
                    buffers_.output[wideIndex + c] = buffers_.inputs[0][packedIndex + c * squares];
            }
    }

    Shape packed_;
    std::int64_t factor_;
    bool unshuffles_;
    int threads_;
};

}  // namespace

Result<std::unique_ptr<Step>> makePixelUnshuffleStep(const StepRequest& request, int threads) {
    return std::make_unique<PixelShuffleStep>(request.output, std::get<PixelUnshuffle>(request.node.op).factor, true,
                                              threads);
}

Result<std::unique_ptr<Step>> makePixelShuffleStep(const StepRequest& request, int threads) {
    return std::make_unique<PixelShuffleStep>(request.inputs[0], std::get<PixelShuffle>(request.node.op).factor, false,
                                              threads);
}

}  // namespace reelbrush::kernels
