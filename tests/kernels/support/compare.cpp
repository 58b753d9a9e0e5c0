#include "tests/kernels/support/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace reelbrush::kernels {

std::string Difference::toString() const {
    if (!comparable) return "not comparable (other shape, or a value that is not finite)";
    return fmt::format("max error {:.2e} (relative {:.2e}) at {}, cosine {:.8f}", maxAbs, maxRelative, worst, cosine);
}

Difference compare(const TestTensor& actual, const TestTensor& expected) {
    Difference difference;
    difference.comparable = actual.shape == expected.shape && actual.values.size() == expected.values.size();
    double largest = 0.0, dot = 0.0, actualSquares = 0.0, expectedSquares = 0.0;
    for (std::size_t i = 0; difference.comparable && i < expected.values.size(); ++i) {
        const double a = actual.values[i], e = expected.values[i];
        if (!std::isfinite(a) || !std::isfinite(e)) difference.comparable = false;
        if (std::abs(a - e) > difference.maxAbs) {
            difference.maxAbs = std::abs(a - e);
            difference.worst = static_cast<std::int64_t>(i);
        }
        largest = std::max(largest, std::abs(e));
        dot += a * e;
        actualSquares += a * a;
        expectedSquares += e * e;
    }
    if (!difference.comparable) {
        difference.maxAbs = difference.maxRelative = std::numeric_limits<double>::infinity();
        difference.cosine = 0.0;
        return difference;
    }
    difference.maxRelative = largest > 0.0 ? difference.maxAbs / largest : difference.maxAbs;
    if (actualSquares > 0.0 && expectedSquares > 0.0)
        difference.cosine = dot / std::sqrt(actualSquares * expectedSquares);
    else
        difference.cosine = actualSquares == expectedSquares ? 1.0 : 0.0;
    return difference;
}

void report(const std::string& label, const Difference& difference) {
    fmt::print("{}: {}\n", label, difference.toString());
}

}  // namespace reelbrush::kernels
