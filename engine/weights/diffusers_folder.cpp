#include "engine/weights/diffusers_folder.h"

#include "engine/weights/json_file.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;

constexpr std::array kConfigNames = {"config.json", "scheduler_config.json"};
constexpr std::array kWeightsNames = {
    "diffusion_pytorch_model.safetensors",
    "model.safetensors",
    "diffusion_pytorch_model.safetensors.index.json",
    "model.safetensors.index.json",
    "diffusion_pytorch_model.fp16.safetensors",
    "model.fp16.safetensors",
    "diffusion_pytorch_model.safetensors.index.fp16.json",
    "model.safetensors.index.fp16.json",
};
constexpr std::array kPickleNames = {"diffusion_pytorch_model.bin", "pytorch_model.bin",
                                     "diffusion_pytorch_model.fp16.bin", "pytorch_model.fp16.bin"};

template <std::size_t N>
fs::path firstExisting(const fs::path& folder, const std::array<const char*, N>& names) {
    std::error_code ignored;
    for (const char* name : names)
        if (fs::is_regular_file(folder / name, ignored)) return folder / name;
    return {};
}

/// A folder without permission would look as if it held nothing.
std::optional<Error> whyUnreadable(const fs::path& folder) {
    std::error_code error;
    const fs::directory_iterator entries(folder, error);
    if (!error) return std::nullopt;
    return Error{StatusCode::Io, fmt::format("cannot open {}: {}", quotedPath(folder), error.message())};
}

}  // namespace

Result<std::shared_ptr<const ModelWeights>> DiffusersComponent::openWeights() const {
    if (!weightsFile.empty()) return ModelWeights::open(weightsFile);
    const fs::path pickle = firstExisting(folder, kPickleNames);
    if (!pickle.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("{} holds its weights only as the pickle {}, which is not read; get the model's "
                                ".safetensors files",
                                quotedPath(folder), quotedPath(pickle.filename())));
    return fail(StatusCode::BadInput,
                fmt::format("{} has no weights: neither {} nor {}, nor their fp16 or sharded forms", quotedPath(folder),
                            kWeightsNames[0], kWeightsNames[1]));
}

Result<DiffusersComponent> readDiffusersComponent(const fs::path& folder) {
    DiffusersComponent component;
    component.folder = folder;
    component.name = (folder.has_filename() ? folder : folder.parent_path()).filename().native();
    component.configFile = firstExisting(folder, kConfigNames);
    if (component.configFile.empty())
        return fail(StatusCode::BadInput, fmt::format("{} is not part of a model: it has neither {}",
                                                      quotedPath(folder), fmt::join(kConfigNames, " nor ")));
    RB_ASSIGN(component.config, readJsonObject(component.configFile));
    component.weightsFile = firstExisting(folder, kWeightsNames);
    return component;
}

bool DiffusersFolder::isOne(const fs::path& folder) {
    for (const char* part : {"unet", "vae", "scheduler", "transformer"})
        if (!firstExisting(folder / part, kConfigNames).empty()) return true;
    return false;
}

Result<DiffusersFolder> DiffusersFolder::open(const fs::path& folder) {
    std::error_code error;
    fs::directory_iterator entries(folder, error);
    if (error) return fail(StatusCode::Io, fmt::format("cannot open {}: {}", quotedPath(folder), error.message()));
    DiffusersFolder model;
    model.folder_ = folder;
    for (; entries != fs::directory_iterator(); entries.increment(error)) {
        std::error_code ignored;
        const fs::path& part = entries->path();
        if (!fs::is_directory(part, ignored)) continue;
        if (const auto unreadable = whyUnreadable(part)) return fail(*unreadable);
        if (firstExisting(part, kConfigNames).empty()) continue;
        RB_ASSIGN(auto component, readDiffusersComponent(part));
        model.components_.emplace(component.name, std::move(component));
    }
    if (error) return fail(StatusCode::Io, fmt::format("cannot read {}: {}", quotedPath(folder), error.message()));
    if (model.components_.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("{} is not a model folder: none of its subfolders has a config.json (expected unet/, "
                                "vae/, scheduler/ ...)",
                                quotedPath(folder)));
    return model;
}

Result<const DiffusersComponent*> DiffusersFolder::component(std::string_view name) const {
    const auto found = components_.find(name);
    if (found != components_.end()) return &found->second;
    std::vector<std::string> present;
    for (const auto& [other, unused] : components_) present.push_back(quotedName(other));
    return fail(StatusCode::BadInput, fmt::format("the model {} has no part {} (it has {})", quotedPath(folder_),
                                                  quotedName(name), fmt::join(present, ", ")));
}

Result<std::shared_ptr<const ModelWeights>> DiffusersFolder::openLooseWeights(std::string_view fileName) const {
    std::error_code ignored;
    if (!fs::exists(folder_ / fileName, ignored))
        return fail(StatusCode::BadInput,
                    fmt::format("the model {} lacks the file {}", quotedPath(folder_), quotedName(fileName)));
    return ModelWeights::open(folder_ / fileName);
}

}  // namespace reelbrush::weights
