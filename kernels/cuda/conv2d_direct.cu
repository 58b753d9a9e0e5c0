#include "kernels/cuda/activation_math.cuh"
#include "kernels/cuda/conv2d_direct.h"
#include "kernels/cuda/cuda_status.h"
#include "kernels/cuda/element_type.h"

#include <limits>

namespace reelbrush::kernels {

namespace {

constexpr unsigned kThreads = 256;

/// Shape and addresses as a kernel takes them.
template <typename T>
struct DirectConvolution {
    int height, width, groupsIn;  ///< groupsIn: 16-byte groups of channels in a pixel of x
    int outHeight, outWidth, outChannels;
    int kernelHeight, kernelWidth, stride, padTop, padLeft;
    const Vector<T>*x, *weights;
    const T *bias, *residual;
    T* y;
};

/// One thread for each output value.
template <typename T, Activation kind>
__global__ void convolveAll(DirectConvolution<T> c, std::uint32_t count) {
    const std::uint32_t index = blockIdx.x * kThreads + threadIdx.x;
    if (index >= count) return;
    const int o = static_cast<int>(index % static_cast<std::uint32_t>(c.outChannels));
    const std::uint32_t pixel = index / static_cast<std::uint32_t>(c.outChannels);
    const int column = static_cast<int>(pixel % static_cast<std::uint32_t>(c.outWidth));
    const int row =
        static_cast<int>(pixel / static_cast<std::uint32_t>(c.outWidth) % static_cast<std::uint32_t>(c.outHeight));
    const std::int64_t n = pixel / static_cast<std::uint32_t>(c.outWidth) / static_cast<std::uint32_t>(c.outHeight);
    float sum = 0.0f;
    for (int ky = 0; ky < c.kernelHeight; ++ky) {
        const int y = row * c.stride - c.padTop + ky;
        if (y < 0 || y >= c.height) continue;
        for (int kx = 0; kx < c.kernelWidth; ++kx) {
            const int x = column * c.stride - c.padLeft + kx;
            if (x < 0 || x >= c.width) continue;
            const Vector<T>* from = c.x + ((n * c.height + y) * c.width + x) * c.groupsIn;
            const Vector<T>* weights =
                c.weights + ((std::int64_t{o} * c.kernelHeight + ky) * c.kernelWidth + kx) * c.groupsIn;
            for (int group = 0; group < c.groupsIn; ++group) {
                const Vector<T> values = from[group], factors = weights[group];
#pragma unroll
                for (int i = 0; i < Vector<T>::kCount; ++i)
                    sum += toFloat(values.values[i]) * toFloat(factors.values[i]);
            }
        }
    }
    if (c.bias) sum += toFloat(c.bias[o]);
    if (c.residual) sum += toFloat(c.residual[index]);
    c.y[index] = fromFloat<T>(activate<kind>(sum));
}

}  // namespace

Status convolveDirectly(const ConvolutionShape& shape, std::int64_t channels, const ConvolutionOperands& operands,
                        cudaStream_t stream) {
    return withElement(shape.type, [&](auto element) -> Status {
        using T = decltype(element);
        DirectConvolution<T> direct;
        direct.height = static_cast<int>(shape.height);
        direct.width = static_cast<int>(shape.width);
        direct.groupsIn = static_cast<int>(shape.inputs) / Vector<T>::kCount;
        direct.outHeight = static_cast<int>(shape.outHeight);
        direct.outWidth = static_cast<int>(shape.outWidth);
        direct.outChannels = static_cast<int>(channels);
        direct.kernelHeight = static_cast<int>(shape.kernelHeight);
        direct.kernelWidth = static_cast<int>(shape.kernelWidth);
        direct.stride = static_cast<int>(shape.stride);
        direct.padTop = static_cast<int>(shape.padTop);
        direct.padLeft = static_cast<int>(shape.padLeft);
        direct.x = static_cast<const Vector<T>*>(operands.x);
        direct.weights = static_cast<const Vector<T>*>(operands.weights);
        direct.bias = static_cast<const T*>(operands.bias);
        direct.residual = static_cast<const T*>(operands.residual);
        direct.y = static_cast<T*>(operands.y);
        const std::int64_t count = shape.batch * shape.outHeight * shape.outWidth * channels;
        RB_ENSURE(count <= std::numeric_limits<std::int32_t>::max(), "a direct convolution of too many values");
        const unsigned blocks = (static_cast<unsigned>(count) + kThreads - 1) / kThreads;
        withActivation(shape.activation, [&](auto kind) {
            convolveAll<T, decltype(kind)::value>
                <<<blocks, kThreads, 0, stream>>>(direct, static_cast<std::uint32_t>(count));
        });
        return launchStatus("a convolution");
    });
}

}  // namespace reelbrush::kernels
