#include "engine/diffusion/text/prompt_encoder.h"

#include "kernels/cpu/cpu_backend.h"
#include "tests/engine/diffusion/golden_tensors.h"
#include "tests/engine/diffusion/text/fixture_text_encoders.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace reelbrush::diffusion {
namespace {

constexpr double kTolerance = 1e-5;
constexpr std::size_t kPerChunk = 77 * 16;
const std::string kCat = "a photo of a cat", kPainting = "A Painting by Vincent van Gogh, starry night, impasto!!";

std::shared_ptr<const ClipTokenizer> tokenizer() {
    static const auto kTokenizer = ClipTokenizer::open(REELBRUSH_SOURCE_DIR "/resources/tokenizer").value();
    return kTokenizer;
}

const PromptEncoder& tinyEncoder() {
    static const PromptEncoder kEncoder =
        PromptEncoder::create(TextFamily::StableDiffusion1, {testing::tinyTextEncoder()}, tokenizer()).value();
    return kEncoder;
}

kernels::CpuBackend& backend() {
    static kernels::CpuBackend backend(kernels::CpuOptions{.threads = 2, .precision = kernels::Precision::Float32});
    return backend;
}

EncodedPair encode(const std::string& positive, const std::string& negative, const PromptOptions& options = {}) {
    auto pair = tinyEncoder().encodePair(positive, negative, options, backend());
    if (!pair) throw std::runtime_error(pair.error().message);
    return std::move(*pair);
}

std::span<const float> half(const std::vector<float>& both, std::size_t which) {
    return std::span(both).subspan(which * both.size() / 2, both.size() / 2);
}

void expectGolden(const std::string& what, std::span<const float> computed, std::span<const float> golden) {
    const auto agreement = testing::agreement(what, computed, golden);
    EXPECT_GE(agreement.cosine, 0.99999) << what;
    EXPECT_LE(agreement.relativeError, kTolerance) << what;
}

TEST(PromptEncoder, MatchesTransformersOnTheStableDiffusionLayout) {
    const testing::GoldenTensors golden(testing::fixturesFolder() / "sd15-tiny" / "golden.safetensors");
    const auto last = golden.values("text.last_hidden_state"), earlier = golden.values("text.clip_skip2");
    for (const int clipSkip : {0, 1, 2}) {
        PromptOptions options;
        options.clipSkip = clipSkip;
        const auto pair = encode(kCat, kPainting, options);
        EXPECT_EQ(pair.positive.tokens, 77);
        EXPECT_EQ(pair.positive.channels, 16);
        EXPECT_TRUE(pair.positive.pooled.empty());
        const auto& expected = clipSkip == 2 ? earlier : last;
        expectGolden("cat", pair.positive.context, half(expected, 0));
        expectGolden("painting", pair.negative.context, half(expected, 1));
    }
}

TEST(PromptEncoder, MatchesTransformersOnTheXlLayout) {
    const auto shared = testing::sharedFolder();
    if (!shared) GTEST_SKIP() << "sdxl-tiny is not in the repository";
    const auto folder = *shared / "fixtures" / "sdxl-tiny";
    nlohmann::json second = testing::tinyTextConfig();
    second.update({{"num_hidden_layers", 4}, {"hidden_act", "gelu"}, {"projection_dim", 16}});
    const auto file = folder / "single_file.safetensors";
    const testing::GoldenTensors golden(folder / "golden.safetensors");
    for (const int eosToken : {49407, 2}) {
        second["eos_token_id"] = eosToken;
        const auto encoder = PromptEncoder::create(
            TextFamily::StableDiffusionXl,
            {{testing::fixtureTextWeights(file, "conditioner.embedders.0.transformer.", 3), testing::tinyTextConfig()},
             {testing::fixtureTextWeights(file, "conditioner.embedders.1.model.", 4), second}},
            tokenizer());
        ASSERT_TRUE(encoder) << encoder.error().message;
        const auto pair = encoder->encodePair(kCat, "ukiyo-e woodblock print; 4k   8K", {}, backend());
        ASSERT_TRUE(pair) << pair.error().message;
        for (const std::size_t which : {0u, 1u}) {
            const EncodedPrompt& prompt = which == 0 ? pair->positive : pair->negative;
            ASSERT_EQ(prompt.channels, 32);
            std::vector<float> first, other;
            for (std::size_t i = 0; i < prompt.context.size(); ++i)
                (i % 32 < 16 ? first : other).push_back(prompt.context[i]);
            expectGolden("text1", first, half(golden.values("text1.penultimate"), which));
            expectGolden("text2", other, half(golden.values("text2.penultimate"), which));
            expectGolden("pooled", prompt.pooled, half(golden.values("text2.pooled"), which));
        }
        // An empty negative prompt is zeros, unless the caller wants it encoded.
        PromptOptions options;
        const auto zeros = encoder->encodePair(kCat, " ", options, backend());
        ASSERT_TRUE(zeros);
        EXPECT_EQ(zeros->negative.tokens, 77);
        EXPECT_TRUE(std::ranges::all_of(zeros->negative.context, [](float value) { return value == 0.0f; }));
        EXPECT_TRUE(std::ranges::all_of(zeros->negative.pooled, [](float value) { return value == 0.0f; }));
        options.zeroEmptyNegative = false;
        const auto encoded = encoder->encodePair(kCat, " ", options, backend());
        ASSERT_TRUE(encoded);
        EXPECT_NE(encoded->negative.context, zeros->negative.context);
    }
}

TEST(PromptEncoder, SecondVersionReadsTheLayerBeforeTheLastWithItsNorm) {
    const testing::GoldenTensors golden(testing::fixturesFolder() / "sd15-tiny" / "golden.safetensors");
    const auto encoder =
        PromptEncoder::create(TextFamily::StableDiffusion2, {testing::tinyTextEncoder()}, tokenizer()).value();
    const auto pair = encoder.encodePair(kCat, "", {}, backend());
    ASSERT_TRUE(pair) << pair.error().message;
    // Padding differs (0, not the end token), and no earlier token sees it.
    const std::size_t seen = 7 * 16;
    const auto expected = golden.values("text.clip_skip2");
    expectGolden("penultimate", std::span(pair->positive.context).first(seen), std::span(expected).first(seen));
    EXPECT_NE(pair->positive.context[8 * 16], expected[8 * 16]);
}

TEST(PromptEncoder, LongPromptsTakeChunksAndBothPromptsHaveAsMany) {
    std::string longPrompt;
    for (int i = 0; i < 100; ++i) longPrompt += "word ";
    const auto pair = encode(longPrompt, kCat);
    EXPECT_EQ(pair.positive.tokens, 154);
    EXPECT_EQ(pair.negative.tokens, 154);
    ASSERT_EQ(pair.negative.context.size(), 2 * kPerChunk);
    const auto single = encode(kCat, "");
    expectGolden("first chunk", std::span(pair.negative.context).first(kPerChunk), single.positive.context);
    expectGolden("empty chunk", std::span(pair.negative.context).last(kPerChunk), single.negative.context);
    const auto broken = encode("a photo BREAK of a cat", "");
    EXPECT_EQ(broken.positive.tokens, 154);
    expectGolden("after BREAK", std::span(broken.positive.context).last(kPerChunk),
                 encode("of a cat", "").positive.context);
}

TEST(PromptEncoder, WeightsMultiplyAndTheMeanStays) {
    const auto plain = encode(kCat, "").positive.context;
    std::vector<double> expected(plain.begin(), plain.end());
    for (std::size_t c = 0; c < 16; ++c) expected[2 * 16 + c] *= 1.3;  // "photo" behind start and "a"
    const double factor =
        std::accumulate(plain.begin(), plain.end(), 0.0) / std::accumulate(expected.begin(), expected.end(), 0.0);
    std::vector<float> restored;
    for (const double value : expected) restored.push_back(static_cast<float>(value * factor));
    expectGolden("weighted", encode("a (photo:1.3) of a cat", "").positive.context, restored);
}

TEST(PromptEncoder, ComfyWeightsGoAwayFromTheEmptyPrompt) {
    PromptOptions options;
    options.comfyWeights = true;
    const auto plain = encode(kCat, "").positive.context, empty = encode("", "").positive.context;
    auto expected = plain;
    for (std::size_t i = 2 * 16; i < 3 * 16; ++i) expected[i] = empty[i] + 1.3f * (plain[i] - empty[i]);
    expectGolden("weighted", encode("a (photo:1.3) of a cat", "", options).positive.context, expected);
    EXPECT_EQ(encode(kCat, "", options).positive.context, plain);
}

TEST(PromptEncoder, VectorsOfAnEmbeddingStandForTheirWord) {
    const testing::ScratchFolder scratch;
    const auto part = testing::tinyTextEncoder();
    // The vectors of two ordinary tokens, under another name.
    const auto tokens = tokenizer()->encode("cat photo");
    ASSERT_EQ(tokens.size(), 2u);
    std::vector<float> table(49408 * 16), values;
    part.weights->find("text_model.embeddings.token_embedding.weight").value().toFloat(table.data());
    for (const int token : tokens) values.insert(values.end(), &table[token * 16], &table[token * 16] + 16);
    testing::SafetensorsWriter().addF32("emb_params", {2, 16}, values).write(scratch.path() / "zyxw.safetensors");
    const auto library = EmbeddingLibrary::scan({scratch.path()});
    PromptOptions options;
    options.embeddings = &library;
    const auto expected = encode("a (cat photo:1.2) of", "").positive.context;
    expectGolden("bare", encode("a (zyxw:1.2) of", "", options).positive.context, expected);
    expectGolden("prefixed", encode("a (embedding:zyxw:1.2) of", "", options).positive.context, expected);
}

TEST(PromptEncoder, TagsAreLeftOut) {
    EXPECT_EQ(encode("a photo of a cat<lora:ink:0.7>", "").positive.context, encode(kCat, "").positive.context);
    EXPECT_EQ(encode("<hypernet:x:1>", "").positive.notes.size(), 1u);
}

TEST(PromptEncoder, StopsWhenCancelled) {
    PromptOptions options;
    options.cancel.cancel();
    const auto pair = tinyEncoder().encodePair(kCat, "", options, backend());
    ASSERT_FALSE(pair);
    EXPECT_EQ(pair.error().code, StatusCode::Cancelled);
}

TEST(PromptEncoder, SaysWhatIsWrong) {
    const auto messageOf = [](const auto& result) { return result ? std::string("success") : result.error().message; };
    const auto few = PromptEncoder::create(TextFamily::StableDiffusionXl, {testing::tinyTextEncoder()}, tokenizer());
    EXPECT_EQ(messageOf(few), "an SDXL model needs two text encoders, this one has 1");
    const auto none = PromptEncoder::create(TextFamily::StableDiffusion1, {}, tokenizer());
    EXPECT_EQ(messageOf(none), "a Stable Diffusion model needs one text encoder, this one has 0");

    PromptOptions options;
    options.clipSkip = 4;
    EXPECT_EQ(messageOf(tinyEncoder().encodePair(kCat, "", options, backend())),
              "clip skip 4 does not fit this model's text encoder of 3 layers");
    EXPECT_NE(messageOf(tinyEncoder().encodePair(std::string(40000, 'a'), "", {}, backend())).find("40000 bytes"),
              std::string::npos);

    std::string breaks;
    for (int i = 0; i < 40; ++i) breaks += "a BREAK ";
    EXPECT_NE(messageOf(tinyEncoder().encodePair("", breaks, {}, backend())).find("40 chunks"), std::string::npos);

    auto part = testing::tinyTextEncoder();
    part.config["num_hidden_layers"] = 4;
    const auto lacking = PromptEncoder::create(TextFamily::StableDiffusion1, {part}, tokenizer());
    ASSERT_TRUE(lacking);
    EXPECT_NE(messageOf(lacking->encodePair(kCat, "", {}, backend())).find("text_model.encoder.layers.3"),
              std::string::npos);
    part.config["vocab_size"] = 100;
    const auto small = PromptEncoder::create(TextFamily::StableDiffusion1, {part}, tokenizer());
    ASSERT_TRUE(small);
    EXPECT_NE(messageOf(small->encodePair(kCat, "", {}, backend())).find("token_embedding"), std::string::npos);
}

}  // namespace
}  // namespace reelbrush::diffusion
