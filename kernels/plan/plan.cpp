#include "kernels/plan/plan.h"

#include "kernels/plan/device_exchange.h"
#include "kernels/plan/fusion.h"
#include "kernels/plan/memory_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

namespace reelbrush::kernels {

struct Plan::Impl {
    Backend* backend = nullptr;
    Graph graph;
    std::vector<std::unique_ptr<Step>> steps;  ///< one per node; null for reshapes
    std::vector<int> storage;  ///< value → the value whose memory it shares (itself, but for reshapes)
    std::vector<std::size_t> valueOffsets, scratchOffsets;
    std::size_t arenaBytes = 0;
    std::byte* arena = nullptr;
    std::unique_ptr<DeviceExchange> exchange;  ///< where the backend has a device of its own
    std::unique_ptr<Recording> recording;      ///< of a whole run, from the second on
    bool hasRun = false;                       ///< since it was bound

    void shareReshapes();
    void placeInArena();
    std::size_t bytesOf(Value value) const;
    std::byte* addressOf(Value value) const;
    Status queueRun() const;
    Status runOnDevice();
    Result<double> timed(Step& step) const;
    const Value* find(const std::vector<std::pair<std::string, Value>>& list, std::string_view name) const;
    StepReport reportOf(std::size_t node) const;
};

void Plan::Impl::shareReshapes() {
    storage.resize(graph.valueCount());
    for (std::size_t i = 0; i < storage.size(); ++i) storage[i] = static_cast<int>(i);
    for (const Node& node : graph.nodes())
        if (std::holds_alternative<Reshape>(node.op))
            storage[static_cast<std::size_t>(node.output.index)] =
                storage[static_cast<std::size_t>(node.inputs[0].index)];
}

/// A value lives from the step that makes it to the last that reads it; inputs and outputs live throughout, so that
/// inputs survive from run to run and outputs until the caller has read them.
void Plan::Impl::placeInArena() {
    const auto& nodes = graph.nodes();
    const int last = std::max(0, static_cast<int>(nodes.size()) - 1);
    std::vector<MemoryRequest> requests(graph.valueCount() + nodes.size());
    const auto touch = [&](Value value, int firstStep, int lastStep) {
        const auto root = static_cast<std::size_t>(storage[static_cast<std::size_t>(value.index)]);
        MemoryRequest& request = requests[root];
        if (request.bytes == 0) {
            request.bytes = bytesOf(Value{static_cast<int>(root)});
            request.firstStep = firstStep;
        }
        request.firstStep = std::min(request.firstStep, firstStep);
        request.lastStep = std::max(request.lastStep, lastStep);
    };
    for (const auto& [name, value] : graph.inputs()) touch(value, 0, last);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const int step = static_cast<int>(i);
        touch(nodes[i].output, step, step);
        for (Value input : nodes[i].inputs) touch(input, step, step);
        const std::size_t scratch = steps[i] ? steps[i]->scratchBytes() : 0;
        requests[graph.valueCount() + i] = MemoryRequest{scratch, step, step};
    }
    for (const auto& [name, value] : graph.outputs()) touch(value, last, last);

    MemoryPlan plan = planMemory(requests);
    arenaBytes = plan.totalBytes;
    const auto split = plan.offsets.begin() + static_cast<std::ptrdiff_t>(graph.valueCount());
    valueOffsets.assign(plan.offsets.begin(), split);
    scratchOffsets.assign(split, plan.offsets.end());
}

std::size_t Plan::Impl::bytesOf(Value value) const {
    const DType type = exchange ? exchange->typeOf(value) : DType::F32;
    return static_cast<std::size_t>(graph.shapeOf(value).elements()) * sizeOf(type);
}

std::byte* Plan::Impl::addressOf(Value value) const {
    const auto root = static_cast<std::size_t>(storage[static_cast<std::size_t>(value.index)]);
    return arena + valueOffsets[root];
}

/// All of a run on a device, from the caller's inputs to its outputs.
Status Plan::Impl::queueRun() const {
    const auto addresses = [this](Value value) { return addressOf(value); };
    RB_TRY(exchange->queueInputs(addresses));
    for (const auto& step : steps)
        if (step) RB_TRY(step->run());
    return exchange->queueOutputs(addresses);
}

/// Plans that run once are never recorded, and the first run loads whatever is loaded late.
Status Plan::Impl::runOnDevice() {
    if (hasRun && !recording) {
        RB_ASSIGN(recording, backend->device()->record([this] { return queueRun(); }));
    }
    RB_TRY(recording ? recording->replay() : queueRun());
    hasRun = true;
    return backend->device()->finish();
}

Result<double> Plan::Impl::timed(Step& step) const {
    if (exchange) return backend->device()->timed([&] { return step.run(); });
    const auto start = std::chrono::steady_clock::now();
    RB_TRY(step.run());
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

const Value* Plan::Impl::find(const std::vector<std::pair<std::string, Value>>& list, std::string_view name) const {
    const auto found = std::ranges::find_if(list, [&](const auto& entry) { return entry.first == name; });
    return found == list.end() || !arena ? nullptr : &found->second;
}

StepReport Plan::Impl::reportOf(std::size_t node) const {
    const Node& n = graph.nodes()[node];
    const Step& step = *steps[node];
    StepReport report;
    report.name = n.name;
    report.op = nameOf(n.op);
    report.algorithm = step.algorithm();
    report.output = graph.shapeOf(n.output);
    report.operations = step.operations();
    report.int8 = step.isInt8();
    report.bytes = static_cast<double>(bytesOf(n.output) + step.weightBytes());
    for (Value input : n.inputs) report.bytes += static_cast<double>(bytesOf(input));
    return report;
}

Plan::Plan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

Result<Plan> Plan::compile(Graph graph, const WeightProvider& weights, Backend& backend) {
    RB_TRY(graph.status());
    backend.enter();
    fuse(graph);
    auto impl = std::make_unique<Impl>();
    impl->backend = &backend;
    for (const Node& node : graph.nodes()) {
        std::unique_ptr<Step> step;
        if (!std::holds_alternative<Reshape>(node.op)) {
            std::vector<Shape> shapes;
            for (Value input : node.inputs) shapes.push_back(graph.shapeOf(input));
            auto prepared = backend.prepare(StepRequest{node, shapes, graph.shapeOf(node.output), weights});
            if (!prepared) {
                Error error = std::move(prepared).error();
                error.message = fmt::format("{}: {}", node.name, error.message);
                return fail(std::move(error));
            }
            step = std::move(*prepared);
        }
        impl->steps.push_back(std::move(step));
    }
    std::vector<Step*> order;
    for (const auto& step : impl->steps)
        if (step) order.push_back(step.get());
    RB_TRY(backend.arrange(order));
    impl->graph = std::move(graph);
    if (Device* device = backend.device()) {
        RB_ASSIGN(impl->exchange, DeviceExchange::create(*device, impl->graph));
    }
    impl->shareReshapes();
    impl->placeInArena();
    return Plan(std::move(impl));
}

std::size_t Plan::arenaBytes() const {
    return impl_->arenaBytes;
}

std::size_t Plan::weightBytes() const {
    std::size_t bytes = 0;
    for (const auto& step : impl_->steps) bytes += step ? step->weightBytes() : 0;
    return bytes;
}

std::size_t Plan::hostWeightBytes() const {
    std::size_t bytes = 0;
    for (const auto& step : impl_->steps) bytes += step ? step->hostWeightBytes() : 0;
    return bytes;
}

Status Plan::bind(std::span<std::byte> arena) {
    RB_ENSURE(arena.size() >= impl_->arenaBytes, "arena smaller than the plan's peak");
    impl_->arena = arena.data();
    impl_->recording.reset();
    impl_->hasRun = false;
    for (std::size_t i = 0; i < impl_->steps.size(); ++i) {
        if (!impl_->steps[i]) continue;
        const Node& node = impl_->graph.nodes()[i];
        StepBuffers buffers;
        for (Value input : node.inputs)
            buffers.inputs.push_back(reinterpret_cast<const float*>(impl_->addressOf(input)));
        buffers.output = reinterpret_cast<float*>(impl_->addressOf(node.output));
        buffers.scratch = impl_->arena + impl_->scratchOffsets[i];
        impl_->steps[i]->bind(buffers);
    }
    return {};
}

std::span<float> Plan::input(std::string_view name) {
    const Value* value = impl_->find(impl_->graph.inputs(), name);
    if (!value) return {};
    if (impl_->exchange) return impl_->exchange->inputAt(*value);
    return {reinterpret_cast<float*>(impl_->addressOf(*value)),
            static_cast<std::size_t>(impl_->graph.shapeOf(*value).elements())};
}

std::span<const float> Plan::output(std::string_view name) const {
    const Value* value = impl_->find(impl_->graph.outputs(), name);
    if (!value) return {};
    if (impl_->exchange) return impl_->exchange->outputAt(*value);
    return {reinterpret_cast<const float*>(impl_->addressOf(*value)),
            static_cast<std::size_t>(impl_->graph.shapeOf(*value).elements())};
}

Shape Plan::outputShape(std::string_view name) const {
    for (const auto& [outputName, value] : impl_->graph.outputs())
        if (outputName == name) return impl_->graph.shapeOf(value);
    return {};
}

Status Plan::run(const std::function<bool()>& cancelled) {
    RB_ENSURE(impl_->arena != nullptr, "plan run before bind");
    impl_->backend->enter();
    if (impl_->exchange) {
        if (cancelled && cancelled()) return fail(StatusCode::Cancelled, "cancelled");
        return impl_->runOnDevice();
    }
    for (const auto& step : impl_->steps) {
        if (!step) continue;
        if (cancelled && cancelled()) return fail(StatusCode::Cancelled, "cancelled");
        RB_TRY(step->run());
    }
    return {};
}

Result<std::size_t> Plan::reloadWeights(const WeightProvider& weights,
                                        const std::set<std::string, std::less<>>& touched) {
    impl_->backend->enter();
    std::size_t reloaded = 0;
    for (std::size_t i = 0; i < impl_->steps.size(); ++i) {
        const auto& names = impl_->graph.nodes()[i].weights;
        const auto isTouched = [&](const std::string& name) { return touched.contains(name); };
        if (!impl_->steps[i] || std::ranges::none_of(names, isTouched)) continue;
        RB_TRY(impl_->steps[i]->loadWeights(weights));
        ++reloaded;
    }
    return reloaded;
}

std::vector<StepReport> Plan::report() const {
    std::vector<StepReport> reports;
    for (std::size_t i = 0; i < impl_->steps.size(); ++i)
        if (impl_->steps[i]) reports.push_back(impl_->reportOf(i));
    return reports;
}

Result<std::vector<StepReport>> Plan::profile(int repeats) {
    RB_ENSURE(impl_->arena != nullptr, "plan profiled before bind");
    impl_->backend->enter();
    if (impl_->exchange) RB_TRY(impl_->exchange->queueInputs([this](Value value) { return impl_->addressOf(value); }));
    std::vector<StepReport> reports = report();
    for (StepReport& entry : reports) entry.seconds = std::numeric_limits<double>::max();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        auto entry = reports.begin();
        for (const auto& step : impl_->steps) {
            if (!step) continue;
            RB_ASSIGN(const double seconds, impl_->timed(*step));
            entry->seconds = std::min(entry->seconds, seconds);
            ++entry;
        }
    }
    return reports;
}

}  // namespace reelbrush::kernels
