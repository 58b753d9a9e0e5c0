#pragma once

#include <omp.h>

namespace reelbrush::kernels {

/// oneDNN shapes its primitives for as many threads as OpenMP would give it; while this lives that is one.
class OneThread {
  public:
    OneThread() { omp_set_num_threads(1); }
    ~OneThread() { omp_set_num_threads(before_); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

  private:
    int before_ = omp_get_max_threads();
};

}  // namespace reelbrush::kernels
