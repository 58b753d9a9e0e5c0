#include "engine/weights/part_completeness.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace reelbrush::weights {

Status checkComplete(const ListedWeights& weights, const ImpliedNames& implied, const char* what,
                     std::vector<std::string>& unread) {
    constexpr std::size_t kNamed = 3;
    if (!implied) return {};
    std::ranges::set_difference(weights.names(), *implied, std::back_inserter(unread));
    std::vector<std::string> missing;
    std::ranges::set_difference(*implied, weights.names(), std::back_inserter(missing));
    if (missing.empty()) return {};
    std::vector<std::string> named;
    for (const std::string& name : missing) {
        if (named.size() == kNamed) break;
        named.push_back(quotedName(name));
    }
    return fail(
        StatusCode::BadInput,
        fmt::format("its {} lacks {} of {} weights ({}{}); the file is incomplete or of another model: get it again",
                    what, missing.size(), implied->size(), fmt::join(named, ", "),
                    missing.size() > kNamed ? " ..." : ""));
}

}  // namespace reelbrush::weights
