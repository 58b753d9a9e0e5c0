#include "kernels/cpu/elementwise_cpu.h"

#include "kernels/cpu/bound_step.h"
#include "kernels/cpu/parallel_for.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/elementwise_cpu.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/vector_math-inl.h"
#include "kernels/cpu/vector_tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

void addRun(const float* a, const float* b, float* y, std::size_t count) {
    const hn::ScalableTag<float> d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
        const auto low = hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i));
        const auto high = hn::Add(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes));
        hn::StoreU(low, d, y + i);
        hn::StoreU(high, d, y + i + lanes);
    }
    for (; i < count; i += lanes) {
        const std::size_t left = std::min(lanes, count - i);
        storeFirst(hn::Add(loadFirst(d, a + i, left), loadFirst(d, b + i, left)), d, y + i, left);
    }
}

void affineRun(const Affine& op, const float* x, float* y, std::size_t count) {
    mapRun(x, y, count, [&op](auto d, auto v) HWY_ATTR {
        const auto scaled = hn::MulAdd(v, hn::Set(d, op.scale), hn::Set(d, op.offset));
        return hn::Min(hn::Set(d, op.high), hn::Max(hn::Set(d, op.low), scaled));
    });
}

void softClampRun(float limit, const float* x, float* y, std::size_t count) {
    mapRun(x, y, count, [limit](auto d, auto v) HWY_ATTR {
        return hn::Mul(hn::Set(d, limit), tanhOf(d, hn::Mul(v, hn::Set(d, 1.0f / limit))));
    });
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(addRun);
HWY_EXPORT(affineRun);
HWY_EXPORT(softClampRun);

namespace {

/// Values that are worth a thread.
constexpr std::int64_t kGrain = 16384;

/// y = a + b, where b, `repeated` values long, starts again when it ends.
class AddStep : public BoundStep {
  public:
    AddStep(std::int64_t count, std::int64_t repeated, int threads)
        : count_(count), repeated_(repeated), threads_(threads) {}

    Status run() override {
        parallelFor(threads_, count_, kGrain, [this](std::int64_t begin, std::int64_t end) {
            while (begin < end) {
                const std::int64_t place = begin % repeated_;
                const std::int64_t length = std::min(end - begin, repeated_ - place);
                HWY_DYNAMIC_DISPATCH(addRun)
                (buffers_.inputs[0] + begin, buffers_.inputs[1] + place, buffers_.output + begin,
                 static_cast<std::size_t>(length));
                begin += length;
            }
        });
        return {};
    }

  private:
    std::int64_t count_, repeated_;
    int threads_;
};

class AddChannelsStep : public BoundStep {
  public:
    AddChannelsStep(const Shape& shape, bool isShared, int threads)
        : rows_(shape.rows()),
          sampleRows_(shape.rows() / std::max<std::int64_t>(shape.batch(), 1)),
          channels_(shape.channels()),
          isShared_(isShared),
          threads_(threads) {}

    Status run() override {
        parallelFor(threads_, rows_, kGrain / channels_ + 1, [this](std::int64_t begin, std::int64_t end) {
            for (std::int64_t row = begin; row < end; ++row) {
                const float* vector = buffers_.inputs[1] + (isShared_ ? 0 : row / sampleRows_ * channels_);
                HWY_DYNAMIC_DISPATCH(addRun)
                (buffers_.inputs[0] + row * channels_, vector, buffers_.output + row * channels_,
                 static_cast<std::size_t>(channels_));
            }
        });
        return {};
    }

  private:
    std::int64_t rows_, sampleRows_, channels_;
    bool isShared_;
    int threads_;
};

class AffineStep : public BoundStep {
  public:
    AffineStep(const Affine& op, std::int64_t count, int threads) : op_(op), count_(count), threads_(threads) {}

    Status run() override {
        parallelFor(threads_, count_, kGrain, [this](std::int64_t begin, std::int64_t end) {
            HWY_DYNAMIC_DISPATCH(affineRun)
            (op_, buffers_.inputs[0] + begin, buffers_.output + begin, static_cast<std::size_t>(end - begin));
        });
        return {};
    }

  private:
    Affine op_;
    std::int64_t count_;
    int threads_;
};

/// The factor is read when the step runs.
class ScaleByStep : public BoundStep {
  public:
    ScaleByStep(int index, std::int64_t count, int threads) : index_(index), count_(count), threads_(threads) {}

    Status run() override {
        const Affine op{.scale = buffers_.inputs[1][index_]};
        parallelFor(threads_, count_, kGrain, [this, &op](std::int64_t begin, std::int64_t end) {
            HWY_DYNAMIC_DISPATCH(affineRun)
            (op, buffers_.inputs[0] + begin, buffers_.output + begin, static_cast<std::size_t>(end - begin));
        });
        return {};
    }

  private:
    int index_;
    std::int64_t count_;
    int threads_;
};

class SoftClampStep : public BoundStep {
  public:
    SoftClampStep(float limit, std::int64_t count, int threads) : limit_(limit), count_(count), threads_(threads) {}

    Status run() override {
        parallelFor(threads_, count_, kGrain, [this](std::int64_t begin, std::int64_t end) {
            HWY_DYNAMIC_DISPATCH(softClampRun)
            (limit_, buffers_.inputs[0] + begin, buffers_.output + begin, static_cast<std::size_t>(end - begin));
        });
        return {};
    }

  private:
    float limit_;
    std::int64_t count_;
    int threads_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeAddStep(const StepRequest& request, int threads) {
    return std::make_unique<AddStep>(request.output.elements(), request.inputs[1].elements(), threads);
}

Result<std::unique_ptr<Step>> makeAddChannelsStep(const StepRequest& request, int threads) {
    return std::make_unique<AddChannelsStep>(request.output, request.inputs[1].batch() == 1, threads);
}

Result<std::unique_ptr<Step>> makeAffineStep(const StepRequest& request, int threads) {
    return std::make_unique<AffineStep>(std::get<Affine>(request.node.op), request.output.elements(), threads);
}

Result<std::unique_ptr<Step>> makeScaleByStep(const StepRequest& request, int threads) {
    return std::make_unique<ScaleByStep>(std::get<ScaleBy>(request.node.op).index, request.output.elements(), threads);
}

Result<std::unique_ptr<Step>> makeSoftClampStep(const StepRequest& request, int threads) {
    return std::make_unique<SoftClampStep>(std::get<SoftClamp>(request.node.op).limit, request.output.elements(),
                                           threads);
}

}  // namespace reelbrush::kernels
#endif
