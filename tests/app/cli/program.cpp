#include "tests/app/cli/program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

extern char** environ;

namespace reelbrush::cli::testing {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<char*> pointersTo(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environmentWith(std::map<std::string, std::string> changes) {
    // One cache for all runs, so that algorithms are timed once; waiting threads must not spin beside other tests.
    changes.emplace("XDG_CACHE_HOME", REELBRUSH_TEST_CACHE);
    changes.emplace("OMP_WAIT_POLICY", "passive");
    std::vector<std::string> result;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        if (!changes.contains(text.substr(0, text.find('=')))) result.push_back(text);
    }
    for (const auto& [name, value] : changes) result.push_back(name + "=" + value);
    return result;
}

struct Pipe {
    int read = -1, write = -1;
    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        read = ends[0];
        write = ends[1];
    }
};

bool readInto(int& descriptor, std::string& text) {
    char buffer[4096];
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count > 0) {
        text.append(buffer, static_cast<std::size_t>(count));
        return true;
    }
    ::close(descriptor);
    descriptor = -1;
    return false;
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const RunOptions& options) {
    std::vector<std::string> words;
    if (options.asNobody) words = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    words.emplace_back(REELBRUSH_CLI);
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment = environmentWith(options.environment);

    const Pipe out, err;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
    const int failed = posix_spawnp(&pid_, words.front().c_str(), &actions, nullptr, pointersTo(words).data(),
                                    pointersTo(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    ::close(out.write);
    ::close(err.write);
    out_ = out.read;
    err_ = err.read;
    if (failed) throw std::runtime_error("cannot start " + words.front());
}

Program::~Program() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    if (out_ >= 0) ::close(out_);
    if (err_ >= 0) ::close(err_);
}

bool Program::readSome(std::chrono::milliseconds patience) {
    if (out_ < 0 && err_ < 0) return false;
    pollfd streams[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};  // negative descriptors are passed over
    if (::poll(streams, 2, static_cast<int>(patience.count())) > 0) {
        if (streams[0].revents) readInto(out_, outcome_.out);
        if (streams[1].revents) readInto(err_, outcome_.err);
    }
    return true;
}

bool Program::waitForError(const std::string& text, std::chrono::seconds timeout) {
    const auto end = Clock::now() + timeout;
    while (outcome_.err.find(text) == std::string::npos) {
        if (Clock::now() > end || !readSome(std::chrono::milliseconds(100))) return false;
    }
    return true;
}

void Program::send(int signal) const {
    if (pid_ > 0) ::kill(pid_, signal);
}

Outcome Program::wait(std::chrono::seconds timeout) {
    const auto end = Clock::now() + timeout;
    while (readSome(std::chrono::milliseconds(100)))
        if (Clock::now() > end) {
            send(SIGKILL);
            outcome_.err += "\n(killed by the test: it took too long)";
            break;
        }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    outcome_.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return outcome_;
}

Outcome run(const std::vector<std::string>& arguments, const RunOptions& options) {
    return Program(arguments, options).wait();
}

bool canBecomeNobody() {
    if (geteuid() != 0) return false;
    RunOptions options;
    options.asNobody = true;
    return run({"--version"}, options).exitCode == 0;
}

}  // namespace reelbrush::cli::testing
