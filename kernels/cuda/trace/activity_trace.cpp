#include "kernels/cuda/trace/activity_trace.h"

#include "kernels/cuda/trace/cupti_library.h"
#include "kernels/cuda/trace/device_rows.h"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace reelbrush::kernels {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kBufferAlignment = 8;
constexpr std::uint32_t kFlushMilliseconds = 200;
/// Graphs are told by their kernels and copies, since none of the kinds that replace those is enabled.
constexpr std::array kKinds = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                               CUPTI_ACTIVITY_KIND_MEMSET};

const char* nameOfCopy(std::uint8_t kind) {
    switch (kind) {
        case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
            return "copy to the device";
        case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
            return "copy to the host";
        case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
            return "copy on the device";
        case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
            return "copy between devices";
        default:
            return "copy";
    }
}

/// What all records have under the same names.
template <typename Record>
DeviceWork workOf(const Record& record) {
    DeviceWork work;
    work.device = record.deviceId;
    work.stream = record.streamId;
    work.launch = record.correlationId;
    work.graph = record.graphId;
    work.startNs = static_cast<std::int64_t>(record.start);
    work.endNs = static_cast<std::int64_t>(record.end);
    return work;
}

/// CUPTI is one for the whole process and calls back without saying for whom: the only place in the program where
/// something that lives in a job has to be found from outside it.
struct Receiver {
    std::mutex mutex;
    const CuptiLibrary* library = nullptr;  ///< null: nobody listens
    DeviceRows* rows = nullptr;
};

Receiver& receiver() {
    static Receiver instance;
    return instance;
}

/// Records have grown at their ends only, so that these types fit those of later versions too.
void addRecord(const CUpti_Activity& record, DeviceRows& rows) {
    const auto as = [&]<typename Record>(const Record*) -> const Record& {
        return reinterpret_cast<const Record&>(record);
    };
    if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        const auto& kernel = as(static_cast<const CUpti_ActivityKernel9*>(nullptr));
        const auto product = [](std::int32_t x, std::int32_t y, std::int32_t z) {
            return static_cast<double>(x) * static_cast<double>(y) * static_cast<double>(z);
        };
        const std::array<TraceValue, 5> values{
            {{"blocks", product(kernel.gridX, kernel.gridY, kernel.gridZ)},
             {"threads", product(kernel.blockX, kernel.blockY, kernel.blockZ)},
             {"registers", static_cast<double>(kernel.registersPerThread)},
             {"sharedBytes", static_cast<double>(kernel.staticSharedMemory + kernel.dynamicSharedMemory)},
             {"graph", static_cast<double>(kernel.graphId)}}};
        rows.addKernel(workOf(kernel), kernel.name ? kernel.name : "kernel", values);
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        const auto& copy = as(static_cast<const CUpti_ActivityMemcpy5*>(nullptr));
        rows.addCopy(workOf(copy), nameOfCopy(copy.copyKind), copy.bytes);
    } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        const auto& set = as(static_cast<const CUpti_ActivityMemset4*>(nullptr));
        rows.addCopy(workOf(set), "fill", set.bytes);
    }
}

std::uint64_t CUPTIAPI timestamp() {
    return static_cast<std::uint64_t>(Tracer::now());
}

void CUPTIAPI giveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* mostRecords) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
    *size = *buffer ? kBufferBytes : 0;
    *mostRecords = 0;
}

void CUPTIAPI takeBuffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                         std::size_t validSize) {
    Receiver& to = receiver();
    const std::lock_guard lock(to.mutex);
    if (to.library && validSize > 0) {
        CUpti_Activity* record = nullptr;
        while (to.library->nextRecord(buffer, validSize, &record) == CUPTI_SUCCESS) addRecord(*record, *to.rows);
        std::size_t lost = 0;
        if (to.library->droppedRecords(context, stream, &lost) == CUPTI_SUCCESS) to.rows->addLost(lost);
    }
    std::free(buffer);
}

class ActivityTrace final : public CudaTrace {
  public:
    ActivityTrace(const CuptiLibrary& library, std::shared_ptr<Tracer> tracer, std::vector<std::string> devices)
        : library_(library), rows_(std::move(tracer), std::move(devices)) {}

    Status start() {
        constexpr const char* kDoing = "tracing the GPU";
        {
            const std::lock_guard lock(receiver().mutex);
            if (receiver().library)
                return fail(StatusCode::Unsupported,
                            "the trace tells nothing of the GPU: another job of this program traces it already");
            receiver().library = &library_;
            receiver().rows = &rows_;
        }
        listens_ = true;
        RB_TRY(library_.check(library_.registerTimestamp(timestamp), kDoing));
        RB_TRY(library_.check(library_.registerCallbacks(giveBuffer, takeBuffer), kDoing));
        RB_TRY(library_.check(library_.flushPeriod(kFlushMilliseconds), kDoing));
        for (const CUpti_ActivityKind kind : kKinds) RB_TRY(library_.check(library_.enable(kind), kDoing));
        return {};
    }

    /// What is still under way comes too: the work that was traced has been waited for.
    ~ActivityTrace() override {
        if (!listens_) return;
        for (const CUpti_ActivityKind kind : kKinds) library_.disable(kind);
        library_.flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
        const std::lock_guard lock(receiver().mutex);
        receiver().library = nullptr;
        receiver().rows = nullptr;
    }
    ActivityTrace(const ActivityTrace&) = delete;
    ActivityTrace& operator=(const ActivityTrace&) = delete;

    void flush() override { library_.flushAll(0); }

  private:
    const CuptiLibrary library_;
    DeviceRows rows_;
    bool listens_ = false;
};

/// Asked for here since CUPTI's threads must not call CUDA.
std::vector<std::string> deviceNames() {
    std::vector<std::string> names;
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) return names;
    for (int device = 0; device < count; ++device) {
        cudaDeviceProp properties{};
        names.emplace_back(cudaGetDeviceProperties(&properties, device) == cudaSuccess ? properties.name : "GPU");
    }
    return names;
}

}  // namespace

Result<std::unique_ptr<CudaTrace>> startActivityTrace(std::shared_ptr<Tracer> tracer) {
    RB_ASSIGN(const CuptiLibrary library, CuptiLibrary::open());
    auto trace = std::make_unique<ActivityTrace>(library, std::move(tracer), deviceNames());
    RB_TRY(trace->start());
    return std::unique_ptr<CudaTrace>(std::move(trace));
}

}  // namespace reelbrush::kernels
