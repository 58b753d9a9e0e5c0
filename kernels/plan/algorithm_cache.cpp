#include "kernels/plan/algorithm_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace reelbrush::kernels {

namespace {

using nlohmann::json;

constexpr int kVersion = 1;
/// Thousands of shapes fit; whatever is larger was not written by us.
constexpr std::uintmax_t kLargestFileBytes = 8 << 20;

/// The machines of a file: an object, empty where the file is of no use.
json readMachines(const std::filesystem::path& file) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error || size > kLargestFileBytes) return json::object();
    std::ifstream stream(file, std::ios::binary);
    const json document = json::parse(stream, nullptr, /*allow_exceptions=*/false);
    if (!document.is_object()) return json::object();
    const auto version = document.find("version"), machines = document.find("machines");
    if (version == document.end() || !version->is_number_integer() || *version != kVersion) return json::object();
    if (machines == document.end() || !machines->is_object()) return json::object();
    return *machines;
}

/// Choices of one machine; entries that are not texts are left out.
std::map<std::string, std::string> choicesOf(const json& machines, const std::string& machine) {
    std::map<std::string, std::string> choices;
    const auto own = machines.find(machine);
    if (own == machines.end() || !own->is_object()) return choices;
    for (const auto& [shape, algorithm] : own->items())
        if (algorithm.is_string()) choices.emplace(shape, algorithm.get<std::string>());
    return choices;
}

/// A name beside the file that no other writer uses, in this or in another process.
std::filesystem::path temporaryBeside(const std::filesystem::path& file) {
    static std::atomic<unsigned> counter{0};
    std::filesystem::path temporary = file;
    temporary += fmt::format(".{}-{}.part", ::getpid(), counter++);
    return temporary;
}

}  // namespace

AlgorithmCache::AlgorithmCache(std::filesystem::path file, std::string machine)
    : file_(std::move(file)), machine_(std::move(machine)) {
    if (!file_.empty()) choices_ = choicesOf(readMachines(file_), machine_);
}

std::optional<std::string> AlgorithmCache::find(const std::string& shape) const {
    const std::lock_guard lock(mutex_);
    const auto found = choices_.find(shape);
    if (found == choices_.end()) return std::nullopt;
    return found->second;
}

void AlgorithmCache::remember(const std::string& shape, const std::string& algorithm) {
    const std::lock_guard lock(mutex_);
    choices_[shape] = algorithm;
    if (file_.empty()) return;
    measured_[shape] = algorithm;
    save();
}

/// Two programs that save at the same moment may lose one choice, which is then measured again.
void AlgorithmCache::save() const {
    json machines = readMachines(file_);
    std::map<std::string, std::string> merged = choicesOf(machines, machine_);
    for (const auto& [shape, algorithm] : measured_) merged[shape] = algorithm;
    machines[machine_] = merged;
    const json document{{"version", kVersion}, {"machines", machines}};

    std::error_code error;
    if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), error);
    const std::filesystem::path temporary = temporaryBeside(file_);
    bool whole = false;
    if (std::ofstream stream(temporary, std::ios::binary | std::ios::trunc); stream) {
        stream << document.dump(1, ' ', false, json::error_handler_t::replace) << '\n';
        stream.close();
        whole = !stream.fail();
    }
    if (whole) std::filesystem::rename(temporary, file_, error);
    if (!whole || error) std::filesystem::remove(temporary, error);
}

}  // namespace reelbrush::kernels
