#include "tests/engine/diffusion/golden_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace reelbrush::testing {

GoldenTensors::GoldenTensors(const std::filesystem::path& file) {
    auto opened = weights::ModelWeights::open(file);
    if (!opened) throw std::runtime_error(opened.error().message);
    file_ = *opened;
}

std::vector<float> GoldenTensors::values(const std::string& name) const {
    // As stored: golden values of films have more dimensions than a weight may have.
    const weights::StoredTensor* tensor = file_->stored().find(name);
    if (!tensor) throw std::runtime_error("there are no golden values '" + name + "'");
    kernels::WeightView view;
    view.dtype = tensor->info->dtype;
    view.shape = kernels::Shape{tensor->info->elements()};
    view.data = tensor->bytes().data();
    std::vector<float> result(static_cast<std::size_t>(tensor->info->elements()));
    view.toFloat(result.data());
    return result;
}

kernels::Shape GoldenTensors::shapeOf(const std::string& name) const {
    const auto view = file_->find(name);
    if (!view) throw std::runtime_error(view.error().message);
    return view->shape;
}

std::vector<float> GoldenTensors::image(const std::string& name) const {
    const auto planes = values(name);
    const kernels::Shape shape = shapeOf(name);
    const auto batch = static_cast<std::size_t>(shape[0]), channels = static_cast<std::size_t>(shape[1]);
    const auto area = static_cast<std::size_t>(shape[2] * shape[3]);
    std::vector<float> result(planes.size());
    for (std::size_t n = 0; n < batch; ++n)
        for (std::size_t c = 0; c < channels; ++c)
            for (std::size_t p = 0; p < area; ++p)
                result[(n * area + p) * channels + c] = planes[(n * channels + c) * area + p];
    return result;
}

Agreement agreement(const std::string& what, std::span<const float> computed, std::span<const float> golden) {
    Agreement result;
    if (computed.size() != golden.size() || golden.empty()) {
        std::printf("%s: %zu values against %zu\n", what.c_str(), computed.size(), golden.size());
        result.maxError = INFINITY;
        return result;
    }
    double dot = 0, computedSquare = 0, goldenSquare = 0, errorSquare = 0, largest = 0;
    for (std::size_t i = 0; i < golden.size(); ++i) {
        const double a = computed[i], b = golden[i];
        dot += a * b;
        computedSquare += a * a;
        goldenSquare += b * b;
        errorSquare += (a - b) * (a - b);
        result.maxError = std::max(result.maxError, std::isnan(a) ? INFINITY : std::abs(a - b));
        largest = std::max(largest, std::abs(b));
    }
    result.cosine = dot / std::sqrt(computedSquare * goldenSquare);
    result.relativeError = result.maxError / largest;
    result.psnr = -10.0 * std::log10(errorSquare / static_cast<double>(golden.size()) + 1e-30);
    std::printf("%s\n", fmt::format("{}: cosine {:.7f}, max error {:.2e} ({:.2e} of the range), {:.1f} dB", what,
                                    result.cosine, result.maxError, result.relativeError, result.psnr)
                            .c_str());
    return result;
}

}  // namespace reelbrush::testing
