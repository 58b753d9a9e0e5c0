#include "engine/library/model_examiner.h"

#include "engine/library/model_thumbnail.h"
#include "engine/library/sidecar_facts.h"
#include "engine/weights/lora_details.h"
#include "engine/weights/model_inspection.h"
#include "engine/weights/model_weights.h"
#include "engine/weights/quoted_name.h"
#include "engine/weights/unsupported_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <system_error>

namespace reelbrush::library {

namespace {

using weights::ModelInspection;
using weights::ModelKind;

constexpr std::size_t kLongestText = 500;

/// A text from a file, fit to be shown.
std::string shown(const weights::Metadata& metadata, const char* key) {
    const auto found = metadata.find(key);
    return found == metadata.end() ? std::string() : shownText(found->second, kLongestText);
}

const char* kindOfForm(FileForm form) {
    switch (form) {
        case FileForm::Pickle:
            return "pickle";
        case FileForm::Gguf:
            return "GGUF";
        case FileForm::UnfinishedDownload:
            return "download";
        case FileForm::Other:
        case FileForm::Safetensors:
        case FileForm::ShardIndex:
            break;
    }
    return "";
}

/// Recognised, but of a kind that is not computed.
void addUnsupported(const ModelCandidate& candidate, const ModelInspection& inspection, ModelRecord& record) {
    if (candidate.form == FileForm::Other) {
        if (inspection.kind != "model folder" || std::ranges::count(inspection.components, "unet") > 0) return;
        record.problem = fmt::format("{} has no part 'unet'; only SD 1.5, SD 2.x and SDXL models are computed",
                                     weights::quotedPath(candidate.path));
        return;
    }
    const ModelKind kind = inspection.identity.kind;
    if (kind != ModelKind::Checkpoint && kind != ModelKind::Unet && kind != ModelKind::Unknown) return;
    const auto stored = weights::ModelWeights::open(candidate.path);
    if (!stored) return;
    const std::string name = weights::unsupportedModelName(**stored);
    if (name.empty()) return;
    record.problem = fmt::format("{} holds {}, which is not computed; SD 1.5, SD 2.x and SDXL are",
                                 weights::quotedPath(candidate.path), name);
    if (record.baseModel.empty()) record.baseModel = name;
}

}  // namespace

ModelRecord examine(const ModelCandidate& candidate, const std::filesystem::path& thumbnailFolder) {
    ModelRecord record;
    record.path = candidate.path;
    record.relative = candidate.relative;
    record.sizeBytes = candidate.sizeBytes;
    record.modifiedNs = candidate.modifiedNs;
    record.companions = candidate.companions;
    record.kind = kindOfForm(candidate.form);
    if (candidate.form == FileForm::UnfinishedDownload) {
        record.problem = fmt::format("{} is a download that was not finished; finish it, or get the model again",
                                     weights::quotedPath(candidate.path));
        return record;
    }
    const auto inspection = weights::inspectModel(candidate.path);
    if (!inspection) {
        record.problem = inspection.error().message;
        return record;
    }
    record.kind = inspection->kind;
    record.baseModel = inspection->identity.baseModel;
    record.variant = inspection->identity.variant;
    record.prediction = inspection->identity.prediction;
    record.title = shown(inspection->metadata, "modelspec.title");
    record.author = shown(inspection->metadata, "modelspec.author");
    record.licence = shown(inspection->metadata, "modelspec.license");
    record.description = shown(inspection->metadata, "modelspec.description");
    const weights::LoraDetails details = weights::loraDetails(inspection->metadata);
    record.triggerWords = details.triggerWords;
    if (record.title.empty()) record.title = details.title;
    addUnsupported(candidate, *inspection, record);
    addSidecarFacts(record);
    if (inspection->lora) {
        record.family = inspection->lora->family;
        record.rank = inspection->lora->maxRank;
        // What it was trained on is only a guess at what calls it.
        if (record.triggerWords.empty()) record.triggerWords = details.commonTags;
        record.problem = inspection->lora->whyNotApplied;
    }
    record.thumbnail = thumbnailOf(candidate.path, inspection->metadata, thumbnailFolder);
    return record;
}

ModelRecord examineAt(const std::filesystem::path& path, const std::filesystem::path& thumbnailFolder) {
    std::error_code ignored;
    ModelCandidate candidate;
    candidate.path = std::filesystem::absolute(path, ignored).lexically_normal();
    if (!candidate.path.has_filename()) candidate.path = candidate.path.parent_path();
    candidate.relative = candidate.path.filename();
    candidate.form = std::filesystem::is_directory(path, ignored) ? FileForm::Other : FileForm::Safetensors;
    return examine(candidate, thumbnailFolder);
}

}  // namespace reelbrush::library
