#include "kernels/plan/random_weights.h"

#include <fmt/format.h>

#include <cmath>

namespace reelbrush::kernels {

namespace {

/// The finaliser of splitmix64 (Steele et al. 2014): neighbouring numbers become unrelated ones.
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// FNV-1a; std::hash differs between libraries.
std::uint64_t hashOf(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hash;
}

/// Sums of four uniform 16-bit numbers: nearly normal, and no logarithm for a billion values.
void fillNormal(std::uint64_t start, float deviation, std::vector<float>& values) {
    constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
    constexpr std::int32_t kMean = 2 * 65535;
    const float scale = deviation / (65536.0f * std::sqrt(4.0f / 12.0f));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bits = mixed(start + i * kStep);
        const auto part = [bits](int shift) { return static_cast<std::int32_t>((bits >> shift) & 0xffffu); };
        values[i] = static_cast<float>(part(0) + part(16) + part(32) + part(48) - kMean) * scale;
    }
}

}  // namespace

void RandomWeights::addWeightsOf(const Graph& graph) {
    for (NamedWeight& weight : weightsOf(graph)) needs_.emplace(std::move(weight.name), weight.need);
}

Result<WeightView> RandomWeights::find(std::string_view name) const {
    const auto found = needs_.find(name);
    if (found == needs_.end())
        return fail(StatusCode::BadInput, fmt::format("No random weight '{}': the graph does not use it.", name));
    const std::lock_guard lock(mutex_);
    if (!last_ || lastName_ != name) {
        last_.reset();  // the old values go before the new ones come
        last_ = std::make_shared<const std::vector<float>>(valuesOf(name, found->second));
        lastName_ = name;
    }
    WeightView view;
    view.shape = found->second.shape;
    view.data = last_->data();
    view.owner = last_;
    return view;
}

std::vector<float> RandomWeights::valuesOf(std::string_view name, const WeightNeed& need) const {
    std::vector<float> values(static_cast<std::size_t>(need.shape.elements()));
    if (need.role == WeightRole::Gamma) values.assign(values.size(), 1.0f);
    if (need.role == WeightRole::Product || need.role == WeightRole::Constant) {
        const double inputs = static_cast<double>(need.shape.elements()) / static_cast<double>(need.shape[0]);
        const double variance = need.role == WeightRole::Product ? 1.0 / inputs : 1.0;
        fillNormal(mixed(seed_ ^ hashOf(name)), static_cast<float>(std::sqrt(variance)), values);
    }
    return values;
}

std::int64_t RandomWeights::parameters() const {
    std::int64_t count = 0;
    for (const auto& entry : needs_) count += entry.second.shape.elements();
    return count;
}

}  // namespace reelbrush::kernels
