# Reading films: decoding alone and with colour conversion, by the processor and by a graphics card; hashes of the frames.
add_executable(decode_bench ${CMAKE_CURRENT_LIST_DIR}/decode_bench.cpp)
target_link_libraries(decode_bench PRIVATE
    reelbrush_warnings reelbrush_media_source reelbrush_media_ffmpeg opencv_core PkgConfig::XXHASH fmt::fmt)
