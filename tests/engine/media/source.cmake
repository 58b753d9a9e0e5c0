reelbrush_test(engine_media_source_test
    SOURCES source_test_kit.cpp lossless_clip.cpp colour_source_test.cpp timing_source_test.cpp range_source_test.cpp
            orientation_source_test.cpp picture_source_test.cpp sequence_source_test.cpp bad_input_source_test.cpp
            damaged_source_test.cpp inspect_source_test.cpp ffmpeg_log_source_test.cpp hardware_choice_source_test.cpp
            surface_planes_source_test.cpp hardware_frames_source_test.cpp
    LIBS reelbrush_media_source reelbrush_media_ffmpeg opencv_core fmt::fmt)
