#include "kernels/cpu/cpu_backend.h"

#include "kernels/cpu/algorithm_choice.h"
#include "kernels/cpu/conv2d_float_cpu.h"
#include "kernels/cpu/conv2d_int8_cpu.h"
#include "kernels/cpu/conv2d_winograd_cpu.h"
#include "kernels/cpu/linear_float_cpu.h"
#include "kernels/cpu/linear_int8_cpu.h"
#include "kernels/cpu/processor.h"
#include "kernels/cpu/simd_limit.h"
#include "kernels/cpu/simd_step.h"
#include "kernels/cpu/trial_rows.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

namespace reelbrush::kernels {

namespace {

/// Layers of less take a tenth of a millisecond either way: timing them would cost more than it ever gains.
constexpr double kLeastWinogradOperations = 64e6;

std::string machineKey(int threads) {
    const dnnl_version_t* version = dnnl_version();
    return fmt::format("{}, {}, {}, {} threads, oneDNN {}.{}.{}", processorName(), onednnInstructionSet(), simdName(),
                       threads, version->major, version->minor, version->patch);
}

}  // namespace

struct CpuBackend::Impl {
    CpuOptions options;
    int threads;
    AlgorithmCache cache;

    explicit Impl(CpuOptions given)
        : options(std::move(given)),
          threads(options.threads > 0 ? options.threads : availableProcessors()),
          cache(options.algorithmCacheFile, machineKey(threads)) {
        if (!options.budget) options.budget = std::make_shared<MemoryBudget>();
    }

    /// Int8 and nothing else where it was asked for, beside f32 where speed decides, nowhere where the layer, its
    /// stored weights or the processor do not allow it.
    enum class Int8Use { Never, IfFaster, Always };
    Result<Int8Use> int8Use(bool layerAllows, const WeightRows& rows, const WeightProvider& weights) const {
        // Asked first so that missing weights are found whatever the precision is.
        RB_ASSIGN(const bool isStored, rows.isStoredInt8(weights));
        if (!layerAllows || !cpuHasFastInt8() || options.precision == Precision::Float32) return Int8Use::Never;
        if (options.precision == Precision::Int8) return Int8Use::Always;
        return isStored ? Int8Use::IfFaster : Int8Use::Never;
    }

    Result<std::unique_ptr<Step>> prepareConv2d(const StepRequest& request);
    std::vector<Candidate> conv2dCandidates(const Conv2dProblem& problem, const StepRequest& request, Int8Use use);
    Result<std::unique_ptr<Step>> prepareLinear(const StepRequest& request, bool mayQuantise);
    Result<std::unique_ptr<Step>> prepareWith(std::vector<Candidate> floats, Candidate int8, Int8Use use,
                                              const StepRequest& request, const std::string& key);
};

Result<std::unique_ptr<Step>> CpuBackend::Impl::prepareWith(std::vector<Candidate> floats, Candidate int8, Int8Use use,
                                                            const StepRequest& request, const std::string& key) {
    if (use == Int8Use::Always) {
        auto step = int8.make();
        if (step || step.error().code != StatusCode::Unsupported) return step;
    }
    if (use == Int8Use::IfFaster) floats.push_back(std::move(int8));
    return prepareFastest(floats, request, key, cache);
}

std::vector<Candidate> CpuBackend::Impl::conv2dCandidates(const Conv2dProblem& problem, const StepRequest& request,
                                                          Int8Use use) {
    std::vector<Candidate> candidates;
    const WeightProvider& weights = request.weights;
    candidates.push_back({"direct f32", [&] { return makeDirectConv2dStep(problem, weights); }});
    if (winogradFits(problem.op) && problem.operations() >= kLeastWinogradOperations)
        candidates.push_back({"banded winograd f32", [&] { return makeWinogradConv2dStep(problem, weights); }});
    if (use == Int8Use::IfFaster) candidates.push_back({"int8", [&] { return makeInt8Conv2dStep(problem, weights); }});
    return candidates;
}

Result<std::unique_ptr<Step>> CpuBackend::Impl::prepareConv2d(const StepRequest& request) {
    const Conv2dProblem problem(request, threads, options.budget);
    RB_ASSIGN(const Int8Use use, int8Use(problem.op.mayQuantise, problem.weights, request.weights));
    if (use == Int8Use::Always) {
        auto step = makeInt8Conv2dStep(problem, request.weights);
        if (step || step.error().code != StatusCode::Unsupported) return step;
    }
    const std::vector<Candidate> candidates = conv2dCandidates(problem, request, use);
    const auto sample = TrialRows::of(request);
    if (!sample || candidates.size() == 1) return prepareFastest(candidates, request, problem.key(), cache);

    std::string fastest;
    {
        const StepRequest part = sample->request(request);
        const Conv2dProblem rows(part, threads, options.budget);
        RB_ASSIGN(const auto step, prepareFastest(conv2dCandidates(rows, part, use), part, rows.key(), cache));
        fastest = step->algorithm();
    }
    const auto chosen = std::ranges::find(candidates, fastest, &Candidate::algorithm);
    if (chosen != candidates.end() && chosen != candidates.begin()) {
        auto step = chosen->make();
        if (step || step.error().code != StatusCode::Unsupported) return step;
    }
    return candidates.front().make();
}

Result<std::unique_ptr<Step>> CpuBackend::Impl::prepareLinear(const StepRequest& request, bool mayQuantise) {
    const LinearProblem problem(request, threads, options.budget);
    RB_ASSIGN(const Int8Use use, int8Use(mayQuantise, problem.weights, request.weights));
    std::vector<Candidate> floats;
    floats.push_back({"direct f32", [&] { return makeFloatLinearStep(problem, request.weights); }});
    Candidate int8{"int8", [&] { return makeInt8LinearStep(problem, request.weights); }};
    return prepareWith(std::move(floats), std::move(int8), use, request, problem.key());
}

CpuBackend::CpuBackend(CpuOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
CpuBackend::~CpuBackend() = default;

Result<std::unique_ptr<Step>> CpuBackend::prepare(const StepRequest& request) {
    if (const auto* convolution = std::get_if<Conv2d>(&request.node.op)) {
        if (isLinear(*convolution)) return impl_->prepareLinear(request, convolution->mayQuantise);
        return impl_->prepareConv2d(request);
    }
    if (const auto* linear = std::get_if<Linear>(&request.node.op))
        return impl_->prepareLinear(request, linear->mayQuantise);
    return makeSimdStep(request, impl_->threads);
}

void CpuBackend::enter() {
    omp_set_num_threads(impl_->threads);
}

std::shared_ptr<MemoryBudget> CpuBackend::memory() const {
    return impl_->options.budget;
}

int CpuBackend::threads() const {
    return impl_->threads;
}

}  // namespace reelbrush::kernels
