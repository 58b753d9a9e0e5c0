#include "tests/engine/weights/checkpoint_copy.h"

#include "engine/weights/model_weights.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace reelbrush::testing {

namespace {

using kernels::DType;

std::vector<float> valuesOf(const kernels::WeightView& view) {
    std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
    view.toFloat(values.data());
    return values;
}

/// The nearest of the 256 values of an 8 bit type.
std::uint8_t nearest8(float value, DType dtype) {
    static const auto tables = [] {
        std::array<std::vector<std::pair<float, std::uint8_t>>, 2> made;
        for (int bits = 0; bits < 256; ++bits) {
            const auto byte = static_cast<std::uint8_t>(bits);
            const std::array values = {kernels::float8E4M3ToFloat(byte), kernels::float8E5M2ToFloat(byte)};
            for (std::size_t t = 0; t < 2; ++t)
                if (std::isfinite(values[t])) made[t].emplace_back(values[t], byte);
        }
        for (auto& table : made) std::ranges::sort(table);
        return made;
    }();
    const auto& table = tables[dtype == DType::F8E4M3 ? 0 : 1];
    auto above = std::ranges::lower_bound(table, value, {}, [](const auto& entry) { return entry.first; });
    if (above == table.end()) return table.back().second;
    if (above != table.begin() && value - (above - 1)->first < above->first - value) --above;
    return above->second;
}

template <typename T>
std::string bytesOf(const std::vector<float>& values, T convert) {
    std::string bytes;
    for (const float value : values) {
        const auto stored = convert(value);
        bytes.append(reinterpret_cast<const char*>(&stored), sizeof stored);
    }
    return bytes;
}

std::string encoded(const std::vector<float>& values, DType dtype) {
    switch (dtype) {
        case DType::F32:
            return bytesOf(values, [](float value) { return value; });
        case DType::F16:
            return bytesOf(values, kernels::floatToHalf);
        case DType::BF16:
            return bytesOf(values,
                           [](float v) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(v) >> 16); });
        case DType::F8E4M3:
        case DType::F8E5M2:
            return bytesOf(values, [dtype](float value) { return nearest8(value, dtype); });
        default:
            throw std::runtime_error("no such element type in tests");
    }
}

kernels::WeightView viewOf(const weights::ListedWeights& source, const std::string& name) {
    const auto view = source.find(name);
    if (!view) throw std::runtime_error(view.error().message);
    return *view;
}

SafetensorsWriter::Dims dimsOf(const kernels::WeightView& view) {
    return {view.shape.dims().begin(), view.shape.dims().end()};
}

}  // namespace

std::filesystem::path tinyCheckpointFile() {
    return fixturesFolder() / "sd15-tiny" / "single_file.safetensors";
}

std::shared_ptr<const weights::ListedWeights> tinyCheckpoint() {
    auto weights = weights::ModelWeights::open(tinyCheckpointFile());
    if (!weights) throw std::runtime_error(weights.error().message);
    return *weights;
}

void copyWeights(const weights::ListedWeights& source, const CopyOptions& options, SafetensorsWriter& into) {
    for (const std::string& name : source.names()) {
        const std::string newName = options.rename(name);
        if (newName.empty()) continue;
        const auto view = viewOf(source, name);
        auto dims = dimsOf(view);
        if (options.squeezed && dims.size() == 4 && dims[2] == 1 && dims[3] == 1) dims.resize(2);
        into.add(newName, kernels::nameOf(options.dtype), dims, encoded(valuesOf(view), options.dtype));
    }
}

void copyWeight(const weights::ListedWeights& source, const std::string& name, const std::string& newName,
                SafetensorsWriter& into) {
    const auto view = viewOf(source, name);
    into.addF16(newName, dimsOf(view), valuesOf(view));
}

void addOpenClip(const weights::ListedWeights& checkpoint, const std::string& prefix, SafetensorsWriter& into) {
    const std::string text = "cond_stage_model.transformer.text_model.";
    constexpr int kLayers = 3;
    copyWeight(checkpoint, text + "embeddings.token_embedding.weight", prefix + "token_embedding.weight", into);
    copyWeight(checkpoint, text + "embeddings.position_embedding.weight", prefix + "positional_embedding", into);
    into.addF16(prefix + "logit_scale", {}, {4.6f});
    const auto width = viewOf(checkpoint, text + "final_layer_norm.weight").shape[0];
    std::vector<float> projection(static_cast<std::size_t>(width * width));
    for (std::size_t i = 0; i < projection.size(); ++i) projection[i] = static_cast<float>(i);
    into.addF16(prefix + "text_projection", {width, width}, projection);
    for (int i = 0; i <= kLayers; ++i) {
        const std::string layer = fmt::format("{}encoder.layers.{}.", text, i % kLayers);
        const std::string block = fmt::format("{}transformer.resblocks.{}.", prefix, i);
        for (const char* kind : {"weight", "bias"}) {
            std::vector<float> fused;
            SafetensorsWriter::Dims dims;
            for (const char* which : {"q", "k", "v"}) {
                const auto view = viewOf(checkpoint, fmt::format("{}self_attn.{}_proj.{}", layer, which, kind));
                const auto values = valuesOf(view);
                fused.insert(fused.end(), values.begin(), values.end());
                dims = dimsOf(view);
            }
            dims[0] *= 3;
            into.addF16(block + "attn.in_proj_" + kind, dims, fused);
            const std::pair<const char*, const char*> modules[] = {{"self_attn.out_proj.", "attn.out_proj."},
                                                                   {"layer_norm1.", "ln_1."},
                                                                   {"layer_norm2.", "ln_2."},
                                                                   {"mlp.fc1.", "mlp.c_fc."},
                                                                   {"mlp.fc2.", "mlp.c_proj."}};
            for (const auto& [from, to] : modules) copyWeight(checkpoint, layer + from + kind, block + to + kind, into);
        }
    }
    for (const char* kind : {"weight", "bias"})
        copyWeight(checkpoint, text + "final_layer_norm." + kind, prefix + "ln_final." + kind, into);
}

std::function<std::string(const std::string&)> exchangePrefix(const std::string& from, const std::string& to) {
    return [from, to](const std::string& name) {
        return name.starts_with(from) ? to + name.substr(from.size()) : std::string();
    };
}

}  // namespace reelbrush::testing
