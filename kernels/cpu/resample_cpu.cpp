#include "kernels/cpu/resample_cpu.h"

#include "kernels/cpu/bound_step.h"
#include "kernels/cpu/parallel_for.h"

#include <cstring>

namespace reelbrush::kernels {

namespace {

class UpsampleNearestStep : public BoundStep {
  public:
    UpsampleNearestStep(const Shape& in, const Shape& out, int threads) : in_(in), out_(out), threads_(threads) {}

    Status run() override {
        const std::int64_t grain = 16384 / (out_[2] * out_[3]) + 1;
        parallelFor(threads_, out_[0] * out_[1], grain, [this](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                const bool sameAsAbove = row > begin && sourceRow(row) == sourceRow(row - 1);
                if (sameAsAbove)
                    std::memcpy(outputRow(row), outputRow(row - 1), rowBytes());
                else
                    stretchRow(row);
            }
        });
        return {};
    }

  private:
    std::int64_t sourceRow(std::int64_t row) const { return row / out_[1] * in_[1] + row % out_[1] * in_[1] / out_[1]; }
    float* outputRow(std::int64_t row) const { return buffers_.output + row * out_[2] * out_[3]; }
    std::size_t rowBytes() const { return static_cast<std::size_t>(out_[2] * out_[3]) * sizeof(float); }

    void stretchRow(std::int64_t row) const {
        const float* from = buffers_.inputs[0] + sourceRow(row) * in_[2] * in_[3];
        float* to = outputRow(row);
        const std::int64_t channels = out_[3];
        for (std::int64_t x = 0; x < out_[2]; ++x, to += channels)
            std::memcpy(to, from + x * in_[2] / out_[2] * channels, static_cast<std::size_t>(channels) * sizeof(float));
    }

    Shape in_, out_;
    int threads_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeUpsampleNearestStep(const StepRequest& request, int threads) {
    return std::make_unique<UpsampleNearestStep>(request.inputs[0], request.output, threads);
}

}  // namespace reelbrush::kernels
