#include "engine/styles/style_conditioning.h"

#include "engine/styles/card_paths.h"

#include <fmt/format.h>

namespace reelbrush::styles {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Status refuseUnknown(const CardFields& fields, const char* what) {
    const auto unknown = fields.unread();
    if (unknown.empty()) return {};
    return fields.wrong(unknown.begin().key(), what);
}

Status readModel(CardFields& fields, const fs::path& cardFile, const char* field, std::string& model) {
    RB_TRY(fields.read(field, model));
    model = modelFrom(cardFile, model);
    if (model.empty()) return fields.wrong(field, "is missing: give the name of a model, or its path");
    return {};
}

/// A field of two words.
Status readChoice(CardFields& fields, const char* field, const char* off, const char* on, bool& value) {
    std::string text = value ? on : off;
    RB_TRY(fields.read(field, text));
    if (text != off && text != on) return fields.wrong(field, fmt::format("expected '{}' or '{}'", off, on), text);
    value = text == on;
    return {};
}

Status readControls(CardFields& fields, const fs::path& cardFile, std::vector<StyleControl>& controls) {
    RB_ASSIGN(const nlohmann::json* entries, fields.array("controls"));
    if (!entries) return {};
    for (const nlohmann::json& entry : *entries) {
        const std::string where = fmt::format("controls[{}]", controls.size());
        if (!entry.is_object()) return fields.wrong(where, R"({"model": ..., "preprocessor": ...})", entry);
        CardFields inner(entry, cardFile, where + ".");
        StyleControl control;
        RB_TRY(readModel(inner, cardFile, "model", control.model));
        RB_TRY(inner.read("preprocessor", control.preprocessor));
        RB_TRY(inner.readWithin("strength", 0.0, 10.0, control.strength));
        RB_TRY(inner.readWithin("start", 0.0, 1.0, control.start));
        RB_TRY(inner.readWithin("end", 0.0, 1.0, control.end));
        RB_TRY(refuseUnknown(inner, "is not known; a control has model, preprocessor, strength, start and end"));
        controls.push_back(std::move(control));
    }
    return {};
}

Status readIpAdapter(CardFields& fields, const fs::path& cardFile, std::optional<StyleIpAdapter>& result) {
    RB_ASSIGN(const nlohmann::json* entry, fields.object("ipAdapter"));
    if (!entry) return {};
    CardFields inner(*entry, cardFile, "ipAdapter.");
    StyleIpAdapter adapter;
    RB_TRY(readModel(inner, cardFile, "model", adapter.model));
    RB_TRY(readModel(inner, cardFile, "imageEncoder", adapter.imageEncoder));
    RB_TRY(inner.readWithin("strength", 0.0, 10.0, adapter.strength));
    RB_TRY(inner.read("styleOnly", adapter.styleOnly));
    RB_TRY(refuseUnknown(inner, "is not known; an IP-Adapter has model, imageEncoder, strength and styleOnly"));
    result = std::move(adapter);
    return {};
}

Status readMotion(CardFields& fields, const fs::path& cardFile, std::optional<StyleMotion>& result) {
    RB_ASSIGN(const nlohmann::json* entry, fields.object("motion"));
    if (!entry) return {};
    CardFields inner(*entry, cardFile, "motion.");
    StyleMotion motion;
    RB_TRY(readModel(inner, cardFile, "model", motion.model));
    RB_TRY(inner.readWithin("frames", 2, 128, motion.frames));
    RB_TRY(inner.readWithin("overlap", 0, 64, motion.overlap));
    if (motion.overlap >= motion.frames) return inner.wrong("overlap", "must be less than frames");
    RB_TRY(refuseUnknown(inner, "is not known; a motion module has model, frames and overlap"));
    result = std::move(motion);
    return {};
}

Status readInjection(CardFields& fields, const fs::path& cardFile, StyleInjection& injection) {
    RB_ASSIGN(const nlohmann::json* entry, fields.object("styleInjection"));
    if (!entry) return {};
    CardFields inner(*entry, cardFile, "styleInjection.");
    RB_TRY(inner.readWithin("queryBlend", 0.0, 1.0, injection.queryBlend));
    RB_TRY(inner.readWithin("temperature", 0.1, 10.0, injection.temperature));
    return refuseUnknown(inner, "is not known; a style injection has queryBlend and temperature");
}

Json controlsJson(const std::vector<StyleControl>& controls, const fs::path& cardFile) {
    Json list = Json::array();
    for (const StyleControl& control : controls) {
        Json entry;
        entry["model"] = modelForCard(control.model, cardFile);
        entry["preprocessor"] = control.preprocessor;
        entry["strength"] = control.strength;
        entry["start"] = control.start;
        entry["end"] = control.end;
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

Status readConditioning(CardFields& fields, const fs::path& cardFile, StyleConditioning& conditioning) {
    RB_TRY(fields.read("vae", conditioning.vae));
    conditioning.vae = modelFrom(cardFile, conditioning.vae);
    RB_TRY(fields.read("textEncoder", conditioning.textEncoder));
    conditioning.textEncoder = modelFrom(cardFile, conditioning.textEncoder);
    RB_TRY(readControls(fields, cardFile, conditioning.controls));
    RB_TRY(readIpAdapter(fields, cardFile, conditioning.ipAdapter));
    RB_TRY(readMotion(fields, cardFile, conditioning.motion));
    RB_TRY(readInjection(fields, cardFile, conditioning.injection));
    RB_TRY(readChoice(fields, "promptWeights", "a1111", "comfyui", conditioning.comfyPromptWeights));
    RB_TRY(readChoice(fields, "noise", "cpu", "cuda", conditioning.cudaNoise));
    RB_TRY(fields.readWithin("clipSkip", 0, 12, conditioning.clipSkip));
    RB_TRY(fields.readWithin("guidanceFalloff", 0.0, 10.0, conditioning.guidanceFalloff));
    RB_TRY(fields.readWithin("guidanceRescale", 0.0, 1.0, conditioning.guidanceRescale));
    return fields.readWithin("imageGuidance", 0.0, 100.0, conditioning.imageGuidance);
}

void writeConditioning(const StyleConditioning& conditioning, const fs::path& cardFile, Json& json) {
    const StyleConditioning plain;
    if (!conditioning.vae.empty()) json["vae"] = modelForCard(conditioning.vae, cardFile);
    if (!conditioning.textEncoder.empty()) json["textEncoder"] = modelForCard(conditioning.textEncoder, cardFile);
    if (!conditioning.controls.empty()) json["controls"] = controlsJson(conditioning.controls, cardFile);
    if (const auto& adapter = conditioning.ipAdapter) {
        json["ipAdapter"]["model"] = modelForCard(adapter->model, cardFile);
        json["ipAdapter"]["imageEncoder"] = modelForCard(adapter->imageEncoder, cardFile);
        json["ipAdapter"]["strength"] = adapter->strength;
        json["ipAdapter"]["styleOnly"] = adapter->styleOnly;
    }
    if (const auto& motion = conditioning.motion) {
        json["motion"]["model"] = modelForCard(motion->model, cardFile);
        json["motion"]["frames"] = motion->frames;
        json["motion"]["overlap"] = motion->overlap;
    }
    if (conditioning.injection != plain.injection) {
        json["styleInjection"]["queryBlend"] = conditioning.injection.queryBlend;
        json["styleInjection"]["temperature"] = conditioning.injection.temperature;
    }
    if (conditioning.comfyPromptWeights) json["promptWeights"] = "comfyui";
    if (conditioning.cudaNoise) json["noise"] = "cuda";
    if (conditioning.clipSkip != plain.clipSkip) json["clipSkip"] = conditioning.clipSkip;
    if (conditioning.guidanceFalloff != plain.guidanceFalloff) json["guidanceFalloff"] = conditioning.guidanceFalloff;
    if (conditioning.guidanceRescale != plain.guidanceRescale) json["guidanceRescale"] = conditioning.guidanceRescale;
    if (conditioning.imageGuidance != plain.imageGuidance) json["imageGuidance"] = conditioning.imageGuidance;
}

}  // namespace reelbrush::styles
