#include "engine/diffusion/control_stack.h"

#include "engine/diffusion/networks/unet_graph.h"
#include "engine/diffusion/streamed_weights.h"
#include "engine/weights/model_fit.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

std::string residualName(std::size_t index) {
    return fmt::format("residual.{}", index);
}

/// As diffusers counts: from the first step that begins within the part to the last one that ends within it.
bool actsIn(const ControlSettings& settings, std::size_t step, std::size_t steps) {
    const auto share = [&](std::size_t done) { return static_cast<float>(done) / static_cast<float>(steps); };
    return settings.strength != 0.0f && share(step) >= settings.start && share(step + 1) <= settings.end;
}

}  // namespace

Result<ControlStack> ControlStack::open(const std::vector<std::filesystem::path>& files, const FullModel& model) {
    ControlStack stack;
    for (const std::filesystem::path& file : files) {
        Net net;
        RB_ASSIGN(net.files, weights::openControlNet(file));
        RB_TRY(weights::checkFits(net.files, model.files));
        RB_ASSIGN(net.config, ControlNetConfig::fromJson(net.files.part.config));
        stack.nets_.push_back(std::move(net));
    }
    return stack;
}

std::vector<std::string> ControlStack::warnings() const {
    std::vector<std::string> sentences;
    for (const Net& net : nets_)
        if (std::string warning = weights::unreadWarning(net.files.path, net.files.unreadTensors); !warning.empty())
            sentences.push_back(std::move(warning));
    return sentences;
}

Status ControlStack::compile(const UnetShape& shape, Backend& backend, const CancelToken& cancel) {
    shape_ = shape;
    for (Net& net : nets_) {
        const UnetConfig& unet = net.config.unet;
        const int reduction = net.config.reduction();
        Graph graph;
        ControlNetInputs inputs;
        inputs.latents = graph.input("latents", {1, shape.height, shape.width, kLatentChannels});
        inputs.picture =
            graph.input("picture", {1, shape.height * reduction, shape.width * reduction, net.config.pictureChannels});
        inputs.conditions.timestep = graph.input("timestep", {1});
        inputs.context = graph.input("context", {shape.prompts, shape.tokens, unet.contextChannels});
        if (unet.pooledChannels > 0) {
            inputs.conditions.pooled = graph.input("pooled", {shape.prompts, unet.pooledChannels});
            inputs.conditions.timeIds = graph.input("timeIds", {1, 6});
            const auto height = static_cast<float>(shape.height * reduction);
            const auto width = static_cast<float>(shape.width * reduction);
            timeIds_ = {height, width, 0, 0, height, width};
        }
        const auto residuals = buildControlNet(graph, net.config, inputs);
        residualCount_ = residuals.size();
        for (std::size_t i = 0; i < residuals.size(); ++i) graph.output(residualName(i), residuals[i]);
        RB_ASSIGN(net.plan, Plan::compile(std::move(graph), StreamedWeights(*net.files.part.weights, cancel), backend));
        net.files.part.weights->dropPages();
    }
    return {};
}

std::size_t ControlStack::arenaBytes() const {
    std::size_t bytes = 0;
    for (const Net& net : nets_)
        if (net.plan) bytes = std::max(bytes, net.plan->arenaBytes());
    return bytes;
}

std::size_t ControlStack::weightBytes() const {
    std::size_t bytes = 0;
    for (const Net& net : nets_)
        if (net.plan) bytes += net.plan->weightBytes();
    return bytes;
}

Status ControlStack::bind(std::span<std::byte> arena) {
    for (Net& net : nets_) RB_TRY(net.plan->bind(arena));
    return {};
}

Status ControlStack::run(Net& net, const Request& request, std::size_t frame, std::size_t index,
                         const CancelToken& cancel) {
    Plan& plan = *net.plan;
    const auto latents = plan.input("latents"), picture = plan.input("picture");
    const auto& given = request.frames[frame].controls[index];
    RB_ENSURE(given.size() == picture.size(), "a control picture of another size than the painter's");
    std::ranges::copy(request.latents.subspan(frame * latents.size(), latents.size()), latents.begin());
    std::ranges::copy(given, picture.begin());
    plan.input("timestep")[0] = request.timestep;
    std::ranges::copy(request.context.context, plan.input("context").begin());
    if (net.config.unet.pooledChannels > 0) {
        std::ranges::copy(request.context.pooled, plan.input("pooled").begin());
        std::ranges::copy(timeIds_, plan.input("timeIds").begin());
    }
    return plan.run([&] { return cancel.isCancelled(); });
}

Status ControlStack::addResiduals(const Request& request, const CancelToken& cancel,
                                  std::vector<std::vector<float>>& residuals) {
    residuals.clear();
    const auto prompts = static_cast<std::size_t>(shape_.prompts), frames = static_cast<std::size_t>(shape_.frames);
    for (std::size_t n = 0; n < nets_.size(); ++n) {
        const ControlSettings& settings = request.settings[n];
        if (!actsIn(settings, request.step, request.steps)) continue;
        if (residuals.empty()) residuals.resize(residualCount_);
        for (std::size_t frame = 0; frame < frames; ++frame) {
            RB_TRY(run(nets_[n], request, frame, n, cancel));
            for (std::size_t i = 0; i < residualCount_; ++i) {
                const auto values = nets_[n].plan->output(residualName(i));
                const auto batch = static_cast<std::size_t>(nets_[n].plan->outputShape(residualName(i)).batch());
                const std::size_t count = values.size() / batch;
                residuals[i].resize(prompts * frames * count);
                for (std::size_t prompt = 0; prompt < prompts; ++prompt) {
                    const auto from = values.subspan(batch == 1 ? 0 : prompt * count, count);
                    float* to = residuals[i].data() + (prompt * frames + frame) * count;
                    for (std::size_t k = 0; k < count; ++k) to[k] += settings.strength * from[k];
                }
            }
        }
    }
    return {};
}

}  // namespace reelbrush::diffusion
