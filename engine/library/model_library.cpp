#include "engine/library/model_library.h"

#include "engine/core/xdg_folders.h"
#include "engine/library/library_folders.h"
#include "engine/library/library_update.h"
#include "engine/library/model_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

namespace reelbrush::library {

namespace fs = std::filesystem;

Result<LibraryOptions> userLibrary() {
    LibraryOptions options;
    RB_ASSIGN(options.folders, libraryFolders());
    options.databaseFile = cacheFolder() / "models.sqlite";
    options.thumbnailFolder = cacheFolder() / "model-thumbnails";
    return options;
}

ModelLibrary::ModelLibrary(LibraryOptions options, ModelDatabase database)
    : options_(std::move(options)), database_(std::move(database)) {}

Result<std::unique_ptr<ModelLibrary>> ModelLibrary::open(LibraryOptions options) {
    RB_ASSIGN(ModelDatabase database, ModelDatabase::open(options.databaseFile));
    std::unique_ptr<ModelLibrary> library(new ModelLibrary(std::move(options), std::move(database)));
    RB_ASSIGN(std::vector<ModelRecord> known, library->database_.records());
    const auto isElsewhere = [&](const ModelRecord& record) {
        return std::ranges::none_of(library->options_.folders,
                                    [&](const fs::path& folder) { return folder / record.relative == record.path; });
    };
    std::erase_if(known, isElsewhere);
    library->records_ = std::move(known);
    return library;
}

ModelLibrary::~ModelLibrary() {
    stop_.cancel();
}

void ModelLibrary::startRefresh() {
    const std::lock_guard lock(mutex_);
    if (isRefreshing_) return;
    isRefreshing_ = true;
    thread_ = std::jthread([this] {  // the one before has ended, or is about to
        (void)look();
        const std::lock_guard ending(mutex_);
        isRefreshing_ = false;
        wasRefreshed_ = true;
        ended_.notify_all();
    });
}

Status ModelLibrary::refresh(const CancelToken& cancel) {
    startRefresh();
    constexpr std::chrono::milliseconds kCancelCheck{50};
    std::unique_lock lock(mutex_);
    while (isRefreshing_) {
        RB_TRY(cancel.check());
        ended_.wait_for(lock, kCancelCheck);
    }
    return {};
}

Status ModelLibrary::look() {
    std::vector<ModelRecord> known;
    {
        // From the index, not from records_: other programs write to it, and it knows of other folders too.
        const std::lock_guard lock(databaseMutex_);
        if (auto kept = database_.records()) known = *std::move(kept);
    }
    RB_ASSIGN(LibraryUpdate update, findChanges(options_, std::move(known), stop_));
    {
        const std::lock_guard lock(mutex_);
        records_ = std::move(update.current);
        notes_ = std::move(update.notes);
    }
    keep(update.changed, update.removed);
    return {};
}

void ModelLibrary::keep(const std::vector<ModelRecord>& changed, const std::vector<fs::path>& removed) {
    const std::lock_guard databaseLock(databaseMutex_);
    const Status kept = database_.update(changed, removed);
    if (kept) return;
    const std::lock_guard lock(mutex_);
    notes_.push_back(fmt::format("the index of models '{}' is not up to date, since {}: the next run looks again",
                                 options_.databaseFile.string(), kept.error().message));
}

std::vector<ModelRecord> ModelLibrary::records() const {
    const std::lock_guard lock(mutex_);
    return records_;
}

std::vector<std::string> ModelLibrary::notes() const {
    std::vector<std::string> notes;
    {
        const std::lock_guard lock(databaseMutex_);
        if (!database_.note().empty()) notes.push_back(database_.note());
    }
    const std::lock_guard lock(mutex_);
    notes.insert(notes.end(), notes_.begin(), notes_.end());
    return notes;
}

Result<ModelRecord> ModelLibrary::find(const std::string& name, const std::vector<std::string>& kinds,
                                       const CancelToken& cancel) {
    const NameQuery query{name, kinds};
    const bool isFirst = [&] {
        const std::lock_guard lock(mutex_);
        return !wasRefreshed_;
    }();
    if (isFirst) RB_TRY(refresh(cancel));
    auto found = recordNamed(query, records(), options_.folders);
    std::error_code ignored;
    if (!isFirst && !(found && fs::exists(found->path, ignored))) {
        RB_TRY(refresh(cancel));
        found = recordNamed(query, records(), options_.folders);
    }
    if (found) return found;
    // The model may lie where nobody could look.
    const std::lock_guard lock(mutex_);
    if (!notes_.empty()) found.error().message += "; " + notes_.front();
    return found;
}

Status ModelLibrary::setHash(const fs::path& path, const std::string& xxh3) {
    ModelRecord verified;
    {
        const std::lock_guard lock(mutex_);
        const auto record = std::ranges::find(records_, path, &ModelRecord::path);
        if (record == records_.end() || record->xxh3 == xxh3) return {};
        record->xxh3 = xxh3;
        verified = *record;
    }
    const std::lock_guard lock(databaseMutex_);
    return database_.setHash(verified, xxh3);
}

}  // namespace reelbrush::library
