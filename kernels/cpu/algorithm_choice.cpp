#include "kernels/cpu/algorithm_choice.h"

#include "kernels/cpu/scheduler_delay.h"
#include "kernels/tensor/buffer.h"

#include <algorithm>
#include <chrono>

namespace reelbrush::kernels {

namespace {

/// Memory for trial runs of one layer.
class TrialBuffers {
  public:
    static Result<TrialBuffers> allocate(const StepRequest& request, std::size_t scratchBytes) {
        TrialBuffers result;
        for (const Shape& shape : request.inputs) {
            RB_ASSIGN(Buffer buffer, block(bytesOf(shape)));
            fill(buffer, shape.elements());
            result.inputs_.push_back(std::move(buffer));
        }
        RB_ASSIGN(result.output_, block(bytesOf(request.output)));
        RB_ASSIGN(result.scratch_, block(scratchBytes));
        return result;
    }

    void bind(Step& step) {
        StepBuffers buffers;
        for (const Buffer& input : inputs_) buffers.inputs.push_back(input.as<float>());
        buffers.output = output_.as<float>();
        buffers.scratch = scratch_.data();
        step.bind(buffers);
    }

  private:
    static Result<Buffer> block(std::size_t bytes) { return Buffer::allocate(bytes, nullptr, "timing of a layer"); }
    static std::size_t bytesOf(const Shape& shape) {
        return static_cast<std::size_t>(shape.elements()) * sizeof(float);
    }
    /// Values of both signs, none tiny: zeros would make some processors faster, denormals slower.
    static void fill(Buffer& buffer, std::int64_t count) {
        float* values = buffer.as<float>();
        for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 31 - 15) * 0.0625f;
    }

    std::vector<Buffer> inputs_;
    Buffer output_, scratch_;
};

/// One run of a step.
struct Trial {
    double seconds = 0.0;
    bool isDisturbed = false;  ///< others had a processor that the step wanted
};

Result<Trial> runOnce(Step& step) {
    const double delayBefore = schedulerDelaySeconds();
    const auto start = std::chrono::steady_clock::now();
    RB_TRY(step.run());
    Trial trial{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), false};
    trial.isDisturbed = schedulerDelaySeconds() - delayBefore > 0.05 * trial.seconds;
    return trial;
}

/// A candidate that works here, and its undisturbed runs so far.
struct Contestant {
    std::unique_ptr<Step> step;
    double best = 1e30, second = 1e30;  ///< seconds

    void add(const Trial& trial) {
        if (trial.isDisturbed) return;
        second = std::min(second, std::max(best, trial.seconds));
        best = std::min(best, trial.seconds);
    }
    /// One fast run proves little, two that agree do.
    bool isSettled() const { return best < 1e30 && second <= 1.1 * best; }
};

/// Runs all in turns until every one is settled. False where that took too long.
Result<bool> timeAll(std::vector<Contestant>& contestants) {
    constexpr int kFewestRounds = 4;
    constexpr double kPatienceSeconds = 0.25;
    // The first run touches memory that the system has not backed yet.
    for (Contestant& contestant : contestants) RB_TRY(contestant.step->run());
    double total = 0.0;
    for (int round = 1; total < kPatienceSeconds || round <= kFewestRounds; ++round) {
        for (Contestant& contestant : contestants) {
            RB_ASSIGN(const Trial trial, runOnce(*contestant.step));
            contestant.add(trial);
            total += trial.seconds;
        }
        if (round >= kFewestRounds && std::ranges::all_of(contestants, &Contestant::isSettled)) return true;
    }
    return false;
}

std::string namesOf(const std::vector<Candidate>& candidates) {
    std::string names;
    for (const Candidate& candidate : candidates) names += (names.empty() ? "" : ", ") + candidate.algorithm;
    return names;
}

Result<std::vector<Contestant>> makeAll(const std::vector<Candidate>& candidates) {
    std::vector<Contestant> contestants;
    for (const Candidate& candidate : candidates) {
        auto step = candidate.make();
        if (!step && !contestants.empty() && step.error().code == StatusCode::Unsupported) continue;
        if (!step) return fail(std::move(step).error());
        contestants.emplace_back().step = std::move(*step);
    }
    return contestants;
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

    RB_ASSIGN(std::vector<Contestant> contestants, makeAll(candidates));
    std::size_t scratchBytes = 0;
    for (const Contestant& contestant : contestants)
        scratchBytes = std::max(scratchBytes, contestant.step->scratchBytes());
    RB_ASSIGN(TrialBuffers buffers, TrialBuffers::allocate(request, scratchBytes));
    for (Contestant& contestant : contestants) buffers.bind(*contestant.step);
    RB_ASSIGN(const bool isSettled, timeAll(contestants));

    // A later candidate must be clearly faster than what came before it.
    constexpr double kClearly = 0.95;
    auto* chosen = isSettled ? &contestants.front() : &contestants.back();
    for (Contestant& contestant : contestants)
        if (isSettled && contestant.best < kClearly * chosen->best) chosen = &contestant;
    cache.remember(question, chosen->step->algorithm());
    return std::move(chosen->step);
}

}  // namespace reelbrush::kernels
