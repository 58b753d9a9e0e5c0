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
    std::filesystem::path databaseFile;          ///< made with its folder; see ModelDatabase::open
    std::filesystem::path thumbnailFolder;       ///< for pictures that lie inside of model files
    bool examineAll = false;                     ///< refreshing looks also into what seems unchanged
};

/// With libraryFolders(), and the index in the user's cache folder. Errors: as libraryFolders.
Result<LibraryOptions> userLibrary();

/// The artist's models and LoRAs, indexed so that a name is found at once, however many there are. Refreshing reads
/// only what is new or has changed (size or date of the file, or what lies beside it), in a thread of the library's
/// own. Thread-safe.
class ModelLibrary {
  public:
    /// Opens the index; reads nothing else. Errors: Io.
    static Result<std::unique_ptr<ModelLibrary>> open(LibraryOptions options);
    /// Stops refreshing; what was found until then is lost.
    ~ModelLibrary();

    /// Begins to look for new, changed and vanished models; does nothing while that goes on already.
    void startRefresh();
    /// Begins, unless that goes on already, and waits for the end. Cancelling ends the waiting only. Errors: Cancelled.
    Status refresh(const CancelToken& cancel = {});

    /// As of the last refresh that ended (before it: as the index has it), sorted by path. Of folders that cannot be
    /// read now nothing, though the index keeps what it knows of them.
    std::vector<ModelRecord> records() const;
    /// Sentences about the index, and about folders that cannot be read.
    std::vector<std::string> notes() const;

    /// The model that a name stands for; see recordNamed. Waits for the first refresh, and where there is no such
    /// model, for another one. kinds: those that will do (ModelRecord::kind); empty: any.
    /// Errors: as recordNamed; Cancelled.
    Result<ModelRecord> find(const std::string& name, const std::vector<std::string>& kinds,
                             const CancelToken& cancel = {});

    /// Keeps the hash of a model that was verified; does nothing for one that the library does not know.
    /// Errors: Io.
    Status setHash(const std::filesystem::path& path, const std::string& xxh3);

  private:
    ModelLibrary(LibraryOptions options, ModelDatabase database);
    Status look();
    void keep(const std::vector<ModelRecord>& changed, const std::vector<std::filesystem::path>& removed);

    const LibraryOptions options_;
    mutable std::mutex databaseMutex_;  ///< taken before mutex_ where both are
    ModelDatabase database_;            ///< guarded by databaseMutex_

    mutable std::mutex mutex_;  ///< guards all below; never held while files are read
    std::condition_variable ended_;
    std::vector<ModelRecord> records_;
    std::vector<std::string> notes_;  ///< of the last refresh
    bool isRefreshing_ = false, wasRefreshed_ = false;
    const CancelToken stop_;
    std::jthread thread_;  ///< last: it uses all of the above
};

}  // namespace reelbrush::library
