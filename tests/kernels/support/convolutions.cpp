#include "tests/kernels/support/convolutions.h"

namespace reelbrush::kernels {

Conv2d conv(int outChannels, int kernel, int stride) {
    const int pad = kernel / 2;
    return {.outChannels = outChannels,
            .kernelHeight = kernel,
            .kernelWidth = kernel,
            .stride = stride,
            .padTop = pad,
            .padLeft = pad,
            .padBottom = pad,
            .padRight = pad};
}

Conv2d with(Conv2d op, bool residual, Activation activation, bool bias) {
    op.hasResidual = residual;
    op.activation = activation;
    op.hasBias = bias;
    return op;
}

Conv2d padded(Conv2d op, int top, int left, int bottom, int right) {
    op.padTop = top, op.padLeft = left, op.padBottom = bottom, op.padRight = right;
    return op;
}

}  // namespace reelbrush::kernels
