#pragma once

#include <string>
#include <vector>

namespace reelbrush::kernels {

/// What the processor calls itself, with family, model and stepping where the name alone says little:
/// "AMD EPYC (family 26, model 2, stepping 1)".
std::string processorName();

/// Vector instructions that this processor and system offer, weakest first: "SSE4.2", "AVX2", "AVX-512", ...
std::vector<std::string> processorInstructionSets();

/// The instructions that oneDNN uses in this process, after the limits of ONEDNN_MAX_CPU_ISA and REELBRUSH_MAX_SIMD:
/// "avx512_core_vnni".
std::string onednnInstructionSet();

/// Processors that this process may run on.
int availableProcessors();

/// Makes oneDNN obey REELBRUSH_MAX_SIMD too, where ONEDNN_MAX_CPU_ISA does not already say something. Works only
/// before oneDNN is used for the first time in this process; later calls change nothing. Thread-safe.
void applyOnednnLimitFromEnvironment();

}  // namespace reelbrush::kernels
