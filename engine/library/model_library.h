#pragma once

#include "engine/core/cancel_token.h"
#include "engine/core/status.h"
#include "engine/library/model_database.h"
#include "engine/library/model_record.h"

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace reelbrush::library {

struct LibraryOptions {
    std::vector<std::filesystem::path> folders;  ///< first wins; see libraryFolders()
    std::filesystem::path databaseFile;          ///< see defaultDatabaseFile()
    std::filesystem::path thumbnailFolder;       ///< for pictures that lie inside of model files
};

/// With libraryFolders(), and the index in the user's cache folder. Errors: as libraryFolders.
Result<LibraryOptions> userLibrary();

/// The artist's models and LoRAs, indexed so that a name is found at once, however many there are. Refreshing reads
/// only what is new or has changed, in a thread of the library's own. Thread-safe.
class ModelLibrary {
  public:
    /// Opens the index; reads nothing else. Errors: Io.
    static Result<std::unique_ptr<ModelLibrary>> open(LibraryOptions options);
    /// Stops refreshing.
    ~ModelLibrary();

    /// Begins to look for new, changed and vanished models; does nothing while that goes on already.
    void startRefresh();
    /// Waits for its end; begins one where none was made yet. Errors: Cancelled, Io.
    Status refresh(const CancelToken& cancel = {});

    /// As of the last refresh that ended, sorted by path.
    std::vector<ModelRecord> records() const;
    /// Sentences about the index itself.
    std::vector<std::string> notes() const;

    /// The model that a name stands for: its name() or the end of it, with or without the file's ending; capitals
    /// matter only where two differ by nothing else. kinds: those that will do (ModelRecord::kind); empty: any. Where
    /// the index does not know the name, waits for a refresh. In folders listed earlier a name hides the same one in
    /// later folders.
    /// Errors: BadInput where there is none (with the names that come near), where it is of another kind, where it
    /// cannot be used, or where two files of one folder tree have the name (with both).
    Result<ModelRecord> find(const std::string& name, const std::vector<std::string>& kinds,
                             const CancelToken& cancel = {});

    /// Keeps a verified model's hash.
    Status setHash(const std::filesystem::path& path, const std::string& xxh3);

  private:
    explicit ModelLibrary(LibraryOptions options, ModelDatabase database);
    void run(const CancelToken& cancel);
    Status refreshNow(const CancelToken& cancel);
    std::vector<ModelRecord> matches(const std::string& name) const;

    const LibraryOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable ended_;
    ModelDatabase database_;  ///< guarded by mutex_, as all below
    std::vector<ModelRecord> records_;
    bool isRefreshing_ = false, wasRefreshed_ = false;
    Status lastRefresh_;
    CancelToken stop_;
    std::jthread thread_;
};

}  // namespace reelbrush::library
