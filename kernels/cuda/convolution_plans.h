#pragma once

#include "kernels/cuda/convolution_plan.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace reelbrush::kernels {

/// A plan and the name under which it can be built again on the same machine: "fused A 2".
struct NamedPlan {
    std::string name;
    std::shared_ptr<const ConvolutionPlan> plan;
};

/// The plans of a device, built once for layers that are alike: building may compile kernels. A plan lives as long as a
/// layer uses it. Thread: one at a time.
class ConvolutionPlans {
  public:
    /// Plans to try for a convolution, those likely to be fastest first: at most `most` that do the epilogue too and,
    /// where `most` is above 1 or there are none, as many that do the convolution alone. May be empty.
    std::vector<NamedPlan> candidates(const ConvolutionShape& shape, std::size_t most, const CudaContext& context);

    /// The plan of that name. Errors: Unsupported where there is none here.
    Result<std::shared_ptr<const ConvolutionPlan>> named(const ConvolutionShape& shape, const std::string& name,
                                                         const CudaContext& context);

  private:
    using Build = std::function<Result<std::shared_ptr<const ConvolutionPlan>>()>;
    Result<std::shared_ptr<const ConvolutionPlan>> keep(const std::string& key, const Build& build);
    std::vector<NamedPlan> ofVariant(const ConvolutionShape& shape, const std::string& variant, std::size_t most,
                                     const CudaContext& context);

    std::map<std::string, std::weak_ptr<const ConvolutionPlan>> known_;  ///< by shape and name
};

}  // namespace reelbrush::kernels
