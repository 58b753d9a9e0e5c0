#include "engine/session/memory_report.h"

#include <fmt/format.h>

#include <optional>

namespace reelbrush::session {

namespace {

std::size_t heldBytes(const MemorySample& sample) {
    std::size_t bytes = 0;
    for (const MemoryHolder& holder : sample.holders) bytes += holder.heldBytes.value_or(0);
    return bytes;
}

nlohmann::ordered_json numberOf(const std::optional<std::size_t>& bytes) {
    return bytes ? nlohmann::ordered_json(*bytes) : nlohmann::ordered_json();
}

std::string mebibytes(const std::optional<std::size_t>& bytes) {
    return bytes ? fmt::format("{:.1f}", static_cast<double>(*bytes) / 1048576.0) : "-";
}

}  // namespace

std::int64_t MemoryReport::heldGrowthBytes() const {
    return static_cast<std::int64_t>(heldBytes(late)) - static_cast<std::int64_t>(heldBytes(early));
}

std::int64_t MemoryReport::residentGrowthBytes() const {
    return static_cast<std::int64_t>(late.residentBytes) - static_cast<std::int64_t>(early.residentBytes);
}

const char* nameOf(MemoryPlace place) {
    if (place == MemoryPlace::Gpu) return "GPU";
    return place == MemoryPlace::Pinned ? "pinned" : "RAM";
}

nlohmann::ordered_json toJson(std::span<const MemoryHolder> holders) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const MemoryHolder& holder : holders)
        json.push_back({{"name", holder.name},
                        {"place", nameOf(holder.place)},
                        {"predictedBytes", numberOf(holder.predictedBytes)},
                        {"heldBytes", numberOf(holder.heldBytes)},
                        {"peakBytes", numberOf(holder.peakBytes)}});
    return json;
}

nlohmann::ordered_json toJson(const MemoryReport& report) {
    return {{"holders", toJson(report.holders)},
            {"growth",
             {{"fromFrame", report.early.framesDone},
              {"toFrame", report.late.framesDone},
              {"heldBytes", report.heldGrowthBytes()},
              {"residentBytes", report.residentGrowthBytes()}}}};
}

std::vector<std::string> toLines(std::span<const MemoryHolder> holders) {
    std::vector<std::string> lines{
        fmt::format("{:<40}{:>8}{:>15}{:>12}{:>12}", "memory", "in", "predicted MiB", "held MiB", "peak MiB")};
    for (const MemoryHolder& holder : holders)
        lines.push_back(fmt::format("{:<40}{:>8}{:>15}{:>12}{:>12}", holder.name, nameOf(holder.place),
                                    mebibytes(holder.predictedBytes), mebibytes(holder.heldBytes),
                                    mebibytes(holder.peakBytes)));
    return lines;
}

}  // namespace reelbrush::session
