#pragma once

#include "kernels/tensor/tracer.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace reelbrush::kernels {

/// One kernel or copy of a device, as it was carried out.
struct DeviceWork {
    std::uint32_t device = 0, stream = 0;
    std::uint32_t launch = 0;  ///< what was queued in one go has one number: a kernel, or all of a graph
    std::uint32_t graph = 0;   ///< 0: not of a graph
    std::int64_t startNs = 0, endNs = 0;
};

/// The rows of a trace that belong to devices: for each stream what it carried out, and in a second row the launches of
/// graphs, each from its first work to its last. Thread: one at a time.
class DeviceRows {
  public:
    /// names: of the devices, by number.
    DeviceRows(std::shared_ptr<Tracer> tracer, std::vector<std::string> names)
        : tracer_(std::move(tracer)), names_(std::move(names)) {}
    ~DeviceRows() { endLaunches(); }
    DeviceRows(const DeviceRows&) = delete;
    DeviceRows& operator=(const DeviceRows&) = delete;

    /// mangledName: of a kernel.
    void addKernel(const DeviceWork& work, std::string_view mangledName, std::span<const TraceValue> values);
    void addCopy(const DeviceWork& work, std::string_view name, std::uint64_t bytes);
    /// What CUPTI lost because nobody took it in time.
    void addLost(std::size_t records);
    /// Writes the launches of graphs that may still go on.
    void endLaunches();

  private:
    struct Launch {
        std::uint32_t number = 0, graph = 0;
        std::int64_t startNs = 0, endNs = 0, busyNs = 0;
        int works = 0;  ///< 0: none
    };
    struct Stream {
        int row = 0, launchRow = 0;  ///< 0: there is none yet
        Launch launch;
    };

    Stream& streamOf(const DeviceWork& work);
    void addToLaunch(const DeviceWork& work, Stream& stream);
    void endLaunch(Stream& stream);

    const std::shared_ptr<Tracer> tracer_;
    const std::vector<std::string> names_;
    std::map<std::uint32_t, int> groups_;                                ///< device → group
    std::map<std::pair<std::uint32_t, std::uint32_t>, Stream> streams_;  ///< device and stream
    std::unordered_map<std::string, std::string> kernelNames_;
    std::size_t lost_ = 0;
};

}  // namespace reelbrush::kernels
