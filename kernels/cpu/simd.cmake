# The SIMD steps: every op but convolution and linear. Included by CMakeLists.txt of this folder.
set(simd_sources
    activation_cpu.cpp arrange_cpu.cpp attention_cpu.cpp attention_tile.cpp elementwise_cpu.cpp geglu_cpu.cpp
    group_norm_cpu.cpp group_norm_layout.cpp layer_norm_cpu.cpp pixel_shuffle_cpu.cpp quantise_cpu.cpp resample_cpu.cpp
    simd_limit.cpp simd_step.cpp timestep_embedding_cpu.cpp)
list(TRANSFORM simd_sources PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
reelbrush_library(reelbrush_kernels_cpu_simd
    SOURCES ${simd_sources}
    PUBLIC reelbrush_kernels_plan reelbrush_kernels_ops reelbrush_kernels_tensor
    PRIVATE PkgConfig::HWY OpenMP::OpenMP_CXX)
# SSE4 (2008) as the floor: Highway's fallback without it would be scalar. AVX2 and AVX-512 are chosen when running.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(reelbrush_kernels_cpu_simd PRIVATE -msse4.2 -maes -mpclmul)
endif()
