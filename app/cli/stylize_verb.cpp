#include "app/cli/argument_values.h"
#include "app/cli/conditioning_options.h"
#include "app/cli/console.h"
#include "app/cli/encoder_option.h"
#include "app/cli/exit_code.h"
#include "app/cli/precision_option.h"
#include "app/cli/stylize_run.h"
#include "app/cli/verb.h"
#include "engine/session/partial_output.h"
#include "engine/styles/style_catalogue.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelbrush::cli {

namespace {

/// As typed; what stays empty follows the style card or the clip.
struct StylizeArguments {
    std::string input, output, style;
    std::vector<std::string> loras;
    ConditioningArguments conditioning;
    std::optional<double> structure, guidance;
    bool keepColours = false, styleColours = false;
    std::optional<int> steps;
    std::string seed, size, range, rate = "25", ram, device = "auto", vram, codec, progress = "auto", trace;
    kernels::Precision precision = kernels::Precision::Fastest;
    media::EncoderPlace encoder = media::EncoderPlace::Auto;
    int threads = 0, batch = 0, quality = 80;
    bool toneMap = false, noOverwrite = false, json = false;
};

/// Everything but the style. Errors: BadInput, about the command line.
Result<session::StylizeRequest> requestFrom(const StylizeArguments& arguments) {
    session::StylizeRequest request;
    request.input = arguments.input;
    request.output = arguments.output;
    request.structure = arguments.structure;
    if (arguments.keepColours || arguments.styleColours) request.keepColours = arguments.keepColours;
    request.steps = arguments.steps;
    request.guidance = arguments.guidance;
    if (!arguments.seed.empty()) {
        RB_ASSIGN(request.seed, parseSeed(arguments.seed));
    }
    if (!arguments.size.empty()) {
        RB_ASSIGN(request.size, parseSize(arguments.size));
    }
    if (!arguments.range.empty()) {
        RB_ASSIGN(const FrameRange range, parseRange(arguments.range));
        request.firstFrame = range.first;
        request.lastFrame = range.last;
    }
    RB_ASSIGN(request.sequenceRate, parseRate(arguments.rate));
    RB_ASSIGN(request.device, diffusion::ComputeDevice::parse(arguments.device));
    if (!arguments.vram.empty()) {
        RB_ASSIGN(request.vramBytes, parseBytes(arguments.vram));
    }
    if (!arguments.ram.empty()) {
        RB_ASSIGN(request.ramBytes, parseBytes(arguments.ram));
    }
    request.toneMapHdr = arguments.toneMap;
    request.codec = arguments.codec;
    request.quality = arguments.quality;
    request.encoder = arguments.encoder;
    request.overwrite = !arguments.noOverwrite;
    request.threads = arguments.threads;
    request.traceFile = arguments.trace;
    request.batchFrames = arguments.batch;
    request.precision = arguments.precision;
    RB_TRY(session::checkValues(request));
    return request;
}

/// A style by its name or file; without one the prompt and the LoRAs are the style.
Result<styles::StyleCard> styleFrom(const StylizeArguments& arguments) {
    if (!arguments.style.empty()) return styles::resolveStyle(arguments.style, styles::StyleCatalogue::load());
    styles::StyleCard card;
    card.name = arguments.conditioning.prompt ? "prompt" : "LoRA";
    return card;
}

int stylize(const StylizeArguments& arguments, InterruptWatch& interrupts) {
    auto request = requestFrom(arguments);
    if (!request) return refuseUsage(request.error().message);
    for (const std::string& text : arguments.loras) {
        const auto lora = parseLora(text);
        if (!lora) return failWith(lora.error());
        request->loras.push_back(*lora);
    }
    if (arguments.style.empty() && !arguments.conditioning.prompt && arguments.loras.empty())
        return refuseUsage("there is no style: give --style, --prompt or --lora");
    auto style = styleFrom(arguments);
    if (!style) return failWith(style.error());
    request->style = *std::move(style);
    if (const Status applied = applyConditioning(arguments.conditioning, request->style); !applied)
        return refuseUsage(applied.error().message);

    interrupts.setBeforeExit([output = request->output] { session::removePartialOutput(output); });
    session::SessionOptions options;
    options.application = interrupts.token();
    session::Session session(std::move(options));
    ProgressDisplay display(progressForm(arguments.progress));
    const auto report = runToEnd(session, *std::move(request), display);
    if (!report) return tellFailure(report.error(), interrupts);
    if (arguments.json) {
        printJson(reportJson(*report));
        return kDone;
    }
    printLine(reportLine(*report));
    for (const std::string& lora : report->loras) printLine("LoRA " + lora);
    for (const std::string& note : report->notes) printLine("note: " + note);
    return kDone;
}

void addPaintingOptions(CLI::App& verb, StylizeArguments& a) {
    verb.add_option("--style", a.style, "a style card by name or file, or any picture ('styles list' shows the cards)")
        ->type_name("CARD|PICTURE");
    verb.add_option("--lora", a.loras, "a LoRA to add, with its strength (1 when left out); may be given several times")
        ->type_name("NAME|FILE[:STRENGTH]")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    verb.add_option("--structure", a.structure, "how much of the frame's drawing is kept, 0 to 1")->type_name("0..1");
    auto* keep = verb.add_flag("--keep-colours", a.keepColours, "keep the clip's colours");
    verb.add_flag("--style-colours", a.styleColours, "take the style's colours")->excludes(keep);
    verb.add_option("--steps", a.steps, "denoising steps, 1 to 1000")->type_name("N");
    verb.add_option("--guidance", a.guidance, "how strongly the style acts; 1 is faithful and twice as fast")
        ->type_name("G");
    verb.add_option("--seed", a.seed, "another seed paints another variant")->type_name("S");
    addPrecisionOption(verb, a.precision);
}

void addClipOptions(CLI::App& verb, StylizeArguments& a) {
    verb.add_option("--size", a.size, "paint and write at this size; default: the clip's own")->type_name("WxH");
    verb.add_option("--range", a.range, "only these frames, counted from 0, both included: 10-20, 10-, 7")
        ->type_name("FROM-TO");
    verb.add_option("--rate", a.rate, "frames per second of a picture sequence; default 25")->type_name("FPS");
    verb.add_flag("--tone-map", a.toneMap, "bring an HDR clip down to standard range, which is refused otherwise");
    verb.add_option("--codec", a.codec, "h264, h265, av1, vp9, prores, ffv1 or the name of an FFmpeg encoder")
        ->type_name("NAME");
    addEncoderOption(verb, a.encoder);
    verb.add_option("--quality", a.quality, "0 (worst) to 100; default 80")->type_name("Q");
    verb.add_flag("--no-overwrite", a.noOverwrite, "fail when OUT exists, instead of replacing it");
}

void addRunOptions(CLI::App& verb, StylizeArguments& a) {
    verb.add_option("--threads", a.threads, "threads that paint; default: one for each processor")->type_name("N");
    verb.add_option("--device", a.device, "auto (default: a GPU where one can be used), cpu, cuda or cuda:NUMBER")
        ->type_name("DEVICE");
    verb.add_option("--batch", a.batch,
                    "frames painted at once; default: one on the processor, as many as keep it busy on a GPU")
        ->type_name("N")
        ->check(CLI::Range(1, 64));
    verb.add_option("--vram", a.vram, "most GPU memory to use, such as 4G")->type_name("BYTES");
    verb.add_option("--ram", a.ram, "most memory to use, such as 800M or 2G; told before the start if it is too little")
        ->type_name("BYTES");
    verb.add_option("--progress", a.progress,
                    "auto: one line on a terminal, else JSON lines; json; none. Progress goes to stderr")
        ->type_name("FORM")
        ->check(CLI::IsMember({"auto", "json", "none"}));
    verb.add_option(
            "--trace", a.trace,
            "write what happens when into FILE, for ui.perfetto.dev or chrome://tracing: stages, queues, memory, "
            "and a GPU's kernels and copies")
        ->type_name("FILE");
    verb.add_flag("--json", a.json, "print the report as JSON");
}

}  // namespace

void addStylizeVerb(CLI::App& program, Action& action) {
    const auto arguments = std::make_shared<StylizeArguments>();
    CLI::App* verb = program.add_subcommand("stylize", "restyle a video, a picture or a picture sequence");
    verb->add_option("IN", arguments->input, "a video, a picture, or a sequence such as shot.%04d.png or its folder")
        ->required();
    verb->add_option(
            "OUT", arguments->output,
            "a video (.mp4 .mov .mkv .webm .avi .gif), a picture (.png .jpg .webp .tiff .exr), or a sequence such "
            "as out.%04d.png or a folder that exists or ends in /")
        ->required();
    addPaintingOptions(*verb, *arguments);
    addConditioningOptions(*verb, arguments->conditioning);
    addClipOptions(*verb, *arguments);
    addRunOptions(*verb, *arguments);
    verb->callback([arguments, &action] {
        action = [arguments](InterruptWatch& interrupts) { return stylize(*arguments, interrupts); };
    });
}

}  // namespace reelbrush::cli
