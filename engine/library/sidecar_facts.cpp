#include "engine/library/sidecar_facts.h"

#include "engine/library/model_endings.h"
#include "engine/styles/near_miss.h"
#include "engine/weights/json_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kLongestText = 500;
constexpr std::size_t kMostWords = 24;

std::string textAt(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? shownText(found->get<std::string>(), kLongestText)
                                                     : std::string();
}

Json readBeside(const fs::path& model, const char* ending) {
    const fs::path file = besideModel(model, ending);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return Json::object();
    auto json = weights::readJsonObject(file);
    return json ? *std::move(json) : Json::object();
}

void addWords(const std::string& text, std::vector<std::string>& words) {
    std::size_t start = 0;
    while (start <= text.size() && words.size() < kMostWords) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        const std::string word = shownText(std::string_view(text).substr(start, comma - start), kLongestText);
        if (!word.empty()) words.push_back(word);
        start = comma + 1;
    }
}

/// As the rest of the program calls it; Civitai says "SDXL 1.0", "SD 1.5 LCM", "Pony"; A1111 "SD1", "SDXL".
std::string baseModelNamed(const std::string& text) {
    constexpr std::array<std::pair<std::string_view, const char*>, 8> kKnown{{{"sdxl", "SDXL"},
                                                                              {"pony", "SDXL"},
                                                                              {"illustrious", "SDXL"},
                                                                              {"noobai", "SDXL"},
                                                                              {"sd 1", "SD 1.5"},
                                                                              {"sd1", "SD 1.5"},
                                                                              {"sd 2", "SD 2.x"},
                                                                              {"sd2", "SD 2.x"}}};
    const std::string lower = styles::lowerCase(text);
    if (lower == "unknown" || lower == "other") return {};
    for (const auto& [start, name] : kKnown)
        if (lower.starts_with(start)) return name;
    return text;
}

/// What Civitai asks for, in words; empty where the file does not tell.
std::string civitaiLicence(const Json& model) {
    std::vector<std::string> terms;
    if (const auto credit = model.find("allowNoCredit"); credit != model.end() && credit->is_boolean())
        terms.emplace_back(credit->get<bool>() ? "no credit needed" : "credit needed");
    if (const auto uses = model.find("allowCommercialUse"); uses != model.end()) {
        std::vector<std::string> allowed;
        for (const Json& use : uses->is_array() ? *uses : Json::array({*uses}))
            if (use.is_string()) allowed.push_back(shownText(use.get<std::string>(), kLongestText));
        std::erase(allowed, "None");
        terms.push_back(allowed.empty() ? "no commercial use"
                                        : fmt::format("commercial use: {}", fmt::join(allowed, ", ")));
    }
    if (const auto derivatives = model.find("allowDerivatives");
        derivatives != model.end() && derivatives->is_boolean() && !derivatives->get<bool>())
        terms.emplace_back("no derivatives");
    return terms.empty() ? std::string() : fmt::format("Civitai: {}", fmt::join(terms, "; "));
}

void addFromCivitai(const Json& civitai, ModelRecord& record) {
    if (record.baseModel.empty()) record.baseModel = baseModelNamed(textAt(civitai, "baseModel"));
    if (record.licence.empty()) record.licence = civitaiLicence(civitai);
    if (const auto creator = civitai.find("creator");
        record.author.empty() && creator != civitai.end() && creator->is_object())
        record.author = textAt(*creator, "username");
    const auto model = civitai.find("model");
    if (model == civitai.end() || !model->is_object()) return;
    if (record.title.empty()) record.title = textAt(*model, "name");
    if (record.licence.empty()) record.licence = civitaiLicence(*model);
}

}  // namespace

std::string shownText(std::string_view text, std::size_t most) {
    // The JSON writer replaces what is no UTF-8; reading it back gives clean text.
    std::string clean =
        Json::parse(Json(text.substr(0, most)).dump(-1, ' ', false, Json::error_handler_t::ignore)).get<std::string>();
    for (char& c : clean)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    const auto first = clean.find_first_not_of(' ');
    if (first == std::string::npos) return {};
    return clean.substr(first, clean.find_last_not_of(' ') - first + 1);
}

void addSidecarFacts(ModelRecord& record) {
    const Json civitai = readBeside(record.path, ".civitai.info");
    const Json a1111 = readBeside(record.path, ".json");
    std::vector<std::string> words;
    if (const auto trained = civitai.find("trainedWords"); trained != civitai.end() && trained->is_array())
        for (const Json& word : *trained)
            if (word.is_string()) addWords(word.get<std::string>(), words);
    if (words.empty()) addWords(textAt(a1111, "activation text"), words);
    if (!words.empty()) record.triggerWords = std::move(words);
    addFromCivitai(civitai, record);
    if (record.baseModel.empty()) record.baseModel = baseModelNamed(textAt(a1111, "sd version"));
    if (record.description.empty()) record.description = textAt(a1111, "description");
}

}  // namespace reelbrush::library
