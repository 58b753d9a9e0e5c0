#include "kernels/reference/reference_weights.h"

namespace reelbrush::kernels {

namespace {

struct NeedsOf {
    std::span<const Shape> inputs;

    std::vector<WeightNeed> operator()(const Conv2d& op) const {
        std::vector<WeightNeed> needs{{{op.outChannels, inputs[0].channels(), op.kernelHeight, op.kernelWidth}}};
        if (op.hasBias) needs.push_back({{op.outChannels}, true});
        return needs;
    }
    std::vector<WeightNeed> operator()(const Linear& op) const {
        std::vector<WeightNeed> needs;
        for (const int features : op.outFeatures) needs.push_back({{features, inputs[0].channels()}});
        for (const int features : op.outFeatures) needs.push_back({{features}, true});
        return needs;
    }
    std::vector<WeightNeed> operator()(const GroupNorm&) const { return gammaAndBeta(); }
    std::vector<WeightNeed> operator()(const LayerNorm&) const { return gammaAndBeta(); }
    std::vector<WeightNeed> operator()(const Constant& op) const { return {{op.shape}}; }
    template <typename Weightless>
    std::vector<WeightNeed> operator()(const Weightless&) const {
        return {};
    }

    std::vector<WeightNeed> gammaAndBeta() const { return {{{inputs[0].channels()}}, {{inputs[0].channels()}}}; }
};

}  // namespace

std::vector<WeightNeed> weightNeeds(const Op& op, std::span<const Shape> inputs) {
    return std::visit(NeedsOf{inputs}, op);
}

}  // namespace reelbrush::kernels
