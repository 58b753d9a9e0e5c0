#include "kernels/tensor/tracer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>

namespace reelbrush::kernels {

namespace {

constexpr std::string_view kBegin = "[";
constexpr std::string_view kEnd = "\n]\n";
/// Entries wait until there is a write's worth of them, but not for long: a program that is killed loses them.
constexpr std::size_t kWriteBytes = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kWritePause{100};

void appendText(std::string& json, std::string_view text) {
    json += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\') json += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<unsigned>(c));
        else
            json += c;
    }
    json += '"';
}

void appendValues(std::string& json, std::span<const TraceValue> values) {
    json += ",\"args\":{";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) json += ',';
        appendText(json, values[i].name);
        fmt::format_to(std::back_inserter(json), ":{}", std::isfinite(values[i].value) ? values[i].value : 0.0);
    }
    json += '}';
}

/// Microseconds, as the format wants them, without losing the nanoseconds.
void appendTime(std::string& json, const char* key, std::int64_t ns) {
    const std::int64_t positive = ns < 0 ? 0 : ns;
    fmt::format_to(std::back_inserter(json), ",\"{}\":{}.{:03}", key, positive / 1000, positive % 1000);
}

/// Rows are numbered across groups; the format wants group ("pid") and row ("tid") in every entry.
constexpr int kRowsOfGroup = 1000;

}  // namespace

Result<std::shared_ptr<Tracer>> Tracer::create(const std::filesystem::path& file) {
    const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return fail(StatusCode::Io,
                    fmt::format("cannot write the trace '{}': {}", file.string(), std::strerror(errno)));
    std::shared_ptr<Tracer> tracer(new Tracer(descriptor, file));
    tracer->addGroup("reelbrush");
    RB_TRY(tracer->flush());
    return tracer;
}

Tracer::Tracer(int file, std::filesystem::path path) : file_(file), path_(std::move(path)), startNs_(now()) {
    waiting_ = kBegin;
    writer_ = std::jthread([this](const std::stop_token& end) { writeEverySoOften(end); });
}

Tracer::~Tracer() {
    writer_.request_stop();
    writer_.join();
    write();
    close(file_);
}

std::int64_t Tracer::now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

int Tracer::addGroup(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const int group = ++groups_;
    std::string entry = fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":)", group);
    appendText(entry, name);
    add(entry + "}}");
    add(fmt::format(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", group, group));
    return group;
}

int Tracer::addRow(int group, std::string_view name) {
    const std::lock_guard lock(mutex_);
    const int row = group * kRowsOfGroup + ++rows_;
    std::string entry =
        fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":)", group, row);
    appendText(entry, name);
    add(entry + "}}");
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", group,
                    row, rows_));
    return row;
}

void Tracer::addSpan(int row, std::string_view name, std::int64_t startNs, std::int64_t endNs,
                     std::span<const TraceValue> values) {
    std::string entry = fmt::format(R"({{"ph":"X","pid":{},"tid":{},"name":)", row / kRowsOfGroup, row);
    appendText(entry, name);
    appendTime(entry, "ts", startNs - startNs_);
    appendTime(entry, "dur", endNs - startNs);
    if (!values.empty()) appendValues(entry, values);
    entry += '}';
    const std::lock_guard lock(mutex_);
    add(entry);
}

void Tracer::count(std::string_view name, std::span<const TraceValue> values) {
    std::string entry = fmt::format(R"({{"ph":"C","pid":{},"name":)", kProgramGroup);
    appendText(entry, name);
    appendTime(entry, "ts", now() - startNs_);
    appendValues(entry, values);
    entry += '}';
    const std::lock_guard lock(mutex_);
    add(entry);
}

void Tracer::add(std::string_view entry) {
    if (error_) return;
    if (writtenBytes_ > 0 || waiting_ != kBegin) waiting_ += ',';
    waiting_ += '\n';
    waiting_ += entry;
    if (waiting_.size() >= kWriteBytes) write();
}

void Tracer::writeEverySoOften(const std::stop_token& end) {
    std::unique_lock lock(mutex_);
    while (!end.stop_requested()) {
        ended_.wait_for(lock, end, kWritePause, [] { return false; });
        write();
    }
}

/// The end is written with every piece, and the next piece begins where it was.
void Tracer::write() {
    if (error_ || waiting_.empty()) return;
    const std::string piece = waiting_ + std::string(kEnd);
    for (std::size_t done = 0; done < piece.size();) {
        const ssize_t count = pwrite(file_, piece.data() + done, piece.size() - done,
                                     static_cast<off_t>(writtenBytes_) + static_cast<off_t>(done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            error_ = Error{StatusCode::Io, fmt::format("cannot go on writing the trace '{}': {}", path_.string(),
                                                       std::strerror(errno))};
            return;
        }
        done += static_cast<std::size_t>(count);
    }
    writtenBytes_ += static_cast<std::int64_t>(waiting_.size());
    waiting_.clear();
}

Status Tracer::flush() {
    const std::lock_guard lock(mutex_);
    write();
    if (error_) return fail(*error_);
    return {};
}

}  // namespace reelbrush::kernels
