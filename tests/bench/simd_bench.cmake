# Speed of the SIMD steps beside the machine's peak; skipped where Google Benchmark is not installed.
find_package(benchmark QUIET)
if(benchmark_FOUND)
    add_executable(simd_bench
        ${CMAKE_CURRENT_LIST_DIR}/fma_peak.cpp ${CMAKE_CURRENT_LIST_DIR}/simd_bench.cpp)
    target_link_libraries(simd_bench PRIVATE
        reelbrush_warnings reelbrush_kernels_cpu_simd reelbrush_kernels_test_support PkgConfig::HWY benchmark::benchmark)
endif()
