#include "engine/weights/lora_file.h"

#include "engine/weights/base_model.h"
#include "engine/weights/lora_alpha.h"
#include "engine/weights/lora_family.h"
#include "engine/weights/quoted_name.h"
#include "kernels/plan/weight_provider.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace reelbrush::weights {

namespace {

enum class Part { Down, Up, Alpha };

struct PartName {
    Part part;
    std::string component;
    std::string module;
};

bool dropPrefix(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// ".lora_A.weight" or ".lora_A.ADAPTER.weight" at the end of name, mark being ".lora_A".
std::optional<std::string_view> moduleBefore(std::string_view name, std::string_view mark) {
    constexpr std::string_view kEnding = ".weight";
    const std::size_t at = name.rfind(mark);
    if (at == name.npos || at == 0 || !name.ends_with(kEnding)) return std::nullopt;
    const std::size_t adapterAt = at + mark.size();
    if (adapterAt + kEnding.size() > name.size()) return std::nullopt;
    std::string_view adapter = name.substr(adapterAt, name.size() - kEnding.size() - adapterAt);
    const bool isAdapter = adapter.empty() || (adapter.size() > 1 && adapter[0] == '.' && adapter.rfind('.') == 0);
    return isAdapter ? std::optional(name.substr(0, at)) : std::nullopt;
}

std::optional<PartName> parsePartName(std::string_view name) {
    constexpr std::string_view kAlpha = ".alpha";
    Part part = Part::Down;
    auto module = moduleBefore(name, ".lora_A");
    if (!module) {
        part = Part::Up;
        module = moduleBefore(name, ".lora_B");
    }
    if (!module && name.size() > kAlpha.size() && name.ends_with(kAlpha)) {
        part = Part::Alpha;
        module = name.substr(0, name.size() - kAlpha.size());
    }
    if (!module) return std::nullopt;
    constexpr std::string_view kWrapper = "base_model.model.";
    dropPrefix(*module, kWrapper);
    std::string component;
    for (std::string_view known : {"unet", "text_encoder", "text_encoder_2"})
        if (component.empty() && dropPrefix(*module, std::string(known) + ".")) component = known;
    dropPrefix(*module, kWrapper);
    if (module->empty()) return std::nullopt;
    return PartName{part, component, std::string(*module)};
}

bool isFloat(kernels::DType type) {
    using enum kernels::DType;
    return type == F64 || type == F32 || type == F16 || type == BF16 || type == F8E4M3 || type == F8E5M2;
}

/// The three tensors of one module, as they turn up.
struct Parts {
    std::array<const TensorInfo*, 3> tensors{};
    const TensorInfo*& operator[](Part part) { return tensors[static_cast<std::size_t>(part)]; }
};

/// Fills rank, or says how the two matrices do not fit.
std::optional<std::string> fitTogether(LoraModule& module) {
    const auto& down = *module.down;
    const auto& up = *module.up;
    for (const TensorInfo* tensor : {&down, &up}) {
        if (!isFloat(tensor->dtype)) return fmt::format("is stored as {}", kernels::nameOf(tensor->dtype));
        if (tensor->shape.size() < 2 || tensor->shape.size() > 4 || tensor->elements() == 0)
            return fmt::format("has a matrix of shape {}", shapeText(tensor->shape));
    }
    module.rank = down.shape[0];
    if (up.elements() / up.shape[0] != module.rank || up.shape[1] != module.rank)
        return fmt::format("has lora_A {} and lora_B {}, whose ranks differ", shapeText(down.shape),
                           shapeText(up.shape));
    return std::nullopt;
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
    if (family != LoraFamily::Peft)
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is a LoRA of the family {}, which is not supported yet; one with lora_A and lora_B "
                                "matrices (PEFT) is",
                                quotedPath(file->path()), nameOf(family)));
    std::shared_ptr<LoraFile> lora(new LoraFile(std::move(file)));
    lora->baseModel_ = baseModelOfLora(lora->file_->metadata(), lora->file_->tensors());
    RB_TRY(lora->readModules());
    return std::shared_ptr<const LoraFile>(std::move(lora));
}

Status LoraFile::readModules() {
    const std::string display = quotedPath(path());
    const auto bad = [&](const LoraModule& module, std::string_view what) {
        return fail(StatusCode::BadInput,
                    fmt::format("{} is damaged: its module {} {}", display, quotedName(module.fullName()), what));
    };
    RB_ASSIGN(const LoraAlphas alphas, LoraAlphas::fromMetadata(file_->metadata(), display));
    std::map<std::pair<std::string, std::string>, Parts> found;
    for (const TensorInfo& tensor : file_->tensors()) {
        const auto name = parsePartName(tensor.name);
        if (!name) {
            unreadTensors_.push_back(tensor.name);
            continue;
        }
        const TensorInfo*& slot = found[{name->component, name->module}][name->part];
        if (slot)
            return fail(StatusCode::BadInput, fmt::format("{} holds two tensors for the same place, {} and {}", display,
                                                          quotedName(slot->name), quotedName(tensor.name)));
        slot = &tensor;
    }
    for (auto& [key, parts] : found) {
        LoraModule module{key.first, key.second, parts[Part::Down], parts[Part::Up]};
        const TensorInfo* alphaTensor = parts[Part::Alpha];
        if (!module.down && !module.up) {
            unreadTensors_.push_back(alphaTensor->name);
            continue;
        }
        if (!module.down || !module.up)
            return bad(module, module.down ? "has a lora_A but no lora_B" : "has a lora_B but no lora_A");
        if (const auto misfit = fitTogether(module)) return bad(module, *misfit);
        std::optional<double> alpha;
        if (alphaTensor) {
            if (alphaTensor->elements() != 1) return bad(module, "has an alpha that is not one number");
            RB_ASSIGN(const auto values, this->values(*alphaTensor));
            alpha = values[0];
        } else {
            RB_ASSIGN(alpha, alphas.alphaOf(module.component, module.module));
        }
        module.factor = static_cast<float>(alphas.factor(module.component, alpha, module.rank));
        if (!std::isfinite(module.factor)) return bad(module, "has an alpha beyond all bounds");
        modules_.push_back(std::move(module));
    }
    if (modules_.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("{} has no pair of lora_A and lora_B weights, so there is nothing to apply", display));
    return {};
}

Result<std::vector<float>> LoraFile::values(const TensorInfo& tensor) const {
    const auto bytes = file_->bytesOf(tensor);
    // A file may store its data at any address; the conversion wants it aligned.
    std::vector<std::uint64_t> aligned((bytes.size() + 7) / 8);
    if (!bytes.empty()) std::memcpy(aligned.data(), bytes.data(), bytes.size());
    kernels::WeightView view;
    view.dtype = tensor.dtype;
    view.shape = kernels::Shape{tensor.elements()};
    view.data = aligned.data();
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    view.toFloat(values.data());
    for (float value : values)
        if (!std::isfinite(value))
            return fail(StatusCode::BadInput, fmt::format("{}: tensor {} holds a value that is not finite; the file is "
                                                          "damaged or its training failed",
                                                          quotedPath(path()), quotedName(tensor.name)));
    return values;
}

}  // namespace reelbrush::weights
