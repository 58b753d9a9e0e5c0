#pragma once

namespace reelbrush::bench {

/// Runs fused multiply-adds on registers alone, with the widest vectors in use, and returns how many floating-point
/// operations that were (2 per multiply-add): the yardstick for everything that computes in f32.
double runMultiplyAdds();

}  // namespace reelbrush::bench
