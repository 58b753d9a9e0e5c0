#include "kernels/cuda/trace/device_rows.h"

#include "kernels/cuda/trace/kernel_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace reelbrush::kernels {

DeviceRows::Stream& DeviceRows::streamOf(const DeviceWork& work) {
    Stream& stream = streams_[{work.device, work.stream}];
    if (stream.row != 0) return stream;
    auto group = groups_.find(work.device);
    if (group == groups_.end()) {
        const std::string name = work.device < names_.size() ? names_[work.device] : "GPU";
        group = groups_.emplace(work.device, tracer_->addGroup(fmt::format("GPU {}: {}", work.device, name))).first;
    }
    stream.launchRow = tracer_->addRow(group->second, fmt::format("graphs of stream {}", work.stream));
    stream.row = tracer_->addRow(group->second, fmt::format("stream {}", work.stream));
    return stream;
}

void DeviceRows::addKernel(const DeviceWork& work, std::string_view mangledName, std::span<const TraceValue> values) {
    Stream& stream = streamOf(work);
    const auto [name, isNew] = kernelNames_.try_emplace(std::string(mangledName));
    if (isNew) name->second = kernelName(mangledName);
    tracer_->addSpan(stream.row, name->second, work.startNs, work.endNs, values);
    addToLaunch(work, stream);
}

void DeviceRows::addCopy(const DeviceWork& work, std::string_view name, std::uint64_t bytes) {
    Stream& stream = streamOf(work);
    const auto taken = static_cast<double>(std::max<std::int64_t>(1, work.endNs - work.startNs));
    const std::array<TraceValue, 2> values{
        {{"bytes", static_cast<double>(bytes)}, {"gigabytesPerSecond", static_cast<double>(bytes) / taken}}};
    tracer_->addSpan(stream.row, name, work.startNs, work.endNs, values);
    addToLaunch(work, stream);
}

void DeviceRows::addLost(std::size_t records) {
    if (records == 0) return;
    lost_ += records;
    tracer_->count("GPU records lost", {{"records", static_cast<double>(lost_)}});
}

void DeviceRows::addToLaunch(const DeviceWork& work, Stream& stream) {
    Launch& launch = stream.launch;
    if (launch.works > 0 && launch.number != work.launch) endLaunch(stream);
    if (work.graph == 0) return;
    if (launch.works == 0) launch = {work.launch, work.graph, work.startNs, work.endNs, 0, 0};
    launch.startNs = std::min(launch.startNs, work.startNs);
    launch.endNs = std::max(launch.endNs, work.endNs);
    launch.busyNs += work.endNs - work.startNs;
    ++launch.works;
}

void DeviceRows::endLaunch(Stream& stream) {
    const Launch launch = std::exchange(stream.launch, {});
    if (launch.works == 0) return;
    const auto taken = static_cast<double>(std::max<std::int64_t>(1, launch.endNs - launch.startNs));
    const std::array<TraceValue, 2> values{
        {{"works", static_cast<double>(launch.works)}, {"busyShare", static_cast<double>(launch.busyNs) / taken}}};
    tracer_->addSpan(stream.launchRow, fmt::format("graph {}", launch.graph), launch.startNs, launch.endNs, values);
}

void DeviceRows::endLaunches() {
    for (auto& [key, stream] : streams_) endLaunch(stream);
}

}  // namespace reelbrush::kernels
