reelbrush_test(engine_media_sink_test
    SOURCES sink_test_kit.cpp video_sink_test.cpp colour_sink_test.cpp picture_sink_test.cpp sound_sink_test.cpp safety_sink_test.cpp nvenc_sink_test.cpp
    LIBS reelbrush_media_sink reelbrush_media_ffmpeg fmt::fmt nlohmann_json::nlohmann_json)
