"""Times full-size SD 1.5 with random weights beside PyTorch (diffusers, float32, eager) on the same threads in the same
run, and prints the ratios (above 1: Reelbrush is faster).

    python tests/bench/full_against_pytorch.py --cli build/release/app/cli/reelbrush-cli [--threads 2] [--rounds 3]

Needs torch, diffusers, transformers, and 12 GB of memory. Runs alternate; the fastest of each side counts, of PyTorch
also of both memory layouts. The last line is one JSON object.
"""
import argparse, json, pathlib, subprocess, time
import torch
from diffusers import AutoencoderKL, UNet2DConditionModel
from transformers import CLIPTextConfig, CLIPTextModel


def peer_stages():
    """Each stage as a function of nothing."""
    unet = UNet2DConditionModel(sample_size=64, cross_attention_dim=768, attention_head_dim=8).eval()
    vae = AutoencoderKL(block_out_channels=(128, 256, 512, 512), down_block_types=("DownEncoderBlock2D",) * 4,
                        up_block_types=("UpDecoderBlock2D",) * 4, layers_per_block=2, latent_channels=4).eval()
    text = CLIPTextModel(CLIPTextConfig(vocab_size=49408, hidden_size=768, intermediate_size=3072, num_hidden_layers=12,
                                        num_attention_heads=12, hidden_act="quick_gelu")).eval()
    tokens, timestep = torch.arange(77)[None], torch.tensor([500])
    stages = {"text encoder": lambda layout: text(tokens)}
    inputs = {}

    def in_layout(module, layout, name, shape):
        module.to(memory_format=layout)
        key = (name, layout)
        if key not in inputs: inputs[key] = torch.randn(shape).to(memory_format=layout)
        return inputs[key]

    context = {b: torch.randn(b, 77, 768) for b in (1, 2)}
    for batch, name in ((1, "unet step"), (2, "unet step guided")):
        stages[name] = lambda layout, b=batch, n=name: unet(in_layout(unet, layout, n, (b, 4, 64, 64)), timestep, encoder_hidden_states=context[b])
    stages["vae encode"] = lambda layout: vae.encode(in_layout(vae, layout, "picture", (1, 3, 512, 512)))
    stages["vae decode"] = lambda layout: vae.decode(in_layout(vae, layout, "latents", (1, 4, 64, 64)))
    return stages


def peer_milliseconds(stage):
    best = 1e9
    for layout in (torch.contiguous_format, torch.channels_last):
        for i in range(3):
            start = time.perf_counter()
            stage(layout)
            if i > 0: best = min(best, (time.perf_counter() - start) * 1e3)
    return best


def reelbrush_report(cli, threads, precision):
    command = [cli, "bench", "--model", "sd15", "--random", "--json", "--size", "512x512", "--threads", threads, "--precision", precision, "--repeats", 3]
    return json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--cli", required=True, type=pathlib.Path)
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    torch.set_num_threads(options.threads)

    ours, peer = {"float32": {}, "int8": {}}, {}
    with torch.inference_mode():
        stages = peer_stages()
        for _ in range(options.rounds):
            for name, stage in stages.items(): peer[name] = min(peer.get(name, 1e9), peer_milliseconds(stage))
            for precision, best in ours.items():
                report = reelbrush_report(options.cli, options.threads, precision)
                for stage in report["stages"]:
                    name = stage["stage"]
                    if stage["milliseconds"] < best.get(name, {"milliseconds": 1e9})["milliseconds"]: best[name] = stage
    result = {"threads": options.threads, "processor": report["processor"], "stages": {}}
    for name, value in peer.items():
        times = {p: ours[p][name]["milliseconds"] for p in ours}
        result["stages"][name] = {"pytorch": value, **times, **{f"ratio {p}": value / t for p, t in times.items()}}
        print(f"{name:17} PyTorch {value:7.0f} ms" + "".join(f"   {p} {t:7.0f} ms ({value / t:.2f}x)" for p, t in times.items()))
    print(json.dumps(result))
