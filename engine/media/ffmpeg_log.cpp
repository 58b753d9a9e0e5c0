#include "engine/media/ffmpeg_log.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <vector>

extern "C" {
#include <libavutil/log.h>
}

namespace reelbrush::media {

struct FfmpegLogCapture::Store {
    std::deque<std::string> lines;
};

namespace {

using Store = FfmpegLogCapture::Store;

constexpr std::size_t kLinesKept = 3;
constexpr std::size_t kLineBytes = 240;

/// The captures that live, and the lock of all their lines: logging is rare, one lock does.
struct Captures {
    std::mutex mutex;
    std::vector<Store*> live;
};

Captures& captures() {
    static Captures all;
    return all;
}

thread_local Store* listeningStore = nullptr;
/// FFmpeg logs some lines in pieces; a line ends with its newline.
thread_local std::string pendingLine;

void keep(Store& store, const std::string& line) {
    if (std::find(store.lines.begin(), store.lines.end(), line) != store.lines.end()) return;
    store.lines.push_back(line);
    if (store.lines.size() > kLinesKept) store.lines.pop_front();
}

void finishLine() {
    const std::size_t end = pendingLine.find_last_not_of(" \r\n.");
    const std::string line = end == std::string::npos ? std::string() : pendingLine.substr(0, end + 1);
    pendingLine.clear();
    if (line.empty()) return;
    Captures& all = captures();
    const std::lock_guard lock(all.mutex);
    if (listeningStore) return keep(*listeningStore, line);
    for (Store* store : all.live) keep(*store, line);
}

void receive(void* /*speaker*/, int level, const char* format, va_list arguments) {
    if (level > AV_LOG_ERROR) return;
    std::array<char, kLineBytes> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    pendingLine += text.data();
    if (pendingLine.size() >= kLineBytes || pendingLine.ends_with('\n')) finishLine();
}

}  // namespace

FfmpegLogCapture::Listening::Listening(Store* store) : previous_(listeningStore) {
    listeningStore = store;
}

FfmpegLogCapture::Listening::~Listening() {
    listeningStore = previous_;
}

FfmpegLogCapture::FfmpegLogCapture() : store_(std::make_unique<Store>()) {
    static std::once_flag installed;
    std::call_once(installed, [] { av_log_set_callback(receive); });
    Captures& all = captures();
    const std::lock_guard lock(all.mutex);
    all.live.push_back(store_.get());
}

FfmpegLogCapture::~FfmpegLogCapture() {
    Captures& all = captures();
    const std::lock_guard lock(all.mutex);
    std::erase(all.live, store_.get());
}

std::string FfmpegLogCapture::lastLines() const {
    Captures& all = captures();
    const std::lock_guard lock(all.mutex);
    std::string joined;
    for (const std::string& line : store_->lines) joined += (joined.empty() ? "" : "; ") + line;
    return joined;
}

void FfmpegLogCapture::clear() {
    Captures& all = captures();
    const std::lock_guard lock(all.mutex);
    store_->lines.clear();
}

}  // namespace reelbrush::media
