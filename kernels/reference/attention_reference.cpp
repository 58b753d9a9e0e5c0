#include "kernels/reference/reference_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reelbrush::kernels {

namespace {

/// Keys of a segment of `tokens` that query t sees.
std::int64_t visibleKeys(const Attention& op, std::int64_t tokens, std::int64_t t) {
    return op.causal ? std::min(tokens, t + 1) : tokens;
}

/// The row of an attention input that belongs to a sample, token and head; inputs of batch 1 are shared.
const float* rowOf(const Attention& op, const ReferenceCall& call, std::size_t input, std::int64_t sample,
                   std::int64_t token, int head) {
    const Shape& shape = call.inputShapes[input];
    const std::int64_t from = shape.batch() == 1 ? 0 : sample;
    return call.inputs[input] + (from * shape[1] + token) * shape.channels() + op.offsetOf(input) + head * op.headSize;
}

}  // namespace

void computeReference(const Attention& op, const ReferenceCall& call) {
    const std::int64_t batch = call.outputShape.batch(), queries = call.outputShape[1];
    const std::size_t segments = (call.inputs.size() - 1) / 2;
    std::vector<double> scores;
    std::vector<double> sums(static_cast<std::size_t>(op.headSize));
    for (std::int64_t n = 0; n < batch; ++n)
        for (int head = 0; head < op.heads; ++head)
            for (std::int64_t t = 0; t < queries; ++t) {
                const float* q = rowOf(op, call, 0, n, t, head);
                scores.clear();
                double highest = -std::numeric_limits<double>::infinity();
                for (std::size_t s = 0; s < segments; ++s)
                    for (std::int64_t j = 0; j < visibleKeys(op, call.inputShapes[1 + 2 * s][1], t); ++j) {
                        const float* k = rowOf(op, call, 1 + 2 * s, n, j, head);
                        double dot = 0.0;
                        for (int c = 0; c < op.headSize; ++c) dot += static_cast<double>(q[c]) * k[c];
                        scores.push_back(dot * op.effectiveScale());
                        highest = std::max(highest, scores.back());
                    }
                double total = 0.0;
                std::fill(sums.begin(), sums.end(), 0.0);
                std::size_t key = 0;
                for (std::size_t s = 0; s < segments; ++s)
                    for (std::int64_t j = 0; j < visibleKeys(op, call.inputShapes[1 + 2 * s][1], t); ++j) {
                        const float* v = rowOf(op, call, 2 + 2 * s, n, j, head);
                        const double weight = std::exp(scores[key++] - highest);
                        total += weight;
                        for (int c = 0; c < op.headSize; ++c) sums[static_cast<std::size_t>(c)] += weight * v[c];
                    }
                float* out = call.output + (n * queries + t) * op.channels() + head * op.headSize;
                for (int c = 0; c < op.headSize; ++c)
                    out[c] = static_cast<float>(sums[static_cast<std::size_t>(c)] / total);
            }
}

}  // namespace reelbrush::kernels
