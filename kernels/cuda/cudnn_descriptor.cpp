#include "kernels/cuda/cudnn_descriptor.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::kernels {

Status cudnnResult(cudnnStatus_t status, const char* doing) {
    if (status == CUDNN_STATUS_SUCCESS) return {};
    StatusCode code = StatusCode::Internal;
    if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) code = StatusCode::Unsupported;
    if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
        status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
        code = StatusCode::OutOfMemory;
    return fail(code, fmt::format("{} failed: {}", doing, cudnnGetErrorString(status)));
}

CudnnDescriptor::CudnnDescriptor(cudnnBackendDescriptorType_t type)
    : status_(cudnnBackendCreateDescriptor(type, &descriptor_)) {}

CudnnDescriptor::~CudnnDescriptor() {
    if (descriptor_) cudnnBackendDestroyDescriptor(descriptor_);
}

CudnnDescriptor::CudnnDescriptor(CudnnDescriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, nullptr)), status_(other.status_) {}

CudnnDescriptor& CudnnDescriptor::operator=(CudnnDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(status_, other.status_);
    return *this;
}

CudnnDescriptor& CudnnDescriptor::setAll(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                         std::int64_t count, const void* values) {
    if (status_ == CUDNN_STATUS_SUCCESS) status_ = cudnnBackendSetAttribute(descriptor_, name, type, count, values);
    return *this;
}

CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, std::int64_t value) {
    return setAll(name, CUDNN_TYPE_INT64, 1, &value);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values) {
    return setAll(name, CUDNN_TYPE_INT64, static_cast<std::int64_t>(values.size()), values.data());
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, float value) {
    return setAll(name, CUDNN_TYPE_FLOAT, 1, &value);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, double value) {
    return setAll(name, CUDNN_TYPE_DOUBLE, 1, &value);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, bool value) {
    return setAll(name, CUDNN_TYPE_BOOLEAN, 1, &value);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnDataType_t value) {
    return setAll(name, CUDNN_TYPE_DATA_TYPE, 1, &value);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnConvolutionMode_t value) {
    return setAll(name, CUDNN_TYPE_CONVOLUTION_MODE, 1, &value);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnPointwiseMode_t value) {
    return setAll(name, CUDNN_TYPE_POINTWISE_MODE, 1, &value);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnBackendHeurMode_t value) {
    return setAll(name, CUDNN_TYPE_HEUR_MODE, 1, &value);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, cudnnHandle_t value) {
    return setAll(name, CUDNN_TYPE_HANDLE, 1, &value);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name, const CudnnDescriptor& value) {
    return setAll(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.descriptor_);
}
CudnnDescriptor& CudnnDescriptor::set(cudnnBackendAttributeName_t name,
                                      std::span<const cudnnBackendDescriptor_t> values) {
    return setAll(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(values.size()), values.data());
}
CudnnDescriptor& CudnnDescriptor::setPointers(cudnnBackendAttributeName_t name, std::span<void* const> values) {
    return setAll(name, CUDNN_TYPE_VOID_PTR, static_cast<std::int64_t>(values.size()), values.data());
}

Status CudnnDescriptor::finalize(const char* doing) {
    if (status_ == CUDNN_STATUS_SUCCESS) status_ = cudnnBackendFinalize(descriptor_);
    return cudnnResult(status_, doing);
}

Result<std::vector<std::int64_t>> CudnnDescriptor::numbers(cudnnBackendAttributeName_t name, std::int64_t most) const {
    std::vector<std::int64_t> values(static_cast<std::size_t>(most));
    std::int64_t count = 0;
    RB_TRY(cudnnResult(cudnnBackendGetAttribute(descriptor_, name, CUDNN_TYPE_INT64, most, &count, values.data()),
                       "asking cuDNN for a number"));
    values.resize(static_cast<std::size_t>(std::min(count, most)));
    return values;
}

Result<std::vector<cudnnBackendNumericalNote_t>> CudnnDescriptor::numericalNotes(
    cudnnBackendAttributeName_t name) const {
    std::vector<cudnnBackendNumericalNote_t> notes(CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
    std::int64_t count = 0;
    RB_TRY(cudnnResult(cudnnBackendGetAttribute(descriptor_, name, CUDNN_TYPE_NUMERICAL_NOTE,
                                                CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &count, notes.data()),
                       "asking cuDNN how exact it is"));
    notes.resize(std::min(static_cast<std::size_t>(count), notes.size()));
    return notes;
}

/// cuDNN fills descriptors that the caller has made.
Result<std::vector<CudnnDescriptor>> CudnnDescriptor::descriptors(cudnnBackendAttributeName_t name,
                                                                  cudnnBackendDescriptorType_t type) const {
    constexpr const char* kDoing = "asking cuDNN for its engines";
    std::int64_t count = 0;
    RB_TRY(cudnnResult(cudnnBackendGetAttribute(descriptor_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr),
                       kDoing));
    std::vector<CudnnDescriptor> made;
    std::vector<cudnnBackendDescriptor_t> raw;
    for (std::int64_t i = 0; i < count; ++i) {
        made.emplace_back(type);
        RB_TRY(cudnnResult(made.back().status_, kDoing));
        raw.push_back(made.back().descriptor_);
    }
    if (count == 0) return made;
    std::int64_t filled = 0;
    RB_TRY(cudnnResult(
        cudnnBackendGetAttribute(descriptor_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &filled, raw.data()),
        kDoing));
    while (static_cast<std::int64_t>(made.size()) > filled) made.pop_back();
    return made;
}

}  // namespace reelbrush::kernels
