#include "engine/diffusion/part_holders.h"

#include <algorithm>
#include <string_view>

namespace reelbrush::diffusion {

namespace {

using kernels::MemoryHolding;

MemoryHolder holderOf(const MemoryHolding& holding, MemoryPlace place) {
    return {holding.holder, place, std::nullopt, holding.bytes, holding.peakBytes};
}

}  // namespace

std::vector<MemoryHolder> holdersOf(kernels::Backend& backend, std::span<const PredictedPart> predicted) {
    std::vector<MemoryHolder> holders;
    const MemoryPlace place = backend.device() ? MemoryPlace::Gpu : MemoryPlace::Ram;
    if (const auto account = backend.memory()) {
        const std::vector<MemoryHolding> holdings = account->holdings();
        for (const PredictedPart& part : predicted) {
            const auto counted = std::ranges::find(holdings, part.part, &MemoryHolding::holder);
            MemoryHolder holder = holderOf(counted == holdings.end() ? MemoryHolding{part.part} : *counted, place);
            holder.predictedBytes = part.bytes;
            holders.push_back(std::move(holder));
        }
        for (const MemoryHolding& holding : holdings)
            if (std::ranges::find(predicted, std::string_view(holding.holder), &PredictedPart::part) == predicted.end())
                holders.push_back(holderOf(holding, place));
    }
    if (const auto account = backend.sharedMemory())
        for (const MemoryHolding& holding : account->holdings())
            holders.push_back(holderOf(holding, MemoryPlace::Pinned));
    return holders;
}

}  // namespace reelbrush::diffusion
