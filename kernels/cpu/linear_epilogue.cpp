#include "kernels/cpu/linear_epilogue.h"

#include "kernels/cpu/simd_limit.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/linear_epilogue.cpp"
#include <hwy/foreach_target.h>
// Behind foreach_target.h, which must come first.
#include "kernels/cpu/activation_math-inl.h"
#include "kernels/cpu/vector_tail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace reelbrush::kernels::HWY_NAMESPACE {

struct EpilogueRow {
    const std::int32_t* sums;
    float rowScale;
    const float* columnScales;
    const float* biases;
    const float* residual;
    std::size_t columns;
};

template <bool kHasResidual, class F>
HWY_INLINE void finishRow(const EpilogueRow& row, const F& activate, float* output) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> dInt;
    const std::size_t lanes = hn::Lanes(d);
    const auto rowScale = hn::Set(d, row.rowScale);
    std::size_t c = 0;
    for (; c + lanes <= row.columns; c += lanes) {
        const auto sum = hn::ConvertTo(d, hn::LoadU(dInt, row.sums + c));
        auto y = hn::MulAdd(hn::Mul(sum, rowScale), hn::LoadU(d, row.columnScales + c), hn::LoadU(d, row.biases + c));
        if constexpr (kHasResidual) y = hn::Add(y, hn::LoadU(d, row.residual + c));
        hn::StoreU(activate(d, y), d, output + c);
    }
    if (c == row.columns) return;
    const std::size_t rest = row.columns - c;
    HWY_ALIGN std::int32_t last[hn::MaxLanes(d)] = {};
    for (std::size_t i = 0; i < rest; ++i) last[i] = row.sums[c + i];
    const auto sum = hn::ConvertTo(d, hn::Load(dInt, last));
    auto y = hn::MulAdd(hn::Mul(sum, rowScale), loadFirst(d, row.columnScales + c, rest),
                        loadFirst(d, row.biases + c, rest));
    if constexpr (kHasResidual) y = hn::Add(y, loadFirst(d, row.residual + c, rest));
    storeFirst(activate(d, y), d, output + c, rest);
}

void finishRows(const LinearEpilogue& epilogue, float* output) {
    withActivation(epilogue.activation, [&](const auto& activate) HWY_ATTR {
        for (std::int64_t r = 0; r < epilogue.rows; ++r) {
            const std::int64_t first = r * epilogue.columns;
            EpilogueRow row{epilogue.sums + first,
                            epilogue.rowScales[r],
                            epilogue.columnScales,
                            epilogue.biases,
                            nullptr,
                            static_cast<std::size_t>(epilogue.columns)};
            if (epilogue.residual == nullptr) {
                finishRow<false>(row, activate, output + first);
            } else {
                row.residual = epilogue.residual + first;
                finishRow<true>(row, activate, output + first);
            }
        }
    });
}

}  // namespace reelbrush::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace reelbrush::kernels {

HWY_EXPORT(finishRows);

void finishLinear(const LinearEpilogue& epilogue, float* output) {
    applySimdLimitFromEnvironment();
    HWY_DYNAMIC_DISPATCH(finishRows)(epilogue, output);
}

}  // namespace reelbrush::kernels
#endif
