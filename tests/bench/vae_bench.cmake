# Time and activations of a full-size VAE, whole and in tiles.
add_executable(vae_bench ${CMAKE_CURRENT_LIST_DIR}/vae_bench.cpp)
target_link_libraries(vae_bench PRIVATE
    reelbrush_warnings reelbrush_benchmark reelbrush_diffusion reelbrush_kernels_cpu fmt::fmt)
