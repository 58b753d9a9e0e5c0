#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/streamed_weight.h"
#include "kernels/cuda/weight_pool.h"
#include "kernels/plan/step.h"
#include "kernels/plan/weight_shapes.h"

#include <memory>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// What a Conv2d or Linear multiplies with, in the context's type: outputs as rows, those of several parts one below
/// the other; [outputs, kernel height, kernel width, inputs]. Biases are of the same type, as the fused epilogues of
/// cuDNN and cuBLASLt want them. Addresses never change, so that recorded work stays valid.
///
/// Where the context's placement says so, the product's weights are int8 until they are needed, or in the host's
/// memory, or both: fetch() brings them, release() lets them go. Biases always lie on the device.
class CudaWeights {
  public:
    /// How many outputs and inputs are held; those beyond the layer's own are zeros. 0: as many as the layer has.
    struct Padding {
        std::int64_t outputs = 0, inputs = 0;
    };
    /// request: of a Conv2d or a Linear. context must outlive this.
    /// Errors: BadInput where a weight is missing or of another shape, OutOfMemory.
    static Result<std::shared_ptr<CudaWeights>> load(const StepRequest& request, const CudaContext& context,
                                                     Padding padding);

    /// Reads all again, into the same places, and waits until it is done. Where this fails, the old weights are still
    /// there, but for an Internal error.
    Status reload(const WeightProvider& weights);

    /// Room in a step's scratch where the product's weights are expanded; 0 where they are kept as they are used.
    std::size_t roomBytes() const { return isQuantised_ ? expandedBytes() : 0; }
    /// Where they are for the product. room: of roomBytes(), 256-byte aligned; the same in each call.
    const void* product(std::byte* room) const;
    /// Queues what is needed so that what is queued next finds the weights at product(room).
    Status fetch(std::byte* room) const;
    /// To be called behind the product.
    Status release() const;
    /// True: fetch() and release() do nothing. For timing a product alone, whatever its weights are then.
    void stayAway(bool away) { isAway_ = away; }

    /// [outputs]; zeros for a part that has none. Null where no part has one.
    const void* bias() const { return bias_.data(); }
    bool hasBias() const { return hasBias_; }
    std::size_t deviceBytes() const { return kept_.sizeBytes() + bias_.sizeBytes(); }
    std::size_t hostBytes() const { return streamed_ ? streamed_->sizeBytes() : 0; }
    /// Null where it lies on the device.
    StreamedWeight* streamed() const { return streamed_.get(); }

  private:
    /// One stored weight and where its rows begin.
    struct Part {
        std::string name;  ///< "": absent
        WeightNeed need;
        std::int64_t firstRow = 0;
    };

    explicit CudaWeights(const CudaContext& context) : context_(context) {}
    void listParts(const StepRequest& request);
    std::size_t values() const { return static_cast<std::size_t>(outputs_ * area_ * pitch_); }
    std::size_t expandedBytes() const;
    Status takeMemory();
    Result<std::vector<WeightView>> findAll(const WeightProvider& weights) const;
    Status uploadAll(std::vector<WeightView>& views, bool biases, std::byte* to) const;
    Status upload(const WeightView& view, const Part& part, std::byte* to) const;
    Status pack(std::vector<WeightView>& views) const;

    const CudaContext& context_;
    std::vector<Part> parts_;
    std::int64_t outputs_ = 0, pitch_ = 0, area_ = 1;
    bool hasBias_ = false, isQuantised_ = false, isAway_ = false;
    PooledMemory kept_, bias_;                  ///< kept_: of the product, where it is on the device
    std::unique_ptr<StreamedWeight> streamed_;  ///< else
};

/// While it lives, steps that share the weights run without them.
class WithoutWeights {
  public:
    explicit WithoutWeights(CudaWeights& weights) : weights_(weights) { weights_.stayAway(true); }
    ~WithoutWeights() { weights_.stayAway(false); }
    WithoutWeights(const WithoutWeights&) = delete;
    WithoutWeights& operator=(const WithoutWeights&) = delete;

  private:
    CudaWeights& weights_;
};

}  // namespace reelbrush::kernels
