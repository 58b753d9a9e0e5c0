# The frame cache: ratio and speed of packing, hits, and its policy against plain LRU. LZ4 is compared where it is installed.
pkg_check_modules(LZ4 IMPORTED_TARGET liblz4)
add_executable(cache_bench ${CMAKE_CURRENT_LIST_DIR}/cache_bench.cpp ${CMAKE_CURRENT_LIST_DIR}/scrub_trace.cpp)
target_link_libraries(cache_bench PRIVATE
    reelbrush_warnings reelbrush_cache reelbrush_diffusion reelbrush_media reelbrush_kernels_cpu PkgConfig::ZSTD
    opencv_imgproc fmt::fmt)
if(LZ4_FOUND)
    target_link_libraries(cache_bench PRIVATE PkgConfig::LZ4)
    target_compile_definitions(cache_bench PRIVATE REELBRUSH_HAS_LZ4)
endif()
