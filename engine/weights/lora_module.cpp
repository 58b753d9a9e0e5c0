#include "engine/weights/lora_module.h"

#include <fmt/format.h>

#include <string_view>

namespace reelbrush::weights {

namespace {

using Fault = std::optional<std::string>;
using enum LoraPart;

bool isFloat(kernels::DType type) {
    using enum kernels::DType;
    return type == F64 || type == F32 || type == F16 || type == BF16 || type == F8E4M3 || type == F8E5M2;
}

/// Elements per index of the first dimension. The tensor has at least one element.
std::int64_t rowLength(const TensorInfo& tensor) {
    return tensor.elements() / tensor.shape[0];
}

/// Where a tensor has the wrong type or number of dimensions.
Fault malformed(const LoraModule& module) {
    for (const TensorInfo* tensor : module.parts) {
        if (!tensor) continue;
        if (!isFloat(tensor->dtype)) return fmt::format("is stored as {}", kernels::nameOf(tensor->dtype));
        const bool isVector = tensor == module.part(Alpha) || tensor == module.magnitude() ||
                              tensor == module.part(UpBias) || tensor == module.part(BiasDifference) ||
                              tensor == module.part(Difference);
        const std::size_t least = isVector ? 0 : 2;
        if (tensor->shape.size() < least || tensor->shape.size() > 4 || tensor->elements() == 0)
            return fmt::format("has a matrix of shape {}", shapeText(tensor->shape));
    }
    return std::nullopt;
}

Fault ranksDiffer(std::string_view what, const TensorInfo& a, const TensorInfo& b) {
    return fmt::format("has {} {} and {}, whose ranks differ", what, shapeText(a.shape), shapeText(b.shape));
}

/// wa [ranksA, out], wb [ranksB, in], core [ranksA, ranksB, kh, kw]. Source: LyCORIS, Tucker decomposition.
Fault completeTucker(const TensorInfo& core, const TensorInfo& wa, const TensorInfo& wb, LoraModule& module) {
    if (core.shape.size() < 3 || core.shape[0] != wa.shape[0] || core.shape[1] != wb.shape[0] || wa.shape.size() != 2 ||
        wb.shape.size() != 2)
        return fmt::format("has a core {} between {} and {}, which do not fit together", shapeText(core.shape),
                           shapeText(wa.shape), shapeText(wb.shape));
    module.outputs = wa.shape[1];
    module.inputs = wb.shape[1] * (core.elements() / (core.shape[0] * core.shape[1]));
    return std::nullopt;
}

Fault completeLowRank(LoraModule& module) {
    const TensorInfo *down = module.part(Down), *up = module.part(Up), *mid = module.part(Mid);
    if (!up) return "has a down matrix (lora_A) but no up matrix (lora_B)";
    if (!down) return "has an up matrix (lora_B) but no down matrix (lora_A)";
    module.rank = down->shape[0];
    const std::int64_t upRank = mid ? mid->shape[0] : module.rank;
    if (rowLength(*up) != upRank || up->shape[1] != upRank)
        return ranksDiffer("the matrices lora_A and lora_B,", *down, *up);
    module.outputs = up->shape[0];
    module.inputs = rowLength(*down);
    if (!mid) return std::nullopt;
    if (mid->shape.size() < 3 || mid->shape[1] != module.rank || module.inputs != down->shape[1])
        return ranksDiffer("a lora_mid and a down matrix,", *mid, *down);
    module.inputs *= rowLength(*mid) / mid->shape[1];
    return std::nullopt;
}

Fault completeHadamard(LoraModule& module) {
    struct Factor {
        const TensorInfo *a, *b, *core;
    };
    const Factor factors[] = {{module.part(HadaW1A), module.part(HadaW1B), module.part(HadaT1)},
                              {module.part(HadaW2A), module.part(HadaW2B), module.part(HadaT2)}};
    std::int64_t outputs = 0, inputs = 0;
    for (const Factor& factor : factors) {
        if (!factor.a || !factor.b) return "lacks one of its four matrices hada_w1_a, hada_w1_b, hada_w2_a, hada_w2_b";
        if (factor.core) {
            if (auto fault = completeTucker(*factor.core, *factor.a, *factor.b, module)) return fault;
        } else {
            if (rowLength(*factor.a) != factor.b->shape[0]) return ranksDiffer("the factors", *factor.a, *factor.b);
            module.outputs = factor.a->shape[0];
            module.inputs = rowLength(*factor.b);
        }
        if (outputs != 0 && (outputs != module.outputs || inputs != module.inputs))
            return fmt::format("has factors of {} x {} and {} x {} values", outputs, inputs, module.outputs,
                               module.inputs);
        outputs = module.outputs;
        inputs = module.inputs;
    }
    module.rank = factors[0].b->shape[0];
    return std::nullopt;
}

Fault completeKronecker(LoraModule& module) {
    struct Factor {
        const TensorInfo *whole, *a, *b, *core;
    };
    const Factor factors[] = {{module.part(LokrW1), module.part(LokrW1A), module.part(LokrW1B), nullptr},
                              {module.part(LokrW2), module.part(LokrW2A), module.part(LokrW2B), module.part(LokrT2)}};
    std::int64_t outputs = 1, inputs = 1;
    for (const Factor& factor : factors) {
        if (factor.whole) {
            module.outputs = factor.whole->shape[0];
            module.inputs = rowLength(*factor.whole);
        } else {
            if (!factor.a || !factor.b) return "lacks one of its Kronecker factors lokr_w1, lokr_w2";
            module.rank = factor.b->shape[0];
            if (factor.core) {
                if (auto fault = completeTucker(*factor.core, *factor.a, *factor.b, module)) return fault;
            } else {
                if (rowLength(*factor.a) != module.rank) return ranksDiffer("the factors", *factor.a, *factor.b);
                module.outputs = factor.a->shape[0];
                module.inputs = rowLength(*factor.b);
            }
        }
        if (__builtin_mul_overflow(outputs, module.outputs, &outputs) ||
            __builtin_mul_overflow(inputs, module.inputs, &inputs))
            return "has Kronecker factors beyond all bounds";
    }
    module.outputs = outputs;
    module.inputs = inputs;
    return std::nullopt;
}

}  // namespace

Fault completeLoraModule(LoraModule& module) {
    if (auto fault = malformed(module)) return fault;
    const auto hasAny = [&](LoraPart first, LoraPart last) {
        for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i)
            if (module.parts[i]) return true;
        return false;
    };
    int forms = 0;
    const auto take = [&](LoraForm form, bool isOne) {
        if (!isOne) return;
        module.form = form;
        ++forms;
    };
    take(LoraForm::LowRank, hasAny(Down, UpBias));
    take(LoraForm::Hadamard, hasAny(HadaW1A, HadaT2));
    take(LoraForm::Kronecker, hasAny(LokrW1, LokrT2));
    take(LoraForm::Difference, module.part(Difference) != nullptr);
    if (forms > 1) return "holds updates of several kinds for one layer";
    if (module.part(Magnitude) && module.part(OutputMagnitude)) return "has two DoRA magnitudes";
    if (module.magnitude() && (forms == 0 || module.form == LoraForm::Difference))
        return "has a DoRA magnitude but no matrices";
    switch (module.form) {
        case LoraForm::LowRank:
            return completeLowRank(module);
        case LoraForm::Hadamard:
            return completeHadamard(module);
        case LoraForm::Kronecker:
            return completeKronecker(module);
        case LoraForm::Difference: {
            const TensorInfo& difference = *module.part(Difference);
            module.outputs = difference.shape.empty() ? 1 : difference.shape[0];
            module.inputs = difference.elements() / module.outputs;
            return std::nullopt;
        }
        case LoraForm::None:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace reelbrush::weights
