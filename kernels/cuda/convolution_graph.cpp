#include "kernels/cuda/convolution_graph.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr const char* kDoing = "describing a convolution to cuDNN";

cudnnDataType_t cudnnTypeOf(DType type) {
    if (type == DType::F16) return CUDNN_DATA_HALF;
    return type == DType::BF16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

/// dims N, C, H, W of values that lie in memory as N, H, W, C.
std::array<std::int64_t, 4> channelsLastStrides(const std::array<std::int64_t, 4>& dims) {
    const auto [n, c, h, w] = dims;
    static_cast<void>(n);
    return {h * w * c, 1, w * c, c};
}

cudnnPointwiseMode_t modeOf(Activation activation) {
    switch (activation) {
        case Activation::Relu:
            return CUDNN_POINTWISE_RELU_FWD;
        case Activation::Gelu:
            return CUDNN_POINTWISE_GELU_FWD;
        case Activation::GeluTanh:
            return CUDNN_POINTWISE_GELU_APPROX_TANH_FWD;
        case Activation::Silu:
        case Activation::QuickGelu:
            return CUDNN_POINTWISE_SWISH_FWD;
        case Activation::None:
            break;
    }
    return CUDNN_POINTWISE_IDENTITY;
}

}  // namespace

ConvolutionShape ConvolutionShape::withoutEpilogue() const {
    ConvolutionShape plain = *this;
    plain.hasBias = plain.hasResidual = false;
    plain.activation = Activation::None;
    return plain;
}

std::string ConvolutionShape::key() const {
    return fmt::format(
        "convolution [{},{},{},{}] to {} kernel {}x{} stride {} pad {},{},{},{} {} bias {} residual {} "
        "activation {}",
        batch, height, width, inputs, outputs, kernelHeight, kernelWidth, stride, padTop, padLeft, padBottom, padRight,
        nameOf(type), hasBias ? 1 : 0, hasResidual ? 1 : 0, static_cast<int>(activation));
}

Result<std::unique_ptr<ConvolutionGraph>> ConvolutionGraph::create(const ConvolutionShape& shape,
                                                                   const CudaContext& context) {
    std::unique_ptr<ConvolutionGraph> graph(new ConvolutionGraph(shape));
    Cursor cursor;
    cursor.operationsLeft =
        1 + (shape.hasBias ? 1 : 0) + (shape.hasResidual ? 1 : 0) + (shape.activation != Activation::None ? 1 : 0);
    RB_TRY(graph->addConvolution(cursor));
    // In this order: cuDNN has kernels at hand for it, and would compile one for bias before residual.
    if (shape.hasResidual)
        RB_TRY(graph->addSum(cursor, ConvolutionTensor::Residual,
                             {shape.batch, shape.outputs, shape.outHeight, shape.outWidth}));
    if (shape.hasBias) RB_TRY(graph->addSum(cursor, ConvolutionTensor::Bias, {1, shape.outputs, 1, 1}));
    if (shape.activation != Activation::None) RB_TRY(graph->addActivation(cursor));

    std::vector<cudnnBackendDescriptor_t> operations;
    for (const CudnnDescriptor& operation : graph->list_) operations.push_back(operation.get());
    graph->operations_.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, context.cudnn)
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, std::span<const cudnnBackendDescriptor_t>(operations));
    RB_TRY(graph->operations_.finalize(kDoing));
    return graph;
}

Result<std::size_t> ConvolutionGraph::addTensor(CudnnDescriptor tensor, const std::array<std::int64_t, 4>& dims) {
    constexpr std::int64_t kAlignmentBytes = 16;
    const std::array<std::int64_t, 4> strides = channelsLastStrides(dims);
    tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span<const std::int64_t>(dims))
        .set(CUDNN_ATTR_TENSOR_STRIDES, std::span<const std::int64_t>(strides))
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignmentBytes);
    RB_TRY(tensor.finalize(kDoing));
    parts_.push_back(std::move(tensor));
    return parts_.size() - 1;
}

Result<std::size_t> ConvolutionGraph::addTensor(ConvolutionTensor id, const std::array<std::int64_t, 4>& dims) {
    CudnnDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, cudnnTypeOf(shape_.type))
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, static_cast<std::int64_t>(id));
    return addTensor(std::move(tensor), dims);
}

/// What lies between two operations is f32 and stays in registers.
Result<std::size_t> ConvolutionGraph::addResult(Cursor& cursor) {
    const std::array<std::int64_t, 4> dims{shape_.batch, shape_.outputs, shape_.outHeight, shape_.outWidth};
    --cursor.operationsLeft;
    if (cursor.operationsLeft == 0) return addTensor(ConvolutionTensor::Y, dims);
    CudnnDescriptor tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, cursor.nextId++)
        .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, true);
    return addTensor(std::move(tensor), dims);
}

Status ConvolutionGraph::addOperation(CudnnDescriptor operation) {
    RB_TRY(operation.finalize(kDoing));
    list_.push_back(std::move(operation));
    return {};
}

Status ConvolutionGraph::addConvolution(Cursor& cursor) {
    using Pair = std::array<std::int64_t, 2>;
    const Pair before{shape_.padTop, shape_.padLeft}, after{shape_.padBottom, shape_.padRight};
    const Pair strides{shape_.stride, shape_.stride}, dilations{1, 1};
    CudnnDescriptor convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION)
        .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2})
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, std::span<const std::int64_t>(before))
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, std::span<const std::int64_t>(after))
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, std::span<const std::int64_t>(strides))
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, std::span<const std::int64_t>(dilations));
    RB_TRY(convolution.finalize(kDoing));

    RB_ASSIGN(const std::size_t x,
              addTensor(ConvolutionTensor::X, {shape_.batch, shape_.inputs, shape_.height, shape_.width}));
    RB_ASSIGN(const std::size_t weights,
              addTensor(ConvolutionTensor::Weights,
                        {shape_.outputs, shape_.inputs, shape_.kernelHeight, shape_.kernelWidth}));
    RB_ASSIGN(cursor.tensor, addResult(cursor));
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, convolution)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, parts_[x])
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, parts_[weights])
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, parts_[cursor.tensor])
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0f)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0f);
    parts_.push_back(std::move(convolution));
    return addOperation(std::move(operation));
}

Status ConvolutionGraph::addSum(Cursor& cursor, ConvolutionTensor id, const std::array<std::int64_t, 4>& dims) {
    CudnnDescriptor sum(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    sum.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_POINTWISE_ADD).set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
    RB_TRY(sum.finalize(kDoing));
    const std::size_t x = cursor.tensor;
    RB_ASSIGN(const std::size_t added, addTensor(id, dims));
    RB_ASSIGN(cursor.tensor, addResult(cursor));
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, sum)
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, parts_[x])
        .set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, parts_[added])
        .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, parts_[cursor.tensor]);
    parts_.push_back(std::move(sum));
    return addOperation(std::move(operation));
}

Status ConvolutionGraph::addActivation(Cursor& cursor) {
    CudnnDescriptor activation(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    activation.set(CUDNN_ATTR_POINTWISE_MODE, modeOf(shape_.activation))
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
    // Swish is x * sigmoid(beta x).
    if (shape_.activation == Activation::Silu) activation.set(CUDNN_ATTR_POINTWISE_SWISH_BETA, 1.0);
    if (shape_.activation == Activation::QuickGelu) activation.set(CUDNN_ATTR_POINTWISE_SWISH_BETA, 1.702);
    RB_TRY(activation.finalize(kDoing));
    const std::size_t x = cursor.tensor;
    RB_ASSIGN(cursor.tensor, addResult(cursor));
    CudnnDescriptor operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, activation)
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, parts_[x])
        .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, parts_[cursor.tensor]);
    parts_.push_back(std::move(activation));
    return addOperation(std::move(operation));
}

}  // namespace reelbrush::kernels
