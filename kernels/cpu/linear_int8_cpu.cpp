#include "kernels/cpu/linear_int8_cpu.h"

#include "kernels/cpu/linear_epilogue.h"
#include "kernels/cpu/one_thread.h"
#include "kernels/cpu/packed_weights.h"
#include "kernels/cpu/parallel_for.h"
#include "kernels/cpu/quantise_cpu.h"

#include <atomic>
#include <utility>

namespace reelbrush::kernels {

namespace {

using dnnl::matmul;
using DataType = dnnl::memory::data_type;
using Tag = dnnl::memory::format_tag;

/// Rows are computed in chunks small enough that a chunk's integers and sums stay in the processor's cache between
/// rounding, product and scaling. Each thread takes whole chunks; inside of a chunk oneDNN stays on that thread.
struct Chunks {
    std::int64_t rows = 1;  ///< of a chunk; the last may have fewer
    std::int64_t count = 1;
    int threads = 1;  ///< that have work
};

Chunks chunksOf(const LinearProblem& problem) {
    constexpr std::int64_t kSumBytes = 256 << 10, kFewestRows = 16, kMostRows = 256;
    const std::int64_t cached =
        std::clamp(kSumBytes / (problem.outFeatures * std::int64_t{sizeof(std::int32_t)}), kFewestRows, kMostRows);
    const auto divideUp = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    std::int64_t count = divideUp(problem.rows, cached);
    // As many chunks for each thread, unless that made them tiny.
    const std::int64_t even = divideUp(count, problem.threads) * problem.threads;
    if (problem.rows / even >= kFewestRows) count = even;
    Chunks chunks;
    chunks.rows = divideUp(problem.rows, count);
    chunks.count = divideUp(problem.rows, chunks.rows);
    chunks.threads = static_cast<int>(std::min<std::int64_t>(problem.threads, chunks.count));
    return chunks;
}

matmul::primitive_desc describeChunk(const LinearProblem& problem, std::int64_t rows) {
    const dnnl::memory::desc source({rows, problem.inFeatures}, DataType::s8, Tag::ab);
    const dnnl::memory::desc weights({problem.inFeatures, problem.outFeatures}, DataType::s8, Tag::any);
    const dnnl::memory::desc sums({rows, problem.outFeatures}, DataType::s32, Tag::ab);
    return {matmul::desc(source, weights, sums), attributes(), problem.onednn.engine};
}

class Int8LinearStep : public Step {
  public:
    Int8LinearStep(LinearProblem problem, Chunks chunks, matmul primitive, matmul::primitive_desc desc,
                   PackedWeights packed)
        : problem_(std::move(problem)),
          chunks_(chunks),
          desc_(std::move(desc)),
          primitive_(std::move(primitive)),
          packed_(std::move(packed)) {}

    std::size_t scratchBytes() const override {
        return layout_.totalBytes() * static_cast<std::size_t>(chunks_.threads);
    }
    std::size_t weightBytes() const override {
        return packed_.sizeBytes() + (weightScales_.size() + biases_.size()) * sizeof(float);
    }

    Status loadWeights(const WeightProvider& weights) override {
        RB_ASSIGN(QuantisedRows rows, problem_.weights.loadInt8(weights, problem_.threads));
        RB_ASSIGN(std::vector<float> biases, problem_.weights.loadBiases(weights));
        weightScales_ = std::move(rows.scales);
        biases_ = std::move(biases);
        return packed_.fill(problem_.onednn, problem_.storedWeightDesc(DataType::s8), rows.values.data());
    }

    void bind(const StepBuffers& buffers) override {
        buffers_ = buffers;
        calls_.clear();
        for (int thread = 0; thread < chunks_.threads; ++thread) {
            OnednnCall& call = calls_.emplace_back(primitive_);
            const dnnl::engine& engine = problem_.onednn.engine;
            call.set(DNNL_ARG_SRC, desc_.src_desc(), engine, scratchOf(thread) + rounded_);
            call.set(DNNL_ARG_WEIGHTS, packed_.desc(), engine, packed_.data());
            call.set(DNNL_ARG_DST, desc_.dst_desc(), engine, scratchOf(thread) + sums_);
            call.set(DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc(), engine, scratchOf(thread) + inner_);
        }
    }

    Status run() override {
        std::atomic<bool> failed = false;
        const auto compute = [&](std::int64_t chunk, int thread) {
            if (!runChunk(chunk, thread)) failed = true;
        };
        if (chunks_.count == 1) {
            const OneThread guard;
            compute(0, 0);
        } else {
            parallelItems(chunks_.threads, chunks_.count, compute);
        }
        if (failed) return fail(StatusCode::Internal, "oneDNN failed to compute a linear layer.");
        return {};
    }

    double operations() const override { return problem_.operations(); }
    std::string algorithm() const override { return "int8"; }
    bool isInt8() const override { return true; }

  private:
    std::byte* scratchOf(int thread) const {
        return buffers_.scratch + layout_.totalBytes() * static_cast<std::size_t>(thread);
    }

    /// The last chunk's product runs over what is left in the scratch behind its rows; those sums are not read.
    bool runChunk(std::int64_t chunk, int thread) const {
        std::byte* scratch = scratchOf(thread);
        const std::int64_t first = chunk * chunks_.rows;
        const std::int64_t rows = std::min(chunks_.rows, problem_.rows - first);
        auto* scales = reinterpret_cast<float*>(scratch + rowScales_);
        quantiseRowsToS8({.values = buffers_.inputs[0] + first * problem_.inFeatures,
                          .rows = rows,
                          .channels = problem_.inFeatures,
                          .threads = 1},
                         reinterpret_cast<std::int8_t*>(scratch + rounded_), scales);
        const dnnl::stream& stream = problem_.onednn.stream;
        if (!calls_[static_cast<std::size_t>(thread)].run(stream)) return false;
        const std::int64_t begin = first * problem_.outFeatures;
        finishLinear({.sums = reinterpret_cast<const std::int32_t*>(scratch + sums_),
                      .rowScales = scales,
                      .columnScales = weightScales_.data(),
                      .biases = biases_.data(),
                      .residual = problem_.hasResidual ? buffers_.inputs[1] + begin : nullptr,
                      .rows = rows,
                      .columns = problem_.outFeatures,
                      .activation = problem_.activation},
                     buffers_.output + begin);
        return true;
    }

    std::size_t bytesOf(std::int64_t rows, std::int64_t columns, std::size_t size) const {
        return static_cast<std::size_t>(rows * columns) * size;
    }

    LinearProblem problem_;
    Chunks chunks_;
    matmul::primitive_desc desc_;
    matmul primitive_;
    PackedWeights packed_;
    std::vector<float> weightScales_, biases_;
    ScratchLayout layout_;  ///< of one thread
    std::size_t rounded_ = layout_.add(bytesOf(chunks_.rows, problem_.inFeatures, sizeof(std::int8_t)));
    std::size_t rowScales_ = layout_.add(bytesOf(chunks_.rows, 1, sizeof(float)));
    std::size_t sums_ = layout_.add(bytesOf(chunks_.rows, problem_.outFeatures, sizeof(std::int32_t)));
    std::size_t inner_ = layout_.add(desc_.scratchpad_desc().get_size());
    StepBuffers buffers_;
    std::vector<OnednnCall> calls_;
};

}  // namespace

Result<std::unique_ptr<Step>> makeInt8LinearStep(LinearProblem problem, const WeightProvider& weights) {
    return guarded("preparing an int8 linear layer", [&]() -> Result<std::unique_ptr<Step>> {
        const Chunks chunks = chunksOf(problem);
        const OneThread guard;
        matmul::primitive_desc desc = describeChunk(problem, chunks.rows);
        if (std::string_view(desc.impl_info_str()).find("ref") != std::string_view::npos)
            return fail(StatusCode::Unsupported, "This processor has no fast int8 product.");
        RB_ASSIGN(PackedWeights packed, PackedWeights::allocate(desc.weights_desc(), problem.budget));
        auto step = std::make_unique<Int8LinearStep>(std::move(problem), chunks, matmul(desc), desc, std::move(packed));
        RB_TRY(step->loadWeights(weights));
        return step;
    });
}

}  // namespace reelbrush::kernels
