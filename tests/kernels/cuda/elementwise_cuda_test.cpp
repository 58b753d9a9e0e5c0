#include "tests/kernels/cuda/cuda_conformance.h"

namespace reelbrush::kernels {
namespace {

TEST_F(CudaConformance, EveryActivation) {
    for (const Activation kind : {Activation::None, Activation::Relu, Activation::Silu, Activation::Gelu,
                                  Activation::GeluTanh, Activation::QuickGelu})
        for (const Shape& shape : {Shape{1, 9}, Shape{2, 5, 7, 3}, Shape{1, 64, 64, 32}})
            expectConforms({ActivationOp{kind}, {normalTensor(shape, 1, 0.0f, 3.0f)}, {}});
}

}  // namespace
}  // namespace reelbrush::kernels
