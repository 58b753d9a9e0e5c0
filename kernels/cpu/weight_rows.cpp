#include "kernels/cpu/weight_rows.h"

#include "kernels/cpu/quantise_cpu.h"
#include "kernels/plan/float_weights.h"
#include "kernels/tensor/dtype.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace reelbrush::kernels {

namespace {

/// Zero scales would divide by zero later; such a row is all zeros whatever its integers say.
void copyStored(const WeightView& view, std::int64_t rowLength, std::int8_t* values, float* scales) {
    const auto* stored = static_cast<const std::int8_t*>(view.data);
    for (std::int64_t row = 0; row < view.shape[0]; ++row) {
        const float scale = halfToFloat(view.rowScales[row]);
        std::int8_t* to = values + row * rowLength;
        if (scale == 0.0f)
            std::fill_n(to, rowLength, std::int8_t{0});
        else
            std::memcpy(to, stored + row * rowLength, static_cast<std::size_t>(rowLength));
        scales[row] = scale == 0.0f ? 1.0f : scale;
    }
}

/// Rows of stored floats to int8, some at a time, so that a layer never lies in memory as f32 beside its stored form.
void roundRows(const WeightView& view, std::int64_t rowLength, int threads, std::int8_t* values, float* scales) {
    constexpr std::int64_t kBlockFloats = std::int64_t{1} << 20;
    if (view.rowScales != nullptr) {
        // Their outermost dimension, which the scales belong to, is none of the rows: such a weight is tiny.
        std::vector<float> floats(static_cast<std::size_t>(view.shape.elements()));
        view.toFloat(floats.data());
        return roundRows(WeightView{DType::F32, view.shape, floats.data()}, rowLength, threads, values, scales);
    }
    const std::int64_t rows = view.shape.elements() / rowLength;
    const std::int64_t blockRows = std::clamp<std::int64_t>(kBlockFloats / rowLength, 1, rows);
    const bool isFloat = view.dtype == DType::F32;
    std::vector<float> block(isFloat ? 0 : static_cast<std::size_t>(blockRows * rowLength));
    for (std::int64_t row = 0; row < rows; row += blockRows) {
        WeightView part = view;
        part.shape = {std::min(blockRows, rows - row), rowLength};
        part.data =
            static_cast<const std::byte*>(view.data) + static_cast<std::size_t>(row * rowLength) * sizeOf(view.dtype);
        if (!isFloat) part.toFloat(block.data());
        quantiseRowsToS8({.values = isFloat ? static_cast<const float*>(part.data) : block.data(),
                          .rows = part.shape[0],
                          .channels = rowLength,
                          .threads = threads},
                         values + row * rowLength, scales + row);
    }
    std::replace(scales, scales + rows, 0.0f, 1.0f);
}

}  // namespace

WeightRows::WeightRows(const Conv2d& op, const Node& node, std::int64_t inputChannels) {
    Part part;
    if (!node.weights.empty()) part.weight = node.weights[0];
    if (op.hasBias && node.weights.size() > 1) part.bias = node.weights[1];
    part.shape = {op.outChannels, inputChannels, op.kernelHeight, op.kernelWidth};
    rows_ = op.outChannels;
    rowLength_ = inputChannels * op.kernelHeight * op.kernelWidth;
    parts_.push_back(std::move(part));
}

WeightRows::WeightRows(const Linear& op, const Node& node, std::int64_t inputFeatures) : rowLength_(inputFeatures) {
    const std::size_t count = op.outFeatures.size();
    for (std::size_t i = 0; i < count; ++i) {
        Part part;
        if (i < node.weights.size()) part.weight = node.weights[i];
        if (count + i < node.weights.size()) part.bias = node.weights[count + i];
        part.shape = {op.outFeatures[i], inputFeatures};
        rows_ += op.outFeatures[i];
        parts_.push_back(std::move(part));
    }
}

bool WeightRows::hasBias() const {
    return std::ranges::any_of(parts_, [](const Part& part) { return !part.bias.empty(); });
}

Result<WeightView> WeightRows::findWeight(const WeightProvider& weights, const Part& part) const {
    RB_ASSIGN(const WeightView view, weights.find(part.weight));
    if (!sameButForOnes(view.shape, part.shape))
        return fail(StatusCode::BadInput, fmt::format("Weight '{}' has the shape {} where the model needs {}.",
                                                      part.weight, view.shape.toString(), part.shape.toString()));
    return view;
}

Result<bool> WeightRows::isStoredInt8(const WeightProvider& weights) const {
    bool all = true;
    for (const Part& part : parts_) {
        RB_ASSIGN(const WeightView view, findWeight(weights, part));
        // Row scales belong to the outermost dimension, which is the outputs unless that one was dropped as a 1.
        all = all && view.isQuantised() && view.shape[0] == part.shape[0];
    }
    return all;
}

Result<std::vector<float>> WeightRows::loadFloats(const WeightProvider& weights) const {
    std::vector<float> values(static_cast<std::size_t>(rows_ * rowLength_));
    float* next = values.data();
    for (const Part& part : parts_) {
        RB_ASSIGN(const WeightView view, findWeight(weights, part));
        view.toFloat(next);
        next += part.shape.elements();
    }
    return values;
}

Result<QuantisedRows> WeightRows::loadInt8(const WeightProvider& weights, int threads) const {
    QuantisedRows result{std::vector<std::int8_t>(static_cast<std::size_t>(rows_ * rowLength_)),
                         std::vector<float>(static_cast<std::size_t>(rows_))};
    std::int64_t row = 0;
    for (const Part& part : parts_) {
        RB_ASSIGN(const WeightView view, findWeight(weights, part));
        std::int8_t* values = result.values.data() + row * rowLength_;
        float* scales = result.scales.data() + row;
        if (view.isQuantised() && view.shape[0] == part.shape[0]) {
            copyStored(view, rowLength_, values, scales);
        } else {
            roundRows(view, rowLength_, threads, values, scales);
        }
        row += part.shape[0];
    }
    return result;
}

Result<std::vector<float>> WeightRows::loadBiases(const WeightProvider& weights) const {
    std::vector<float> values(static_cast<std::size_t>(rows_));
    std::int64_t row = 0;
    for (const Part& part : parts_) {
        RB_ASSIGN(const std::vector<float> bias, kernels::loadFloats(weights, part.bias, {part.shape[0]}));
        std::ranges::copy(bias, values.begin() + row);
        row += part.shape[0];
    }
    return values;
}

}  // namespace reelbrush::kernels
