#include "kernels/cuda/uploaded_floats.h"

#include "kernels/cuda/cuda_status.h"
#include "kernels/plan/float_weights.h"
#include "kernels/plan/weight_shapes.h"

namespace reelbrush::kernels {

namespace {

constexpr std::size_t kAlignmentFloats = 64;

}  // namespace

Result<UploadedFloats> UploadedFloats::load(const StepRequest& request, const CudaContext& context) {
    UploadedFloats floats;
    floats.node_ = request.node;
    floats.inputs_.assign(request.inputs.begin(), request.inputs.end());
    floats.stream_ = context.stream;
    std::size_t count = 0;
    for (const WeightNeed& need : weightNeeds(request.node.op, request.inputs)) {
        floats.offsets_.push_back(count);
        const auto elements = static_cast<std::size_t>(need.shape.elements());
        count += (elements + kAlignmentFloats - 1) / kAlignmentFloats * kAlignmentFloats;
    }
    RB_ASSIGN(floats.memory_, context.allocate(count * sizeof(float), "weights on the GPU"));
    RB_TRY(floats.reload(request.weights));
    return floats;
}

Status UploadedFloats::reload(const WeightProvider& weights) {
    const auto needs = weightNeeds(node_.op, inputs_);
    for (std::size_t i = 0; i < needs.size(); ++i) {
        RB_ASSIGN(const std::vector<float> values, loadFloats(weights, node_.weights[i], needs[i].shape));
        float* to = reinterpret_cast<float*>(memory_->data()) + offsets_[i];
        RB_TRY(cudaStatus(
            cudaMemcpyAsync(to, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice, stream_),
            "copying weights to the GPU"));
        RB_TRY(cudaStatus(cudaStreamSynchronize(stream_), "copying weights to the GPU"));
    }
    return {};
}

}  // namespace reelbrush::kernels
