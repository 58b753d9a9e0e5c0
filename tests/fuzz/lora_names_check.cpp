#include "tests/fuzz/lora_names_check.h"

#include "engine/weights/lora_family.h"
#include "engine/weights/lora_key.h"
#include "engine/weights/lora_merge.h"
#include "tests/support/safetensors_writer.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace kernels = reelbrush::kernels;
namespace weights = reelbrush::weights;
using Dims = std::vector<std::int64_t>;

constexpr std::int64_t kMostElements = 1 << 12;

void require(bool holds) {
    if (!holds) throw std::logic_error("a promise about LoRAs is broken");
}

struct Tensor {
    std::string name;
    Dims shape;
    std::int64_t elements = 1;
};

std::string_view takeLine(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// "NAME 3 4"; dimensions that would make it large are dropped.
Tensor tensorOf(std::string_view line) {
    Tensor tensor;
    std::size_t space = std::min(line.find(' '), line.size());
    tensor.name = line.substr(0, space);
    while (space < line.size() && tensor.shape.size() < 6) {
        line.remove_prefix(space + 1);
        space = std::min(line.find(' '), line.size());
        std::int64_t dim = 0;
        const auto parsed = std::from_chars(line.data(), line.data() + space, dim);
        if (parsed.ec != std::errc() || dim < 0 || dim > kMostElements / std::max<std::int64_t>(1, tensor.elements))
            continue;
        tensor.shape.push_back(dim);
        tensor.elements *= dim;
    }
    return tensor;
}

std::vector<Tensor> takeTensors(std::string_view& text) {
    std::vector<Tensor> tensors;
    while (!text.empty()) {
        const std::string_view line = takeLine(text);
        if (line == "--") break;
        Tensor tensor = tensorOf(line);
        const bool isNew = std::ranges::find(tensors, tensor.name, &Tensor::name) == tensors.end();
        if (isNew && tensors.size() < 64) tensors.push_back(std::move(tensor));
    }
    return tensors;
}

/// Weights of one value, in memory.
class MadeWeights final : public weights::ListedWeights {
  public:
    explicit MadeWeights(const std::vector<Tensor>& tensors) : tensors_(tensors) {
        std::erase_if(tensors_, [](const Tensor& tensor) { return tensor.shape.size() > kernels::Shape::kMaxRank; });
        for (const Tensor& tensor : tensors_) names_.push_back(tensor.name);
        std::ranges::sort(names_);
    }
    reelbrush::Result<kernels::WeightView> find(std::string_view name) const override {
        const auto found = std::ranges::find(tensors_, name, &Tensor::name);
        if (found == tensors_.end()) return reelbrush::fail(reelbrush::StatusCode::BadInput, "missing");
        kernels::WeightView view;
        view.shape = kernels::Shape(std::span<const std::int64_t>(found->shape));
        view.data = values_.data();
        return view;
    }
    bool contains(std::string_view name) const override { return std::ranges::binary_search(names_, name); }
    const std::vector<std::string>& names() const override { return names_; }
    void dropPages() const override {}

  private:
    std::vector<Tensor> tensors_;
    std::vector<std::string> names_;
    std::vector<float> values_ = std::vector<float>(kMostElements, 0.5f);
};

void checkName(const std::string& name) {
    const auto parsed = weights::parseLoraTensorName(name);
    require(name.starts_with(parsed.module));
    const auto key = weights::parseLoraKey(name);
    require(name.ends_with(key.module));
}

/// Where this process writes its LoRA.
const std::filesystem::path& loraPath() {
    static const std::filesystem::path kPath =
        std::filesystem::temp_directory_path() / ("lora_names_fuzz." + std::to_string(::getpid()));
    return kPath;
}

std::shared_ptr<const weights::LoraFile> loraOf(const std::vector<Tensor>& tensors) {
    reelbrush::testing::SafetensorsWriter writer;
    for (const Tensor& tensor : tensors) {
        checkName(tensor.name);
        const std::vector<float> values(static_cast<std::size_t>(tensor.elements), 0.25f);
        try {
            writer.addF32(tensor.name, tensor.shape, values);
        } catch (const std::exception&) {
            continue;  // a name that is not UTF-8, which no header can hold
        }
    }
    const auto file = weights::LoraFile::open(writer.write(loraPath()));
    std::filesystem::remove(loraPath());
    if (file) return *file;
    require(!file.error().message.empty());
    return nullptr;
}

void checkMerged(const weights::LoraTarget& target, const weights::LoraMergedModel& model, std::size_t modules) {
    const weights::LoraCoverage& coverage = model.coverage.at(0);
    require(coverage.modulesInFile == modules);
    require(coverage.applied + coverage.missing.size() + coverage.shapeMismatches.size() == modules);
    require(coverage.warning().empty() == coverage.isComplete());
    for (const auto& [part, merged] : model.parts) {
        const auto& pristine = *target.parts.at(part);
        for (const std::string& name : pristine.names()) {
            const auto view = merged->find(name);
            require(view.has_value());
            require(view->shape == pristine.find(name)->shape);
        }
    }
}

}  // namespace

namespace reelbrush::testing {

void checkLoraNames(std::string_view text) {
    const auto model = std::make_shared<MadeWeights>(takeTensors(text));
    const auto lora = loraOf(takeTensors(text));
    weights::LoraUse use{lora, 0.5f};
    if (const auto blocks = weights::LoraBlockWeights::parse(text)) use.blockWeights = *blocks;
    if (!lora) return;
    const weights::LoraTarget target{.parts = {{"unet", model}, {"text_encoder", model}}, .modelName = "SD 1.5"};
    if (const auto merged = weights::mergeLoras(target, std::vector{use}))
        checkMerged(target, *merged, lora->modules().size());
    if (const auto merged = weights::mergeLoras(target, std::vector{weights::LoraUse{lora, 0}}))
        for (const auto& [part, unchanged] : merged->parts) require(unchanged->touchedWeights().empty());
}

}  // namespace reelbrush::testing
