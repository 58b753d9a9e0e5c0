#include "tests/engine/diffusion/text/fixture_text_encoders.h"

#include "engine/weights/model_weights.h"
#include "tests/support/test_data.h"

#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <vector>

namespace reelbrush::testing {

namespace {

using kernels::Shape;
using kernels::WeightView;

/// Copies in f32 under new names.
class CopiedWeights : public weights::ListedWeights {
  public:
    void add(const std::string& name, const Shape& shape, std::vector<float> values) {
        names_.push_back(name);
        tensors_[name] = {shape, std::move(values)};
    }

    Result<WeightView> find(std::string_view name) const override {
        const auto found = tensors_.find(name);
        if (found == tensors_.end()) return fail(StatusCode::BadInput, "no weight " + std::string(name));
        WeightView view;
        view.shape = found->second.first;
        view.data = found->second.second.data();
        return view;
    }
    bool contains(std::string_view name) const override { return tensors_.contains(name); }
    const std::vector<std::string>& names() const override { return names_; }
    void dropPages() const override {}

  private:
    std::vector<std::string> names_;
    std::map<std::string, std::pair<Shape, std::vector<float>>, std::less<>> tensors_;
};

class Copier {
  public:
    Copier(const std::filesystem::path& file, std::string prefix)
        : stored_(weights::ModelWeights::open(file).value()), prefix_(std::move(prefix)) {}

    bool has(const std::string& name) const { return stored_->contains(prefix_ + name); }

    /// Third `part` of three along the outermost dimension; the whole for part -1.
    void copy(const std::string& from, const std::string& to, int part = -1) {
        const WeightView view = stored_->find(prefix_ + from).value();
        std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
        view.toFloat(values.data());
        Shape shape = view.shape;
        if (part >= 0) {
            const auto third = static_cast<std::ptrdiff_t>(values.size() / 3);
            values = std::vector<float>(values.begin() + part * third, values.begin() + (part + 1) * third);
            shape = shape.rank() == 1 ? Shape{shape[0] / 3} : Shape{shape[0] / 3, shape[1]};
        }
        copies_->add(to, shape, std::move(values));
    }

    void copyTransposed(const std::string& from, const std::string& to) {
        const WeightView view = stored_->find(prefix_ + from).value();
        std::vector<float> values(static_cast<std::size_t>(view.shape.elements())), turned(values.size());
        view.toFloat(values.data());
        const auto rows = static_cast<std::size_t>(view.shape[0]), columns = static_cast<std::size_t>(view.shape[1]);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c) turned[c * rows + r] = values[r * columns + c];
        copies_->add(to, Shape{view.shape[1], view.shape[0]}, std::move(turned));
    }

    void copyModule(const std::string& from, const std::string& to) {
        for (const char* kind : {".weight", ".bias"}) copy(from + kind, to + kind);
    }

    const weights::ModelWeights& stored() const { return *stored_; }
    std::shared_ptr<CopiedWeights> copies() const { return copies_; }

  private:
    std::shared_ptr<const weights::ModelWeights> stored_;
    std::string prefix_;
    std::shared_ptr<CopiedWeights> copies_ = std::make_shared<CopiedWeights>();
};

void copyOpenClip(Copier& copier, int layers) {
    copier.copy("token_embedding.weight", "text_model.embeddings.token_embedding.weight");
    copier.copy("positional_embedding", "text_model.embeddings.position_embedding.weight");
    copier.copyModule("ln_final", "text_model.final_layer_norm");
    copier.copyTransposed("text_projection", "text_projection.weight");
    for (int i = 0; i < layers; ++i) {
        const std::string from = fmt::format("transformer.resblocks.{}", i);
        const std::string to = fmt::format("text_model.encoder.layers.{}", i);
        for (const char* kind : {"weight", "bias"}) {
            int part = 0;
            for (const char* name : {"q", "k", "v"})
                copier.copy(fmt::format("{}.attn.in_proj_{}", from, kind),
                            fmt::format("{}.self_attn.{}_proj.{}", to, name, kind), part++);
        }
        copier.copyModule(from + ".attn.out_proj", to + ".self_attn.out_proj");
        copier.copyModule(from + ".ln_1", to + ".layer_norm1");
        copier.copyModule(from + ".ln_2", to + ".layer_norm2");
        copier.copyModule(from + ".mlp.c_fc", to + ".mlp.fc1");
        copier.copyModule(from + ".mlp.c_proj", to + ".mlp.fc2");
    }
}

}  // namespace

std::shared_ptr<const weights::ListedWeights> fixtureTextWeights(const std::filesystem::path& file,
                                                                 const std::string& prefix, int layers) {
    Copier copier(file, prefix);
    if (copier.has("positional_embedding")) {
        copyOpenClip(copier, layers);
    } else {
        for (const std::string& name : copier.stored().names())
            if (name.starts_with(prefix + "text_model.") && !name.ends_with("position_ids"))
                copier.copy(name.substr(prefix.size()), name.substr(prefix.size()));
    }
    return copier.copies();
}

nlohmann::json tinyTextConfig() {
    return {{"hidden_size", 16},        {"intermediate_size", 64},       {"num_hidden_layers", 3},
            {"num_attention_heads", 4}, {"hidden_act", "quick_gelu"},    {"layer_norm_eps", 1e-05},
            {"vocab_size", 49408},      {"max_position_embeddings", 77}, {"eos_token_id", 49407}};
}

diffusion::TextEncoderPart tinyTextEncoder() {
    const auto file = fixturesFolder() / "sd15-tiny" / "single_file.safetensors";
    return {fixtureTextWeights(file, "cond_stage_model.transformer.", 3), tinyTextConfig()};
}

}  // namespace reelbrush::testing
