reelbrush_library(reelbrush_media_source
    SOURCES frame_source.cpp video_source.cpp sequence_source.cpp clip_location.cpp numbered_pictures.cpp demuxer.cpp
            container_length.cpp packet_scan.cpp frame_decoder.cpp decoder_choice.cpp surface_download.cpp clip_info_reader.cpp colour_defaults.cpp orientation.cpp
            sample_reader.cpp yuv_converter.cpp picture_converter.cpp
    PUBLIC reelbrush_core opencv_core
    PRIVATE reelbrush_media_ffmpeg fmt::fmt)
