#include "engine/session/job_sight.h"

#include "engine/core/process_memory.h"
#include "engine/core/xdg_folders.h"
#include "engine/session/memory_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace reelbrush::session {

namespace {

/// By then every buffer that grows with the first frames has grown: queues, the decoder's and the encoder's own.
constexpr std::int64_t kSettledFrames = 5;
constexpr std::int64_t kFlushNs = 200'000'000;

bool isSameFile(const std::filesystem::path& a, const std::filesystem::path& b) {
    std::error_code unknown;
    return std::filesystem::weakly_canonical(a, unknown) == std::filesystem::weakly_canonical(b, unknown);
}

}  // namespace

JobSight::~JobSight() {
    if (painter_) painter_->traceTo({});
}

Status JobSight::begin(const StylizeRequest& request) {
    if (request.traceFile.empty()) return {};
    for (const std::filesystem::path& other : {request.input, request.output})
        if (isSameFile(request.traceFile, other))
            return fail(StatusCode::BadInput,
                        fmt::format("the trace would overwrite '{}'; give it a file of its own", other.string()));
    RB_ASSIGN(tracer_, kernels::Tracer::create(request.traceFile));
    row_ = kernels::traceRow(tracer_.get(), "paint");
    if (request.device.kind == diffusion::ComputeDevice::Kind::Cpu) return {};
    auto trace = kernels::traceCuda(cudaModuleFile(), tracer_);
    if (trace)
        cudaTrace_ = *std::move(trace);
    else
        whyNoCuda_ = trace.error().message;
    return {};
}

void JobSight::watch(diffusion::FramePainter& painter) {
    painter_ = &painter;
    painter.traceTo(row_);
    writeCounters();
}

MemorySample JobSight::sample(std::int64_t framesDone) const {
    return {framesDone, residentBytes(), painter_->holders()};
}

void JobSight::afterFrame(std::int64_t framesDone) {
    if (framesDone > 0 && (!early_ || framesDone <= kSettledFrames)) early_ = sample(framesDone);
    framesDone_ = framesDone;
    writeCounters();
}

void JobSight::writeCounters() {
    if (!tracer_ || !painter_) return;
    countMemory(*tracer_, painter_->holders());
    tracer_->count("frames in flight", {{"bytes", static_cast<double>(frameMemory_->heldBytes())}});
    tracer_->count("work space", {{"resident", static_cast<double>(painter_->memory().residentArenaBytes)}});
    if (cudaTrace_ && kernels::Tracer::now() - lastFlushNs_ > kFlushNs) {
        cudaTrace_->flush();
        lastFlushNs_ = kernels::Tracer::now();
    }
}

MemoryReport JobSight::memoryReport(const render::MemoryForecast& forecast) const {
    MemoryReport report;
    report.late = sample(framesDone_);
    report.early = early_.value_or(report.late);
    report.holders = report.late.holders;
    std::size_t counted = frameMemory_->heldBytes();
    for (const MemoryHolder& holder : report.holders)
        if (holder.place != MemoryPlace::Gpu) counted += holder.heldBytes.value_or(0);
    const std::size_t resident = report.late.residentBytes;
    report.holders.push_back({"frames in flight", MemoryPlace::Ram, forecast.frameBytes, frameMemory_->heldBytes(),
                              frameMemory_->peakBytes()});
    if (forecast.mergeBytes > 0)
        report.holders.push_back(
            {"LoRAs, while they are merged", MemoryPlace::Ram, forecast.mergeBytes, std::nullopt, std::nullopt});
    // Nobody counts what libraries allocate: it is what is left.
    report.holders.push_back({"program, decoder and encoder", MemoryPlace::Ram,
                              forecast.baseBytes + forecast.codecBytes, resident - std::min(resident, counted),
                              std::nullopt});
    return report;
}

std::vector<std::string> JobSight::end() {
    std::vector<std::string> notes;
    if (painter_) painter_->traceTo({});
    const bool onGpu = painter_ && painter_->memory().onDevice;
    painter_ = nullptr;
    cudaTrace_.reset();
    row_ = {};
    if (whyNoCuda_ && onGpu) notes.push_back(*whyNoCuda_);
    if (tracer_)
        if (const Status written = tracer_->flush(); !written) notes.push_back(written.error().message);
    tracer_.reset();
    return notes;
}

}  // namespace reelbrush::session
