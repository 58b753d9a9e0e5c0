"""Times Reelbrush beside PyTorch on the same threads in the same run, and prints the ratios (above 1: Reelbrush is faster).

    python tests/bench/against_pytorch.py --cli build/release/app/cli/reelbrush-cli --starter FOLDER [--threads 2] [--rounds 3]
                                          [--clip resources/clips/sample.mp4] [--frames 24]

FOLDER holds the starter model with its oracle.py. Needs torch, diffusers, transformers, safetensors, pillow, and the
ffmpeg program. Runs alternate; the fastest of each side counts. The last line is one JSON object.
"""
import argparse, json, os, pathlib, re, subprocess, sys, tempfile, time


def run(command, **options):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **options)


def reelbrush_stages(cli, size, threads, precision):
    report = json.loads(run([cli, "bench", "--json", "--size", size, "--threads", threads, "--precision", precision]).stdout)
    return {stage["stage"]: stage["milliseconds"] for stage in report["stages"]}, report


def pytorch_stages(starter, size, environment):
    text = run([sys.executable, "oracle.py", "--bench", size], cwd=starter, env=environment).stdout
    stages = {}
    for name in ("unet step", "vae encode", "vae decode", "style tokens"):
        stages[name] = min(map(float, re.findall(name + r" ([0-9.]+) ms", text)))
    return stages


CLIP_SCRIPT = """
import sys, time, pathlib
sys.path.insert(0, sys.argv[1]); import oracle as O, torch
frames, style = sorted(pathlib.Path(sys.argv[2]).glob("*.png")), sys.argv[3]
net, vae = O.load(); net.unet.to(memory_format=torch.channels_last); vae.to(memory_format=torch.channels_last)
with torch.no_grad():
    tokens = net.tokens(O.picture(style, 224, 224))
    pictures = [O.picture(f, 288, 512) for f in frames]
    noise = torch.randn(1, 16, 36, 64, generator=torch.Generator().manual_seed(3))
    O.stylise(net, vae, pictures[0], tokens, 0.6, False, 8, 2.0, noise)
    start = time.perf_counter()
    for p in pictures: O.stylise(net, vae, p, tokens, 0.6, False, 8, 2.0, noise)
    print(time.perf_counter() - start)
"""


def clip_seconds(options, environment, folder, side):
    if side == "pytorch":
        return float(run([sys.executable, "-c", CLIP_SCRIPT, options.starter, folder / "frames", options.style], env=environment).stdout.split()[-1])
    start = time.perf_counter()
    run([options.cli, "stylize", folder / "clip.mp4", folder / "out.mp4", "--style", options.style, "--steps", 8, "--guidance", 2,
         "--threads", options.threads, "--progress", "none"])
    return time.perf_counter() - start


if __name__ == "__main__":
    root = pathlib.Path(__file__).resolve().parents[2]
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--cli", required=True, type=pathlib.Path)
    arguments.add_argument("--starter", required=True, type=pathlib.Path)
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--frames", type=int, default=24)
    arguments.add_argument("--clip", type=pathlib.Path, default=root / "resources/clips/sample.mp4")
    arguments.add_argument("--style", type=pathlib.Path, default=root / "resources/styles/pictures/hokusai-great-wave.jpg")
    options = arguments.parse_args()
    options.cli, options.starter = options.cli.resolve(), options.starter.resolve()
    environment = dict(os.environ, OMP_NUM_THREADS=str(options.threads), PYTHONDONTWRITEBYTECODE="1")

    result = {"stages": {}, "threads": options.threads}
    peer, ours = {}, {"int8": {}, "float32": {}}
    for _ in range(options.rounds):
        for name, value in pytorch_stages(options.starter, "512x512", environment).items(): peer[name] = min(value, peer.get(name, 1e9))
        for precision, best in ours.items():
            stages, report = reelbrush_stages(options.cli, "512x512", options.threads, precision)
            for name, value in stages.items(): best[name] = min(value, best.get(name, 1e9))
    for name, value in peer.items():
        result["stages"][name] = {"pytorch": value, **{p: ours[p][name] for p in ours}, **{f"ratio {p}": value / ours[p][name] for p in ours}}
        print(f"{name:14} PyTorch {value:7.1f} ms" + "".join(f"   {p} {ours[p][name]:7.1f} ms ({value / ours[p][name]:.2f}x)" for p in ours))

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name); (folder / "frames").mkdir()
        run(["ffmpeg", "-v", "error", "-i", options.clip, "-frames:v", options.frames, "-vf", "scale=512:288", "-c:v", "ffv1", "-an", folder / "lossless.mkv"])
        run(["ffmpeg", "-v", "error", "-i", folder / "lossless.mkv", folder / "frames/%04d.png"])
        run(["ffmpeg", "-v", "error", "-i", folder / "lossless.mkv", "-c:v", "libx264", "-crf", "16", folder / "clip.mp4"])
        seconds = {"reelbrush": 1e9, "pytorch": 1e9}
        for _ in range(options.rounds):
            for side in seconds: seconds[side] = min(seconds[side], clip_seconds(options, environment, folder, side))
    result["clip"] = {"frames": options.frames, **seconds, "ratio": seconds["pytorch"] / seconds["reelbrush"]}
    print(f"{options.frames} frames 512x288, 8 steps, guidance 2: PyTorch {seconds['pytorch']:.2f} s (frames alone), Reelbrush "
          f"{seconds['reelbrush']:.2f} s (the whole command: start, decode, paint, encode) ({result['clip']['ratio']:.2f}x)")
    result["processor"], result["instructions"] = report["processor"], report["instructions"]
    print(json.dumps(result))
