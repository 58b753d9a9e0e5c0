#include "engine/library/model_scanner.h"

#include "engine/styles/near_miss.h"
#include "engine/weights/diffusers_folder.h"
#include "engine/weights/json_file.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;
using styles::lowerCase;

/// Deeper trees are no model folders, but somebody's whole disk.
constexpr int kDeepest = 12;
constexpr const char* kLorasOfModel = "loras";

std::int64_t modifiedNs(const fs::path& path) {
    std::error_code error;
    const auto time = fs::last_write_time(path, error);
    return error ? 0 : time.time_since_epoch().count();
}

/// ".bin" is the ending of much else.
bool startsLikePickle(const fs::path& file) {
    char start[2] = {};
    std::ifstream(file, std::ios::binary).read(start, sizeof start);
    return (start[0] == 'P' && start[1] == 'K') || start[0] == '\x80';
}

/// Collects the files of a folder in the diffusers layout.
void addFilesBelow(const fs::path& folder, ModelCandidate& candidate) {
    std::error_code error;
    for (fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_directory(ignored) && entry->path().filename() == kLorasOfModel) {
            entry.disable_recursion_pending();
            continue;
        }
        if (!entry->is_regular_file(ignored)) continue;
        const std::string ending = lowerCase(entry->path().extension().string());
        if (ending != ".safetensors" && ending != ".json") continue;
        if (ending == ".safetensors") candidate.sizeBytes += entry->file_size(ignored);
        candidate.modifiedNs = std::max(candidate.modifiedNs, modifiedNs(entry->path()));
    }
}

class FolderWalk {
  public:
    FolderWalk(const fs::path& root, const CancelToken& cancel) : root_(root), cancel_(cancel) {}

    Result<FolderScan> run() {
        std::error_code ignored;
        scan_.isThere = fs::is_directory(root_, ignored);
        if (scan_.isThere) RB_TRY(walk(root_, 0));
        std::erase_if(scan_.candidates, [&](const auto& candidate) { return shards_.contains(candidate.path); });
        return std::move(scan_);
    }

  private:
    Status walk(const fs::path& folder, int depth) {
        RB_TRY(cancel_.check());
        std::error_code error;
        const fs::path real = fs::canonical(folder, error);
        if (depth > kDeepest || (!error && !seen_.insert(real).second)) return {};
        std::set<fs::path> entries;  // sorted, so that of two links to a folder the same one counts each time
        for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
            if (!entry->path().filename().native().starts_with('.')) entries.insert(entry->path());
        if (error) {
            scan_.notes.push_back(fmt::format("the folder {} cannot be read ({}): models in it are not known",
                                              weights::quotedPath(folder), error.message()));
            if (depth == 0) scan_.isThere = false;
            return {};
        }
        if (depth > 0 && isWholeModel(folder)) {
            addFolder(folder);
            const fs::path loras = folder / kLorasOfModel;
            return fs::is_directory(loras, error) ? walk(loras, depth + 1) : Status();
        }
        const bool isPart = depth > 0 && isPartOfModel(folder);
        if (isPart) addFolder(folder);
        for (const fs::path& entry : entries) {
            std::error_code ignored;
            if (fs::is_directory(entry, ignored))
                RB_TRY(walk(entry, depth + 1));
            else if (fs::is_regular_file(entry, ignored) && !(isPart && isWeightsOfPart(entry)))
                takeFile(entry, entries);
        }
        return {};
    }

    /// A network alone with its configuration, such as a ControlNet or an image encoder: the folder has the name that
    /// tells it from others.
    static bool isPartOfModel(const fs::path& folder) {
        std::error_code ignored;
        if (!fs::is_regular_file(folder / "config.json", ignored)) return false;
        const auto part = weights::readDiffusersComponent(folder);
        return part && !part->weightsFile.empty();
    }
    static bool isWeightsOfPart(const fs::path& file) {
        const std::string name = file.filename().string();
        return name.starts_with("diffusion_pytorch_model") || name.starts_with("model") ||
               name.starts_with("pytorch_model");
    }

    void addFolder(const fs::path& folder) {
        ModelCandidate candidate{folder, folder.lexically_relative(root_), 0, modifiedNs(folder), 0, FileForm::Other};
        addFilesBelow(folder, candidate);
        scan_.candidates.push_back(std::move(candidate));
    }

    void takeFile(const fs::path& file, const std::set<fs::path>& entries) {
        FileForm form = formOf(file.filename().native());
        if (form == FileForm::Other) return;
        if (lowerCase(file.extension().native()) == ".bin" && !startsLikePickle(file)) return;
        // aria2 makes the file in its full length at once, and keeps account of it beside.
        if (entries.contains(fs::path(file) += ".aria2")) form = FileForm::UnfinishedDownload;
        std::error_code ignored;
        ModelCandidate candidate{
            file, file.lexically_relative(root_), fs::file_size(file, ignored), modifiedNs(file), 0, form};
        if (form == FileForm::ShardIndex) addShards(file, candidate);
        candidate.companions = stampOfCompanions(file, entries) + static_cast<std::uint64_t>(form);
        scan_.candidates.push_back(std::move(candidate));
    }

    static std::uint64_t stampOfCompanions(const fs::path& model, const std::set<fs::path>& entries) {
        std::string text;
        for (const std::string& ending : companionEndings()) {
            const fs::path file = besideModel(model, ending);
            std::error_code ignored;
            if (file != model && entries.contains(file))
                text += fmt::format("{} {} {}\n", ending, fs::file_size(file, ignored), modifiedNs(file));
        }
        return XXH3_64bits(text.data(), text.size());
    }

    void addShards(const fs::path& index, ModelCandidate& candidate) {
        candidate.sizeBytes = 0;
        const auto json = weights::readJsonObject(index);
        if (!json || !json->contains("weight_map") || !(*json)["weight_map"].is_object()) return;
        std::set<fs::path> shards;
        for (const auto& [tensor, shard] : (*json)["weight_map"].items())
            if (shard.is_string()) shards.insert(index.parent_path() / shard.get<std::string>());
        for (const fs::path& shard : shards) {
            std::error_code error;
            const auto size = fs::file_size(shard, error);
            if (!error) candidate.sizeBytes += size;
            candidate.modifiedNs = std::max(candidate.modifiedNs, modifiedNs(shard));
        }
        shards_.merge(shards);
    }

    const fs::path& root_;
    const CancelToken& cancel_;
    std::set<fs::path> seen_, shards_;
    FolderScan scan_;
};

}  // namespace

bool isWholeModel(const fs::path& folder) {
    // ComfyUI's models folder has subfolders "unet" and "vae", and people put configurations there too.
    std::error_code ignored;
    return weights::DiffusersFolder::isOne(folder) && !fs::is_directory(folder / "checkpoints", ignored) &&
           !fs::is_directory(folder / "Stable-diffusion", ignored);
}

Result<FolderScan> scanFolder(const fs::path& root, const CancelToken& cancel) {
    return FolderWalk(root, cancel).run();
}

}  // namespace reelbrush::library
