#pragma once

#include "kernels/ops/activation.h"
#include "kernels/tensor/status.h"

#include <cstddef>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace reelbrush::kernels {

/// oneDNN's handles of this processor. Cheap to copy: the handles are counted references.
struct Onednn {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
};

/// What oneDNN threw, as an Error that names the operation.
Error onednnError(std::string_view operation, const dnnl::error& error);

/// Runs body, which returns a Status or Result, and turns oneDNN's exceptions into errors.
template <typename Body>
auto guarded(std::string_view operation, Body&& body) -> decltype(body()) {
    try {
        return body();
    } catch (const dnnl::error& error) {
        return fail(onednnError(operation, error));
    } catch (const std::bad_alloc&) {
        return fail(StatusCode::OutOfMemory, std::string(operation) + ": the system has no memory left.");
    }
}

/// One sample [height, width, channels] in memory as oneDNN describes it.
dnnl::memory::desc imageDesc(dnnl::memory::data_type type, const dnnl::memory::dims& nchw);

/// Appends an activation to what follows a product; nothing for None.
void appendActivation(dnnl::post_ops& operations, Activation activation);

/// Attributes with these post-operations and scratch that the caller provides.
dnnl::primitive_attr attributes(const dnnl::post_ops& operations = {});

/// A primitive with its arguments, ready to be run again and again without allocating.
class OnednnCall {
  public:
    explicit OnednnCall(dnnl::primitive primitive) : primitive_(std::move(primitive)) {}
    /// data: not owned; argument: DNNL_ARG_...
    void set(int argument, const dnnl::memory::desc& desc, const dnnl::engine& engine, const void* data);
    Status run(const dnnl::stream& stream) const;

  private:
    dnnl::primitive primitive_;
    std::vector<dnnl::memory> memories_;  ///< keeps alive what arguments_ points to
    std::vector<dnnl_exec_arg_t> arguments_;
};

/// Places blocks one behind the other in a step's scratch, each on a cache line of its own.
class ScratchLayout {
  public:
    /// Where the block begins.
    std::size_t add(std::size_t bytes) {
        const std::size_t offset = total_;
        total_ += (bytes + 63) / 64 * 64;
        return offset;
    }
    std::size_t totalBytes() const { return total_; }

  private:
    std::size_t total_ = 0;
};

}  // namespace reelbrush::kernels
