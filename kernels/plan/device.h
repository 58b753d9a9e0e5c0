#pragma once

#include "kernels/tensor/dtype.h"
#include "kernels/tensor/status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace reelbrush::kernels {

/// A block of memory that a backend computes in, owned; given back when it dies.
class DeviceMemory {
  public:
    virtual ~DeviceMemory() = default;
    /// An address on the device, 256-byte aligned; of shared memory also one of the host.
    virtual std::byte* data() = 0;
    virtual std::size_t sizeBytes() const = 0;
    /// Bytes that the system backs with memory now.
    virtual std::size_t residentBytes() const { return sizeBytes(); }
};

/// Work that was recorded once and can be queued again as a whole.
class Recording {
  public:
    virtual ~Recording() = default;
    /// Queues it. It reads and writes the same addresses each time.
    virtual Status replay() = 0;
};

/// A processor with memory of its own, and one queue of work. Steps of its backend queue their work and return; what
/// they compute is there after finish(). Thread: one at a time.
class Device {
  public:
    virtual ~Device() = default;

    /// Element type of a plan's values: F16, BF16 or F32. Values that must be exact (see exact_values.h) are F32.
    virtual DType valueType() const = 0;

    /// Host memory that the device reaches too. Errors: OutOfMemory.
    virtual Result<std::unique_ptr<DeviceMemory>> allocateShared(std::size_t bytes, const char* purpose) = 0;

    /// Queues the conversion of `count` f32 in shared memory to a value on the device, and back.
    virtual Status load(const float* shared, std::int64_t count, DType type, std::byte* value) = 0;
    virtual Status store(const std::byte* value, DType type, std::int64_t count, float* shared) = 0;

    /// Waits for all that is queued. Errors: those of the work, Internal or OutOfMemory.
    virtual Status finish() = 0;

    /// Calls `work`, which queues, and keeps what it queued instead of computing it. Nothing may be allocated by it.
    virtual Result<std::unique_ptr<Recording>> record(const std::function<Status()>& work) = 0;

    /// Queues `work`, waits for it, and gives the seconds that the device took.
    virtual Result<double> timed(const std::function<Status()>& work) = 0;
};

}  // namespace reelbrush::kernels
