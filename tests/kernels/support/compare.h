#pragma once

#include "tests/kernels/support/test_tensor.h"

#include <string>

namespace reelbrush::kernels {

/// How far one tensor is from another.
struct Difference {
    bool comparable = false;   ///< same shape, and all values of both finite
    double maxAbs = 0.0;       ///< largest |actual - expected|
    double maxRelative = 0.0;  ///< maxAbs / largest |expected|; maxAbs itself where expected is all zero
    double cosine = 1.0;       ///< of the two as vectors; 1 where both are zero
    std::int64_t worst = 0;    ///< where maxAbs is

    /// "max error 1.2e-07 (relative 3.4e-08) at 17, cosine 0.99999999"
    std::string toString() const;
};

/// Largest errors are infinite where the two are not comparable.
Difference compare(const TestTensor& actual, const TestTensor& expected);

/// Prints the difference with a label, for the record of a test run.
void report(const std::string& label, const Difference& difference);

}  // namespace reelbrush::kernels
