#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace reelbrush::cli::testing {

/// How a run of the program ended.
struct Outcome {
    int exitCode = -1;  ///< 128 + the signal where one ended it
    std::string out, err;
};

struct RunOptions {
    /// Set in the program's environment, over the test's own.
    std::map<std::string, std::string> environment;
    /// Run by the user "nobody", where the test is root; see canBecomeNobody.
    bool asNobody = false;
};

/// reelbrush-cli as a process of its own, its output collected. Killed when the object goes.
class Program {
  public:
    explicit Program(const std::vector<std::string>& arguments, const RunOptions& options = {});
    ~Program();
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// Reads until the text was seen on stderr; false when the program ended or the time was over before.
    bool waitForError(const std::string& text, std::chrono::seconds timeout = std::chrono::seconds(120));
    void send(int signal) const;
    Outcome wait(std::chrono::seconds timeout = std::chrono::seconds(300));

  private:
    /// Reads what there is, waiting at most that long; false at the end of both streams.
    bool readSome(std::chrono::milliseconds patience);

    pid_t pid_ = -1;
    int out_ = -1, err_ = -1;
    Outcome outcome_;
};

Outcome run(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// Whether this test may start programs as another user (it is root, and that user can reach the program).
bool canBecomeNobody();

}  // namespace reelbrush::cli::testing
