#pragma once

#include "kernels/plan/device.h"
#include "kernels/plan/graph.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace reelbrush::kernels {

/// The inputs and outputs of a plan whose values lie on a device: f32 in memory that both reach, converted on the way
/// in and out. Values keep their places from run to run, so that what is queued can be recorded once and replayed.
class DeviceExchange {
  public:
    using AddressOf = std::function<std::byte*(Value)>;

    /// Both must outlive this. Errors: OutOfMemory.
    static Result<std::unique_ptr<DeviceExchange>> create(Device& device, const Graph& graph);

    /// Where the caller writes an input, and reads an output.
    std::span<float> inputAt(Value value) const { return hostSide(inputs_, value); }
    std::span<const float> outputAt(Value value) const { return hostSide(outputs_, value); }
    /// How a value is stored on the device.
    DType typeOf(Value value) const;

    Status queueInputs(const AddressOf& addressOf) const;
    Status queueOutputs(const AddressOf& addressOf) const;

  private:
    struct Place {
        Value value;
        std::size_t offset = 0;  ///< floats
        std::size_t count = 0;
    };

    std::span<float> hostSide(const std::vector<Place>& places, Value value) const;

    DeviceExchange(Device& device, std::vector<bool> exact) : device_(device), exact_(std::move(exact)) {}

    Device& device_;
    std::vector<bool> exact_;
    std::vector<Place> inputs_, outputs_;
    std::unique_ptr<DeviceMemory> shared_;
};

}  // namespace reelbrush::kernels
