#include "engine/weights/lora_update.h"

#include "kernels/cpu/matrix_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace reelbrush::weights {

namespace {

using enum LoraPart;
using Values = std::vector<float>;

/// Without trailing ones: a linear [out,in] and a pointwise convolution [out,in,1,1] are alike.
std::span<const std::int64_t> trimmed(std::span<const std::int64_t> shape) {
    while (!shape.empty() && shape.back() == 1) shape = shape.first(shape.size() - 1);
    return shape;
}

bool sameButForTrailingOnes(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    return std::ranges::equal(trimmed(a), trimmed(b));
}

/// DoRA's magnitudes: one for each output or one for each input.
bool isPerOutput(const LoraModule& module) {
    const TensorInfo* magnitude = module.part(Magnitude);
    if (!magnitude) return true;
    return magnitude->shape.empty() || magnitude->shape[0] == module.outputs;
}

bool magnitudeFits(const LoraModule& module, std::int64_t inputChannels) {
    if (!module.magnitude()) return true;
    return module.magnitude()->elements() == (isPerOutput(module) ? module.outputs : inputChannels);
}

/// a [rows, inner] @ b [inner, columns]
Status addProduct(const Values& a, const Values& b, std::int64_t inner, float scale, std::span<float> c) {
    kernels::MatrixProduct product;
    product.a = a.data();
    product.b = b.data();
    product.c = c.data();
    product.inner = inner;
    product.rows = static_cast<std::int64_t>(a.size()) / inner;
    product.columns = static_cast<std::int64_t>(b.size()) / inner;
    product.scale = scale;
    return kernels::addMatrixProduct(product);
}

/// core [ranksA, ranksB, kernel], b [ranksB, in] → [ranksA, in, kernel]: the sum over the second rank.
Values innerTucker(const Values& core, const TensorInfo& coreInfo, const Values& b) {
    const auto ranksA = static_cast<std::size_t>(coreInfo.shape[0]),
               ranksB = static_cast<std::size_t>(coreInfo.shape[1]);
    const std::size_t kernel = core.size() / (ranksA * ranksB), inputs = b.size() / ranksB;
    Values result(ranksA * inputs * kernel);
    for (std::size_t p = 0; p < ranksA; ++p)
        for (std::size_t q = 0; q < ranksB; ++q) {
            const float* from = core.data() + (p * ranksB + q) * kernel;
            for (std::size_t i = 0; i < inputs; ++i) {
                float* to = result.data() + (p * inputs + i) * kernel;
                for (std::size_t k = 0; k < kernel; ++k) to[k] += b[q * inputs + i] * from[k];
            }
        }
    return result;
}

/// [columns, rows] → [rows, columns]
Values transposed(const Values& matrix, std::int64_t rows) {
    const auto height = static_cast<std::size_t>(rows), width = matrix.size() / height;
    Values result(matrix.size());
    for (std::size_t y = 0; y < height; ++y)
        for (std::size_t x = 0; x < width; ++x) result[y * width + x] = matrix[x * height + y];
    return result;
}

struct FactorParts {
    LoraPart whole, a, b, core;
};

/// A factor of LoHa or LoKr as one matrix: given whole, as a @ b, or as a Tucker product.
Result<Values> factorOf(const LoraFile& file, const LoraModule& module, const FactorParts& parts) {
    if (const TensorInfo* whole = module.part(parts.whole)) return file.values(*whole);
    const TensorInfo &a = *module.part(parts.a), &b = *module.part(parts.b);
    RB_ASSIGN(Values left, file.values(a));
    RB_ASSIGN(Values right, file.values(b));
    std::int64_t inner = b.shape[0];
    if (const TensorInfo* core = module.part(parts.core)) {
        RB_ASSIGN(const Values coreValues, file.values(*core));
        right = innerTucker(coreValues, *core, right);
        left = transposed(left, a.shape[1]);
        inner = a.shape[0];
    }
    Values product(left.size() / static_cast<std::size_t>(inner) * (right.size() / static_cast<std::size_t>(inner)));
    RB_TRY(addProduct(left, right, inner, 1, product));
    return product;
}

Status addLowRank(const LoraFile& file, const LoraModule& module, float scale, std::span<float> weight) {
    RB_ASSIGN(const Values up, file.values(*module.part(Up)));
    RB_ASSIGN(Values down, file.values(*module.part(Down)));
    std::int64_t inner = module.rank;
    if (const TensorInfo* mid = module.part(Mid)) {
        RB_ASSIGN(const Values midValues, file.values(*mid));
        down = innerTucker(midValues, *mid, down);
        inner = mid->shape[0];
    }
    return addProduct(up, down, inner, scale, weight);
}

Status addHadamard(const LoraFile& file, const LoraModule& module, float scale, std::span<float> weight) {
    RB_ASSIGN(const Values first, factorOf(file, module, {None, HadaW1A, HadaW1B, HadaT1}));
    RB_ASSIGN(const Values second, factorOf(file, module, {None, HadaW2A, HadaW2B, HadaT2}));
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += scale * first[i] * second[i];
    return {};
}

Status addKronecker(const LoraFile& file, const LoraModule& module, float scale, std::span<float> weight) {
    RB_ASSIGN(const Values first, factorOf(file, module, {LokrW1, LokrW1A, LokrW1B, None}));
    RB_ASSIGN(const Values second, factorOf(file, module, {LokrW2, LokrW2A, LokrW2B, LokrT2}));
    const TensorInfo* whole = module.part(LokrW1);
    const auto rows1 = static_cast<std::size_t>((whole ? whole : module.part(LokrW1A))->shape[0]);
    const auto rows2 = static_cast<std::size_t>(module.outputs) / rows1;
    const std::size_t columns1 = first.size() / rows1, columns2 = second.size() / rows2;
    float* to = weight.data();
    for (std::size_t y1 = 0; y1 < rows1; ++y1)
        for (std::size_t y2 = 0; y2 < rows2; ++y2)
            for (std::size_t x1 = 0; x1 < columns1; ++x1) {
                const float share = scale * first[y1 * columns1 + x1];
                const float* from = second.data() + y2 * columns2;
                for (std::size_t x2 = 0; x2 < columns2; ++x2) *to++ += share * from[x2];
            }
    return {};
}

/// weight += scale * dW, without DoRA.
Status addPlainUpdate(const LoraFile& file, const LoraModule& module, float scale, std::span<float> weight) {
    switch (module.form) {
        case LoraForm::None:
            return {};
        case LoraForm::LowRank:
            return addLowRank(file, module, scale, weight);
        case LoraForm::Hadamard:
            return addHadamard(file, module, scale, weight);
        case LoraForm::Kronecker:
            return addKronecker(file, module, scale, weight);
        case LoraForm::Difference: {
            RB_ASSIGN(const Values difference, file.values(*module.part(Difference)));
            for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += scale * difference[i];
            return {};
        }
    }
    return {};
}

/// v [outputs, channels, kernel] becomes magnitude * v / |v|.
void setMagnitude(std::span<float> v, std::size_t outputs, const Values& magnitude, bool perOutput) {
    const std::size_t rowLength = v.size() / outputs;
    const std::size_t groups = magnitude.size(), kernel = perOutput ? rowLength : rowLength / groups;
    const auto groupOf = [&](std::size_t row, std::size_t i) { return perOutput ? row : i / kernel; };
    std::vector<double> squares(groups);
    for (std::size_t row = 0; row < outputs; ++row)
        for (std::size_t i = 0; i < rowLength; ++i) {
            const double value = v[row * rowLength + i];
            squares[groupOf(row, i)] += value * value;
        }
    Values scales(groups);
    for (std::size_t g = 0; g < groups; ++g)  // the tiny number keeps all-zero groups at zero
        scales[g] = magnitude[g] / (static_cast<float>(std::sqrt(squares[g])) + std::numeric_limits<float>::epsilon());
    for (std::size_t row = 0; row < outputs; ++row)
        for (std::size_t i = 0; i < rowLength; ++i) v[row * rowLength + i] *= scales[groupOf(row, i)];
}

}  // namespace

bool fitsWeight(const LoraModule& module, const kernels::Shape& weight) {
    if (weight.rank() == 0 || weight.elements() == 0) return false;
    const std::int64_t channels = weight.rank() > 1 ? weight[1] : 1;
    if (module.outputs != weight[0] || module.inputs != weight.elements() / weight[0] ||
        !magnitudeFits(module, channels))
        return false;
    if (module.form == LoraForm::Difference)
        return sameButForTrailingOnes(module.part(Difference)->shape, weight.dims());
    if (weight.rank() < 2) return false;
    if (module.form != LoraForm::LowRank || module.part(Mid)) return true;
    // The kernel's height and width must not be swapped, and channels not be taken for kernel.
    return sameButForTrailingOnes(std::span(module.part(Down)->shape).subspan(1), weight.dims().subspan(1));
}

bool fitsBias(const LoraModule& module, const kernels::Shape& bias) {
    for (const LoraPart which : {UpBias, BiasDifference})
        if (const TensorInfo* part = module.part(which); part && part->elements() != bias.elements()) return false;
    return true;
}

std::string updateShapeText(const LoraModule& module) {
    return fmt::format("{}x{}", module.outputs, module.inputs);
}

Status addWeightUpdate(const LoraFile& file, const LoraModule& module, float strength, std::span<const float> pristine,
                       std::span<float> weight) {
    if (!module.magnitude()) return addPlainUpdate(file, module, strength * module.factor, weight);
    RB_ASSIGN(const Values magnitude, file.values(*module.magnitude()));
    Values v(pristine.begin(), pristine.end());
    RB_TRY(addPlainUpdate(file, module, module.factor, v));
    setMagnitude(v, static_cast<std::size_t>(module.outputs), magnitude, isPerOutput(module));
    for (std::size_t i = 0; i < weight.size(); ++i) weight[i] += strength * (v[i] - pristine[i]);
    return {};
}

Status addBiasUpdate(const LoraFile& file, const LoraModule& module, float strength, std::span<float> bias) {
    struct Share {
        LoraPart part;
        float scale;
    };
    for (const Share& share : {Share{UpBias, strength * module.factor}, Share{BiasDifference, strength}}) {
        const TensorInfo* part = module.part(share.part);
        if (!part) continue;
        RB_ASSIGN(const Values values, file.values(*part));
        for (std::size_t i = 0; i < bias.size(); ++i) bias[i] += share.scale * values[i];
    }
    return {};
}

}  // namespace reelbrush::weights
