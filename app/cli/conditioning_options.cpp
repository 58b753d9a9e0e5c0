#include "app/cli/conditioning_options.h"

#include "app/cli/suffix_values.h"

#include <fmt/format.h>

namespace reelbrush::cli {

namespace {

constexpr const char* kModelForm = "NAME|PATH";

Status checkWithin(const char* what, double value, double least, double most) {
    if (value >= least && value <= most) return {};
    return fail(StatusCode::BadInput,
                fmt::format("{} must lie between {} and {}, and {} does not", what, least, most, value));
}

Status setNumber(const char* what, const std::optional<double>& given, double least, double most, double& value) {
    if (!given) return {};
    RB_TRY(checkWithin(what, *given, least, most));
    value = *given;
    return {};
}

Status applyIpAdapter(const ConditioningArguments& arguments, styles::StyleConditioning& conditioning) {
    if (!arguments.ipAdapter.empty()) {
        const SuffixValues parts = splitSuffixValues(arguments.ipAdapter, 1);
        styles::StyleIpAdapter adapter = conditioning.ipAdapter.value_or(styles::StyleIpAdapter{});
        adapter.model = parts.head;
        if (!parts.values.empty()) adapter.strength = parts.values[0];
        conditioning.ipAdapter = std::move(adapter);
    }
    if (!conditioning.ipAdapter) {
        if (arguments.imageEncoder.empty() && !arguments.styleOnly) return {};
        return fail(StatusCode::BadInput, "--image-encoder and --style-only belong to an IP-Adapter: add --ip-adapter");
    }
    if (!arguments.imageEncoder.empty()) conditioning.ipAdapter->imageEncoder = arguments.imageEncoder;
    if (arguments.styleOnly) conditioning.ipAdapter->styleOnly = true;
    if (conditioning.ipAdapter->imageEncoder.empty())
        return fail(StatusCode::BadInput,
                    "an IP-Adapter needs the image encoder that it was trained with: add "
                    "--image-encoder (a CLIP vision model)");
    return checkWithin("the strength of an IP-Adapter", conditioning.ipAdapter->strength, 0, 10);
}

Status applyMotion(const ConditioningArguments& arguments, styles::StyleConditioning& conditioning) {
    if (arguments.motion.empty()) return {};
    const SuffixValues parts = splitSuffixValues(arguments.motion, 2);
    styles::StyleMotion motion;
    motion.model = parts.head;
    if (!parts.values.empty()) motion.frames = static_cast<int>(parts.values[0]);
    motion.overlap = parts.values.size() > 1 ? static_cast<int>(parts.values[1]) : motion.frames / 4;
    RB_TRY(checkWithin("the frames of a motion window", motion.frames, 2, 128));
    RB_TRY(checkWithin("the overlap of motion windows", motion.overlap, 0, motion.frames - 1));
    conditioning.motion = std::move(motion);
    return {};
}

}  // namespace

Result<styles::StyleControl> parseControl(const std::string& text) {
    styles::StyleControl control;
    std::string rest = text;
    if (const std::size_t equals = text.find('='); equals != std::string::npos) {
        control.preprocessor = text.substr(0, equals);
        rest = text.substr(equals + 1);
    }
    if (const auto range = splitSuffixRange(rest)) {
        rest = range->head;
        control.start = range->from;
        control.end = range->to;
    }
    const SuffixValues parts = splitSuffixValues(rest, 1);
    control.model = parts.head;
    if (!parts.values.empty()) control.strength = parts.values[0];
    if (control.model.empty() || control.preprocessor.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("a control is written [PREPROCESSOR=]MODEL[:STRENGTH[:START-END]], such as "
                                "canny=control_v11p_sd15_canny:0.8:0-0.6, and '{}' is not",
                                text));
    RB_TRY(checkWithin("the strength of a control", control.strength, 0, 10));
    if (!(control.start >= 0 && control.start <= control.end && control.end <= 1))
        return fail(StatusCode::BadInput,
                    fmt::format("'{}': a control starts and ends within 0-1, and does not end before it starts", text));
    return control;
}

Status applyConditioning(const ConditioningArguments& arguments, styles::StyleCard& card) {
    styles::StyleConditioning& conditioning = card.conditioning;
    if (!arguments.model.empty()) card.baseModel = arguments.model;
    if (arguments.prompt) card.prompt = *arguments.prompt;
    if (arguments.negative) card.negativePrompt = *arguments.negative;
    if (!arguments.sampler.empty()) card.sampler = arguments.sampler;
    if (!arguments.vae.empty()) conditioning.vae = arguments.vae;
    if (!arguments.textEncoder.empty()) conditioning.textEncoder = arguments.textEncoder;
    if (!arguments.controls.empty()) conditioning.controls.clear();
    for (const std::string& text : arguments.controls) {
        RB_ASSIGN(conditioning.controls.emplace_back(), parseControl(text));
    }
    RB_TRY(applyIpAdapter(arguments, conditioning));
    RB_TRY(applyMotion(arguments, conditioning));
    if (!arguments.promptWeights.empty()) conditioning.comfyPromptWeights = arguments.promptWeights == "comfyui";
    if (!arguments.noise.empty()) conditioning.cudaNoise = arguments.noise == "cuda";
    if (arguments.clipSkip) {
        RB_TRY(checkWithin("clip skip", *arguments.clipSkip, 0, 12));
        conditioning.clipSkip = *arguments.clipSkip;
    }
    RB_TRY(setNumber("the guidance falloff", arguments.guidanceFalloff, 0, 10, conditioning.guidanceFalloff));
    RB_TRY(setNumber("the guidance rescale", arguments.guidanceRescale, 0, 1, conditioning.guidanceRescale));
    RB_TRY(setNumber("the image guidance", arguments.imageGuidance, 0, 100, conditioning.imageGuidance));
    RB_TRY(setNumber("the query blend", arguments.queryBlend, 0, 1, conditioning.injection.queryBlend));
    return setNumber("the injection temperature", arguments.temperature, 0.1, 10, conditioning.injection.temperature);
}

void addConditioningOptions(CLI::App& verb, ConditioningArguments& a) {
    constexpr const char* kGroup = "Full diffusion models (SD 1.5, SD 2.x, SDXL)";
    const auto option = [&](const std::string& name, auto& value, const std::string& help, const char* form) {
        return verb.add_option(name, value, help)->type_name(form)->group(kGroup);
    };
    option("--model", a.model, "the model that paints, in place of the style's ('models list' shows them)", kModelForm);
    option("--prompt", a.prompt, "what is to be painted; (words:1.2), BREAK and <lora:name:0.7> as in A1111", "TEXT");
    option("--negative", a.negative, "what is not", "TEXT");
    option("--sampler", a.sampler,
           "ddim, euler, euler a, heun, dpm++ 2m [sde] [karras], unipc, lcm, tcd; auto: what the model was made for",
           "NAME");
    option("--vae", a.vae, "another VAE than the model's own", kModelForm);
    option("--text-encoder", a.textEncoder, "the text encoder of a model that comes without one", kModelForm);
    option("--control", a.controls,
           "a ControlNet with how its picture is made: canny, softedge, scribble, luminance, tile, none; may be given "
           "several times",
           "[KIND=]MODEL[:STRENGTH[:START-END]]")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    option("--ip-adapter", a.ipAdapter, "lets the style pictures act through an IP-Adapter", "MODEL[:STRENGTH]");
    option("--image-encoder", a.imageEncoder, "the CLIP vision model of the IP-Adapter", kModelForm);
    verb.add_flag("--style-only", a.styleOnly, "the IP-Adapter takes the pictures' style, not their content")
        ->group(kGroup);
    option("--motion", a.motion, "a motion module (AnimateDiff): frames of a window, and frames shared by two windows",
           "MODEL[:FRAMES[:OVERLAP]]");
    option("--prompt-weights", a.promptWeights, "how (words:1.2) is read: a1111 (default) or comfyui", "NAME")
        ->check(CLI::IsMember({"a1111", "comfyui"}));
    option("--clip-skip", a.clipSkip, "layers of the text encoder to leave out, as A1111 counts", "N");
    option("--noise", a.noise, "whose seeds: cpu (ComfyUI, default) or cuda (A1111)", "NAME")
        ->check(CLI::IsMember({"cpu", "cuda"}));
    option("--guidance-falloff", a.guidanceFalloff, "lets the guidance fall as (1 - t/T)^P; 0.5 is usual", "P");
    option("--guidance-rescale", a.guidanceRescale, "0 to 1, against colours that burn out; 0.7 is usual", "R");
    option("--image-guidance", a.imageGuidance, "InstructPix2Pix: how much of the frame is kept; 1.5 is usual", "G");
    option("--query-blend", a.queryBlend, "style picture without IP-Adapter: 1 keeps the frame's drawing, 0 does not",
           "0..1");
    option("--style-temperature", a.temperature, "style picture without IP-Adapter: above 1 sharpens the style", "T");
}

}  // namespace reelbrush::cli
