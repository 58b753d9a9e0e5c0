# Tests of the SIMD steps. Included by CMakeLists.txt of this folder.
set(simd_test_sources
    arrange_conformance_test.cpp attention_conformance_test.cpp elementwise_conformance_test.cpp
    norm_conformance_test.cpp quantise_cpu_test.cpp simd_limit_test.cpp vector_math_test.cpp)
list(TRANSFORM simd_test_sources PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
reelbrush_test(kernels_cpu_simd_test
    SOURCES ${simd_test_sources}
    LIBS reelbrush_kernels_cpu_simd reelbrush_kernels_reference reelbrush_kernels_test_support PkgConfig::HWY)
