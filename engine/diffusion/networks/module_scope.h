#pragma once

#include "kernels/plan/graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

/// Writes a model's modules into a graph under the names that its weights file uses: a scope is a module's name, its
/// members add ops whose weights are "<scope>.<part>.weight" and "<scope>.<part>.bias".
class ModuleScope {
  public:
    ModuleScope(kernels::Graph& graph, std::string name) : graph_(&graph), name_(std::move(name)) {}

    /// A module inside this one: scope "a.b", child "c" is "a.b.c".
    ModuleScope child(std::string_view part) const { return {*graph_, nameOf(part)}; }
    std::string nameOf(std::string_view part) const;
    const std::string& name() const { return name_; }
    kernels::Graph& graph() const { return *graph_; }

    struct LinearOptions {
        bool bias = true;
        bool mayQuantise = true;
    };
    /// x [...,I] → [...,outFeatures]
    kernels::Value linear(std::string_view part, kernels::Value x, int outFeatures, LinearOptions options) const;
    kernels::Value linear(std::string_view part, kernels::Value x, int outFeatures) const {
        return linear(part, x, outFeatures, LinearOptions{});
    }

    struct ConvOptions {
        int stride = 1;
        bool bias = true;
        bool mayQuantise = true;
    };
    /// 3x3, padding 1: x [N,H,W,I] → [N,H/stride,W/stride,outChannels] (rounded up).
    kernels::Value conv3x3(std::string_view part, kernels::Value x, int outChannels, ConvOptions options) const;
    kernels::Value conv3x3(std::string_view part, kernels::Value x, int outChannels) const {
        return conv3x3(part, x, outChannels, ConvOptions{});
    }

    kernels::Value groupNorm(std::string_view part, kernels::Value x, int groups, float epsilon) const;
    kernels::Value layerNorm(std::string_view part, kernels::Value x, float epsilon = 1e-5f) const;
    kernels::Value activation(kernels::Activation kind, kernels::Value x) const;
    kernels::Value add(kernels::Value a, kernels::Value b) const;
    /// A tensor whose batch is a part of `batch`, repeated as a whole to it; larger ones stay.
    kernels::Value widened(kernels::Value x, std::int64_t batch) const;
    /// [N,H,W,C] → [N,H*W,C] and back; a reshape, no copy.
    kernels::Value toTokens(kernels::Value image) const;
    kernels::Value toImage(kernels::Value tokens, const kernels::Shape& like) const;

    const kernels::Shape& shapeOf(kernels::Value value) const { return graph_->shapeOf(value); }

  private:
    kernels::Graph* graph_;
    std::string name_;
};

}  // namespace reelbrush::diffusion
