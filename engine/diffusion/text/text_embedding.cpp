#include "engine/diffusion/text/text_embedding.h"

#include "engine/weights/base_model.h"
#include "engine/weights/model_weights.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace reelbrush::diffusion {

namespace {

using weights::ModelWeights;
using weights::quotedPath;

/// The tensors that hold the vectors, in the order of the text encoders; empty where the file is something else.
std::vector<std::string> vectorTensors(const std::vector<std::string>& names) {
    const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
    if (has("clip_l") && has("clip_g")) return {"clip_l", "clip_g"};
    for (const char* name : {"clip_l", "clip_g", "emb_params"})
        if (has(name)) return {name};
    std::vector<std::string> parameters;
    for (const std::string& name : names)
        if (name.starts_with("string_to_param")) parameters.push_back(name);
    if (parameters.size() == 1) return parameters;
    return names.size() == 1 ? names : std::vector<std::string>{};
}

Result<TextEmbedding::Part> readPart(const ModelWeights& file, const std::string& name, const std::string& shown) {
    RB_ASSIGN(const kernels::WeightView view, file.find(name));
    const kernels::Shape& shape = view.shape;
    const bool isVector = shape.rank() == 1 && shape[0] > 0, isTable = shape.rank() == 2 && shape.elements() > 0;
    if ((!isVector && !isTable) || (isTable && shape[0] > TextEmbedding::kMostVectors))
        return fail(StatusCode::BadInput,
                    fmt::format("{} is no embedding of words: its tensor {} has the shape {} where 1 to {} vectors are "
                                "expected",
                                shown, weights::quotedName(name), shape.toString(), TextEmbedding::kMostVectors));
    TextEmbedding::Part part;
    part.width = static_cast<int>(shape[shape.rank() - 1]);
    part.values.resize(static_cast<std::size_t>(shape.elements()));
    view.toFloat(part.values.data());
    if (!std::ranges::all_of(part.values, [](float value) { return std::isfinite(value); }))
        return fail(StatusCode::BadInput, fmt::format("{} is damaged: it holds values that are not numbers", shown));
    return part;
}

std::string joined(std::span<const int> widths) {
    return fmt::format("{}", fmt::join(widths, " and "));
}

}  // namespace

Result<TextEmbedding> TextEmbedding::open(const std::filesystem::path& file) {
    RB_ASSIGN(const auto opened, ModelWeights::open(file));
    const std::string shown = quotedPath(file);
    const std::vector<std::string> tensors = vectorTensors(opened->names());
    if (tensors.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("{} is no embedding of words: it holds {} tensors, and none is called emb_params, "
                                "string_to_param.*, clip_l or clip_g",
                                shown, opened->names().size()));
    TextEmbedding embedding;
    for (const std::string& name : tensors) {
        RB_ASSIGN(Part part, readPart(*opened, name, shown));
        const int vectors = static_cast<int>(part.values.size()) / part.width;
        if (!embedding.parts.empty() && vectors != embedding.vectors)
            return fail(StatusCode::BadInput, fmt::format("{} is damaged: {} vectors for one text encoder, {} for the "
                                                          "other",
                                                          shown, embedding.vectors, vectors));
        embedding.vectors = vectors;
        embedding.parts.push_back(std::move(part));
    }
    return embedding;
}

Status TextEmbedding::fits(std::span<const int> widths) const {
    std::vector<int> own;
    for (const Part& part : parts) own.push_back(part.width);
    if (std::ranges::equal(own, widths)) return {};
    const bool isXl = own.size() == 2 || own.front() == 1280;
    const std::string base = isXl ? "SDXL" : weights::baseModelFromContextWidth(own.front());
    const std::string made = base.empty() ? "made for another model" : fmt::format("made for {}", base);
    return fail(StatusCode::BadInput, fmt::format("its vectors are {} wide ({}), this model's text encoders want {}",
                                                  joined(own), made, joined(widths)));
}

}  // namespace reelbrush::diffusion
