#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/diffusion/networks/text_encoder.h"
#include "engine/diffusion/text/clip_tokenizer.h"
#include "engine/diffusion/text/embedding_library.h"
#include "engine/diffusion/text/prompt_chunks.h"
#include "engine/weights/listed_weights.h"
#include "kernels/plan/backend.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

/// Which text encoders a model has and what it reads of them.
/// StableDiffusion1: CLIP-L, last layer and final norm. StableDiffusion2: OpenCLIP H, the layer before the last and
/// final norm. StableDiffusionXl: CLIP-L and OpenCLIP bigG, the layer before the last of both without a norm, and the
/// pooled state of the second.
enum class TextFamily { StableDiffusion1, StableDiffusion2, StableDiffusionXl };

/// One text encoder. config: transformers' config.json. weights: under transformers' names ("text_model.*").
struct TextEncoderPart {
    std::shared_ptr<const weights::ListedWeights> weights = {};
    nlohmann::json config = {};
};

struct PromptOptions {
    /// How weights act. False, as AUTOMATIC1111: states times weight, then their mean restored. True, as ComfyUI:
    /// away from the empty prompt's states by the weight.
    bool comfyWeights = false;
    /// The layer that is read, counted from the end: 1 is the last. 0: the model's own. SD 2.x files without the last
    /// layer count as if they had it.
    int clipSkip = 0;
    /// Where a chunk is full, what follows its last comma moves on to the next chunk if that comma is among its last
    /// so many tokens. 0: never. AUTOMATIC1111's own default, so that long prompts are cut as artists know it.
    int commaBacktrack = 20;
    /// SDXL: an empty negative prompt is all zeros, as AUTOMATIC1111 and diffusers have it by default.
    bool zeroEmptyNegative = true;
    /// May be null. Its words are replaced by their vectors, with or without "embedding:" before them.
    const EmbeddingLibrary* embeddings = nullptr;
    CancelToken cancel = {};  ///< asked every few layers
};

struct EncodedPrompt {
    int tokens = 0;                       ///< 77 for each chunk of 75
    int channels = 0;                     ///< SDXL: both encoders side by side
    std::vector<float> context = {};      ///< [tokens, channels]
    std::vector<float> pooled = {};       ///< SDXL: of the first chunk; else empty
    std::vector<std::string> notes = {};  ///< sentences about what was left out of the prompt
};

/// Both have the same number of tokens.
struct EncodedPair {
    EncodedPrompt positive = {}, negative = {};
};

/// Turns prompts into what a UNet attends to: tags, weights, chunks, embeddings, text encoders. Immutable, thread-safe
/// as far as the backend is.
class PromptEncoder {
  public:
    /// parts: one; for SDXL two, CLIP-L first. Errors: BadInput for a wrong number of parts, missing weights or a
    /// configuration that does not fit; Unsupported.
    static Result<PromptEncoder> create(TextFamily family, std::vector<TextEncoderPart> parts,
                                        std::shared_ptr<const ClipTokenizer> tokenizer);

    /// Packs a few layers at a time, runs them and frees them again; the pages of the weights are given back too.
    /// Prompts: as readPromptWeights(); tags are left out (takeLoraTags() lists them for the caller).
    /// Errors: BadInput (prompt beyond kLongestPromptBytes or kMostChunks, clip skip beyond the layers, weights that do
    /// not fit or hold no numbers), those of compiling and running; Cancelled.
    Result<EncodedPair> encodePair(std::string_view positive, std::string_view negative, const PromptOptions& options,
                                   kernels::Backend& backend) const;

    static constexpr std::size_t kLongestPromptBytes = 32768, kMostChunks = 32;

  private:
    struct Encoder {
        TextEncoderConfig config;
        std::shared_ptr<const weights::ListedWeights> weights;
        int padToken = ClipTokenizer::kEnd;
    };

    /// What one encoder makes of chunks.
    struct ChunkStates {
        std::vector<float> context;              ///< [chunks * positions, hiddenSize]
        std::vector<std::vector<float>> pooled;  ///< by chunk; empty where the encoder has none
    };

    PromptEncoder() = default;
    Result<ChunkStates> encodeChunks(std::size_t which, std::vector<PromptChunk> chunks, const PromptOptions& options,
                                     kernels::Backend& backend) const;

    TextFamily family_ = TextFamily::StableDiffusion1;
    std::vector<Encoder> encoders_;
    std::shared_ptr<const ClipTokenizer> tokenizer_;
};

}  // namespace reelbrush::diffusion
