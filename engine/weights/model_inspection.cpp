#include "engine/weights/model_inspection.h"

#include "engine/weights/diffusers_folder.h"
#include "engine/weights/lora_family.h"
#include "engine/weights/lora_file.h"
#include "engine/weights/model_weights.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;

/// Hashes files of any size without filling the memory with their pages.
class FileHash {
  public:
    FileHash() : state_(XXH3_createState(), XXH3_freeState) {
        if (state_) XXH3_128bits_reset(state_.get());
    }
    bool isReady() const { return state_ != nullptr; }
    void add(const SafetensorsFile& file) {
        constexpr std::size_t kChunkBytes = std::size_t{32} << 20;
        const auto bytes = file.allBytes();
        for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
            const auto chunk = bytes.subspan(at, std::min(kChunkBytes, bytes.size() - at));
            XXH3_128bits_update(state_.get(), chunk.data(), chunk.size());
            file.dropPages();
        }
    }
    std::string hex() const {
        const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
        return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
    }

  private:
    std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_;
};

void addTensors(ModelInspection& inspection, const ModelWeights& weights, const std::string& prefix) {
    for (const StoredTensor& tensor : weights.stored().tensors()) {
        const TensorInfo& info = *tensor.info;
        inspection.tensors.push_back({prefix + info.name, info.dtype, info.shape});
        DtypeShare& share = inspection.dtypes[kernels::nameOf(info.dtype)];
        ++share.tensors;
        share.bytes += info.sizeBytes;
    }
    inspection.parameters += weights.parameters();
    inspection.sizeBytes += weights.stored().sizeBytes();
}

LoraSummary summariseLora(const StoredTensors& stored, LoraFamily family) {
    LoraSummary summary;
    summary.family = nameOf(family);
    summary.details = loraDetails(stored.metadata());
    std::set<std::string_view> modules;
    for (const StoredTensor& tensor : stored.tensors()) {
        const LoraTensorName name = parseLoraTensorName(tensor.info->name);
        if (name.family == LoraFamily::None) continue;
        modules.insert(name.module);
        if (!name.rowsAreRank || tensor.info->shape.empty()) continue;
        const std::int64_t rank = tensor.info->shape[0];
        summary.minRank = summary.minRank == 0 ? rank : std::min(summary.minRank, rank);
        summary.maxRank = std::max(summary.maxRank, rank);
    }
    summary.modules = modules.size();
    if (stored.files().size() != 1) {
        summary.whyNotApplied = "a LoRA in several files is not supported";
        return summary;
    }
    const auto lora = LoraFile::read(stored.files().front());
    if (!lora) {
        summary.whyNotApplied = lora.error().message;
        return summary;
    }
    const auto [least, most] = std::ranges::minmax((*lora)->modules(), {}, &LoraModule::factor);
    summary.minFactor = least.factor;
    summary.maxFactor = most.factor;
    return summary;
}

Result<ModelInspection> inspectFile(const fs::path& path, FileHash* hash) {
    RB_ASSIGN(const auto weights, ModelWeights::open(path));
    const StoredTensors& stored = weights->stored();
    ModelInspection inspection;
    inspection.path = path;
    inspection.identity = identifyModel(stored);
    inspection.kind = nameOf(inspection.identity.kind);
    inspection.metadata = stored.metadata();
    addTensors(inspection, *weights, "");
    if (inspection.identity.kind == ModelKind::Lora)
        inspection.lora = summariseLora(stored, inspection.identity.loraFamily);
    if (hash)
        for (const auto& file : stored.files()) hash->add(*file);
    return inspection;
}

Result<ModelInspection> inspectFolder(const fs::path& path, FileHash* hash) {
    RB_ASSIGN(const DiffusersFolder folder, DiffusersFolder::open(path));
    ModelInspection inspection;
    inspection.path = path;
    inspection.kind = "model folder";
    for (const auto& [name, component] : folder.components()) {
        inspection.components.push_back(name);
        if (component.weightsFile.empty()) continue;
        RB_ASSIGN(const auto weights, component.openWeights());
        addTensors(inspection, *weights, name + "/");
        if (name == "unet") inspection.identity = identifyModel(weights->stored());
        if (hash)
            for (const auto& file : weights->stored().files()) hash->add(*file);
    }
    return inspection;
}

Result<ModelInspection> inspectAny(const fs::path& path, FileHash* hash) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) return inspectFile(path, hash);
    if (auto part = readDiffusersComponent(path); part && !part->weightsFile.empty())
        return inspectFile(part->weightsFile, hash);
    return inspectFolder(path, hash);
}

}  // namespace

Result<ModelInspection> inspectModel(const fs::path& path, const InspectOptions& options) {
    if (!options.hash) return inspectAny(path, nullptr);
    FileHash hash;
    if (!hash.isReady()) return fail(StatusCode::OutOfMemory, "no memory to compute a hash");
    RB_ASSIGN(ModelInspection inspection, inspectAny(path, &hash));
    inspection.xxh3 = hash.hex();
    return inspection;
}

}  // namespace reelbrush::weights
