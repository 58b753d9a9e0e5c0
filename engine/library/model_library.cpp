#include "engine/library/model_library.h"

#include "engine/core/xdg_folders.h"
#include "engine/library/library_folders.h"
#include "engine/library/model_scanner.h"
#include "engine/styles/near_miss.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;
using styles::lowerCase;

/// "sub/ink" is named by "ink" and "sub/ink", not by "k".
bool isEndOf(const std::string& end, const std::string& whole) {
    if (!whole.ends_with(end)) return false;
    return whole.size() == end.size() || whole[whole.size() - end.size() - 1] == '/';
}

bool isNamed(const ModelRecord& record, const std::string& name) {
    return isEndOf(name, record.name()) || isEndOf(name, record.relative.generic_string());
}

bool isWithin(const ModelRecord& record, const fs::path& folder) {
    return folder / record.relative == record.path;
}

std::string kindsText(const std::vector<std::string>& kinds) {
    return fmt::format("{}", fmt::join(kinds, " or "));
}

}  // namespace

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
    RB_ASSIGN(library->records_, library->database_.records());
    return library;
}

ModelLibrary::~ModelLibrary() {
    stop_.cancel();
}

void ModelLibrary::startRefresh() {
    const std::lock_guard lock(mutex_);
    if (isRefreshing_) return;
    isRefreshing_ = true;
    if (thread_.joinable()) thread_.join();  // it has ended
    thread_ = std::jthread([this] { run(stop_); });
}

void ModelLibrary::run(const CancelToken& cancel) {
    Status status = refreshNow(cancel);
    const std::lock_guard lock(mutex_);
    lastRefresh_ = std::move(status);
    isRefreshing_ = false;
    wasRefreshed_ = true;
    ended_.notify_all();
}

Status ModelLibrary::refresh(const CancelToken& cancel) {
    startRefresh();
    constexpr std::chrono::milliseconds kCancelCheck{50};
    std::unique_lock lock(mutex_);
    while (isRefreshing_) {
        RB_TRY(cancel.check());
        ended_.wait_for(lock, kCancelCheck);
    }
    return lastRefresh_;
}

Status ModelLibrary::refreshNow(const CancelToken& cancel) {
    std::map<fs::path, ModelRecord> known;
    for (ModelRecord& record : records()) known.emplace(record.path, std::move(record));
    std::map<fs::path, ModelRecord> current;
    std::vector<ModelRecord> changed;
    for (const fs::path& folder : options_.folders) {
        RB_ASSIGN(const auto candidates, findCandidates(folder, cancel));
        for (const ModelCandidate& candidate : candidates) {
            RB_TRY(cancel.check());
            if (current.contains(candidate.path)) continue;
            const auto old = known.find(candidate.path);
            const bool same = old != known.end() && old->second.sizeBytes == candidate.sizeBytes &&
                              old->second.modifiedNs == candidate.modifiedNs &&
                              old->second.relative == candidate.relative;
            ModelRecord record = same ? old->second : examine(candidate, options_.thumbnailFolder);
            if (!same) changed.push_back(record);
            current.emplace(candidate.path, std::move(record));
        }
    }
    std::vector<fs::path> removed;
    for (const auto& [path, record] : known)
        if (!current.contains(path)) removed.push_back(path);

    const std::lock_guard lock(mutex_);
    records_.clear();
    for (auto& [path, record] : current) records_.push_back(std::move(record));
    return database_.update(changed, removed);
}

std::vector<ModelRecord> ModelLibrary::records() const {
    const std::lock_guard lock(mutex_);
    return records_;
}

std::vector<std::string> ModelLibrary::notes() const {
    const std::lock_guard lock(mutex_);
    if (database_.note().empty()) return {};
    return {database_.note()};
}

/// Of the first folder that has the name; where several there have it, those with just this name.
std::vector<ModelRecord> ModelLibrary::matches(const std::string& name) const {
    const std::vector<ModelRecord> all = records();
    for (const fs::path& folder : options_.folders) {
        std::vector<ModelRecord> found;
        for (const ModelRecord& record : all)
            if (isWithin(record, folder) && isNamed(record, name)) found.push_back(record);
        if (found.empty())
            for (const ModelRecord& record : all) {
                ModelRecord lower = record;
                lower.relative = lowerCase(record.relative.string());
                if (isWithin(record, folder) && isNamed(lower, lowerCase(name))) found.push_back(record);
            }
        if (!found.empty()) return found;
    }
    return {};
}

Result<ModelRecord> ModelLibrary::find(const std::string& name, const std::vector<std::string>& kinds,
                                       const CancelToken& cancel) {
    const auto fits = [&](const ModelRecord& record) {
        return kinds.empty() || std::ranges::find(kinds, record.kind) != kinds.end();
    };
    std::vector<ModelRecord> found = name.empty() ? std::vector<ModelRecord>() : matches(name);
    if (std::ranges::none_of(found, fits)) {
        RB_TRY(refresh(cancel));
        found = name.empty() ? std::vector<ModelRecord>() : matches(name);
    }
    if (found.empty()) {
        std::vector<std::string> names;
        for (const ModelRecord& record : records())
            if (fits(record)) names.push_back(record.name());
        const auto near = styles::nearMisses(name, names);
        if (names.size() > 8) names.resize(8);
        const std::string hint = !near.empty()   ? fmt::format("did you mean {}?", fmt::join(near, ", "))
                                 : names.empty() ? "there is none yet; 'models folders add' tells where yours are"
                                                 : fmt::format("there are {} ...", fmt::join(names, ", "));
        return fail(StatusCode::BadInput,
                    fmt::format("there is no {} named '{}' in the model library; {}",
                                kinds.empty() ? std::string("model") : kindsText(kinds), name, hint));
    }
    if (std::ranges::any_of(found, fits)) std::erase_if(found, [&](const auto& record) { return !fits(record); });
    const auto exact = [&](const ModelRecord& record) {
        return record.name() == name || record.relative.generic_string() == name;
    };
    if (found.size() > 1 && std::ranges::count_if(found, exact) == 1)
        std::erase_if(found, [&](const auto& record) { return !exact(record); });
    if (found.size() > 1)
        return fail(StatusCode::BadInput,
                    fmt::format("'{}' names {} files, {} and {}; give more of the path", name, found.size(),
                                weights::quotedPath(found[0].path), weights::quotedPath(found[1].path)));
    if (!found[0].problem.empty())
        return fail(StatusCode::BadInput, fmt::format("'{}' cannot be used: {}", name, found[0].problem));
    if (!fits(found[0]))
        return fail(StatusCode::BadInput, fmt::format("'{}' is not a {} but a {} ({})", name, kindsText(kinds),
                                                      found[0].kind, weights::quotedPath(found[0].path)));
    return found[0];
}

Status ModelLibrary::setHash(const fs::path& path, const std::string& xxh3) {
    const std::lock_guard lock(mutex_);
    const auto record = std::ranges::find(records_, path, &ModelRecord::path);
    if (record == records_.end() || record->xxh3 == xxh3) return {};
    record->xxh3 = xxh3;
    return database_.update({*record}, {});
}

}  // namespace reelbrush::library
