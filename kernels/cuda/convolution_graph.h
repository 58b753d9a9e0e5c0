#pragma once

#include "kernels/cuda/cuda_context.h"
#include "kernels/cuda/cudnn_descriptor.h"
#include "kernels/ops/activation.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// A convolution as cuDNN computes it, NHWC, sums in f32: y = activation(conv(x, weights) + bias + residual).
/// x [batch,height,width,inputs]; weights [outputs,kernelHeight,kernelWidth,inputs]; bias [outputs]; residual and y
/// [batch,outHeight,outWidth,outputs]. All are of one type.
struct ConvolutionShape {
    std::int64_t batch = 0, height = 0, width = 0, inputs = 0;
    std::int64_t outHeight = 0, outWidth = 0, outputs = 0;
    std::int64_t kernelHeight = 3, kernelWidth = 3, stride = 1;
    std::int64_t padTop = 0, padLeft = 0, padBottom = 0, padRight = 0;
    DType type = DType::F16;
    bool hasBias = false, hasResidual = false;
    Activation activation = Activation::None;

    /// The convolution alone.
    ConvolutionShape withoutEpilogue() const;
    bool hasEpilogue() const { return hasBias || hasResidual || activation != Activation::None; }
    /// Everything that decides which algorithm is fastest, as text.
    std::string key() const;
};

/// Which tensor of a convolution is which, where its memory is named.
enum class ConvolutionTensor : std::int64_t { X = 1, Weights, Bias, Residual, Y };

/// The operations of a convolution, described to cuDNN.
class ConvolutionGraph {
  public:
    /// Errors: Unsupported or Internal, of cuDNN.
    static Result<std::unique_ptr<ConvolutionGraph>> create(const ConvolutionShape& shape, const CudaContext& context);

    const ConvolutionShape& shape() const { return shape_; }
    const CudnnDescriptor& operations() const { return operations_; }

  private:
    explicit ConvolutionGraph(const ConvolutionShape& shape) : shape_(shape) {}

    /// The result of the operations so far becomes the input of the next; the last one's is Y.
    struct Cursor {
        std::size_t tensor = 0;  ///< among parts_
        int operationsLeft = 0;
        std::int64_t nextId = 100;  ///< of tensors that never exist in memory
    };
    /// dims: N, C, H, W. These give the place among parts_.
    Result<std::size_t> addTensor(ConvolutionTensor id, const std::array<std::int64_t, 4>& dims);
    Result<std::size_t> addResult(Cursor& cursor);
    Result<std::size_t> addTensor(CudnnDescriptor tensor, const std::array<std::int64_t, 4>& dims);
    Status addConvolution(Cursor& cursor);
    Status addSum(Cursor& cursor, ConvolutionTensor id, const std::array<std::int64_t, 4>& dims);
    Status addActivation(Cursor& cursor);
    Status addOperation(CudnnDescriptor operation);

    ConvolutionShape shape_;
    std::vector<CudnnDescriptor> parts_;  ///< what the operations refer to
    std::vector<CudnnDescriptor> list_;   ///< the operations in order
    CudnnDescriptor operations_{CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR};
};

}  // namespace reelbrush::kernels
