#pragma once

#include "kernels/cuda/tensor_core.cuh"

#include <cuda.h>

#include <cstdint>

namespace reelbrush::kernels {

/// Copies of whole tiles into shared memory, which one thread begins and a barrier in shared memory tells the end of.
/// Needs compute capability 9.0. Source: PTX ISA, "mbarrier" and "cp.async.bulk.tensor".

/// barrier: address in shared memory, of 8 bytes, aligned to them. arrivals: that complete a phase.
__device__ inline void initBarrier(std::uint32_t barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// After the last initBarrier(), before the threads meet: copies see the barriers.
__device__ inline void publishBarriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void arrive(std::uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

/// Arrives; the phase then also waits for copies of so many bytes.
__device__ inline void arriveExpecting(std::uint32_t barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/// Waits for the end of the barrier's phase of this parity: 0 for the first, 1 for the second, and so on in turns. The
/// phase before the first counts as ended.
__device__ inline void awaitPhase(std::uint32_t barrier, unsigned parity) {
    unsigned isOver = 0;
    while (!isOver)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(isOver)
                     : "r"(barrier), "r"(parity)
                     : "memory");
}

/// The first value of a box of a tensor of four dimensions, innermost first. What lies outside becomes zero.
struct BoxPlace {
    int x, y, z, w;
};

/// Begins to copy a box. map: in the kernel's parameters. to: aligned to 1024 bytes.
__device__ inline void copyBox(std::uint32_t to, const CUtensorMap& map, BoxPlace at, std::uint32_t barrier) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2,%3,%4,%5}], "
        "[%6];" ::"r"(to),
        "l"(&map), "r"(at.x), "r"(at.y), "r"(at.z), "r"(at.w), "r"(barrier)
        : "memory");
}

}  // namespace reelbrush::kernels
