#include "kernels/cpu/onednn.h"

#include <fmt/format.h>

namespace reelbrush::kernels {

Error onednnError(std::string_view operation, const dnnl::error& error) {
    switch (error.status) {
        case dnnl_out_of_memory:
            return Error{StatusCode::OutOfMemory, fmt::format("{}: the system has no memory left.", operation)};
        case dnnl_unimplemented:
            return Error{StatusCode::Unsupported, fmt::format("{}: not available on this processor.", operation)};
        default:
            return Error{StatusCode::Internal, fmt::format("{}: oneDNN failed: {}.", operation, error.what())};
    }
}

dnnl::memory::desc imageDesc(dnnl::memory::data_type type, const dnnl::memory::dims& nchw) {
    return {nchw, type, dnnl::memory::format_tag::nhwc};
}

void appendActivation(dnnl::post_ops& operations, Activation activation) {
    using dnnl::algorithm;
    switch (activation) {
        case Activation::None:
            return;
        case Activation::Relu:
            return operations.append_eltwise(1.0f, algorithm::eltwise_relu, 0.0f, 0.0f);
        case Activation::Silu:
            return operations.append_eltwise(1.0f, algorithm::eltwise_swish, 1.0f, 0.0f);
        case Activation::Gelu:
            return operations.append_eltwise(1.0f, algorithm::eltwise_gelu_erf, 0.0f, 0.0f);
        case Activation::GeluTanh:
            return operations.append_eltwise(1.0f, algorithm::eltwise_gelu_tanh, 0.0f, 0.0f);
        case Activation::QuickGelu:
            return operations.append_eltwise(1.0f, algorithm::eltwise_swish, 1.702f, 0.0f);
    }
}

dnnl::primitive_attr attributes(const dnnl::post_ops& operations) {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    attr.set_post_ops(operations);
    return attr;
}

void OnednnCall::set(int argument, const dnnl::memory::desc& desc, const dnnl::engine& engine, const void* data) {
    // oneDNN has one type for what it reads and what it writes.
    memories_.emplace_back(desc, engine, const_cast<void*>(data));
    arguments_.push_back({argument, memories_.back().get()});
}

Status OnednnCall::run(const dnnl::stream& stream) const {
    const dnnl_status_t status =
        dnnl_primitive_execute(primitive_.get(), stream.get(), static_cast<int>(arguments_.size()), arguments_.data());
    if (status != dnnl_success) return fail(onednnError("computing a layer", dnnl::error(status, "execution")));
    return {};
}

}  // namespace reelbrush::kernels
