#pragma once

#include "engine/diffusion/compute_device.h"
#include "kernels/cpu/cpu_backend.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::diffusion {

/// A LoRA file and how strongly it acts (1: as trained).
struct LoraChoice {
    std::filesystem::path file;
    float strength = 1.0f;
    std::optional<float> textStrength{};  ///< of the text encoders' part; as strength where not given
    std::string blocks{};                 ///< see weights::LoraBlockWeights::parse

    bool operator==(const LoraChoice&) const = default;
};

/// An IP-Adapter and the image encoder that its style pictures go through.
struct IpAdapterChoice {
    std::filesystem::path file;
    std::filesystem::path imageEncoder;  ///< a safetensors file, or a folder in the diffusers layout
    bool styleOnly = false;              ///< only the layers that carry style, not content

    bool operator==(const IpAdapterChoice&) const = default;
};

/// A motion module (AnimateDiff): frames are painted in windows, which share their first frames with the window before.
struct MotionChoice {
    std::filesystem::path file;
    int windowFrames = 16;  ///< 2 to what the module was trained for, 24 or 32
    int overlap = 4;        ///< 0 to windowFrames - 1

    bool operator==(const MotionChoice&) const = default;
};

/// The files that a painter is made of. Which of them a model can take is checked when the painter is made.
struct PaintingSetup {
    /// A starter model or another model in diffusers layout (a folder), or a checkpoint in a single file.
    std::filesystem::path model;
    std::filesystem::path vae{};          ///< in place of the model's own; empty: its own
    std::filesystem::path textEncoder{};  ///< likewise; of SDXL the first
    std::vector<LoraChoice> loras{};
    std::vector<std::filesystem::path> controls{};  ///< ControlNets; PaintSettings::controls has one entry for each
    std::optional<IpAdapterChoice> ipAdapter{};
    std::optional<MotionChoice> motion{};
    /// Style pictures will be given. A model that takes none by itself and has no IP-Adapter then sees them through
    /// attention injection, which needs no extra weights.
    bool stylePictures = false;
    std::vector<std::filesystem::path> embeddingFolders{};  ///< where a prompt's textual inversions are looked for

    bool operator==(const PaintingSetup&) const = default;
};

/// One painting size, and how it is computed.
struct PainterOptions {
    int width = 512, height = 512;  ///< multiples of 16, pixels
    bool guided = true;             ///< guidance other than 1 will be used: room for a batch of two
    /// Painted at once, each on its own (see PainterNeeds::windowFrames); 0: as framesAtOnce chooses.
    int batchFrames = 1;
    int mostBatchFrames = 16;  ///< where the choice is free: as many as the clip has
    kernels::Precision precision = kernels::Precision::Fastest;
    ComputeDevice device{ComputeDevice::Kind::Cpu, 0};
    int threads = 0;            ///< on the processor; 0: all that this process may use
    std::size_t ramBytes = 0;   ///< ceiling for weights and arena on the processor; 0: none
    std::size_t vramBytes = 0;  ///< the same on a GPU
    std::filesystem::path algorithmCacheFile{};

    bool operator==(const PainterOptions&) const = default;
};

}  // namespace reelbrush::diffusion
