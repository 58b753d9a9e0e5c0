# Writing: frames to videos, pictures and picture sequences.
reelbrush_library(reelbrush_media_sink
    SOURCES frame_sink.cpp video_sink.cpp picture_sink.cpp output_target.cpp output_colour.cpp encoder_choice.cpp
            picture_encoder_choice.cpp pixel_format_choice.cpp quality_scale.cpp pixel_converter.cpp frame_clock.cpp
            video_encoder.cpp clip_writer.cpp source_tracks.cpp carried_track.cpp copy_track.cpp sound_track.cpp
            text_track.cpp part_file.cpp part_folder.cpp
    PUBLIC reelbrush_core opencv_core
    PRIVATE reelbrush_media_ffmpeg fmt::fmt)
