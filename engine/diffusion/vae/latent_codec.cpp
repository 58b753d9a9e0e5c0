#include "engine/diffusion/vae/latent_codec.h"

#include "engine/diffusion/vae/codec_graphs.h"
#include "engine/diffusion/vae/codec_half.h"

#include <algorithm>
#include <optional>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

class PlannedCodec final : public LatentCodec {
  public:
    PlannedCodec(const CodecGraphs& graphs, const LatentCodecOptions& options)
        : width_(options.width / graphs.reduction),
          height_(options.height / graphs.reduction),
          channels_(graphs.latentChannels),
          pictureValues_(static_cast<std::size_t>(options.width) * static_cast<std::size_t>(options.height) * 3),
          scalingFactor_(graphs.scalingFactor) {}

    Status compile(CodecGraphs graphs, const std::shared_ptr<const weights::ListedWeights>& weights, Backend& backend,
                   const LatentCodecOptions& options) {
        if (options.encoder) {
            const Shape moments = graphs.encoder.shapeOf(graphs.encoder.outputs()[0].second);
            moments_.resize(static_cast<std::size_t>(moments.elements()));
            RB_ASSIGN(encoder_, CodecHalf::compile(std::move(graphs.encoder), weights, backend,
                                                   {"encoder", options.activationBytes}));
        }
        if (options.decoder) {
            RB_ASSIGN(decoder_, CodecHalf::compile(std::move(graphs.decoder), weights, backend,
                                                   {"decoder", options.activationBytes}));
        }
        return {};
    }

    std::size_t arenaBytes() const override {
        return std::max(encoder_ ? encoder_->arenaBytes() : 0, decoder_ ? decoder_->arenaBytes() : 0);
    }
    std::size_t weightBytes() const override {
        return (encoder_ ? encoder_->weightBytes() : 0) + (decoder_ ? decoder_->weightBytes() : 0);
    }
    bool isTiled() const override { return (encoder_ && encoder_->isTiled()) || (decoder_ && decoder_->isTiled()); }
    Status bind(std::span<std::byte> arena) override {
        if (encoder_) RB_TRY(encoder_->bind(arena));
        if (decoder_) RB_TRY(decoder_->bind(arena));
        return {};
    }

    Status encode(std::span<const float> picture, std::span<float> latents, const IsCancelled& cancelled) override {
        RB_ENSURE(encoder_, "encoding with a codec that has no encoder");
        RB_ENSURE(picture.size() == pictureValues_ && latents.size() == latentValues(),
                  "a picture of another size than the codec's");
        RB_TRY(runHalf(*encoder_, picture, moments_, cancelled));
        // Of each latent the means come first; what follows are the variances.
        const auto depth = static_cast<std::size_t>(channels_);
        const std::size_t stored = moments_.size() / (latents.size() / depth);
        for (std::size_t i = 0; i < latents.size(); ++i)
            latents[i] = scalingFactor_ * moments_[i / depth * stored + i % depth];
        return {};
    }

    Status decode(std::span<const float> latents, std::span<float> picture, const IsCancelled& cancelled) override {
        RB_ENSURE(decoder_, "decoding with a codec that has no decoder");
        RB_ENSURE(picture.size() == pictureValues_ && latents.size() == latentValues(),
                  "latents of another size than the codec's");
        unscaled_.assign(latents.begin(), latents.end());
        for (float& value : unscaled_) value /= scalingFactor_;
        RB_TRY(runHalf(*decoder_, unscaled_, picture, cancelled));
        for (float& value : picture) value = std::clamp(value, 0.0f, 1.0f);
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

    Status runHalf(CodecHalf& half, std::span<const float> input, std::span<float> output,
                   const IsCancelled& cancelled) {
        const bool wasNoted = half.note().has_value();
        auto status = half.run(input, output, cancelled);
        if (!wasNoted && half.note()) notes_.push_back(*half.note());
        return status;
    }

    int width_, height_, channels_;
    std::size_t pictureValues_;
    float scalingFactor_;
    std::optional<CodecHalf> encoder_, decoder_;
    std::vector<float> moments_, unscaled_;
    std::vector<std::string> notes_;
};

}  // namespace

Result<std::unique_ptr<LatentCodec>> LatentCodec::create(std::shared_ptr<const weights::ListedWeights> weights,
                                                         const nlohmann::json& config, Backend& backend,
                                                         const LatentCodecOptions& options) {
    RB_ASSIGN(CodecGraphs graphs, buildCodec(config, options.width, options.height));
    auto codec = std::make_unique<PlannedCodec>(graphs, options);
    RB_TRY(codec->compile(std::move(graphs), weights, backend, options));
    return std::unique_ptr<LatentCodec>(std::move(codec));
}

}  // namespace reelbrush::diffusion
