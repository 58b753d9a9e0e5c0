#pragma once

#include <string>
#include <vector>

namespace reelbrush::session {

/// Good: there and usable. Note: not there, and not needed. Missing: something will not work or be slow without it.
enum class FindingKind { Good, Note, Missing };

/// One thing that was looked at on this machine.
struct MachineFinding {
    std::string area;  ///< "processor", "memory", "graphics card", "Vulkan", "codecs", "fonts", "models", ...
    FindingKind kind = FindingKind::Good;
    std::string text;    ///< what was found
    std::string advice;  ///< what to do about it, most often a command; empty where there is nothing to do
};

/// Looks at everything that Reelbrush needs or can use. Takes up to a second or two; loads the graphics driver to ask
/// it. Never fails: what cannot be found out is a finding. Thread: any.
std::vector<MachineFinding> examineMachine();

/// The parts of examineMachine.
std::vector<MachineFinding> examineProcessorAndMemory();
std::vector<MachineFinding> examineGraphics();
/// NVDEC and NVENC of the first card; nothing without an NVIDIA driver.
std::vector<MachineFinding> examineGraphicsVideo();
std::vector<MachineFinding> examineCodecs();
std::vector<MachineFinding> examineFonts();
std::vector<MachineFinding> examineModelsAndStyles();
std::vector<MachineFinding> examineFolders();

}  // namespace reelbrush::session
