#include "engine/diffusion/image_prompt.h"

#include "engine/diffusion/networks/run_once.h"
#include "engine/diffusion/streamed_weights.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// Same number of cross-attentions, same width of the text that they read.
Status checkFits(const weights::IpAdapterFiles& adapter, const FullModel& model) {
    const std::size_t attentions = numberedCrossAttentions(model.unetConfig).size();
    if (static_cast<std::size_t>(adapter.attentions) == attentions &&
        adapter.contextChannels == model.unetConfig.contextChannels)
        return {};
    if (adapter.family != model.files.family)
        return fail(
            StatusCode::BadInput,
            fmt::format("the IP-Adapter {} was made for {}, but the model {} is {}; use one made for {}",
                        weights::quotedPath(adapter.path), nameOf(adapter.family),
                        weights::quotedPath(model.files.path), nameOf(model.files.family), nameOf(model.files.family)));
    return fail(StatusCode::BadInput,
                fmt::format("the IP-Adapter {} does not fit the model {}: it adds to {} attentions that read tokens of "
                            "width {}, the model has {} of width {}",
                            weights::quotedPath(adapter.path), weights::quotedPath(model.files.path),
                            adapter.attentions, adapter.contextChannels, attentions, model.unetConfig.contextChannels));
}

Status checkEncoder(const ImageProjectionConfig& projection, const VisionEncoderConfig& vision,
                    const weights::ModelPart& encoder, const IpAdapterChoice& choice) {
    const bool wantsEmbedding = projection.kind == ImageProjectionConfig::Kind::Embedding;
    const char* what = wantsEmbedding ? "embeddings" : "tokens";
    const int width = wantsEmbedding ? vision.projection : vision.hiddenSize;
    if (projection.embedChannels != width)
        return fail(StatusCode::BadInput,
                    fmt::format("the IP-Adapter {} reads {} of width {}, but the image encoder {} gives {}; use the "
                                "image encoder that the adapter was published with",
                                weights::quotedPath(choice.file), what, projection.embedChannels,
                                weights::quotedPath(choice.imageEncoder), width));
    if (wantsEmbedding && !encoder.weights->contains("visual_projection.weight"))
        return fail(StatusCode::BadInput,
                    fmt::format("the image encoder {} lacks its 'visual_projection', which the IP-Adapter {} needs; "
                                "use the CLIP model with projection",
                                weights::quotedPath(choice.imageEncoder), weights::quotedPath(choice.file)));
    return {};
}

}  // namespace

Result<ImagePrompt> ImagePrompt::open(const IpAdapterChoice& choice, const FullModel& model) {
    ImagePrompt prompt;
    prompt.styleOnly_ = choice.styleOnly;
    RB_ASSIGN(prompt.files_, weights::openIpAdapter(choice.file));
    RB_TRY(checkFits(prompt.files_, model));
    RB_ASSIGN(prompt.projection_,
              ImageProjectionConfig::fromWeights(*prompt.files_.weights, prompt.files_.contextChannels));
    RB_ASSIGN(prompt.encoder_, weights::openImageEncoder(choice.imageEncoder));
    RB_ASSIGN(prompt.vision_, VisionEncoderConfig::fromJson(prompt.encoder_.config));
    RB_TRY(checkEncoder(prompt.projection_, prompt.vision_, prompt.encoder_, choice));
    return prompt;
}

int ImagePrompt::tokens() const {
    return projection_.tokens > 0 ? projection_.tokens : vision_.tokens();
}

/// Normalised pictures → what the projection reads of each.
Result<std::vector<float>> ImagePrompt::see(std::vector<float> pictures, int count, Backend& backend,
                                            const CancelToken& cancel) const {
    Graph graph;
    const Value picture = graph.input("pictures", {count, vision_.imageSize, vision_.imageSize, 3});
    const Value tokens = buildVisionEncoder(graph, vision_, picture);
    graph.output("tokens", readsEmbedding() ? buildLastVisionLayer(graph, vision_, tokens) : tokens);
    RB_ASSIGN(NamedTensors seen, runOnce(std::move(graph), StreamedWeights(*encoder_.weights, cancel), backend,
                                         {{"pictures", std::move(pictures)}}));
    encoder_.weights->dropPages();
    if (!readsEmbedding()) return std::move(seen.at("tokens"));
    const std::vector<float>& all = seen.at("tokens");
    const auto width = static_cast<std::size_t>(vision_.hiddenSize);
    const std::size_t stride = width * static_cast<std::size_t>(vision_.tokens());
    std::vector<float> classTokens;
    for (std::size_t begin = 0; begin < all.size(); begin += stride) {
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(begin);
        classTokens.insert(classTokens.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
    return embed(std::move(classTokens), count, backend, cancel);
}

Result<std::vector<float>> ImagePrompt::embed(std::vector<float> classTokens, int count, Backend& backend,
                                              const CancelToken& cancel) const {
    Graph graph;
    const Value in = graph.input("classTokens", {count, 1, vision_.hiddenSize});
    graph.output("embeds", buildPictureEmbedding(graph, vision_, in));
    RB_ASSIGN(NamedTensors embedded, runOnce(std::move(graph), StreamedWeights(*encoder_.weights, cancel), backend,
                                             {{"classTokens", std::move(classTokens)}}));
    return std::move(embedded.at("embeds"));
}

Result<std::vector<float>> ImagePrompt::project(std::vector<float> embeds, Backend& backend,
                                                const CancelToken& cancel) const {
    Graph graph;
    const Value in = graph.input("embeds", {1, readsEmbedding() ? 1 : vision_.tokens(), projection_.embedChannels});
    graph.output("tokens", buildImageProjection(graph, projection_, in));
    RB_ASSIGN(NamedTensors projected, runOnce(std::move(graph), StreamedWeights(*files_.weights, cancel), backend,
                                              {{"embeds", std::move(embeds)}}));
    return std::move(projected.at("tokens"));
}

Result<ImageTokens> ImagePrompt::encode(std::span<const std::span<const float>> pictures, Backend& backend,
                                        const CancelToken& cancel) const {
    RB_ENSURE(!pictures.empty(), "an IP-Adapter without a style picture");
    std::vector<float> normalised;
    for (const auto picture : pictures) {
        const std::vector<float> values = normalisedForClip(picture);
        normalised.insert(normalised.end(), values.begin(), values.end());
    }
    // As the adapters were trained: without a picture, base reads a zero embedding, the others what the encoder sees in
    // zeros (diffusers, encode_image).
    const int count = static_cast<int>(pictures.size()) + (readsEmbedding() ? 0 : 1);
    normalised.resize(pictures[0].size() * static_cast<std::size_t>(count));
    RB_ASSIGN(std::vector<float> embeds, see(std::move(normalised), count, backend, cancel));
    const std::size_t each = embeds.size() / static_cast<std::size_t>(count);
    embeds.resize(each * (pictures.size() + 1));

    ImageTokens result;
    for (std::size_t i = 0; i <= pictures.size(); ++i) {
        const auto first = embeds.begin() + static_cast<std::ptrdiff_t>(i * each);
        RB_ASSIGN(std::vector<float> tokens,
                  project({first, first + static_cast<std::ptrdiff_t>(each)}, backend, cancel));
        if (i == pictures.size()) {
            result.nothing = std::move(tokens);
            break;
        }
        result.pictures.resize(tokens.size());
        for (std::size_t k = 0; k < tokens.size(); ++k)
            result.pictures[k] += tokens[k] / static_cast<float>(pictures.size());
    }
    files_.weights->dropPages();
    return result;
}

}  // namespace reelbrush::diffusion
