#pragma once

namespace reelbrush::diffusion {

/// Single-precision functions rounded as NVIDIA GPUs round them. Good to 2e-7 at best; here they serve to give the very
/// bits of PyTorch's normal numbers on CUDA. Thread: any.

/// Natural logarithm as CUDA's logf computes it. x: a normal positive number.
float gpuLog(float x);

/// Sine as the special function unit computes it (sin.approx.f32). x: radians, 0..2 pi.
/// Source: what the unit gives for every input, measured on an H200; of the form in Oberman and Siu 2005 (a parabola on
/// each of 64 segments of a quarter turn, its square cut off).
float gpuSine(float x);

}  // namespace reelbrush::diffusion
