#pragma once

#include "engine/cache/cached_frame.h"
#include "engine/cache/retention_score.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace reelbrush::cache {

using FrameHandle = std::shared_ptr<const FrameInMemory>;

/// The frames that lie in memory, over several tiers, the fastest first. A tier that has no room for a frame lets those
/// of less worth go down to the next, and the last tier lets them go. Frames that somebody holds stay. Thread-safe.
class MemoryShelf {
  public:
    /// tiers: at least one; the last is memory of the host.
    explicit MemoryShelf(std::vector<std::shared_ptr<CacheTier>> tiers) : tiers_(std::move(tiers)) {}

    /// What is known of a frame besides its samples.
    struct Entry {
        FrameKey key;
        FrameShape shape;
        FrameNotes notes;  ///< entropyBits is known
        std::optional<std::int64_t> position;
        bool isOnDisk = false;
    };

    /// Why a frame comes, and so what may go for it, of those that nobody holds. Asked: whatever it is. Painted: what
    /// is worth no more; of those that are worth the same, what was not used for the longest time. Ahead: what is worth
    /// less.
    enum class Reason { Asked, Painted, Ahead };

    /// Host memory for a frame, which is not on the shelf yet. Nothing where no room can be made.
    std::shared_ptr<FrameInMemory> allocate(const Entry& entry, Reason reason);
    /// Puts it on the shelf; what was there under its key goes.
    void add(std::shared_ptr<FrameInMemory> frame, const Entry& entry);
    /// Null where it is not there. Its place on the timeline may have changed.
    FrameHandle find(const FrameKey& key, std::optional<std::int64_t> position);
    /// The same, of no effect on anything.
    FrameHandle peek(const FrameKey& key) const;
    void setOnDisk(const FrameKey& key);
    /// Takes it to the fastest tier where it is worth more than what lies there; false where it stays.
    bool raise(const FrameKey& key);
    void clear();

    void setPlayhead(const Playhead& playhead);

    struct Listed {
        FrameKey key;
        std::optional<std::int64_t> position;
        std::string tier;
        double worth = 0;
        bool isOnDisk = false;
    };
    std::vector<Listed> list() const;
    struct Counts {
        std::uint64_t lowered = 0, raised = 0;   ///< moves between tiers
        std::uint64_t swappedOut = 0, lost = 0;  ///< let go with, and without, a copy on disk
    };
    Counts counts() const;
    const std::vector<std::shared_ptr<CacheTier>>& tiers() const { return tiers_; }

  private:
    struct Kept {
        std::shared_ptr<FrameInMemory> frame;
        std::optional<std::int64_t> position;
        bool isOnDisk = false;
        std::size_t tier = 0;
        std::uint64_t lastUse = 0;  ///< by uses_
    };
    double worthOf(const FrameShape& shape, const FrameNotes& notes, std::optional<std::int64_t> position,
                   bool isOnDisk) const;
    double worthOf(const Kept& kept) const;
    /// Lets frames of the tier go until so many bytes fit; does nothing and returns false where that needs more than
    /// those below the worth.
    bool makeRoom(std::size_t tier, std::size_t bytes, double worth);
    /// To the next tier, or off the shelf.
    void lower(const FrameKey& key);
    /// Copies it to another tier, which has room.
    bool move(Kept& kept, std::size_t tier);

    const std::vector<std::shared_ptr<CacheTier>> tiers_;
    mutable std::mutex mutex_;
    std::unordered_map<FrameKey, Kept> frames_;
    Playhead playhead_;
    std::uint64_t uses_ = 0;
    Counts counts_;
};

}  // namespace reelbrush::cache
