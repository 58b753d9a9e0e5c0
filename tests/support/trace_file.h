#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace reelbrush::testing {

/// A trace that was written, taken apart. Reading throws where the file is not whole JSON.
class TraceFile {
  public:
    struct Span {
        std::string row, name;
        double startUs = 0.0, endUs = 0.0;
        nlohmann::json values;  ///< of the span; null without
    };

    explicit TraceFile(const std::filesystem::path& file);

    const std::vector<Span>& spans() const { return spans_; }
    /// Those of one name.
    std::vector<Span> spans(const std::string& name) const;
    /// How often each counter was written.
    const std::map<std::string, int>& counters() const { return counters_; }
    /// What a counter's value was last; 0 where it never was written.
    double last(const std::string& counter, const std::string& value) const;
    /// Two spans of one row that overlap without one holding the other; empty where there are none.
    std::string overlap() const;

  private:
    std::vector<Span> spans_;
    std::map<std::string, int> counters_;
    std::map<std::string, nlohmann::json> lastValues_;
};

}  // namespace reelbrush::testing
