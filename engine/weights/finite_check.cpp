#include "engine/weights/finite_check.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace reelbrush::weights {

namespace {

using kernels::DType;

constexpr std::int64_t kChunk = 1 << 16;

/// The first value whose bits under the mask are all ones: an exponent that stands for NaN or infinity.
template <typename Bits>
std::optional<std::int64_t> firstWithAll(const void* data, std::int64_t count, Bits mask) {
    const std::span<const Bits> values(static_cast<const Bits*>(data), static_cast<std::size_t>(count));
    for (std::int64_t at = 0; at < count; at += kChunk) {
        const auto chunk =
            values.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(std::min(kChunk, count - at)));
        // Without an early way out, so that it is computed many values at a time.
        bool any = false;
        for (const Bits value : chunk) any |= (value & mask) == mask;
        if (!any) continue;
        const auto found = std::ranges::find_if(chunk, [&](Bits value) { return (value & mask) == mask; });
        return at + (found - chunk.begin());
    }
    return std::nullopt;
}

std::optional<std::int64_t> firstNotFinite(const kernels::WeightView& view) {
    const std::int64_t count = view.shape.elements();
    switch (view.dtype) {
        case DType::F64:
            return firstWithAll<std::uint64_t>(view.data, count, 0x7ff0000000000000u);
        case DType::F32:
            return firstWithAll<std::uint32_t>(view.data, count, 0x7f800000u);
        case DType::F16:
            return firstWithAll<std::uint16_t>(view.data, count, 0x7c00u);
        case DType::BF16:
            return firstWithAll<std::uint16_t>(view.data, count, 0x7f80u);
        case DType::F8E5M2:
            return firstWithAll<std::uint8_t>(view.data, count, 0x7cu);
        case DType::F8E4M3:  // has no infinity: only all ones is no number
            return firstWithAll<std::uint8_t>(view.data, count, 0x7fu);
        case DType::I64:
        case DType::I32:
        case DType::I16:
        case DType::I8:
        case DType::U8:
        case DType::Bool:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

Status checkFinite(std::string_view name, const kernels::WeightView& view) {
    const auto at = firstNotFinite(view);
    if (!at) return {};
    return fail(StatusCode::BadInput,
                fmt::format("weight {} holds a value that is not a finite number (number {} of {}): the file is "
                            "damaged, or was made by a merge that failed; get it again",
                            quotedName(name), *at + 1, view.shape.elements()));
}

Status checkFinite(const ListedWeights& weights, const CancelToken& cancel) {
    constexpr std::size_t kDropAfterBytes = std::size_t{64} << 20;
    std::size_t readBytes = 0;
    for (const std::string& name : weights.names()) {
        RB_TRY(cancel.check());
        RB_ASSIGN(const kernels::WeightView view, weights.find(name));
        RB_TRY(checkFinite(name, view));
        readBytes += static_cast<std::size_t>(view.shape.elements()) * kernels::sizeOf(view.dtype);
        if (readBytes < kDropAfterBytes) continue;
        weights.dropPages();
        readBytes = 0;
    }
    weights.dropPages();
    return {};
}

}  // namespace reelbrush::weights
