#!/usr/bin/env python3
"""Full-size networks of random weights in PyTorch and diffusers on a CUDA card, for comparison with
`reelbrush-cli bench --device cuda --model sd15|sdxl --random` in the same session. Prints one JSON line a measurement.
Needs torch and diffusers. Usage: cuda_peers.py [unet15] [unet15-compile] [vae] [sdxl] [sdpa]"""
import json, sys
import torch
import torch.nn.functional as F

torch.set_grad_enabled(False)
torch.backends.cudnn.benchmark = True
DEVICE, HALF = "cuda", torch.float16


def milliseconds(call, repeats=20, warm=5):
    for _ in range(warm):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def tell(name, call, **facts):
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    print(json.dumps({"peer": name, "ms": round(milliseconds(call), 3),
                      "activationMiB": round((torch.cuda.max_memory_allocated() - before) / 2**20), **facts}), flush=True)


def unet15():
    from diffusers import UNet2DConditionModel
    return UNet2DConditionModel(sample_size=64, cross_attention_dim=768, attention_head_dim=8).to(DEVICE, HALF).eval()


def time_unet15(kind):
    unet = unet15().to(memory_format=torch.channels_last)
    step = torch.compile(unet, mode="reduce-overhead") if kind == "compile" else unet
    for batch in (1, 2, 16):
        x = torch.randn(batch, 4, 64, 64, device=DEVICE, dtype=HALF).to(memory_format=torch.channels_last)
        text = torch.randn(batch, 77, 768, device=DEVICE, dtype=HALF)
        t = torch.tensor(500, device=DEVICE)
        tell(f"sd15 unet 512 batch {batch} {kind}", lambda: step(x, t, encoder_hidden_states=text).sample)


def time_vae():
    from diffusers import AutoencoderKL
    vae = AutoencoderKL(block_out_channels=(128, 256, 512, 512), layers_per_block=2,
                        down_block_types=("DownEncoderBlock2D",) * 4, up_block_types=("UpDecoderBlock2D",) * 4,
                        latent_channels=4).to(DEVICE, HALF).eval()
    for side in (512, 1024):
        z = torch.randn(1, 4, side // 8, side // 8, device=DEVICE, dtype=HALF)
        tell(f"vae decode {side} eager", lambda: vae.decode(z).sample)


def time_sdxl():
    from diffusers import UNet2DConditionModel
    unet = UNet2DConditionModel(
        sample_size=128, cross_attention_dim=2048, attention_head_dim=(5, 10, 20), block_out_channels=(320, 640, 1280),
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"), transformer_layers_per_block=(1, 2, 10),
        addition_embed_type="text_time", addition_time_embed_dim=256, projection_class_embeddings_input_dim=2816,
        use_linear_projection=True).to(DEVICE, HALF).eval()
    x = torch.randn(2, 4, 128, 128, device=DEVICE, dtype=HALF)
    text = torch.randn(2, 77, 2048, device=DEVICE, dtype=HALF)
    more = {"text_embeds": torch.randn(2, 1280, device=DEVICE, dtype=HALF), "time_ids": torch.ones(2, 6, device=DEVICE)}
    t = torch.tensor(500, device=DEVICE)
    tell("sdxl unet 1024 guided eager",
         lambda: unet(x, t, encoder_hidden_states=text, added_cond_kwargs=more).sample)


def time_sdpa():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    q, k, v = (torch.randn(2, 8, 4096, 40, device=DEVICE, dtype=HALF) for _ in range(3))
    for backend in (SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
        with sdpa_kernel(backend):
            try:
                tell(f"sdpa B2 T4096 H8 D40 {backend.name}", lambda: F.scaled_dot_product_attention(q, k, v))
            except RuntimeError as error:
                print(json.dumps({"peer": backend.name, "error": str(error)[:100]}), flush=True)


if __name__ == "__main__":
    print(json.dumps({"card": torch.cuda.get_device_name(), "torch": torch.__version__}), flush=True)
    for what in sys.argv[1:] or ["sdpa", "unet15", "vae", "sdxl", "unet15-compile"]:
        {"unet15": lambda: time_unet15("eager"), "unet15-compile": lambda: time_unet15("compile"), "vae": time_vae,
         "sdxl": time_sdxl, "sdpa": time_sdpa}[what]()
