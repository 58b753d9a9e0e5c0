#include "engine/diffusion/unet_runner.h"

#include "engine/diffusion/networks/motion_module.h"
#include "engine/diffusion/networks/unet_graph.h"
#include "engine/diffusion/streamed_weights.h"
#include "kernels/plan/joined_weights.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::diffusion {

using namespace kernels;

namespace {

std::string controlName(std::size_t index) {
    return fmt::format("control.{}", index);
}

/// Each of the prompts' rows for each frame.
void repeatEach(std::span<const float> values, int prompts, int frames, std::span<float> out) {
    const std::size_t count = values.size() / static_cast<std::size_t>(prompts);
    auto to = out.begin();
    for (int prompt = 0; prompt < prompts; ++prompt)
        for (int frame = 0; frame < frames; ++frame)
            to = std::ranges::copy(values.subspan(static_cast<std::size_t>(prompt) * count, count), to).out;
}

}  // namespace

Result<UnetRunner> UnetRunner::compile(const FullModel& model, const UnetShape& shape, const UnetAdditions& additions,
                                       Backend& backend, const CancelToken& cancel) {
    const UnetConfig& config = model.unetConfig;
    const int extraChannels = config.inChannels - kLatentChannels;
    const int batch = shape.batch();
    Graph graph;
    UnetInputs inputs;
    // One frame is the same for all prompts, and then shares what comes before the first prompt is read.
    const int latentBatch = shape.frames == 1 ? 1 : batch;
    inputs.latents = graph.input("latents", {latentBatch, shape.height, shape.width, kLatentChannels});
    if (extraChannels > 0) {
        const Value extra = graph.input("extra", {batch, shape.height, shape.width, extraChannels});
        inputs.latents = graph.add(ConcatChannels{}, {inputs.latents, extra}, {}, "extra");
    }
    inputs.conditions.timestep = graph.input("timestep", {1});
    inputs.context = graph.input("context", {batch, shape.tokens, config.contextChannels});
    if (config.pooledChannels > 0) {
        inputs.conditions.pooled = graph.input("pooled", {batch, config.pooledChannels});
        inputs.conditions.timeIds = graph.input("timeIds", {1, 6});
    }
    if (shape.controlled) {
        const auto shapes = controlShapes(config, shape.height, shape.width, batch);
        for (std::size_t i = 0; i < shapes.size(); ++i)
            inputs.controls.push_back(graph.input(controlName(i), shapes[i]));
    }
    UnetHooks hooks;
    const StreamedWeights unet(*model.files.unet.weights, cancel);
    std::vector<const WeightProvider*> providers{&unet};
    std::optional<StreamedWeights> motionFile;
    std::optional<MotionWeights> motion;
    if (additions.motion) {
        RB_ASSIGN(const auto motionConfig, MotionModuleConfig::fromJson(additions.motion->part.config));
        hooks = withMotion(std::move(hooks), graph, motionConfig, shape.frames);
        motionFile.emplace(*additions.motion->part.weights, cancel);
        motion.emplace(*motionFile, motionConfig, shape.frames);
        providers.push_back(&*motion);
    }
    graph.output("prediction", buildUnet(graph, config, inputs, hooks));
    RB_ASSIGN(Plan plan, Plan::compile(std::move(graph), JoinedWeights(providers), backend));
    UnetRunner runner(shape, std::move(plan));
    runner.controlCount_ = static_cast<int>(inputs.controls.size());
    if (config.pooledChannels > 0) {
        // Painted as a picture that was never scaled or cropped.
        const auto height = static_cast<float>(shape.height * kPixelsPerLatent);
        const auto width = static_cast<float>(shape.width * kPixelsPerLatent);
        runner.timeIds_ = {height, width, 0, 0, height, width};
    }
    return runner;
}

Status UnetRunner::reload(const WeightProvider& weights, const std::set<std::string, std::less<>>& touched) {
    RB_TRY(plan_.reloadWeights(weights, touched));
    return {};
}

Result<std::span<const float>> UnetRunner::predict(std::span<const float> latents, float timestep,
                                                   const UnetContext& context,
                                                   const std::vector<std::vector<float>>& controls,
                                                   const CancelToken& cancel) {
    const auto in = plan_.input("latents");
    RB_ENSURE(in.size() % latents.size() == 0, "latents of another size than the UNet's");
    for (auto to = in.begin(); to != in.end();) to = std::ranges::copy(latents, to).out;
    if (const auto extra = plan_.input("extra"); !extra.empty()) {
        RB_ENSURE(extra.size() == context.extra.size(), "a UNet without what it sees beside the latents");
        std::ranges::copy(context.extra, extra.begin());
    }
    plan_.input("timestep")[0] = timestep;
    repeatEach(context.context, shape_.prompts, shape_.frames, plan_.input("context"));
    if (!timeIds_.empty()) {
        repeatEach(context.pooled, shape_.prompts, shape_.frames, plan_.input("pooled"));
        std::ranges::copy(timeIds_, plan_.input("timeIds").begin());
    }
    for (int i = 0; i < controlCount_; ++i) {
        const auto residual = plan_.input(controlName(static_cast<std::size_t>(i)));
        if (controls.empty())
            std::ranges::fill(residual, 0.0f);
        else
            std::ranges::copy(controls[static_cast<std::size_t>(i)], residual.begin());
    }
    RB_TRY(plan_.run([&] { return cancel.isCancelled(); }));
    return plan_.output("prediction");
}

}  // namespace reelbrush::diffusion
