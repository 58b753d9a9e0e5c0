#pragma once

#include <memory>
#include <string>

namespace reelbrush::media {

/// Keeps what FFmpeg logs while it works for one source or sink, so that its last words can end up in an error's
/// sentence. From the first capture on, FFmpeg prints nothing to the terminal any more, in the whole process.
///
/// FFmpeg has one log for the whole process. Lines are told apart by the thread that logs them: what a thread logs
/// while a Listening of its own lives goes to that capture. Lines from other threads (a decoder's own workers) cannot
/// be told apart and go to every capture: at worst a foreign remark stands in a bracket. Thread-safe.
class FfmpegLogCapture {
  public:
    struct Store;

    /// While it lives, what this thread logs goes to one capture. Lives on the stack; may be nested.
    class Listening {
      public:
        explicit Listening(Store* store);
        ~Listening();
        Listening(const Listening&) = delete;
        Listening& operator=(const Listening&) = delete;

      private:
        Store* previous_;
    };

    FfmpegLogCapture();
    ~FfmpegLogCapture();
    FfmpegLogCapture(const FfmpegLogCapture&) = delete;
    FfmpegLogCapture& operator=(const FfmpegLogCapture&) = delete;

    /// `const auto listening = log.listen();` around every group of calls into FFmpeg.
    [[nodiscard]] Listening listen() { return Listening(store_.get()); }
    /// The last few lines of level error or worse since the last clear(), joined by "; ", without repeats.
    std::string lastLines() const;
    void clear();

  private:
    std::unique_ptr<Store> store_;
};

}  // namespace reelbrush::media
