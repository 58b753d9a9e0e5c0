#pragma once

#include "engine/core/status.h"
#include "engine/weights/listed_weights.h"
#include "engine/weights/stored_tensors.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::weights {

/// The pristine weights of one model part (a UNet, a VAE ...), under the names they are stored under.
/// An int8 tensor with a half-precision tensor `<name>_scale` of shape [O] or [O,1,...] beside it is one weight:
/// value[o, ...] = int8[o, ...] * scale[o]; the scale tensor is then not listed by itself.
/// Views live as long as this object. Immutable, thread-safe.
class ModelWeights final : public ListedWeights {
  public:
    /// path: a safetensors file or a shard index. Errors: as StoredTensors::open; BadInput for scales whose shape or
    /// values do not fit.
    static Result<std::shared_ptr<const ModelWeights>> open(const std::filesystem::path& path);

    /// Errors: BadInput where missing (with the file), Unsupported for more than four dimensions.
    /// Tensors that the file stores at an address unfit for their type are copied once, when first asked for.
    Result<kernels::WeightView> find(std::string_view name) const override;
    bool contains(std::string_view name) const override;

    /// Sorted, without the scales of int8 weights.
    const std::vector<std::string>& names() const override { return names_; }
    const StoredTensors& stored() const { return *stored_; }
    /// Values over all weights, scales not counted.
    std::int64_t parameters() const;
    /// See MappedFile::dropPages: call it once the weights are packed. Views stay valid.
    void dropPages() const override { stored_->dropPages(); }

  private:
    explicit ModelWeights(std::shared_ptr<const StoredTensors> stored) : stored_(std::move(stored)) {}
    Status pairScales();
    const void* alignedData(const StoredTensor& tensor) const;
    /// The scale tensor of an int8 weight, null where it has none.
    const StoredTensor* scaleOf(const StoredTensor& weight) const;

    std::shared_ptr<const StoredTensors> stored_;
    std::vector<std::string> names_;
    mutable std::mutex copiesMutex_;
    mutable std::map<const TensorInfo*, std::vector<std::byte>> alignedCopies_;
};

}  // namespace reelbrush::weights
