#pragma once

#include <filesystem>

namespace reelbrush::media {

/// Whether the file ends before its container says that it does: compares the sizes written in the outermost elements
/// (MP4 and MOV boxes, the Matroska segment, RIFF chunks of AVI and WebP, the chunk table of OpenEXR) with the file's
/// size. False where the container has no such sizes (MPEG streams, live recordings) or is another one.
/// Sources: ISO/IEC 14496-12 section 4.2, RFC 8794 and RFC 9559, Microsoft's RIFF and OpenDML, "OpenEXR File Layout".
bool isCutShort(const std::filesystem::path& path);

}  // namespace reelbrush::media
