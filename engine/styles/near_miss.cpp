#include "engine/styles/near_miss.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace reelbrush::styles {

namespace {

constexpr std::size_t kMostSuggestions = 3;

/// Least number of letters to insert, remove or replace (Levenshtein).
std::size_t editDistance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
            diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row.back();
}

}  // namespace

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    for (char& letter : lower)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return lower;
}

std::vector<std::string> nearMisses(std::string_view text, const std::vector<std::string>& names) {
    const std::string wanted = lowerCase(text);
    const std::size_t tolerated = std::max<std::size_t>(2, wanted.size() / 3);
    std::vector<std::pair<std::size_t, std::string>> ranked;
    for (const std::string& name : names) {
        const std::string lower = lowerCase(name);
        const std::size_t distance = editDistance(wanted, lower);
        const bool contains = wanted.size() >= 3 && lower.find(wanted) != std::string::npos;
        if (contains || (distance <= tolerated && distance < lower.size()))
            ranked.emplace_back(contains ? 0 : distance, name);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> likeliest;
    for (std::size_t i = 0; i < std::min(ranked.size(), kMostSuggestions); ++i) likeliest.push_back(ranked[i].second);
    return likeliest;
}

}  // namespace reelbrush::styles
