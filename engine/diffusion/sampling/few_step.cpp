#include "engine/diffusion/sampling/few_step.h"

#include "engine/diffusion/sampling/sampler_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

namespace {

using Words = std::vector<std::string>;

bool isUpper(char c) {
    return std::isupper(static_cast<unsigned char>(c)) != 0;
}

/// Letters and digits in lower case, split where others stand between and where a capital follows a small letter or
/// digit; "step" is split from the number before it.
Words wordsOf(std::string_view text) {
    Words words(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool splits = i > 0 && isUpper(c) && !isUpper(text[i - 1]);
        const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (!std::isalnum(static_cast<unsigned char>(c)) || splits) words.emplace_back();
        if (!words.back().empty() && !number &&
            std::ranges::all_of(words.back(), [](char d) { return d >= '0' && d <= '9'; }))
            words.emplace_back();
        if (std::isalnum(static_cast<unsigned char>(c)))
            words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    std::erase(words, "");
    return words;
}

bool has(const Words& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

/// The number before "step" or "steps", 1..99.
std::optional<int> stepsIn(const Words& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& number = words[i - 1];
        const bool counts = words[i] == "step" || words[i] == "steps";
        const bool digits = std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
        if (counts && digits && number.size() <= 2 && number != "0" && number != "00") return std::stoi(number);
    }
    return std::nullopt;
}

bool namesBase(const std::string& word) {
    return word.starts_with("sd") || word.starts_with("xl") || word.ends_with("xl");
}

/// Whether a word that may also be a motif is meant as a way of distilling.
bool means(const Words& words, std::string_view word, bool isBaseModel) {
    const auto found = std::ranges::find(words, word);
    if (found == words.end()) return false;
    const bool besideBase =
        (found != words.begin() && namesBase(*(found - 1))) || (found + 1 != words.end() && namesBase(*(found + 1)));
    return isBaseModel || besideBase || stepsIn(words);
}

struct Plan {
    const char* family;
    std::string sampler;
    int steps;
    TimestepSpacing spacing = TimestepSpacing::Leading;
    std::vector<int> timesteps{};
    double eta = kUsualTcdEta;
    bool setsGuidance = true;
    bool predictsClean = false;
};

std::optional<Plan> planFor(const Words& words, bool isBaseModel) {
    const std::optional<int> steps = stepsIn(words);
    const bool wholeUnet = isBaseModel || has(words, "unet");
    if (means(words, "hyper", isBaseModel)) {
        const int count = steps.value_or(8);
        if (count == 1 && wholeUnet) return Plan{"Hyper-SD", "lcm", 1, TimestepSpacing::Leading, {800}};
        if (count == 1) return Plan{"Hyper-SD", "tcd", 1, TimestepSpacing::Leading, {}, 1.0};
        return Plan{"Hyper-SD", "ddim", count, TimestepSpacing::Trailing, {}, 0.0, !has(words, "cfg")};
    }
    if (means(words, "lightning", isBaseModel)) {
        const bool predictsClean = has(words, "x0");
        return Plan{"Lightning", "euler", steps.value_or(4), TimestepSpacing::Trailing, {}, 0.0, true, predictsClean};
    }
    if (has(words, "dmd2") || (has(words, "dmd") && has(words, "2"))) {
        if (steps == 1) return Plan{"DMD2", "lcm", 1, TimestepSpacing::Leading, {399}};
        return Plan{"DMD2", "lcm", 4, TimestepSpacing::Leading, {999, 749, 499, 249}};
    }
    if (has(words, "tcd")) return Plan{"TCD", "tcd", steps.value_or(4)};
    if (has(words, "lcm")) return Plan{"LCM", "lcm", steps.value_or(4)};
    if (means(words, "turbo", isBaseModel))
        return Plan{"Turbo", "euler a", steps.value_or(4), TimestepSpacing::Trailing};
    return std::nullopt;
}

FewStepChoice choiceFor(const Plan& plan, const std::string& file, const SamplerSettings& modelBasis) {
    FewStepChoice choice;
    choice.settings = settingsNamed(plan.sampler, modelBasis).value_or(modelBasis);
    choice.settings.customTimesteps = plan.timesteps;
    if (plan.spacing == TimestepSpacing::Trailing) {
        choice.settings.timesteps = plan.spacing;
        choice.settings.endsClean = true;
    }
    if (choice.settings.kind == SamplerKind::Tcd) choice.settings.eta = plan.eta;
    if (plan.predictsClean) choice.settings.prediction = PredictionType::Sample;
    choice.steps = plan.steps;
    choice.setsGuidance = plan.setsGuidance;
    choice.told =
        fmt::format("'{}' is made for few steps ({}): sampler {}{}, {} step{}, {}", file, plan.family, plan.sampler,
                    plan.spacing == TimestepSpacing::Trailing ? " with trailing timesteps" : "", plan.steps,
                    plan.steps == 1 ? "" : "s", plan.setsGuidance ? "no guidance" : "guidance as set");
    return choice;
}

}  // namespace

std::optional<FewStepChoice> fewStepChoice(const FewStepEvidence& evidence, const SamplerSettings& modelBasis) {
    if (modelBasis.prediction == PredictionType::Flow) return std::nullopt;
    const std::filesystem::path path(evidence.fileName);
    std::vector<std::string> names{path.extension() == ".safetensors" ? path.stem().string()
                                                                      : path.filename().string()};
    for (const char* key : {"modelspec.title", "ss_output_name"})
        if (const auto found = evidence.metadata.find(key); found != evidence.metadata.end())
            names.push_back(found->second.substr(0, 200));
    for (const std::string& name : names)
        if (const auto plan = planFor(wordsOf(name), evidence.isBaseModel))
            return choiceFor(*plan, path.filename().string(), modelBasis);
    return std::nullopt;
}

}  // namespace reelbrush::diffusion
