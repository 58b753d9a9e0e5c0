#include "tests/engine/library/fake_models.h"

#include <string>

namespace reelbrush::testing {

namespace {

SafetensorsWriter loraOf(const std::string& module, std::int64_t width) {
    SafetensorsWriter writer;
    writer.addZeros(module + ".lora_down.weight", {2, width});
    writer.addZeros(module + ".lora_up.weight", {4, 2});
    return writer.addF32(module + ".alpha", {}, {2.0f});
}

}  // namespace

SafetensorsWriter fakeLora() {
    return loraOf("lora_unet_down_blocks_0_attentions_0_transformer_blocks_0_attn2_to_k", 768);
}

SafetensorsWriter fakeLoraXl() {
    return loraOf("lora_unet_input_blocks_4_1_transformer_blocks_0_attn2_to_k", 2048);
}

SafetensorsWriter fakeCheckpoint() {
    SafetensorsWriter writer;
    writer.addZeros("model.diffusion_model.input_blocks.0.0.weight", {4, 4, 3, 3});
    writer.addZeros("model.diffusion_model.output_blocks.11.0.skip_connection.weight", {4, 4, 1, 1});
    return writer;
}

SafetensorsWriter fakeVae() {
    return SafetensorsWriter().addZeros("decoder.up_blocks.0.resnets.0.conv1.weight", {2, 2, 3, 3});
}

SafetensorsWriter fakeControlNet() {
    SafetensorsWriter writer;
    writer.addZeros("controlnet_cond_embedding.conv_in.weight", {2, 3, 3, 3});
    writer.addZeros("down_blocks.0.attentions.0.transformer_blocks.0.attn2.to_k.weight", {2, 768});
    return writer;
}

SafetensorsWriter fakeIpAdapter() {
    SafetensorsWriter writer;
    writer.addZeros("image_proj.proj.weight", {4, 4});
    writer.addZeros("ip_adapter.1.to_k_ip.weight", {4, 4});
    return writer;
}

SafetensorsWriter fakeMotionModule() {
    SafetensorsWriter writer;
    const std::string module = "down_blocks.3.motion_modules.0.temporal_transformer.";
    writer.addZeros(module + "transformer_blocks.0.attention_blocks.0.pos_encoder.pe", {1, 24, 2});
    writer.addZeros(module + "proj_in.weight", {2, 2});
    return writer;
}

SafetensorsWriter fakeEmbedding() {
    return SafetensorsWriter().addZeros("emb_params", {2, 768});
}

SafetensorsWriter fakeTextEncoder() {
    return SafetensorsWriter().addZeros("text_model.encoder.layers.0.self_attn.q_proj.weight", {2, 2});
}

SafetensorsWriter fakeImageEncoder() {
    return SafetensorsWriter().addZeros("vision_model.embeddings.patch_embedding.weight", {2, 3, 2, 2});
}

SafetensorsWriter fakeFlux() {
    return SafetensorsWriter().addZeros("double_blocks.0.img_attn.qkv.weight", {2, 2});
}

}  // namespace reelbrush::testing
