#include "tests/support/trace_file.h"

#include <algorithm>
#include <fstream>

namespace reelbrush::testing {

using nlohmann::json;

TraceFile::TraceFile(const std::filesystem::path& file) {
    const json entries = json::parse(std::ifstream(file));
    std::map<int, std::string> rows;
    for (const json& entry : entries)
        if (entry.at("name") == "thread_name") rows[entry.at("tid")] = entry.at("args").at("name");
    for (const json& entry : entries) {
        if (entry.at("ph") == "X") {
            const double start = entry.at("ts");
            spans_.push_back({rows.at(entry.at("tid")), entry.at("name"), start, start + entry.at("dur").get<double>(),
                              entry.value("args", json())});
        } else if (entry.at("ph") == "C") {
            ++counters_[entry.at("name")];
            lastValues_[entry.at("name")] = entry.at("args");
        }
    }
}

std::vector<TraceFile::Span> TraceFile::spans(const std::string& name) const {
    std::vector<Span> found;
    std::ranges::copy_if(spans_, std::back_inserter(found), [&](const Span& span) { return span.name == name; });
    return found;
}

double TraceFile::last(const std::string& counter, const std::string& value) const {
    const auto found = lastValues_.find(counter);
    return found == lastValues_.end() ? 0.0 : found->second.value(value, 0.0);
}

std::string TraceFile::overlap() const {
    constexpr double kRoundingUs = 0.0015;  // times are told to the nanosecond
    std::map<std::string, std::vector<Span>> rows;
    for (const Span& span : spans_) rows[span.row].push_back(span);
    for (auto& [row, spans] : rows) {
        // Outer spans first where they begin together.
        std::ranges::sort(spans, [](const Span& a, const Span& b) {
            return a.startUs != b.startUs ? a.startUs < b.startUs : a.endUs > b.endUs;
        });
        std::vector<Span> open;
        for (const Span& span : spans) {
            while (!open.empty() && open.back().endUs <= span.startUs + kRoundingUs) open.pop_back();
            if (!open.empty() && span.endUs > open.back().endUs + kRoundingUs)
                return "in the row '" + row + "' '" + span.name + "' outlasts '" + open.back().name + "'";
            open.push_back(span);
        }
    }
    return {};
}

}  // namespace reelbrush::testing
