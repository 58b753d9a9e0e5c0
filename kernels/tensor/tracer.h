#pragma once

#include "kernels/tensor/status.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>

namespace reelbrush::kernels {

/// A number that belongs to an entry of a trace: {"frame", 12}.
struct TraceValue {
    std::string_view name;
    double value = 0.0;
};

/// Writes what happens when into a file of Chrome trace events (JSON), which ui.perfetto.dev and chrome://tracing show.
/// Entries are streamed by a thread of its own: memory does not grow with the clip, and the file is whole JSON at any
/// time, also where the program is killed (what happened in the last tenth of a second is then missing). Thread-safe.
///
/// Owned by the job that is traced and handed down as a pointer; null is no trace and costs nothing.
/// Source: Trace Event Format, Google, 2016.
class Tracer {
  public:
    /// Replaces the file. Errors: Io.
    static Result<std::shared_ptr<Tracer>> create(const std::filesystem::path& file);
    /// Writes what still waits.
    ~Tracer();
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;

    /// Nanoseconds of the monotonic clock that all entries are told in.
    static std::int64_t now();

    /// A group of rows, shown under a name: "reelbrush", "GPU 0: NVIDIA H200".
    int addGroup(std::string_view name);
    /// A row of a group: a thread, or a queue of a device. Rows are shown in the order in which they were added.
    int addRow(int group, std::string_view name);
    /// The group of the program itself.
    static constexpr int kProgramGroup = 1;

    /// Something that took from startNs to endNs. Spans of one row nest: of two that overlap one holds the other.
    void addSpan(int row, std::string_view name, std::int64_t startNs, std::int64_t endNs,
                 std::span<const TraceValue> values = {});
    /// What a counter stands at now: one curve for each value, stacked.
    void count(std::string_view name, std::initializer_list<TraceValue> values) {
        count(name, std::span(values.begin(), values.size()));
    }
    void count(std::string_view name, std::span<const TraceValue> values);

    /// Writes what waits. Errors: Io, of any write so far: the file then ends with what could be written.
    Status flush();

  private:
    Tracer(int file, std::filesystem::path path);
    void add(std::string_view entry);
    void write();
    void writeEverySoOften(const std::stop_token& end);

    const int file_;
    const std::filesystem::path path_;
    const std::int64_t startNs_;

    std::mutex mutex_;
    std::string waiting_;            ///< entries that are not in the file yet
    std::int64_t writtenBytes_ = 0;  ///< of the file, without the bracket that ends it
    int groups_ = 0, rows_ = 0;
    std::optional<Error> error_;
    std::condition_variable_any ended_;
    std::jthread writer_;  // last: it uses all of the above
};

/// Where a part of the program writes into a trace. Empty: it does not.
struct TraceRow {
    Tracer* tracer = nullptr;  ///< not owned
    int row = 0;

    explicit operator bool() const { return tracer != nullptr; }
};

/// A new row of the program in a trace; empty without one.
inline TraceRow traceRow(Tracer* tracer, std::string_view name) {
    return tracer ? TraceRow{tracer, tracer->addRow(Tracer::kProgramGroup, name)} : TraceRow{};
}

/// A span from here to the end of the scope.
class TraceSpan {
  public:
    /// name: must outlive this; a literal. values: what it belongs to, if anything: {"frame", 12}.
    TraceSpan(TraceRow where, const char* name, TraceValue first = {}, TraceValue second = {}) : where_(where) {
        if (!where_) return;
        name_ = name;
        setValues(first, second);
        startNs_ = Tracer::now();
    }
    ~TraceSpan() {
        if (!where_) return;
        const auto count = static_cast<std::size_t>(!values_[0].name.empty()) + !values_[1].name.empty();
        where_.tracer->addSpan(where_.row, name_, startNs_, Tracer::now(), std::span(values_).first(count));
    }
    TraceSpan(const TraceSpan&) = delete;
    TraceSpan& operator=(const TraceSpan&) = delete;

    /// What it belongs to, where that is known only now.
    void setValues(TraceValue first, TraceValue second = {}) { values_ = {first, second}; }

  private:
    TraceRow where_;
    const char* name_ = nullptr;
    std::array<TraceValue, 2> values_{};
    std::int64_t startNs_ = 0;
};

}  // namespace reelbrush::kernels
