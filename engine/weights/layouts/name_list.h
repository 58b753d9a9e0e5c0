#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reelbrush::weights {

/// Collects names of weights, module by module.
class NameList {
  public:
    void addWeight(const std::string& module) { names_.push_back(module + ".weight"); }
    /// Weight and bias.
    void add(const std::string& module) {
        addWeight(module);
        names_.push_back(module + ".bias");
    }
    void add(const std::string& parent, std::initializer_list<std::string_view> children) {
        for (const std::string_view child : children) add(std::string(parent).append(".").append(child));
    }
    std::vector<std::string> sorted() && {
        std::ranges::sort(names_);
        return std::move(names_);
    }

  private:
    std::vector<std::string> names_;
};

}  // namespace reelbrush::weights
