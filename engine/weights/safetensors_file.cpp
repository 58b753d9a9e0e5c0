#include "engine/weights/safetensors_file.h"

#include "engine/weights/foreign_format.h"
#include "engine/weights/quoted_name.h"

#include <algorithm>
#include <utility>

namespace reelbrush::weights {

Result<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::open(const std::filesystem::path& path) {
    RB_ASSIGN(auto file, MappedFile::open(path));
    RB_TRY(refuseForeignFormat(path, file->bytes()));
    RB_ASSIGN(auto header, parseSafetensorsHeader(file->bytes(), quotedPath(path)));
    return std::shared_ptr<const SafetensorsFile>(new SafetensorsFile(std::move(file), std::move(header)));
}

SafetensorsFile::SafetensorsFile(std::shared_ptr<const MappedFile> file, SafetensorsHeader header)
    : file_(std::move(file)), header_(std::move(header)) {}

const TensorInfo* SafetensorsFile::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(header_.tensors, name, {}, &TensorInfo::name);
    return found != header_.tensors.end() && found->name == name ? &*found : nullptr;
}

std::span<const std::byte> SafetensorsFile::bytesOf(const TensorInfo& info) const {
    return file_->bytes().subspan(info.offsetBytes, info.sizeBytes);
}

}  // namespace reelbrush::weights
