#include "kernels/plan/device_exchange.h"

#include "kernels/plan/exact_values.h"

#include <algorithm>
#include <utility>

namespace reelbrush::kernels {

namespace {

constexpr std::size_t kAlignmentFloats = 64;

}  // namespace

Result<std::unique_ptr<DeviceExchange>> DeviceExchange::create(Device& device, const Graph& graph) {
    std::unique_ptr<DeviceExchange> exchange(new DeviceExchange(device, exactValues(graph)));
    std::size_t floats = 0;
    const auto place = [&](const auto& named, std::vector<Place>& places) {
        for (const auto& [name, value] : named) {
            const auto count = static_cast<std::size_t>(graph.shapeOf(value).elements());
            places.push_back({value, floats, count});
            floats += (count + kAlignmentFloats - 1) / kAlignmentFloats * kAlignmentFloats;
        }
    };
    place(graph.inputs(), exchange->inputs_);
    place(graph.outputs(), exchange->outputs_);
    RB_ASSIGN(exchange->shared_, device.allocateShared(floats * sizeof(float), "a plan's inputs and outputs"));
    return exchange;
}

std::span<float> DeviceExchange::hostSide(const std::vector<Place>& places, Value value) const {
    const auto place = std::ranges::find(places, value, &Place::value);
    if (place == places.end()) return {};
    return {reinterpret_cast<float*>(shared_->data()) + place->offset, place->count};
}

DType DeviceExchange::typeOf(Value value) const {
    return exact_[static_cast<std::size_t>(value.index)] ? DType::F32 : device_.valueType();
}

Status DeviceExchange::queueInputs(const AddressOf& addressOf) const {
    for (const Place& place : inputs_)
        RB_TRY(device_.load(reinterpret_cast<const float*>(shared_->data()) + place.offset,
                            static_cast<std::int64_t>(place.count), typeOf(place.value), addressOf(place.value)));
    return {};
}

Status DeviceExchange::queueOutputs(const AddressOf& addressOf) const {
    for (const Place& place : outputs_)
        RB_TRY(device_.store(addressOf(place.value), typeOf(place.value), static_cast<std::int64_t>(place.count),
                             reinterpret_cast<float*>(shared_->data()) + place.offset));
    return {};
}

}  // namespace reelbrush::kernels
