#include "engine/diffusion/vae/latent_codec.h"

#include "engine/diffusion/networks/autoencoder_kl.h"
#include "engine/diffusion/networks/tiny_autoencoder.h"
#include "kernels/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

bool allFinite(std::span<const float> values) {
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

/// Both kinds of autoencoder as graphs from and to pictures in [0,1].
struct CodecGraphs {
    Graph encoder, decoder;
    int latentChannels = 4, reduction = 8;
    float scalingFactor = 1.0f;
};

Result<CodecGraphs> klGraphs(const nlohmann::json& json, const LatentCodecOptions& options) {
    RB_ASSIGN(const AutoencoderKlConfig config, AutoencoderKlConfig::fromJson(json));
    CodecGraphs graphs;
    graphs.latentChannels = config.latentChannels;
    graphs.reduction = config.reduction();
    graphs.scalingFactor = config.scalingFactor;
    const int width = options.width / graphs.reduction, height = options.height / graphs.reduction;
    const Value picture = graphs.encoder.input("picture", {1, options.height, options.width, 3});
    const Value signedPicture = graphs.encoder.add(Affine{.scale = 2.0f, .offset = -1.0f}, {picture});
    graphs.encoder.output("latents", buildKlEncoder(graphs.encoder, config, signedPicture));
    const Value latents = graphs.decoder.input("latents", {1, height, width, config.latentChannels});
    const Value decoded = buildKlDecoder(graphs.decoder, config, latents);
    graphs.decoder.output("picture", graphs.decoder.add(Affine{.scale = 0.5f, .offset = 0.5f}, {decoded}));
    return graphs;
}

Result<CodecGraphs> tinyGraphs(const nlohmann::json& json, const LatentCodecOptions& options) {
    RB_ASSIGN(const TinyAutoencoderConfig config, TinyAutoencoderConfig::fromJson(json));
    CodecGraphs graphs;
    graphs.latentChannels = config.latentChannels;
    graphs.reduction = config.reduction();
    const int width = options.width / graphs.reduction, height = options.height / graphs.reduction;
    const Value picture = graphs.encoder.input("picture", {1, options.height, options.width, 3});
    graphs.encoder.output("latents", buildTinyEncoder(graphs.encoder, config, picture));
    const Value latents = graphs.decoder.input("latents", {1, height, width, config.latentChannels});
    graphs.decoder.output("picture", buildTinyDecoder(graphs.decoder, config, latents));
    return graphs;
}

/// The whole picture at once.
class WholeCodec final : public LatentCodec {
  public:
    WholeCodec(const CodecGraphs& graphs, const LatentCodecOptions& options, Plan encoder, Plan decoder)
        : width_(options.width / graphs.reduction),
          height_(options.height / graphs.reduction),
          channels_(graphs.latentChannels),
          scalingFactor_(graphs.scalingFactor),
          encoder_(std::move(encoder)),
          decoder_(std::move(decoder)) {}

    std::size_t arenaBytes() const override { return std::max(encoder_.arenaBytes(), decoder_.arenaBytes()); }
    std::size_t weightBytes() const override { return encoder_.weightBytes() + decoder_.weightBytes(); }
    Status bind(std::span<std::byte> arena) override {
        RB_TRY(encoder_.bind(arena));
        return decoder_.bind(arena);
    }

    Status encode(std::span<const float> picture, std::span<float> latents, const IsCancelled& cancelled) override {
        RB_ENSURE(picture.size() == encoder_.input("picture").size() && latents.size() == latentValues(),
                  "a picture of another size than the codec's");
        std::ranges::copy(picture, encoder_.input("picture").begin());
        RB_TRY(encoder_.run(cancelled));
        // Of each latent the means come first; what follows are the variances.
        const auto moments = encoder_.output("latents");
        const auto depth = static_cast<std::size_t>(channels_);
        const std::size_t stored = moments.size() / (latents.size() / depth);
        for (std::size_t i = 0; i < latents.size(); ++i)
            latents[i] = scalingFactor_ * moments[i / depth * stored + i % depth];
        if (!allFinite(latents))
            return fail(StatusCode::BadInput,
                        "the VAE's latents are not finite; its file is damaged, or it is made "
                        "for another model");
        return {};
    }

    Status decode(std::span<const float> latents, std::span<float> picture, const IsCancelled& cancelled) override {
        const auto in = decoder_.input("latents");
        RB_ENSURE(latents.size() == in.size(), "latents of another size than the codec's");
        for (std::size_t i = 0; i < in.size(); ++i) in[i] = latents[i] / scalingFactor_;
        RB_TRY(decoder_.run(cancelled));
        const auto decoded = decoder_.output("picture");
        if (!allFinite(decoded))
            return fail(StatusCode::BadInput,
                        "the VAE's picture is not finite; its file is damaged, or it is made for "
                        "another model");
        std::ranges::transform(decoded, picture.begin(), [](float value) { return std::clamp(value, 0.0f, 1.0f); });
        return {};
    }

    int latentWidth() const override { return width_; }
    int latentHeight() const override { return height_; }
    int latentChannels() const override { return channels_; }
    float scalingFactor() const override { return scalingFactor_; }
    const std::vector<std::string>& notes() const override { return notes_; }

  private:
    std::size_t latentValues() const {
        return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) *
               static_cast<std::size_t>(channels_);
    }

    int width_, height_, channels_;
    float scalingFactor_;
    Plan encoder_, decoder_;
    std::vector<std::string> notes_;
};

}  // namespace

Result<std::unique_ptr<LatentCodec>> LatentCodec::create(std::shared_ptr<const weights::ListedWeights> weights,
                                                         const nlohmann::json& config, Backend& backend,
                                                         const LatentCodecOptions& options) {
    const bool isTiny = config.is_object() && config.value("_class_name", "") == "AutoencoderTiny";
    RB_ASSIGN(CodecGraphs graphs, isTiny ? tinyGraphs(config, options) : klGraphs(config, options));
    if (options.width % graphs.reduction != 0 || options.height % graphs.reduction != 0)
        return fail(StatusCode::BadInput, fmt::format("the VAE takes sizes that are multiples of {}, got {}x{}",
                                                      graphs.reduction, options.width, options.height));
    RB_ASSIGN(Plan encoder, Plan::compile(std::move(graphs.encoder), *weights, backend));
    RB_ASSIGN(Plan decoder, Plan::compile(std::move(graphs.decoder), *weights, backend));
    return std::unique_ptr<LatentCodec>(
        std::make_unique<WholeCodec>(graphs, options, std::move(encoder), std::move(decoder)));
}

}  // namespace reelbrush::diffusion
