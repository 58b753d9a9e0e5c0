#include "engine/weights/stored_tensors.h"

#include "engine/weights/json_file.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace reelbrush::weights {

namespace {

std::string_view nameOfTensor(const StoredTensor& tensor) {
    return tensor.info->name;
}

/// A shard is a file beside its index; anything else could reach into the rest of the disk.
bool isPlainFileName(std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos && name.find('\0') == name.npos;
}

}  // namespace

Result<std::shared_ptr<const StoredTensors>> StoredTensors::open(const std::filesystem::path& path) {
    std::shared_ptr<StoredTensors> stored(new StoredTensors());
    stored->path_ = path;
    if (path.extension() == ".json") {
        RB_TRY(stored->addShards());
    } else {
        RB_TRY(stored->addFile(path));
        RB_TRY(stored->sortByName());
    }
    return std::shared_ptr<const StoredTensors>(std::move(stored));
}

Status StoredTensors::addFile(const std::filesystem::path& path) {
    RB_ASSIGN(auto file, SafetensorsFile::open(path));
    for (const TensorInfo& info : file->tensors()) tensors_.push_back({&info, file.get()});
    metadata_.insert(file->metadata().begin(), file->metadata().end());
    files_.push_back(std::move(file));
    return {};
}

Status StoredTensors::sortByName() {
    std::ranges::sort(tensors_, {}, nameOfTensor);
    const auto twice = std::ranges::adjacent_find(tensors_, {}, nameOfTensor);
    if (twice == tensors_.end()) return {};
    return fail(StatusCode::BadInput,
                fmt::format("tensor {} lies both in {} and in {}", quotedName(twice->info->name),
                            quotedPath(twice->file->path()), quotedPath((twice + 1)->file->path())));
}

Status StoredTensors::addShards() {
    RB_ASSIGN(const auto index, readJsonObject(path_));
    const auto map = index.find("weight_map");
    if (map == index.end() || !map->is_object() || map->empty())
        return fail(StatusCode::BadInput,
                    fmt::format("{} is not an index of safetensors shards: it has no weight_map", quotedPath(path_)));
    std::set<std::string> shards;
    for (const auto& [tensor, shard] : map->items()) {
        if (!shard.is_string() || !isPlainFileName(shard.get_ref<const std::string&>()))
            return fail(StatusCode::BadInput,
                        fmt::format("{} places tensor {} in something other than a file beside it", quotedPath(path_),
                                    quotedName(tensor)));
        shards.insert(shard.get_ref<const std::string&>());
    }
    for (const std::string& shard : shards) RB_TRY(addFile(path_.parent_path() / shard));
    RB_TRY(sortByName());
    for (const auto& [tensor, shard] : map->items()) {
        const StoredTensor* found = find(tensor);
        const auto& shardName = shard.get_ref<const std::string&>();
        if (!found || found->file->path().filename() != shardName)
            return fail(StatusCode::BadInput,
                        fmt::format("{} places tensor {} in {}, but it is not there", quotedPath(path_),
                                    quotedName(tensor), quotedName(shardName)));
    }
    return {};
}

const StoredTensor* StoredTensors::find(std::string_view name) const {
    const auto found = std::ranges::lower_bound(tensors_, name, {}, nameOfTensor);
    return found != tensors_.end() && found->info->name == name ? &*found : nullptr;
}

std::uint64_t StoredTensors::sizeBytes() const {
    std::uint64_t bytes = 0;
    for (const auto& file : files_) bytes += file->sizeBytes();
    return bytes;
}

void StoredTensors::dropPages() const {
    for (const auto& file : files_) file->dropPages();
}

}  // namespace reelbrush::weights
