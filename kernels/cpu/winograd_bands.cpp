#include "kernels/cpu/winograd_bands.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace reelbrush::kernels {

namespace {

using DataType = dnnl::memory::data_type;

WinogradPrimitives::ConvolutionDesc describeConvolution(const Conv2dProblem& rows, const dnnl::memory::desc& weights) {
    dnnl::post_ops operations;
    if (rows.op.hasResidual) operations.append_sum();
    appendActivation(operations, rows.op.activation);
    const auto blocked = dnnl::memory::format_tag::nChw16c;
    const Conv2dProblem::Layouts layouts{
        {rows.inputDims(), DataType::f32, blocked},
        weights,
        {rows.outputDims(), DataType::f32, blocked},
        rows.weights.hasBias(),
    };
    return rows.describe(dnnl::algorithm::convolution_winograd, layouts, attributes(operations));
}

/// A band's rows as a convolution of their own: padding only where the image ends.
Conv2dProblem rowsOf(const Conv2dProblem& problem, std::int64_t first, std::int64_t count) {
    Conv2dProblem rows = problem;
    const std::int64_t inFirst = first - problem.op.padTop, inEnd = inFirst + count + problem.op.kernelHeight - 1;
    rows.op.padTop = static_cast<int>(std::max<std::int64_t>(0, -inFirst));
    rows.op.padBottom = static_cast<int>(std::max<std::int64_t>(0, inEnd - problem.inHeight));
    rows.inHeight = inEnd - inFirst - rows.op.padTop - rows.op.padBottom;
    rows.outHeight = count;
    return rows;
}

/// Rows of a band: a multiple of the 4 rows of a tile, if possible one that leaves no smaller band behind. Every band
/// reads all weights, so that a band of large ones is the larger.
std::int64_t bandRows(const Conv2dProblem& problem) {
    constexpr std::int64_t kCachedBytes = std::int64_t{24} << 20, kTile = 4, kFewest = 8;
    // Both sides, and 36 frequencies for every 16 pixels of each.
    const std::int64_t channels = problem.inChannels + problem.op.outChannels;
    const std::int64_t rowBytes = problem.outWidth * channels * std::int64_t{sizeof(float)} * 13 / 4;
    const std::int64_t weightBytes = problem.inChannels * problem.op.outChannels * 36 * std::int64_t{sizeof(float)};
    const std::int64_t bandBytes = std::max(kCachedBytes, 2 * weightBytes);
    const std::int64_t most = std::max(kFewest, bandBytes / rowBytes / kTile * kTile);
    if (most >= problem.outHeight) return problem.outHeight;
    for (std::int64_t rows = most; 2 * rows >= most; rows -= kTile)
        if (problem.outHeight % rows == 0) return rows;
    const std::int64_t bands = (problem.outHeight + most - 1) / most;
    return ((problem.outHeight + bands - 1) / bands + kTile - 1) / kTile * kTile;
}

WinogradBands inBandsOf(const Conv2dProblem& problem, std::int64_t rows) {
    WinogradBands result;
    std::map<std::tuple<std::int64_t, int, int>, std::size_t> known;
    dnnl::memory::desc weights(problem.weightDims(), DataType::f32, dnnl::memory::format_tag::any);
    for (std::int64_t first = 0; first < problem.outHeight; first += rows) {
        const Conv2dProblem band = rowsOf(problem, first, std::min(rows, problem.outHeight - first));
        const auto [entry, isNew] =
            known.try_emplace({band.outHeight, band.op.padTop, band.op.padBottom}, known.size());
        if (isNew) {
            result.primitives.emplace_back(band, weights);
            weights = result.weightsDesc();
        }
        result.bands.push_back({entry->second, std::max<std::int64_t>(0, first - problem.op.padTop), first});
    }
    return result;
}

}  // namespace

WinogradPrimitives::WinogradPrimitives(const Conv2dProblem& rows, const dnnl::memory::desc& weights)
    : convolutionDesc(describeConvolution(rows, weights)) {
    const dnnl::memory::desc plainInput = imageDesc(DataType::f32, rows.inputDims());
    const dnnl::memory::desc plainOutput = imageDesc(DataType::f32, rows.outputDims());
    const dnnl::engine& engine = rows.onednn.engine;
    const dnnl::primitive_attr attr = attributes();
    const dnnl::memory::desc source = convolutionDesc.src_desc(), destination = convolutionDesc.dst_desc();
    toBlockedDesc = ReorderDesc(engine, plainInput, engine, source, attr);
    residualToBlockedDesc = ReorderDesc(engine, plainOutput, engine, destination, attr);
    toPlainDesc = ReorderDesc(engine, destination, engine, plainOutput, attr);
    convolution = dnnl::convolution_forward(convolutionDesc);
    toBlocked = dnnl::reorder(toBlockedDesc);
    residualToBlocked = dnnl::reorder(residualToBlockedDesc);
    toPlain = dnnl::reorder(toPlainDesc);
}

std::size_t WinogradPrimitives::scratchBytes() const {
    return std::max({convolutionDesc.scratchpad_desc().get_size(), toBlockedDesc.scratchpad_desc().get_size(),
                     residualToBlockedDesc.scratchpad_desc().get_size(), toPlainDesc.scratchpad_desc().get_size()});
}

WinogradBands WinogradBands::describe(const Conv2dProblem& problem) {
    const std::int64_t rows = bandRows(problem);
    try {
        return inBandsOf(problem, rows);
    } catch (const dnnl::error& error) {
        // A last band of another height may want its weights otherwise.
        if (error.status != dnnl_unimplemented || rows == problem.outHeight) throw;
        return inBandsOf(problem, problem.outHeight);
    }
}

}  // namespace reelbrush::kernels
