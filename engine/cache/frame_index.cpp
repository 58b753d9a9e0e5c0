#include "engine/cache/frame_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace reelbrush::cache {

namespace {

using sqlite::SqliteConnection;
using sqlite::SqliteStatement;

constexpr int kVersion = 1;
constexpr const char* kFrames =
    "frames (high INTEGER NOT NULL, low INTEGER NOT NULL, segment INTEGER NOT NULL, offset INTEGER NOT NULL, "
    "stored INTEGER NOT NULL, raw INTEGER NOT NULL, repaint_us INTEGER NOT NULL, quality INTEGER NOT NULL, "
    "used_ms INTEGER NOT NULL, PRIMARY KEY (high, low)) WITHOUT ROWID";
constexpr const char* kSegments = "segments (id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL)";

std::int64_t signedOf(std::uint64_t number) {
    return static_cast<std::int64_t>(number);
}

std::uint64_t unsignedOf(std::int64_t number) {
    return static_cast<std::uint64_t>(number);
}

Result<std::int64_t> versionOf(const SqliteConnection& connection) {
    RB_ASSIGN(SqliteStatement version, connection.prepare("PRAGMA user_version"));
    RB_ASSIGN(const bool isTold, version.step());
    return isTold ? version.number(0) : 0;
}

Status createTables(const SqliteConnection& connection) {
    RB_TRY(connection.execute("BEGIN IMMEDIATE"));
    RB_TRY(connection.execute(fmt::format("CREATE TABLE IF NOT EXISTS {}", kFrames).c_str()));
    RB_TRY(connection.execute("CREATE INDEX IF NOT EXISTS frames_of_segment ON frames (segment)"));
    RB_TRY(connection.execute(fmt::format("CREATE TABLE IF NOT EXISTS {}", kSegments).c_str()));
    RB_TRY(connection.execute(fmt::format("PRAGMA user_version = {}", kVersion).c_str()));
    return connection.execute("COMMIT");
}

/// A version alone is no promise: the file may be from elsewhere.
Status checkTables(const SqliteConnection& connection) {
    for (const auto& [name, table] : {std::pair("frames", kFrames), std::pair("segments", kSegments)}) {
        RB_ASSIGN(SqliteStatement sql, connection.prepare("SELECT sql FROM sqlite_master WHERE name = ?1"));
        RB_ASSIGN(const bool isThere, sql.bind(1, name).step());
        // SQLite keeps the text from the name on as it was written.
        if (!isThere || sql.text(0) != fmt::format("CREATE TABLE {}", table))
            return fail(StatusCode::BadInput, "its tables are of another make");
    }
    return {};
}

/// So that readers do not wait for writers. SQLite waits for no other process here, which may be doing the same. Where
/// the folder lies on another machine, or it never comes to it, SQLite stays with its journal, which is right but
/// slower.
Status writeAhead(const SqliteConnection& connection) {
    constexpr int kTries = 100;
    constexpr std::chrono::milliseconds kBetween(10);
    for (int i = 0; i < kTries; ++i) {
        RB_ASSIGN(SqliteStatement mode, connection.prepare("PRAGMA journal_mode"));
        const auto isTold = mode.step();
        if (isTold && *isTold && mode.text(0) == "wal") return {};
        if (!isTold && isTold.error().code == StatusCode::BadInput) return fail(isTold.error());
        (void)mode.run();  // lets go of the file
        if (connection.execute("PRAGMA journal_mode = WAL")) return {};
        std::this_thread::sleep_for(kBetween);
    }
    return {};
}

Status checkSound(const SqliteConnection& connection) {
    RB_ASSIGN(SqliteStatement check, connection.prepare("PRAGMA quick_check(1)"));
    RB_ASSIGN(const bool isAnswered, check.step());
    if (isAnswered && check.text(0) == "ok") return {};
    return fail(StatusCode::BadInput, "it is damaged");
}

}  // namespace

Result<FrameIndex> FrameIndex::open(const std::filesystem::path& file) {
    RB_ASSIGN(SqliteConnection connection, SqliteConnection::open(file));
    RB_TRY(checkSound(connection));
    if (connection.isReadOnly()) return fail(StatusCode::Io, "it is write-protected");
    RB_TRY(writeAhead(connection));
    RB_ASSIGN(const std::int64_t version, versionOf(connection));
    if (version != 0 && version != kVersion) return fail(StatusCode::BadInput, "it is of another version");
    if (version == 0) RB_TRY(createTables(connection));
    RB_TRY(checkTables(connection));
    return FrameIndex(std::move(connection));
}

Result<FrameIndex> FrameIndex::beginAnew(const std::filesystem::path& file) {
    {
        RB_ASSIGN(const SqliteConnection connection, SqliteConnection::open(file));
        RB_TRY(connection.empty());
    }
    return open(file);
}

Result<std::optional<FramePlace>> FrameIndex::find(const FrameKey& key) const {
    RB_ASSIGN(SqliteStatement select,
              connection_.prepare("SELECT segment, offset FROM frames WHERE high = ?1 AND low = ?2"));
    RB_ASSIGN(const bool isThere, select.bind(1, signedOf(key.high)).bind(2, signedOf(key.low)).step());
    if (!isThere) return std::optional<FramePlace>();
    return std::optional(FramePlace{select.number(0), unsignedOf(select.number(1))});
}

Status FrameIndex::put(const IndexedFrame& frame) {
    RB_ASSIGN(SqliteStatement insert,
              connection_.prepare("INSERT OR REPLACE INTO frames (high, low, segment, offset, stored, raw, repaint_us, "
                                  "quality, used_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
    insert.bind(1, signedOf(frame.key.high)).bind(2, signedOf(frame.key.low)).bind(3, frame.place.segment);
    insert.bind(4, signedOf(frame.place.offset)).bind(5, signedOf(frame.storedBytes));
    insert.bind(6, signedOf(frame.rawBytes));
    // An hour a frame is the most that counts; above it the number need not fit.
    insert.bind(7, static_cast<std::int64_t>(std::min(frame.repaintSeconds, 3600.0) * 1e6));
    return insert.bind(8, static_cast<std::int64_t>(frame.quality)).bind(9, frame.usedMs).run();
}

Status FrameIndex::erase(const FrameKey& key, const FramePlace& place) {
    RB_ASSIGN(SqliteStatement erase,
              connection_.prepare("DELETE FROM frames WHERE high = ?1 AND low = ?2 AND segment = ?3 AND offset = ?4"));
    erase.bind(1, signedOf(key.high)).bind(2, signedOf(key.low)).bind(3, place.segment);
    return erase.bind(4, signedOf(place.offset)).run();
}

Status FrameIndex::touch(std::span<const std::pair<FrameKey, std::int64_t>> usedMs) {
    RB_ASSIGN(SqliteStatement update,
              connection_.prepare("UPDATE frames SET used_ms = max(used_ms, ?3) WHERE high = ?1 AND low = ?2"));
    for (const auto& [key, ms] : usedMs)
        RB_TRY(update.bind(1, signedOf(key.high)).bind(2, signedOf(key.low)).bind(3, ms).run());
    return {};
}

Result<std::vector<IndexedFrame>> FrameIndex::frames() const {
    RB_ASSIGN(SqliteStatement select, connection_.prepare("SELECT high, low, segment, offset, stored, raw, repaint_us, "
                                                          "quality, used_ms FROM frames"));
    std::vector<IndexedFrame> frames;
    for (;;) {
        RB_ASSIGN(const bool more, select.step());
        if (!more) return frames;
        IndexedFrame& frame = frames.emplace_back();
        frame.key = {unsignedOf(select.number(0)), unsignedOf(select.number(1))};
        frame.place = {select.number(2), unsignedOf(select.number(3))};
        frame.storedBytes = unsignedOf(select.number(4));
        frame.rawBytes = unsignedOf(select.number(5));
        frame.repaintSeconds = static_cast<double>(select.number(6)) / 1e6;
        frame.quality = select.number(7) == 0 ? FrameQuality::Coarse : FrameQuality::Final;
        frame.usedMs = select.number(8);
    }
}

Result<std::vector<IndexedSegment>> FrameIndex::segments() const {
    RB_ASSIGN(SqliteStatement select, connection_.prepare("SELECT id, bytes FROM segments ORDER BY id"));
    std::vector<IndexedSegment> segments;
    for (;;) {
        RB_ASSIGN(const bool more, select.step());
        if (!more) return segments;
        segments.push_back({select.number(0), unsignedOf(select.number(1))});
    }
}

Status FrameIndex::setSegment(const IndexedSegment& segment) {
    RB_ASSIGN(SqliteStatement insert,
              connection_.prepare("INSERT OR REPLACE INTO segments (id, bytes) VALUES (?1, ?2)"));
    return insert.bind(1, segment.id).bind(2, signedOf(segment.sizeBytes)).run();
}

Status FrameIndex::eraseSegment(std::int64_t id) {
    RB_ASSIGN(SqliteStatement frames, connection_.prepare("DELETE FROM frames WHERE segment = ?1"));
    RB_TRY(frames.bind(1, id).run());
    RB_ASSIGN(SqliteStatement segment, connection_.prepare("DELETE FROM segments WHERE id = ?1"));
    return segment.bind(1, id).run();
}

Result<std::uint64_t> FrameIndex::endOf(std::int64_t segment) const {
    RB_ASSIGN(SqliteStatement end,
              connection_.prepare("SELECT coalesce(max(offset + stored), 0) FROM frames WHERE segment = ?1"));
    RB_ASSIGN(const bool isTold, end.bind(1, segment).step());
    return isTold ? unsignedOf(end.number(0)) : 0;
}

Result<std::uint64_t> FrameIndex::segmentBytes() const {
    RB_ASSIGN(SqliteStatement sum, connection_.prepare("SELECT coalesce(sum(bytes), 0) FROM segments"));
    RB_ASSIGN(const bool isTold, sum.step());
    return isTold ? unsignedOf(sum.number(0)) : 0;
}

Result<FrameIndex::Totals> FrameIndex::totals() const {
    RB_ASSIGN(SqliteStatement sums,
              connection_.prepare("SELECT count(*), coalesce(sum(quality = 0), 0), coalesce(sum(stored), 0), "
                                  "coalesce(sum(raw), 0), coalesce(min(used_ms), 0), coalesce(max(used_ms), 0), "
                                  "(SELECT count(*) FROM segments), (SELECT coalesce(sum(bytes), 0) FROM segments) "
                                  "FROM frames"));
    RB_ASSIGN(const bool isTold, sums.step());
    if (!isTold) return Totals();
    Totals totals;
    totals.frames = unsignedOf(sums.number(0));
    totals.coarseFrames = unsignedOf(sums.number(1));
    totals.storedBytes = unsignedOf(sums.number(2));
    totals.rawBytes = unsignedOf(sums.number(3));
    totals.oldestUseMs = sums.number(4);
    totals.newestUseMs = sums.number(5);
    totals.segments = unsignedOf(sums.number(6));
    totals.segmentBytes = unsignedOf(sums.number(7));
    return totals;
}

}  // namespace reelbrush::cache
