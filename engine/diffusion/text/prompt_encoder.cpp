#include "engine/diffusion/text/prompt_encoder.h"

#include "engine/diffusion/text/encoder_input.h"
#include "engine/diffusion/text/lora_tags.h"
#include "engine/diffusion/text/prompt_chunks.h"
#include "engine/diffusion/text/prompt_weights.h"
#include "engine/diffusion/text/text_states.h"
#include "engine/diffusion/text/weighted_states.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

constexpr int kOpenClipPad = 0;
/// Layers of OpenCLIP H; diffusers' files of SD 2.x leave the last one out.
constexpr int kOpenClipHLayers = 24;

/// A prompt's chunks and what was left out.
struct Reading {
    std::vector<PromptChunk> chunks;
    std::vector<std::string> notes;
    bool isEmpty = false;
};

Result<Reading> readPrompt(std::string_view prompt, PromptWords& words, const ClipTokenizer& tokenizer, int backtrack) {
    if (prompt.size() > PromptEncoder::kLongestPromptBytes)
        return fail(StatusCode::BadInput, fmt::format("the prompt has {} bytes, at most {} are taken: make it shorter",
                                                      prompt.size(), PromptEncoder::kLongestPromptBytes));
    TaggedPrompt tagged = takeLoraTags(prompt);
    Reading reading;
    reading.isEmpty = tagged.text.find_first_not_of(" \t\r\n") == std::string::npos;
    std::vector<WeightedWords> pieces;
    for (const WeightedText& piece : readPromptWeights(tagged.text))
        pieces.push_back({words.read(piece.text), piece.weight, piece.startsChunk});
    reading.chunks = cutIntoChunks(pieces, tokenizer.encode(",").front(), backtrack);
    if (reading.chunks.size() > PromptEncoder::kMostChunks)
        return fail(StatusCode::BadInput, fmt::format("the prompt fills {} chunks of 75 tokens, at most {} are taken: "
                                                      "make it shorter or leave out some BREAKs",
                                                      reading.chunks.size(), PromptEncoder::kMostChunks));
    reading.notes = std::move(tagged.notes);
    for (std::string& note : words.takeNotes()) reading.notes.push_back(std::move(note));
    return reading;
}

/// Adds an encoder's channels beside those that are there already. part: [tokens, channels].
void addChannels(EncodedPrompt& prompt, std::span<const float> part, int channels) {
    const auto old = static_cast<std::size_t>(prompt.channels), more = static_cast<std::size_t>(channels);
    std::vector<float> joined;
    joined.reserve(prompt.context.size() + part.size());
    for (std::size_t t = 0; t < part.size() / more; ++t) {
        const auto before = std::span<const float>(prompt.context).subspan(t * old, old);
        const auto added = part.subspan(t * more, more);
        joined.insert(joined.end(), before.begin(), before.end());
        joined.insert(joined.end(), added.begin(), added.end());
    }
    prompt.context = std::move(joined);
    prompt.channels += channels;
    prompt.tokens = static_cast<int>(part.size() / more);
}

bool allFinite(std::span<const float> values) {
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

/// Layers at the end that the context is taken before.
Result<int> layersLeftOut(TextFamily family, const TextEncoderConfig& config, int clipSkip) {
    const bool lastIsMissing = family == TextFamily::StableDiffusion2 && config.layers == kOpenClipHLayers - 1;
    const int own = family == TextFamily::StableDiffusion1 ? 1 : 2;
    const int wanted = (clipSkip == 0 ? own : clipSkip) - (lastIsMissing ? 1 : 0);
    if (clipSkip < 0 || wanted > config.layers)
        return fail(
            StatusCode::BadInput,
            fmt::format("clip skip {} does not fit this model's text encoder of {} layers", clipSkip, config.layers));
    return std::max(wanted, 1) - 1;
}

}  // namespace

Result<PromptEncoder> PromptEncoder::create(TextFamily family, std::vector<TextEncoderPart> parts,
                                            std::shared_ptr<const ClipTokenizer> tokenizer) {
    const bool isXl = family == TextFamily::StableDiffusionXl;
    const std::size_t expected = isXl ? 2 : 1;
    RB_ENSURE(tokenizer != nullptr, "a prompt encoder was made without a tokenizer");
    if (parts.size() != expected)
        return fail(StatusCode::BadInput,
                    fmt::format("{} model needs {}, this one has {}", isXl ? "an SDXL" : "a Stable Diffusion",
                                isXl ? "two text encoders" : "one text encoder", parts.size()));
    PromptEncoder result;
    result.family_ = family;
    result.tokenizer_ = std::move(tokenizer);
    for (TextEncoderPart& part : parts) {
        if (!part.weights) return fail(StatusCode::BadInput, "the model has no weights of its text encoder");
        Encoder encoder;
        RB_ASSIGN(encoder.config, TextEncoderConfig::fromJson(part.config));
        if (encoder.config.positions != static_cast<int>(kChunkTokens) + 2)
            return fail(StatusCode::Unsupported,
                        fmt::format("text encoders of {} positions are not supported", encoder.config.positions));
        const bool isOpenClip = family == TextFamily::StableDiffusion2 || !result.encoders_.empty();
        encoder.padToken = isOpenClip ? kOpenClipPad : ClipTokenizer::kEnd;
        encoder.weights = std::move(part.weights);
        result.encoders_.push_back(std::move(encoder));
    }
    return result;
}

Result<EncodedPair> PromptEncoder::encodePair(std::string_view positive, std::string_view negative,
                                              const PromptOptions& options, Backend& backend) const {
    std::vector<int> widths;
    for (const Encoder& encoder : encoders_) widths.push_back(encoder.config.hiddenSize);
    PromptWords words(*tokenizer_, options.embeddings, widths);
    RB_ASSIGN(Reading first, readPrompt(positive, words, *tokenizer_, options.commaBacktrack));
    RB_ASSIGN(Reading second, readPrompt(negative, words, *tokenizer_, options.commaBacktrack));

    // The positive prompt's chunks, then as many of the negative one.
    const std::size_t each = std::max(first.chunks.size(), second.chunks.size());
    std::vector<PromptChunk> chunks = std::move(first.chunks);
    chunks.resize(each);
    chunks.insert(chunks.end(), second.chunks.begin(), second.chunks.end());
    chunks.resize(2 * each);

    EncodedPair pair;
    pair.positive.notes = std::move(first.notes);
    pair.negative.notes = std::move(second.notes);
    const bool isXl = family_ == TextFamily::StableDiffusionXl;
    for (std::size_t e = 0; e < encoders_.size(); ++e) {
        RB_ASSIGN(const ChunkStates states, encodeChunks(e, chunks, options, backend));
        const int channels = encoders_[e].config.hiddenSize;
        const std::span<const float> context(states.context);
        addChannels(pair.positive, context.first(context.size() / 2), channels);
        addChannels(pair.negative, context.last(context.size() / 2), channels);
        if (states.pooled.empty()) continue;
        pair.positive.pooled = states.pooled.front();
        pair.negative.pooled = states.pooled[each];
    }
    if (isXl && second.isEmpty && options.zeroEmptyNegative) {
        std::ranges::fill(pair.negative.context, 0.0f);
        std::ranges::fill(pair.negative.pooled, 0.0f);
    }
    return pair;
}

Result<PromptEncoder::ChunkStates> PromptEncoder::encodeChunks(std::size_t which, std::vector<PromptChunk> chunks,
                                                               const PromptOptions& options, Backend& backend) const {
    const Encoder& encoder = encoders_[which];
    const TextEncoderConfig& config = encoder.config;
    const bool isXl = family_ == TextFamily::StableDiffusionXl;
    const std::size_t wanted = chunks.size();
    if (options.comfyWeights) chunks.emplace_back();  // the empty prompt, which weights are relative to
    const ChunkReader reader{config, *encoder.weights, which, encoder.padToken};
    RB_ASSIGN(EncoderInput input, reader.read(chunks));

    TextStatesRequest request;
    request.texts = static_cast<int>(chunks.size());
    request.tokens = std::move(input.vectors);
    request.finalNorm = !isXl;
    request.projected = isXl && which == 1;
    request.cancel = options.cancel;
    RB_ASSIGN(request.layersLeftOut, layersLeftOut(family_, config, options.clipSkip));
    RB_ASSIGN(TextStates states, computeTextStates(config, *encoder.weights, std::move(request), backend));
    if (!allFinite(states.context) || !allFinite(states.projected))
        return fail(StatusCode::BadInput,
                    "the text encoder gives values that are no numbers: its weights are damaged, get the model again");

    const std::size_t size = states.context.size() / chunks.size();
    const std::span<float> all(states.context);
    for (std::size_t c = 0; c < wanted; ++c) {
        if (options.comfyWeights)
            interpolateByWeights(all.subspan(c * size, size), all.last(size), input.weights[c]);
        else
            multiplyByWeights(all.subspan(c * size, size), input.weights[c]);
    }
    ChunkStates result;
    const auto width = static_cast<std::size_t>(config.projection);
    for (std::size_t c = 0; c < wanted && !states.projected.empty(); ++c) {
        const std::size_t row =
            c * static_cast<std::size_t>(config.positions) + pooledPosition(input.tokens[c], config.eosToken);
        const auto values = std::span(states.projected).subspan(row * width, width);
        result.pooled.emplace_back(values.begin(), values.end());
    }
    states.context.resize(wanted * size);
    result.context = std::move(states.context);
    return result;
}

}  // namespace reelbrush::diffusion
