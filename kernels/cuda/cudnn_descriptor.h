#pragma once

#include "kernels/tensor/status.h"

#include <cudnn.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace reelbrush::kernels {

/// Success, or what cuDNN says. Unsupported where it has no way of doing it, OutOfMemory, Internal otherwise.
/// doing: "choosing a convolution".
Status cudnnResult(cudnnStatus_t status, const char* doing);

/// A descriptor of cuDNN's graph API, owned. Attributes are set one by one; the first error, that of making the
/// descriptor included, is kept and comes out of finalize(). Thread: one at a time.
class CudnnDescriptor {
  public:
    explicit CudnnDescriptor(cudnnBackendDescriptorType_t type);
    ~CudnnDescriptor();
    CudnnDescriptor(CudnnDescriptor&& other) noexcept;
    CudnnDescriptor& operator=(CudnnDescriptor&& other) noexcept;

    CudnnDescriptor& set(cudnnBackendAttributeName_t name, std::int64_t value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, float value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, double value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, bool value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, cudnnDataType_t value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, cudnnConvolutionMode_t value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, cudnnPointwiseMode_t value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, cudnnHandle_t value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value);
    CudnnDescriptor& set(cudnnBackendAttributeName_t name, std::span<const cudnnBackendDescriptor_t> values);
    /// Of memory. A type of its own for cuDNN, but the same as a descriptor for C++.
    CudnnDescriptor& setPointers(cudnnBackendAttributeName_t name, std::span<void* const> values);

    /// Errors: the first of all calls so far. doing: as in cudnnResult.
    Status finalize(const char* doing);

    /// Of a finalised descriptor; as many values as it has, at most `most`.
    Result<std::vector<std::int64_t>> numbers(cudnnBackendAttributeName_t name, std::int64_t most) const;
    Result<std::vector<cudnnBackendNumericalNote_t>> numericalNotes(cudnnBackendAttributeName_t name) const;
    /// Descriptors of the type that the attribute holds.
    Result<std::vector<CudnnDescriptor>> descriptors(cudnnBackendAttributeName_t name,
                                                     cudnnBackendDescriptorType_t type) const;

    cudnnBackendDescriptor_t get() const { return descriptor_; }

  private:
    CudnnDescriptor& setAll(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
                            const void* values);

    cudnnBackendDescriptor_t descriptor_ = nullptr;
    cudnnStatus_t status_ = CUDNN_STATUS_SUCCESS;
};

}  // namespace reelbrush::kernels
