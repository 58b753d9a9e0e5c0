#include "engine/library/library_update.h"

#include "engine/library/model_examiner.h"
#include "engine/library/model_scanner.h"

#include <algorithm>
#include <map>
#include <utility>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;

bool hasSameWeights(const ModelRecord& record, const ModelCandidate& candidate) {
    return record.sizeBytes == candidate.sizeBytes && record.modifiedNs == candidate.modifiedNs;
}

/// Where the path begins with the folder.
bool isBelow(const fs::path& path, const fs::path& folder) {
    return std::ranges::mismatch(folder, path).in1 == folder.end();
}

class ChangeSearch {
  public:
    ChangeSearch(const LibraryOptions& options, std::vector<ModelRecord> known) : options_(options) {
        for (ModelRecord& record : known) known_.emplace(record.path, std::move(record));
    }

    Result<LibraryUpdate> run(const CancelToken& cancel) {
        for (const fs::path& folder : options_.folders) {
            RB_ASSIGN(FolderScan scan, scanFolder(folder, cancel));
            if (scan.isThere) read_.push_back(folder);
            for (std::string& note : scan.notes) update_.notes.push_back(std::move(note));
            for (const ModelCandidate& candidate : scan.candidates) {
                RB_TRY(cancel.check());
                take(candidate);
            }
        }
        findRemoved();
        keepHashesOfMoved();
        for (auto& [path, record] : current_) update_.current.push_back(std::move(record));
        return std::move(update_);
    }

  private:
    void take(const ModelCandidate& candidate) {
        if (current_.contains(candidate.path)) return;
        const auto old = known_.find(candidate.path);
        const bool isSameFile = old != known_.end() && hasSameWeights(old->second, candidate);
        if (isSameFile && !options_.examineAll && old->second.relative == candidate.relative &&
            old->second.companions == candidate.companions) {
            current_.emplace(candidate.path, old->second);
            return;
        }
        ModelRecord record = examine(candidate, options_.thumbnailFolder);
        if (isSameFile) record.xxh3 = old->second.xxh3;
        changed_.push_back(candidate.path);
        current_.emplace(candidate.path, std::move(record));
    }

    void findRemoved() {
        for (const auto& [path, record] : known_) {
            if (current_.contains(path)) continue;
            const bool wasRead =
                std::ranges::any_of(read_, [&, &path = path](const fs::path& folder) { return isBelow(path, folder); });
            if (wasRead) update_.removed.push_back(path);
        }
    }

    void keepHashesOfMoved() {
        for (const fs::path& path : changed_) {
            ModelRecord& record = current_.at(path);
            const auto isSame = [&](const fs::path& old) {
                const ModelRecord& before = known_.at(old);
                return old.filename() == path.filename() && before.sizeBytes == record.sizeBytes &&
                       before.modifiedNs == record.modifiedNs;
            };
            const auto old = std::ranges::find_if(update_.removed, isSame);
            if (record.xxh3.empty() && old != update_.removed.end()) record.xxh3 = known_.at(*old).xxh3;
            update_.changed.push_back(record);
        }
    }

    const LibraryOptions& options_;
    std::map<fs::path, ModelRecord> known_, current_;
    std::vector<fs::path> changed_, read_;
    LibraryUpdate update_;
};

}  // namespace

Result<LibraryUpdate> findChanges(const LibraryOptions& options, std::vector<ModelRecord> known,
                                  const CancelToken& cancel) {
    return ChangeSearch(options, std::move(known)).run(cancel);
}

}  // namespace reelbrush::library
