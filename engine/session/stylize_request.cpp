#include "engine/session/stylize_request.h"

#include "engine/render/painting_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace reelbrush::session {

namespace {

namespace fs = std::filesystem;

constexpr int kMostSteps = 1000;
constexpr double kMostGuidance = 100.0;
constexpr double kMostStrength = 10.0;
constexpr int kMostThreads = 1024;

bool sameFile(const fs::path& a, const fs::path& b) {
    std::error_code ignored;
    return fs::equivalent(a, b, ignored);
}

template <typename Number>
Status checkWithin(std::string_view what, Number value, Number least, Number most) {
    // Written so that a NaN fails.
    if (value >= least && value <= most) return {};
    return fail(StatusCode::BadInput,
                fmt::format("{} must lie between {} and {}, and {} does not", what, least, most, value));
}

}  // namespace

styles::StyleCard effectiveStyle(const StylizeRequest& request) {
    styles::StyleCard style = request.style;
    for (const styles::StyleLora& wanted : request.loras) {
        const auto known = std::find_if(style.loras.begin(), style.loras.end(), [&](const styles::StyleLora& lora) {
            if (wanted.file.empty()) return lora.name == wanted.name;
            return lora.file == wanted.file || sameFile(lora.file, wanted.file);
        });
        if (known != style.loras.end())
            known->strength = wanted.strength;
        else
            style.loras.push_back(wanted);
    }
    style.structure = request.structure.value_or(style.structure);
    style.keepColours = request.keepColours.value_or(style.keepColours);
    style.steps = request.steps.value_or(style.steps);
    style.guidance = request.guidance.value_or(style.guidance);
    style.seed = request.seed.value_or(style.seed);
    return style;
}

Status checkValues(const StylizeRequest& request) {
    const styles::StyleCard style = effectiveStyle(request);
    RB_TRY(checkWithin("structure", style.structure, 0.0, 1.0));
    RB_TRY(checkWithin("steps", style.steps, 1, kMostSteps));
    RB_TRY(checkWithin("guidance", style.guidance, 0.0, kMostGuidance));
    for (const styles::StyleLora& lora : style.loras)
        RB_TRY(checkWithin("the strength of a LoRA", lora.strength, -kMostStrength, kMostStrength));
    if (request.size) RB_TRY(render::checkSize({request.size->width, request.size->height}));
    RB_TRY(checkWithin("quality", request.quality, 0, 100));
    RB_TRY(checkWithin("the number of threads", request.threads, 0, kMostThreads));
    if (request.firstFrame < 0 || (request.lastFrame >= 0 && request.lastFrame < request.firstFrame))
        return fail(StatusCode::BadInput, fmt::format("the range of frames {} to {} is empty or reversed",
                                                      request.firstFrame, request.lastFrame));
    if (!request.sequenceRate.isKnown() || request.sequenceRate <= Rational(0))
        return fail(StatusCode::BadInput, "the frame rate of a picture sequence must be above 0");
    return {};
}

Status checkOutput(const StylizeRequest& request) {
    std::error_code ignored;
    if (!request.overwrite && fs::is_regular_file(request.output, ignored))
        return fail(StatusCode::BadInput,
                    fmt::format("'{}' exists already; choose another name or allow it to be replaced",
                                request.output.string()));
    const styles::StyleCard style = effectiveStyle(request);
    const auto refuse = [&](const fs::path& file) -> Status {
        if (!sameFile(request.output, file)) return {};
        return fail(StatusCode::BadInput, fmt::format("the output '{}' is a file of the style; choose another name",
                                                      request.output.string()));
    };
    for (const fs::path& picture : style.pictures) RB_TRY(refuse(picture));
    for (const styles::StyleLora& lora : style.loras) RB_TRY(refuse(lora.file));
    return {};
}

}  // namespace reelbrush::session
