#include "kernels/plan/ring_layout.h"

#include <algorithm>

namespace reelbrush::kernels {

std::vector<RingPlace> layOutRing(std::span<const std::size_t> sizes, std::size_t ringBytes) {
    std::vector<RingPlace> places;
    std::size_t next = 0;
    for (std::size_t item = 0; item < sizes.size(); ++item) {
        RingPlace place;
        place.offset = next + sizes[item] <= ringBytes ? next : 0;
        const std::size_t end = place.offset + sizes[item];
        for (std::size_t before = item; before-- > 0;) {
            const std::size_t first = places[before].offset;
            if (first >= end || first + sizes[before] <= place.offset) continue;
            place.after = before;
            break;
        }
        const std::size_t previous = item > 0 ? places.back().after : RingPlace::kNone;
        if (place.after == RingPlace::kNone || (previous != RingPlace::kNone && previous > place.after))
            place.after = previous;
        places.push_back(place);
        next = (end + kRingAlignment - 1) / kRingAlignment * kRingAlignment;
    }
    return places;
}

}  // namespace reelbrush::kernels
