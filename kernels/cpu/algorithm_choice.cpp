#include "kernels/cpu/algorithm_choice.h"

#include "kernels/tensor/buffer.h"

#include <algorithm>
#include <chrono>

namespace reelbrush::kernels {

namespace {

/// Memory for trial runs of one layer.
class TrialBuffers {
  public:
    static Result<TrialBuffers> allocate(const StepRequest& request) {
        TrialBuffers result;
        for (const Shape& shape : request.inputs) {
            RB_ASSIGN(Buffer buffer, Buffer::allocate(bytesOf(shape), nullptr, "timing of a layer"));
            fill(buffer, shape.elements());
            result.inputs_.push_back(std::move(buffer));
        }
        RB_ASSIGN(result.output_, Buffer::allocate(bytesOf(request.output), nullptr, "timing of a layer"));
        return result;
    }

    Result<double> bestSeconds(Step& step) {
        RB_ASSIGN(Buffer scratch, Buffer::allocate(step.scratchBytes(), nullptr, "timing of a layer"));
        StepBuffers buffers;
        for (const Buffer& input : inputs_) buffers.inputs.push_back(input.as<float>());
        buffers.output = output_.as<float>();
        buffers.scratch = scratch.data();
        step.bind(buffers);
        RB_TRY(step.run());
        return bestOfRuns(step);
    }

  private:
    static std::size_t bytesOf(const Shape& shape) {
        return static_cast<std::size_t>(shape.elements()) * sizeof(float);
    }
    /// Values of both signs, none tiny: zeros would make some processors faster, denormals slower.
    static void fill(Buffer& buffer, std::int64_t count) {
        float* values = buffer.as<float>();
        for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 31 - 15) * 0.0625f;
    }

    static Result<double> bestOfRuns(Step& step) {
        using Clock = std::chrono::steady_clock;
        // The fastest run is the one that nobody disturbed: many for short layers, few for long ones.
        constexpr int kFewestRuns = 3, kMostRuns = 12;
        constexpr double kEnoughSeconds = 0.03;
        double best = 1e30, total = 0.0;
        for (int run = 0; run < kMostRuns && (run < kFewestRuns || total < kEnoughSeconds); ++run) {
            const auto start = Clock::now();
            RB_TRY(step.run());
            const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
            best = std::min(best, seconds);
            total += seconds;
        }
        return best;
    }

    std::vector<Buffer> inputs_;
    Buffer output_;
};

std::string namesOf(const std::vector<Candidate>& candidates) {
    std::string names;
    for (const Candidate& candidate : candidates) names += (names.empty() ? "" : ", ") + candidate.algorithm;
    return names;
}

}  // namespace

Result<std::unique_ptr<Step>> prepareFastest(const std::vector<Candidate>& candidates, const StepRequest& request,
                                             const std::string& key, AlgorithmCache& cache) {
    if (candidates.size() == 1) return candidates.front().make();
    const std::string question = key + " of " + namesOf(candidates);
    if (const auto known = cache.find(question)) {
        const auto found = std::ranges::find(candidates, *known, &Candidate::algorithm);
        if (found != candidates.end()) {
            auto step = found->make();
            if (step || step.error().code != StatusCode::Unsupported) return step;
        }
    }

    // A later candidate must be clearly faster than what came before it.
    constexpr double kClearly = 0.95;
    std::unique_ptr<Step> fastest;
    double fastestSeconds = 0.0;
    RB_ASSIGN(TrialBuffers buffers, TrialBuffers::allocate(request));
    for (const Candidate& candidate : candidates) {
        auto step = candidate.make();
        if (!step && fastest && step.error().code == StatusCode::Unsupported) continue;
        if (!step) return step;
        RB_ASSIGN(const double seconds, buffers.bestSeconds(**step));
        if (fastest && seconds >= kClearly * fastestSeconds) continue;
        fastest = std::move(*step);
        fastestSeconds = seconds;
    }
    cache.remember(question, fastest->algorithm());
    return fastest;
}

}  // namespace reelbrush::kernels
