#include "engine/library/sidecar_facts.h"

#include "engine/weights/json_file.h"

#include <nlohmann/json.hpp>
#include <system_error>

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
    fs::path file = model;
    file.replace_extension(ending);
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
    if (record.baseModel.empty()) record.baseModel = textAt(civitai, "baseModel");
    if (record.description.empty()) record.description = textAt(a1111, "description");
    if (const auto model = civitai.find("model"); record.title.empty() && model != civitai.end() && model->is_object())
        record.title = textAt(*model, "name");
}

}  // namespace reelbrush::library
