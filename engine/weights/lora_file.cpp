#include "engine/weights/lora_file.h"

#include "engine/weights/base_model.h"
#include "engine/weights/lora_key.h"
#include "engine/weights/quoted_name.h"
#include "kernels/plan/weight_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

namespace reelbrush::weights {

namespace {

/// Two names are one place where only the spelling of the prefix differs.
using Place = std::pair<std::string, std::string>;

bool holdsUpdate(const LoraModule& module) {
    return std::ranges::any_of(module.parts, [&](const TensorInfo* tensor) {
        return tensor && tensor != module.part(LoraPart::Alpha) && tensor != module.magnitude();
    });
}

}  // namespace

Result<std::shared_ptr<const LoraFile>> LoraFile::open(const std::filesystem::path& path) {
    RB_ASSIGN(auto file, SafetensorsFile::open(path));
    return read(std::move(file));
}

Result<std::shared_ptr<const LoraFile>> LoraFile::read(std::shared_ptr<const SafetensorsFile> file) {
    const LoraFamily family = loraFamilyOf(file->tensors());
    if (family == LoraFamily::None)
        return fail(StatusCode::BadInput, fmt::format("{} is not a LoRA: none of its {} tensors is a weight update",
                                                      quotedPath(file->path()), file->tensors().size()));
    if (!isApplied(family))
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is a LoRA of the family {}, which is not supported; choose one trained as LoRA, "
                                "LoCon, LoHa, LoKr, DoRA or full difference",
                                quotedPath(file->path()), nameOf(family)));
    std::shared_ptr<LoraFile> lora(new LoraFile(std::move(file)));
    lora->baseModel_ = baseModelOfLora(lora->file_->metadata(), lora->file_->tensors());
    RB_TRY(lora->readModules());
    return std::shared_ptr<const LoraFile>(std::move(lora));
}

Status LoraFile::readModules() {
    const std::string display = quotedPath(path());
    RB_ASSIGN(const LoraAlphas alphas, LoraAlphas::fromMetadata(file_->metadata(), display));
    std::map<Place, LoraModule> found;
    for (const TensorInfo& tensor : file_->tensors()) {
        const LoraTensorName name = parseLoraTensorName(tensor.name);
        LoraKey key = parseLoraKey(name.module);
        if (name.part == LoraPart::None || key.module.empty()) {
            unreadTensors_.push_back(tensor.name);
            continue;
        }
        LoraModule& module = found[{key.component, key.module}];
        if (module.key.empty()) {
            module.key = name.module;
            module.component = std::move(key.component);
            module.module = std::move(key.module);
        }
        const TensorInfo*& slot = module.parts[static_cast<std::size_t>(name.part)];
        if (slot)
            return fail(StatusCode::BadInput, fmt::format("{} holds two tensors for the same place, {} and {}", display,
                                                          quotedName(slot->name), quotedName(tensor.name)));
        slot = &tensor;
    }
    for (auto& entry : found) RB_TRY(takeModule(std::move(entry.second), alphas));
    if (modules_.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("{} has no complete set of LoRA matrices, so there is nothing to apply", display));
    return {};
}

Status LoraFile::takeModule(LoraModule module, const LoraAlphas& alphas) {
    const auto bad = [&](std::string_view what) {
        return fail(StatusCode::BadInput,
                    fmt::format("{} is damaged: its module {} {}", quotedPath(path()), quotedName(module.key), what));
    };
    if (!holdsUpdate(module)) {
        for (const TensorInfo* tensor : module.parts)
            if (tensor) unreadTensors_.push_back(tensor->name);
        return {};
    }
    if (const auto fault = completeLoraModule(module)) return bad(*fault);
    if (module.rank > 0) {
        std::optional<double> alpha;
        if (const TensorInfo* tensor = module.part(LoraPart::Alpha)) {
            if (tensor->elements() != 1) return bad("has an alpha that is not one number");
            RB_ASSIGN(const auto number, values(*tensor));
            alpha = number[0];
        } else {
            RB_ASSIGN(alpha, alphas.alphaOf(module.component, module.module));
        }
        module.factor = static_cast<float>(alphas.factor(module.component, alpha, module.rank));
        if (!std::isfinite(module.factor)) return bad("has an alpha beyond all bounds");
    }
    modules_.push_back(std::move(module));
    return {};
}

Result<std::vector<float>> LoraFile::values(const TensorInfo& tensor) const {
    const auto bytes = file_->bytesOf(tensor);
    // A file may store its data at any address; the conversion wants it aligned.
    std::vector<std::uint64_t> aligned;
    kernels::WeightView view;
    view.dtype = tensor.dtype;
    view.shape = kernels::Shape{tensor.elements()};
    view.data = bytes.data();
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kernels::sizeOf(tensor.dtype) != 0) {
        aligned.resize((bytes.size() + 7) / 8);
        std::memcpy(aligned.data(), bytes.data(), bytes.size());
        view.data = aligned.data();
    }
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    view.toFloat(values.data());
    // The largest magnitude as bits, in which infinities and NaN come last: a loop that runs as fast as memory.
    std::uint32_t largest = 0;
    for (float value : values) largest = std::max(largest, std::bit_cast<std::uint32_t>(value) & 0x7fffffffu);
    if (largest >= 0x7f800000u)
        return fail(StatusCode::BadInput, fmt::format("{}: tensor {} holds a value that is not finite; the file is "
                                                      "damaged or its training failed: get it again",
                                                      quotedPath(path()), quotedName(tensor.name)));
    return values;
}

Status LoraFile::checkFinite(const LoraModule& module) const {
    for (const TensorInfo* tensor : module.parts)
        if (tensor) RB_TRY(values(*tensor));
    return {};
}

}  // namespace reelbrush::weights
