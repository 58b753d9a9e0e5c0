#include "engine/library/model_scanner.h"

#include "engine/library/model_thumbnail.h"
#include "engine/library/sidecar_facts.h"
#include "engine/weights/diffusers_folder.h"
#include "engine/weights/json_file.h"
#include "engine/weights/lora_details.h"
#include "engine/weights/model_inspection.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> kEndings = {".safetensors", ".sft", ".ckpt", ".pt", ".pth", ".bin", ".gguf"};
constexpr std::string_view kIndexEnding = ".safetensors.index.json";
/// Deeper trees are no model folders, but somebody's whole disk.
constexpr int kDeepest = 12;
constexpr std::size_t kLongestText = 500;

std::string lowerCase(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::int64_t modifiedNs(const fs::path& path) {
    std::error_code error;
    const auto time = fs::last_write_time(path, error);
    return error ? 0 : time.time_since_epoch().count();
}

/// Collects the files of a folder in the diffusers layout.
ModelCandidate folderCandidate(const fs::path& folder, const fs::path& root) {
    ModelCandidate candidate{folder, folder.lexically_relative(root), 0, modifiedNs(folder)};
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (!entry->is_regular_file(ignored)) continue;
        const std::string ending = lowerCase(entry->path().extension().string());
        if (ending != ".safetensors" && ending != ".json") continue;
        if (ending == ".safetensors") candidate.sizeBytes += entry->file_size(ignored);
        candidate.modifiedNs = std::max(candidate.modifiedNs, modifiedNs(entry->path()));
    }
    return candidate;
}

class FolderWalk {
  public:
    FolderWalk(const fs::path& root, const CancelToken& cancel) : root_(root), cancel_(cancel) {}

    Result<std::vector<ModelCandidate>> run() {
        RB_TRY(walk(root_, 0));
        std::erase_if(found_, [&](const ModelCandidate& candidate) { return shards_.contains(candidate.path); });
        return std::move(found_);
    }

  private:
    Status walk(const fs::path& folder, int depth) {
        RB_TRY(cancel_.check());
        std::error_code error;
        const fs::path real = fs::canonical(folder, error);
        if (error || depth > kDeepest || !seen_.insert(real).second) return {};
        if (weights::DiffusersFolder::isOne(folder)) {
            found_.push_back(folderCandidate(folder, root_));
            return {};
        }
        for (fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error), end;
             !error && entry != end; entry.increment(error)) {
            if (entry->path().filename().string().starts_with('.')) continue;
            std::error_code ignored;
            if (entry->is_directory(ignored)) {
                RB_TRY(walk(entry->path(), depth + 1));
            } else if (entry->is_regular_file(ignored)) {
                takeFile(entry->path());
            }
        }
        return {};
    }

    void takeFile(const fs::path& file) {
        const std::string name = lowerCase(file.filename().string());
        const bool isIndex = name.ends_with(kIndexEnding);
        const auto endsSo = [&](std::string_view ending) { return name.ends_with(ending); };
        if (!isIndex && std::ranges::none_of(kEndings, endsSo)) return;
        std::error_code ignored;
        ModelCandidate candidate{file, file.lexically_relative(root_), fs::file_size(file, ignored), modifiedNs(file)};
        if (isIndex) addShards(file, candidate);
        found_.push_back(std::move(candidate));
    }

    void addShards(const fs::path& index, ModelCandidate& candidate) {
        const auto json = weights::readJsonObject(index);
        if (!json || !json->contains("weight_map") || !(*json)["weight_map"].is_object()) return;
        std::set<fs::path> shards;
        for (const auto& [tensor, shard] : (*json)["weight_map"].items())
            if (shard.is_string()) shards.insert(index.parent_path() / shard.get<std::string>());
        for (const fs::path& shard : shards) {
            std::error_code ignored;
            const auto size = fs::file_size(shard, ignored);
            if (!ignored) candidate.sizeBytes += size;
            candidate.modifiedNs = std::max(candidate.modifiedNs, modifiedNs(shard));
        }
        shards_.merge(shards);
    }

    const fs::path& root_;
    const CancelToken& cancel_;
    std::set<fs::path> seen_, shards_;
    std::vector<ModelCandidate> found_;
};

/// A text from a file, fit to be shown.
std::string shown(const weights::Metadata& metadata, const char* key) {
    const auto found = metadata.find(key);
    if (found == metadata.end()) return {};
    return shownText(found->second, kLongestText);
}

}  // namespace

Result<std::vector<ModelCandidate>> findCandidates(const fs::path& root, const CancelToken& cancel) {
    return FolderWalk(root, cancel).run();
}

ModelRecord examine(const ModelCandidate& candidate, const fs::path& thumbnailFolder) {
    ModelRecord record;
    record.path = candidate.path;
    record.relative = candidate.relative;
    record.sizeBytes = candidate.sizeBytes;
    record.modifiedNs = candidate.modifiedNs;
    const auto inspection = weights::inspectModel(candidate.path);
    if (!inspection) {
        record.problem = inspection.error().message;
        return record;
    }
    record.kind = inspection->kind;
    record.baseModel = inspection->identity.baseModel;
    record.variant = inspection->identity.variant;
    record.prediction = inspection->identity.prediction;
    record.title = shown(inspection->metadata, "modelspec.title");
    record.author = shown(inspection->metadata, "modelspec.author");
    record.licence = shown(inspection->metadata, "modelspec.license");
    record.description = shown(inspection->metadata, "modelspec.description");
    const weights::LoraDetails details = weights::loraDetails(inspection->metadata);
    record.triggerWords = details.triggerWords;
    if (record.title.empty()) record.title = details.title;
    if (inspection->lora) {
        record.family = inspection->lora->family;
        record.rank = inspection->lora->maxRank;
        if (record.triggerWords.empty()) record.triggerWords = details.commonTags;
        record.problem = inspection->lora->whyNotApplied;
    }
    addSidecarFacts(record);
    record.thumbnail = thumbnailOf(candidate.path, inspection->metadata, thumbnailFolder);
    return record;
}

}  // namespace reelbrush::library
