#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/frame_painter.h"
#include "engine/render/memory_forecast.h"
#include "engine/session/memory_report.h"
#include "engine/session/stylize_request.h"
#include "kernels/cuda_module/cuda_module.h"
#include "kernels/tensor/memory_budget.h"
#include "kernels/tensor/tracer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::session {

/// What one job shows of itself: a trace where the request asks for one, and who held which memory, after a few frames
/// and at the end. Thread: the engine thread.
class JobSight {
  public:
    JobSight() = default;
    /// The painter outlives the job: it must not write to the job's trace any more.
    ~JobSight();
    JobSight(const JobSight&) = delete;
    JobSight& operator=(const JobSight&) = delete;

    /// Begins the trace, also of a GPU that may be used. Errors: Io where the file cannot be written; BadInput where it
    /// is one that the job reads or writes.
    Status begin(const StylizeRequest& request);

    /// The engine thread's row; empty without a trace.
    kernels::TraceRow row() const { return row_; }
    /// Where frames in flight are counted.
    std::shared_ptr<kernels::MemoryBudget> frameMemory() const { return frameMemory_; }

    /// The painter that is looked at from here on; must outlive this.
    void watch(diffusion::FramePainter& painter);
    /// Looks: writes counters, remembers what is compared later. framesDone: of all.
    void afterFrame(std::int64_t framesDone);

    /// All frames are painted, the painter still is what it was. What is counted beside what was predicted.
    MemoryReport memoryReport(const render::MemoryForecast& forecast) const;
    /// Completes the trace. Sentences for the user: what it lacks.
    std::vector<std::string> end();

  private:
    MemorySample sample(std::int64_t framesDone) const;
    void writeCounters();

    std::shared_ptr<kernels::Tracer> tracer_;
    std::unique_ptr<kernels::CudaTrace> cudaTrace_;
    std::optional<std::string> whyNoCuda_;
    kernels::TraceRow row_;
    std::shared_ptr<kernels::MemoryBudget> frameMemory_ = std::make_shared<kernels::MemoryBudget>();
    diffusion::FramePainter* painter_ = nullptr;
    std::optional<MemorySample> early_;
    std::int64_t framesDone_ = 0;
    std::int64_t lastFlushNs_ = 0;
};

}  // namespace reelbrush::session
