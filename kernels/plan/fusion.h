#pragma once

#include "kernels/plan/graph.h"

namespace reelbrush::kernels {

/// Rewrites a graph into fewer, larger ops that compute the same:
/// - linears over one input that feed one attention become one product (Q|K|V, K|V), read in place;
/// - a channel add before a group norm, and SiLU after it, become part of the norm;
/// - an addition or activation after a convolution or linear becomes its residual or epilogue;
/// - nodes whose results nobody reads disappear.
void fuse(Graph& graph);

}  // namespace reelbrush::kernels
