#include "engine/diffusion/text/prompt_encoder.h"

#include "engine/diffusion/text/lora_tags.h"
#include "engine/diffusion/text/prompt_chunks.h"
#include "engine/diffusion/text/prompt_weights.h"
#include "engine/diffusion/text/text_states.h"
#include "engine/diffusion/text/weighted_states.h"

#include <fmt/format.h>

#include <algorithm>

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
    reading.notes = std::move(tagged.notes);
    for (std::string& note : words.takeNotes()) reading.notes.push_back(std::move(note));
    return reading;
}

/// Chunks as one encoder reads them: start, tokens, end, padding.
struct EncoderInput {
    std::vector<std::vector<int>> tokens;     ///< by chunk; 0 in place of an embedding's vectors
    std::vector<std::vector<float>> weights;  ///< by chunk
    std::vector<float> vectors;               ///< [chunks, positions, hiddenSize]
};

/// encoder: which of the model's, for the embeddings' parts.
Result<EncoderInput> prepare(const std::vector<PromptChunk>& chunks, const TextEncoderConfig& config,
                             const WeightProvider& weights, std::size_t encoder, int padToken) {
    const auto positions = static_cast<std::size_t>(config.positions);
    const auto width = static_cast<std::size_t>(config.hiddenSize);
    EncoderInput input;
    input.vectors.resize(chunks.size() * positions * width);
    float* row = input.vectors.data();
    for (const PromptChunk& chunk : chunks) {
        std::vector<int> tokens(positions, padToken);
        std::vector<float> tokenWeights(positions, 1.0f);
        tokens[0] = ClipTokenizer::kStart;
        tokens[chunk.size() + 1] = ClipTokenizer::kEnd;
        for (std::size_t i = 0; i < chunk.size(); ++i) {
            tokens[i + 1] = chunk[i].embedding ? 0 : chunk[i].token;
            tokenWeights[i + 1] = static_cast<float>(chunk[i].weight);
        }
        for (std::size_t i = 0; i < positions; ++i, row += width) {
            const PromptToken* own = i > 0 && i <= chunk.size() ? &chunk[i - 1] : nullptr;
            if (own && own->embedding) {
                const auto& values = own->embedding->parts[encoder].values;
                std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(own->vector) * width),
                            width, row);
            } else {
                RB_TRY(readTokenEmbedding(config, weights, tokens[i], row));
            }
        }
        input.tokens.push_back(std::move(tokens));
        input.weights.push_back(std::move(tokenWeights));
    }
    return input;
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
    if (parts.size() != expected)
        return fail(StatusCode::BadInput,
                    fmt::format("{} needs {}, but {} found", isXl ? "SDXL" : "the model",
                                isXl ? "two text encoders" : "one text encoder",
                                parts.empty() ? "none was" : fmt::format("{} were", parts.size())));
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

    const std::size_t each = std::max(first.chunks.size(), second.chunks.size());
    std::vector<PromptChunk> chunks = std::move(first.chunks);
    chunks.resize(each);
    chunks.insert(chunks.end(), second.chunks.begin(), second.chunks.end());
    // Where weights act as in ComfyUI, the empty prompt comes last.
    chunks.resize(2 * each + (options.comfyWeights ? 1 : 0));

    EncodedPair pair;
    pair.positive.notes = std::move(first.notes);
    pair.negative.notes = std::move(second.notes);
    const bool isXl = family_ == TextFamily::StableDiffusionXl;
    for (std::size_t e = 0; e < encoders_.size(); ++e) {
        const Encoder& encoder = encoders_[e];
        const TextEncoderConfig& config = encoder.config;
        RB_ASSIGN(EncoderInput input, prepare(chunks, config, *encoder.weights, e, encoder.padToken));
        TextStatesRequest request;
        request.texts = static_cast<int>(chunks.size());
        request.tokens = std::move(input.vectors);
        request.finalNorm = !isXl;
        request.projected = isXl && e == 1;
        RB_ASSIGN(request.layersLeftOut, layersLeftOut(family_, config, options.clipSkip));
        RB_ASSIGN(TextStates states, computeTextStates(config, *encoder.weights, std::move(request), backend));

        const std::size_t size = states.context.size() / chunks.size();
        const std::span<float> all(states.context);
        for (std::size_t c = 0; c < 2 * each; ++c) {
            if (options.comfyWeights)
                interpolateByWeights(all.subspan(c * size, size), all.last(size), input.weights[c]);
            else
                multiplyByWeights(all.subspan(c * size, size), input.weights[c]);
        }
        addChannels(pair.positive, all.first(each * size), config.hiddenSize);
        addChannels(pair.negative, all.subspan(each * size, each * size), config.hiddenSize);
        if (states.projected.empty()) continue;
        const auto width = static_cast<std::size_t>(config.projection);
        const auto pooledOf = [&](std::size_t chunk) {
            const std::size_t row = chunk * static_cast<std::size_t>(config.positions) +
                                    pooledPosition(input.tokens[chunk], config.eosToken);
            const auto values = std::span(states.projected).subspan(row * width, width);
            return std::vector<float>(values.begin(), values.end());
        };
        pair.positive.pooled = pooledOf(0);
        pair.negative.pooled = pooledOf(each);
    }
    if (isXl && second.isEmpty && options.zeroEmptyNegative) {
        std::ranges::fill(pair.negative.context, 0.0f);
        std::ranges::fill(pair.negative.pooled, 0.0f);
    }
    return pair;
}

}  // namespace reelbrush::diffusion
