#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace reelbrush::kernels {

/// Where an item of a sequence lies in a ring of memory, and what had to be there before it.
struct RingPlace {
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    std::size_t offset = 0;  ///< bytes, a multiple of kRingAlignment
    /// The last item that must have been used before this one may come; kNone: it may come at once. Never less than
    /// that of the item before, so that items come in their order.
    std::size_t after = kNone;
};

inline constexpr std::size_t kRingAlignment = 256;

/// Places items that are used one after the other, and brought in the same order, each as far ahead of its use as the
/// ring allows. sizes: bytes, each at most ringBytes once aligned.
std::vector<RingPlace> layOutRing(std::span<const std::size_t> sizes, std::size_t ringBytes);

}  // namespace reelbrush::kernels
