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

constexpr const char* kImageTokens = "imageTokens";
constexpr const char* kImageScale = "imageScale";

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
    // Frames are the same for all prompts, and then share what comes before the first prompt is read; a prompt alone is
    // the same for all frames.
    const int latentBatch = extraChannels > 0 || shape.injected ? batch : shape.frames;
    const int contextBatch = shape.prompts == 1 ? 1 : batch;
    inputs.latents = graph.input("latents", {latentBatch, shape.height, shape.width, kLatentChannels});
    if (extraChannels > 0) {
        const Value extra = graph.input("extra", {batch, shape.height, shape.width, extraChannels});
        inputs.latents = graph.add(ConcatChannels{}, {inputs.latents, extra}, {}, "extra");
    }
    inputs.conditions.timestep = graph.input("timestep", {1});
    inputs.context = graph.input("context", {contextBatch, shape.tokens, config.contextChannels});
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
    std::optional<StreamedWeights> imagePromptFile;
    if (additions.imagePrompt) {
        const Value tokens = graph.input(kImageTokens, {contextBatch, shape.imageTokens, config.contextChannels});
        const Value scale = graph.input(kImageScale, {1});
        hooks = withIpAdapter(std::move(hooks), graph, config, tokens, scale, additions.imagePrompt->isStyleOnly());
        imagePromptFile.emplace(*additions.imagePrompt->files().weights, cancel);
        providers.push_back(&*imagePromptFile);
    }
    std::vector<InjectedLayer> injected;
    if (shape.injected) hooks = withStyleInjection(std::move(hooks), graph, config, injected);
    graph.output("prediction", buildUnet(graph, config, inputs, hooks));
    RB_ASSIGN(Plan plan, Plan::compile(std::move(graph), JoinedWeights(providers), backend));
    UnetRunner runner(shape, std::move(plan));
    runner.injected_ = std::move(injected);
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

Result<std::span<const float>> UnetRunner::predict(const UnetCall& call, const CancelToken& cancel) {
    auto latents = plan_.input("latents");
    if (shape_.injected) {
        RB_ENSURE(call.frame.size() == call.latents.size(), "style injection without the frame itself");
        std::ranges::copy(call.frame, latents.begin());
        latents = latents.subspan(call.frame.size());
        fillStyle(call);
    }
    RB_ENSURE(latents.size() % call.latents.size() == 0, "latents of another size than the UNet's");
    for (auto to = latents.begin(); to != latents.end();) to = std::ranges::copy(call.latents, to).out;
    if (const auto extra = plan_.input("extra"); !extra.empty()) {
        RB_ENSURE(extra.size() == call.context.extra.size(), "a UNet without what it sees beside the latents");
        std::ranges::copy(call.context.extra, extra.begin());
    }
    plan_.input("timestep")[0] = call.timestep;
    fillPrompts(call.context.context, plan_.input("context"));
    if (!timeIds_.empty()) {
        fillPrompts(call.context.pooled, plan_.input("pooled"));
        std::ranges::copy(timeIds_, plan_.input("timeIds").begin());
    }
    if (shape_.imageTokens > 0) {
        fillPrompts(call.context.imageTokens, plan_.input(kImageTokens));
        plan_.input(kImageScale)[0] = call.ipAdapterStrength;
    }
    for (int i = 0; i < controlCount_; ++i) fillResidual(call.controls, static_cast<std::size_t>(i));
    RB_TRY(plan_.run([&] { return cancel.isCancelled(); }));
    const auto prediction = plan_.output("prediction");
    return prediction.subspan(shape_.injected ? prediction.size() / static_cast<std::size_t>(shape_.batch()) : 0);
}

/// The frame itself is looked at with the first prompt, which guidance steers away from.
void UnetRunner::fillPrompts(std::span<const float> values, std::span<float> in) const {
    if (in.size() == values.size()) {
        std::ranges::copy(values, in.begin());
        return;
    }
    if (shape_.injected) {
        const auto first = values.first(values.size() / static_cast<std::size_t>(shape_.prompts));
        std::ranges::copy(first, in.begin());
        in = in.subspan(first.size());
    }
    repeatEach(values, shape_.prompts, shape_.frames, in);
}

/// ControlNets steer the painting, not the frame.
void UnetRunner::fillResidual(const std::vector<std::vector<float>>& controls, std::size_t index) {
    const auto residual = plan_.input(controlName(index));
    std::ranges::fill(residual, 0.0f);
    if (controls.empty()) return;
    const std::size_t before = residual.size() - controls[index].size();
    std::ranges::copy(controls[index], residual.subspan(before).begin());
}

void UnetRunner::fillStyle(const UnetCall& call) {
    const auto mix = plan_.input(kInjectionMix);
    mix[0] = call.temperature * call.blend;
    mix[1] = call.temperature * (1.0f - call.blend);
    std::size_t tensor = 0;
    for (const InjectedLayer& layer : injected_)
        for (const std::string& name : {layer.keyName(), layer.valueName()}) {
            const auto values = plan_.input(name);
            if (call.style)
                call.style->read(call.evaluation, tensor++, values);
            else
                std::ranges::fill(values, 0.0f);
        }
}

void UnetRunner::captureStyle(StyleBank& bank) const {
    bank.beginEvaluation();
    for (const InjectedLayer& layer : injected_) {
        bank.add(plan_.output(layer.keyName()));
        bank.add(plan_.output(layer.valueName()));
    }
}

std::size_t UnetRunner::styleValues() const {
    std::int64_t values = 0;
    for (const InjectedLayer& layer : injected_) values += 2 * layer.shape.elements();
    return static_cast<std::size_t>(values);
}

}  // namespace reelbrush::diffusion
