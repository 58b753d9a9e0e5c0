#include "engine/styles/style_card.h"

#include "engine/styles/card_fields.h"
#include "engine/styles/card_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace reelbrush::styles {

namespace {

namespace fs = std::filesystem;

constexpr int kVersion = 1;
constexpr std::uintmax_t kLargestCardBytes = 1 << 20;
constexpr int kDeepestNesting = 32;

/// The JSON object that the text holds.
Result<nlohmann::json> parseObject(std::string_view text, const fs::path& file) {
    const auto refuse = [&](const std::string& why) {
        return fail(StatusCode::BadInput, fmt::format("cannot read style card '{}': {}", file.string(), why));
    };
    bool tooDeep = false;
    const auto limitDepth = [&tooDeep](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
        tooDeep = tooDeep || depth > kDeepestNesting;
        return depth <= kDeepestNesting;
    };
    try {
        nlohmann::json json = nlohmann::json::parse(text, limitDepth);
        if (tooDeep) return refuse(fmt::format("it is nested deeper than {} levels", kDeepestNesting));
        if (!json.is_object()) return refuse("expected an object in { }");
        return json;
    } catch (const nlohmann::json::exception& exception) {
        return refuse(fmt::format("it is not valid JSON: {}", exception.what()));
    }
}

Status checkVersion(CardFields& fields, const fs::path& file) {
    int version = 0;
    if (!fields.has("version"))
        return fields.wrong("version", fmt::format("is missing; this program writes {}", kVersion));
    RB_TRY(fields.readWithin("version", 1, 1'000'000, version));
    if (version > kVersion)
        return fail(StatusCode::Unsupported,
                    fmt::format("cannot read style card '{}': it has version {}, this program knows up to {}; "
                                "use a newer Reelbrush",
                                file.string(), version, kVersion));
    return {};
}

Status readName(CardFields& fields, StyleCard& card) {
    RB_TRY(fields.read("name", card.name));
    if (card.name.empty()) return fields.wrong("name", "is missing or empty");
    if (card.name.find('/') != std::string::npos) return fields.wrong("name", "must not contain a slash");
    return {};
}

Status readTitle(CardFields& fields, StyleCard& card) {
    RB_ASSIGN(const nlohmann::json* title, fields.object("title"));
    if (title) {
        CardFields titleFields(*title, card.file, "title.");
        RB_TRY(titleFields.read("en", card.title.en));
        RB_TRY(titleFields.read("zh", card.title.zh));
    }
    if (card.title.en.empty()) card.title.en = card.name;
    return {};
}

Result<fs::path> existingFile(const CardFields& fields, const fs::path& cardFile, const std::string& field,
                              const std::string& path) {
    const fs::path absolute = absoluteFrom(cardFile, path);
    std::error_code ignored;
    if (path.empty() || !fs::is_regular_file(absolute, ignored))
        return fields.wrong(field, fmt::format("there is no file '{}'", absolute.string()));
    return absolute;
}

Status readLoras(CardFields& fields, StyleCard& card) {
    RB_ASSIGN(const nlohmann::json* loras, fields.array("loras"));
    if (!loras) return {};
    for (const nlohmann::json& entry : *loras) {
        const std::string where = fmt::format("loras[{}]", card.loras.size());
        if (!entry.is_object()) return fields.wrong(where, R"({"file": ..., "strength": ...})", entry);
        CardFields loraFields(entry, card.file, where + ".");
        StyleLora lora;
        std::string path;
        RB_TRY(loraFields.read("name", lora.name));
        RB_TRY(loraFields.read("file", path));
        if (lora.name.empty() || !path.empty()) {
            RB_ASSIGN(lora.file, existingFile(loraFields, card.file, "file", path));
        }
        RB_TRY(loraFields.readWithin("strength", -10.0, 10.0, lora.strength));
        if (loraFields.has("textStrength")) {
            RB_TRY(loraFields.readWithin("textStrength", -10.0, 10.0, lora.textStrength.emplace(1.0)));
        }
        RB_TRY(loraFields.read("blocks", lora.blocks));
        if (const auto unknown = loraFields.unread(); !unknown.empty())
            return loraFields.wrong(unknown.begin().key(),
                                    "is not known; a LoRA has file or name, strength, textStrength and blocks");
        card.loras.push_back(std::move(lora));
    }
    return {};
}

Status readPictures(CardFields& fields, StyleCard& card) {
    std::vector<std::string> paths;
    RB_TRY(fields.read("pictures", paths));
    for (const std::string& path : paths) {
        const std::string where = fmt::format("pictures[{}]", card.pictures.size());
        RB_ASSIGN(fs::path picture, existingFile(fields, card.file, where, path));
        card.pictures.push_back(std::move(picture));
    }
    return {};
}

Status readThumbnail(CardFields& fields, StyleCard& card) {
    std::string path;
    RB_TRY(fields.read("thumbnail", path));
    if (!path.empty()) card.thumbnail = absoluteFrom(card.file, path);
    return {};
}

nlohmann::ordered_json toJson(const StyleCard& card, const fs::path& file) {
    nlohmann::ordered_json json;
    json["version"] = kVersion;
    json["name"] = card.name;
    json["title"]["en"] = card.title.en;
    if (!card.title.zh.empty()) json["title"]["zh"] = card.title.zh;
    json["baseModel"] = modelForCard(card.baseModel, file);
    json["loras"] = nlohmann::ordered_json::array();
    for (const StyleLora& lora : card.loras) {
        nlohmann::ordered_json entry;
        if (!lora.name.empty()) entry["name"] = lora.name;
        if (!lora.file.empty()) entry["file"] = pathForCard(lora.file, file);
        entry["strength"] = lora.strength;
        if (lora.textStrength) entry["textStrength"] = *lora.textStrength;
        if (!lora.blocks.empty()) entry["blocks"] = lora.blocks;
        json["loras"].push_back(std::move(entry));
    }
    json["prompt"] = card.prompt;
    json["negativePrompt"] = card.negativePrompt;
    json["pictures"] = nlohmann::ordered_json::array();
    for (const fs::path& picture : card.pictures) json["pictures"].push_back(pathForCard(picture, file));
    json["structure"] = card.structure;
    json["keepColours"] = card.keepColours;
    json["steps"] = card.steps;
    json["guidance"] = card.guidance;
    json["sampler"] = card.sampler;
    json["seed"] = card.seed;
    writeConditioning(card.conditioning, file, json);
    json["thumbnail"] = card.thumbnail.empty() ? "" : pathForCard(card.thumbnail, file);
    json["licence"] = card.licence;
    json["author"] = card.author;
    json["attribution"] = card.attribution;
    json["tags"] = card.tags;
    for (const auto& [key, value] : card.unknownFields.items())
        if (!json.contains(key)) json[key] = value;
    return json;
}

Status writeWhole(const std::string& text, const fs::path& file) {
    const fs::path partial = file.string() + ".part";
    const auto refuse = [&](const std::string& why) {
        std::error_code ignored;
        fs::remove(partial, ignored);
        return fail(StatusCode::Io, fmt::format("cannot write style card '{}': {}", file.string(), why));
    };
    errno = 0;
    std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
    stream << text;
    stream.close();
    if (!stream) return refuse(errno ? std::strerror(errno) : "the disk did not take it");
    std::error_code renamed;
    fs::rename(partial, file, renamed);
    if (renamed) return refuse(renamed.message());
    return {};
}

}  // namespace

Result<StyleCard> parseStyleCard(std::string_view text, const fs::path& file) {
    RB_ASSIGN(const nlohmann::json json, parseObject(text, file));
    CardFields fields(json, file);
    StyleCard card;
    card.file = file;
    RB_TRY(checkVersion(fields, file));
    RB_TRY(readName(fields, card));
    RB_TRY(readTitle(fields, card));
    RB_TRY(fields.read("baseModel", card.baseModel));
    card.baseModel = modelFrom(file, card.baseModel);
    RB_TRY(readLoras(fields, card));
    RB_TRY(fields.read("prompt", card.prompt));
    RB_TRY(fields.read("negativePrompt", card.negativePrompt));
    RB_TRY(readPictures(fields, card));
    RB_TRY(fields.readWithin("structure", 0.0, 1.0, card.structure));
    RB_TRY(fields.read("keepColours", card.keepColours));
    RB_TRY(fields.readWithin("steps", 1, 1000, card.steps));
    RB_TRY(fields.readWithin("guidance", 0.0, 100.0, card.guidance));
    RB_TRY(fields.read("sampler", card.sampler));
    RB_TRY(fields.read("seed", card.seed));
    RB_TRY(readConditioning(fields, file, card.conditioning));
    RB_TRY(readThumbnail(fields, card));
    RB_TRY(fields.read("licence", card.licence));
    RB_TRY(fields.read("author", card.author));
    RB_TRY(fields.read("attribution", card.attribution));
    RB_TRY(fields.read("tags", card.tags));
    if (card.loras.empty() && card.pictures.empty() && card.prompt.empty())
        return fields.wrong("pictures", "the card has no style: give it a picture, a LoRA or a prompt");
    card.unknownFields = fields.unread();
    return card;
}

Result<StyleCard> readStyleCard(const fs::path& file) {
    const auto refuse = [&](StatusCode code, const std::string& why) {
        return fail(code, fmt::format("cannot read style card '{}': {}", file.string(), why));
    };
    std::error_code problem;
    if (fs::is_directory(file, problem)) return refuse(StatusCode::BadInput, "it is a folder");
    const std::uintmax_t sizeBytes = fs::file_size(file, problem);
    if (problem) return refuse(StatusCode::Io, problem.message());
    if (sizeBytes > kLargestCardBytes)
        return refuse(StatusCode::BadInput,
                      fmt::format("it has {} bytes, a card has at most {}", sizeBytes, kLargestCardBytes));
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream.is_open() || stream.bad()) return refuse(StatusCode::Io, std::strerror(errno));
    return parseStyleCard(text, file);
}

Status writeStyleCard(const StyleCard& card, const fs::path& file) {
    try {
        return writeWhole(toJson(card, file).dump(4) + "\n", file);
    } catch (const nlohmann::json::exception& exception) {
        return fail(StatusCode::BadInput, fmt::format("cannot write style card '{}': a text in it is not UTF-8: {}",
                                                      file.string(), exception.what()));
    }
}

}  // namespace reelbrush::styles
