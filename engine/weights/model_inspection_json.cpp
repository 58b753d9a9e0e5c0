#include "engine/weights/model_inspection.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace reelbrush::weights {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLongestMetadata = 4096;

void addText(ordered_json& json, const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
}

ordered_json loraJson(const LoraSummary& lora) {
    ordered_json json = {{"family", lora.family}, {"modules", lora.modules}};
    if (lora.maxRank > 0) json["rank"] = {{"min", lora.minRank}, {"max", lora.maxRank}};
    if (lora.whyNotApplied.empty())
        json["factor"] = {{"min", lora.minFactor}, {"max", lora.maxFactor}};
    else
        json["whyNotApplied"] = lora.whyNotApplied;
    const LoraDetails& details = lora.details;
    addText(json, "title", details.title);
    if (!details.triggerWords.empty()) json["triggerWords"] = details.triggerWords;
    if (!details.commonTags.empty()) json["commonTags"] = details.commonTags;
    if (details.rank) json["trainedRank"] = *details.rank;
    if (details.alpha) json["trainedAlpha"] = *details.alpha;
    return json;
}

}  // namespace

std::string toJson(const ModelInspection& inspection) {
    ordered_json json = {{"path", inspection.path.native()}, {"kind", inspection.kind}};
    addText(json, "baseModel", inspection.identity.baseModel);
    addText(json, "variant", inspection.identity.variant);
    addText(json, "prediction", inspection.identity.prediction);
    json["sizeBytes"] = inspection.sizeBytes;
    json["parameters"] = inspection.parameters;
    addText(json, "xxh3", inspection.xxh3);
    if (!inspection.components.empty()) json["components"] = inspection.components;
    if (inspection.lora) json["lora"] = loraJson(*inspection.lora);
    json["dtypes"] = ordered_json::object();
    for (const auto& [type, share] : inspection.dtypes)
        json["dtypes"][type] = {{"tensors", share.tensors}, {"bytes", share.bytes}};
    json["metadata"] = ordered_json::object();
    for (const auto& [key, value] : inspection.metadata)
        json["metadata"][key] = value.size() <= kLongestMetadata ? value : fmt::format("({} bytes)", value.size());
    json["tensors"] = ordered_json::array();
    for (const TensorSummary& tensor : inspection.tensors)
        json["tensors"].push_back(
            {{"name", tensor.name}, {"dtype", kernels::nameOf(tensor.dtype)}, {"shape", tensor.shape}});
    // Paths need not be UTF-8; what is not becomes a replacement character instead of an exception.
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace reelbrush::weights
