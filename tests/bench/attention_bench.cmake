# Speed of every way to compute an attention on a CUDA device.
if(REELBRUSH_HAS_CUDA)
    add_executable(attention_bench ${CMAKE_CURRENT_LIST_DIR}/attention_bench.cpp)
    target_link_libraries(attention_bench PRIVATE
        reelbrush_warnings reelbrush_kernels_cuda reelbrush_kernels_test_support CUDA::cudart_static reelbrush_cudnn)
endif()
