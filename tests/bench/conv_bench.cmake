# Speed of convolutions and linears at the starter model's shapes, beside the machine's measured peaks.
add_executable(conv_bench ${CMAKE_CURRENT_LIST_DIR}/conv_bench.cpp)
target_link_libraries(conv_bench PRIVATE
    reelbrush_warnings reelbrush_kernels_cpu reelbrush_kernels_test_support dnnl fmt::fmt)
