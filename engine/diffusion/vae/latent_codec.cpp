#include "engine/diffusion/vae/latent_codec.h"

#include "engine/diffusion/vae/codec_graphs.h"
#include "engine/diffusion/vae/codec_half.h"
#include "engine/diffusion/vae/each_frame.h"

#include <algorithm>
#include <optional>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

/// An encoder or a decoder, how many frames it takes at once, and the latents' side of such a batch: moments of an
/// encoder, unscaled latents of a decoder.
struct BatchedHalf {
    CodecHalf half;
    std::size_t frames = 1;
    std::vector<float> latents{};
};

class PlannedCodec final : public LatentCodec {
  public:
    explicit PlannedCodec(const LatentCodecOptions& options)
        : width_(options.width), height_(options.height), options_(options) {}

    Status compile(const nlohmann::json& config, const std::shared_ptr<const weights::ListedWeights>& weights,
                   Backend& backend) {
        RB_ASSIGN(const CodecGraphs one, buildCodec(config, width_, height_));
        reduction_ = one.reduction;
        channels_ = one.latentChannels;
        scalingFactor_ = one.scalingFactor;
        const int frames = std::max(1, options_.frames);
        RB_ASSIGN(const CodecGraphs all, buildCodec(config, width_, height_, frames));
        const auto compileHalf = [&](Graph CodecGraphs::*half, const char* name) -> Result<BatchedHalf> {
            const bool isBatched =
                frames > 1 && BoundedNetwork::fitsWhole(all.*half, backend, options_.activationBytes);
            const Graph& graph = (isBatched ? all : one).*half;
            const Value latents = half == &CodecGraphs::encoder ? graph.outputs()[0].second : graph.inputs()[0].second;
            const auto values = static_cast<std::size_t>(graph.shapeOf(latents).elements());
            RB_ASSIGN(CodecHalf compiled,
                      CodecHalf::compile(graph, weights, backend, {name, options_.activationBytes}));
            return BatchedHalf{std::move(compiled), isBatched ? static_cast<std::size_t>(frames) : 1,
                               std::vector<float>(values)};
        };
        if (options_.encoder) {
            RB_ASSIGN(encoder_, compileHalf(&CodecGraphs::encoder, "encoder"));
        }
        if (options_.decoder) {
            RB_ASSIGN(decoder_, compileHalf(&CodecGraphs::decoder, "decoder"));
        }
        return {};
    }

    std::size_t arenaBytes() const override { return mostOf(&CodecHalf::arenaBytes); }
    std::size_t hostBytes() const override { return sumOf(&CodecHalf::hostBytes); }
    std::size_t weightBytes() const override { return sumOf(&CodecHalf::weightBytes); }
    bool isTiled() const override {
        return (encoder_ && encoder_->half.isTiled()) || (decoder_ && decoder_->half.isTiled());
    }
    Status bind(std::span<std::byte> arena) override {
        if (encoder_) RB_TRY(encoder_->half.bind(arena));
        if (decoder_) RB_TRY(decoder_->half.bind(arena));
        return {};
    }

    Status encodeFrames(FrameInputs pictures, std::span<float> latents, const IsCancelled& cancelled) override {
        RB_ENSURE(encoder_, "encoding with a codec that has no encoder");
        RB_TRY(checkSizes(pictures, latents.size()));
        const std::size_t batch = encoder_->frames, moments = encoder_->latents.size() / batch;
        const auto depth = static_cast<std::size_t>(channels_);
        const std::size_t stored = moments / (latentValues() / depth);
        for (std::size_t first = 0; first < pictures.size(); first += batch) {
            const std::size_t count = std::min(batch, pictures.size() - first);
            const auto outputs = framesOf(std::span(encoder_->latents).first(count * moments), count);
            RB_TRY(run(encoder_->half, pictures.subspan(first, count), outputs, cancelled));
            // Of each latent the means come first; what follows are the variances.
            const auto to = latents.subspan(first * latentValues(), count * latentValues());
            for (std::size_t i = 0; i < to.size(); ++i)
                to[i] = scalingFactor_ * encoder_->latents[i / depth * stored + i % depth];
        }
        return {};
    }

    Status decodeFrames(std::span<const float> latents, FrameOutputs pictures, const IsCancelled& cancelled) override {
        RB_ENSURE(decoder_, "decoding with a codec that has no decoder");
        RB_TRY(checkSizes(pictures, latents.size()));
        const std::size_t batch = decoder_->frames;
        for (std::size_t first = 0; first < pictures.size(); first += batch) {
            const std::size_t count = std::min(batch, pictures.size() - first);
            const auto unscaled = std::span(decoder_->latents).first(count * latentValues());
            std::ranges::transform(latents.subspan(first * latentValues(), unscaled.size()), unscaled.begin(),
                                   [&](float value) { return value / scalingFactor_; });
            const auto frames = framesOf(unscaled, count);
            const std::vector<std::span<const float>> inputs(frames.begin(), frames.end());
            const FrameOutputs outputs = pictures.subspan(first, count);
            RB_TRY(run(decoder_->half, inputs, outputs, cancelled));
            forEachFrame(count, [&](std::size_t i) {
                for (float& value : outputs[i]) value = std::clamp(value, 0.0f, 1.0f);
            });
        }
        return {};
    }

    int latentWidth() const override { return width_ / reduction_; }
    int latentHeight() const override { return height_ / reduction_; }
    int latentChannels() const override { return channels_; }
    float scalingFactor() const override { return scalingFactor_; }
    const std::vector<std::string>& notes() const override { return notes_; }

  private:
    std::size_t pictureValues() const {
        return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3;
    }
    std::size_t latentValues() const {
        return static_cast<std::size_t>(latentWidth()) * static_cast<std::size_t>(latentHeight()) *
               static_cast<std::size_t>(channels_);
    }
    std::size_t mostOf(std::size_t (CodecHalf::*bytes)() const) const {
        return std::max(encoder_ ? (encoder_->half.*bytes)() : 0, decoder_ ? (decoder_->half.*bytes)() : 0);
    }
    std::size_t sumOf(std::size_t (CodecHalf::*bytes)() const) const {
        return (encoder_ ? (encoder_->half.*bytes)() : 0) + (decoder_ ? (decoder_->half.*bytes)() : 0);
    }

    template <typename Pictures>
    Status checkSizes(Pictures pictures, std::size_t latents) const {
        RB_ENSURE(!pictures.empty() && latents == pictures.size() * latentValues() &&
                      std::ranges::all_of(pictures, [&](auto frame) { return frame.size() == pictureValues(); }),
                  "pictures or latents of another size than the codec's");
        return {};
    }

    static std::vector<std::span<float>> framesOf(std::span<float> all, std::size_t frames) {
        std::vector<std::span<float>> result;
        for (std::size_t i = 0; i < frames; ++i)
            result.push_back(all.subspan(i * (all.size() / frames), all.size() / frames));
        return result;
    }

    Status run(CodecHalf& half, FrameInputs inputs, FrameOutputs outputs, const IsCancelled& cancelled) {
        const bool wasNoted = half.note().has_value();
        Status status = half.run(inputs, outputs, cancelled);
        if (!wasNoted && half.note()) notes_.push_back(*half.note());
        return status;
    }

    int width_, height_;
    LatentCodecOptions options_;
    int reduction_ = 8, channels_ = 4;
    float scalingFactor_ = 1.0f;
    std::optional<BatchedHalf> encoder_, decoder_;
    std::vector<std::string> notes_;
};

}  // namespace

Result<std::unique_ptr<LatentCodec>> LatentCodec::create(std::shared_ptr<const weights::ListedWeights> weights,
                                                         const nlohmann::json& config, Backend& backend,
                                                         const LatentCodecOptions& options) {
    auto codec = std::make_unique<PlannedCodec>(options);
    RB_TRY(codec->compile(config, weights, backend));
    return std::unique_ptr<LatentCodec>(std::move(codec));
}

}  // namespace reelbrush::diffusion
