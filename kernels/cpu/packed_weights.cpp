#include "kernels/cpu/packed_weights.h"

namespace reelbrush::kernels {

Result<PackedWeights> PackedWeights::allocate(const dnnl::memory::desc& packed, std::shared_ptr<MemoryBudget> budget) {
    PackedWeights result;
    result.desc_ = packed;
    RB_ASSIGN(result.buffer_, Buffer::allocate(packed.get_size(), std::move(budget), "packed weights"));
    return result;
}

Status PackedWeights::fill(const Onednn& onednn, const dnnl::memory::desc& stored, const void* data) {
    return guarded("packing weights", [&]() -> Status {
        const dnnl::reorder::primitive_desc reorder(onednn.engine, stored, onednn.engine, desc_);
        dnnl::memory from(stored, onednn.engine, const_cast<void*>(data));
        dnnl::memory to(desc_, onednn.engine, buffer_.data());
        dnnl::reorder(reorder).execute(onednn.stream, from, to);
        return {};
    });
}

}  // namespace reelbrush::kernels
