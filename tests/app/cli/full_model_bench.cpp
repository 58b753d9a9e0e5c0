#include "tests/app/cli/full_model_bench.h"

#include "tests/engine/weights/checkpoint_copy.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace reelbrush::cli::testing {

namespace {

namespace fs = std::filesystem;
using reelbrush::testing::CopyOptions;
using reelbrush::testing::copyWeights;

}  // namespace

FullModelBench::FullModelBench() {
    for (const char* name : {"config", "data", "models"}) fs::create_directories(at(name));
    options_.environment = {
        {"XDG_CONFIG_HOME", at("config")}, {"XDG_DATA_HOME", at("data")}, {"REELBRUSH_MODEL_PATH", at("models")}};
    makePicture();
}

std::string FullModelBench::write(const std::string& name, const Writer& writer) const {
    std::ofstream(fs::path(at(name)).replace_extension(".json")) << R"({"text_encoder": {"num_attention_heads": 4}})";
    return writer.write(at(name)).string();
}

std::string FullModelBench::writeBytes(const std::string& name, const std::string& bytes) const {
    return reelbrush::testing::writeBytes(at(name), bytes).string();
}

std::string FullModelBench::whole(const std::string& name) const {
    return write(name, without("nothing"));
}

FullModelBench::Writer FullModelBench::without(const std::string& start) {
    Writer writer;
    CopyOptions options;
    options.rename = [&](const std::string& name) { return name.starts_with(start) ? std::string() : name; };
    copyWeights(*reelbrush::testing::tinyCheckpoint(), options, writer);
    return writer;
}

FullModelBench::Writer FullModelBench::withNan(const std::string& name) {
    const auto view = reelbrush::testing::tinyCheckpoint()->find(name);
    if (!view) throw std::runtime_error(view.error().message);
    std::vector<float> values(static_cast<std::size_t>(view->shape.elements()), 0.01f);
    values.at(3) = std::numeric_limits<float>::quiet_NaN();
    return without(name).addF16(name, {view->shape.dims().begin(), view->shape.dims().end()}, values);
}

FullModelBench::Writer FullModelBench::loraFor(std::int64_t text) {
    const std::string module = "lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn2_to_k";
    Writer writer;
    writer.addZeros(module + ".lora_down.weight", {4, text}).addZeros(module + ".lora_up.weight", {32, 4});
    return writer;
}

FullModelBench::Arguments FullModelBench::painting(const Arguments& more) const {
    Arguments arguments{"stylize", at("picture.png"), at("out.png"), "--steps", "2", "--progress", "none"};
    if (std::ranges::find(more, "--prompt") == more.end())
        arguments.insert(arguments.end(), {"--prompt", "a photo of a cat"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

void FullModelBench::expectNothingPainted(const Arguments& more, const std::vector<std::string>& texts) const {
    const auto before = namesIn(folder());
    const Outcome outcome = paint(more);
    for (const std::string& text : texts) expectRefused(outcome, 1, text);
    EXPECT_EQ(namesIn(folder()), before);
}

}  // namespace reelbrush::cli::testing
