#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace reelbrush::kernels {

/// Matrix products of a warp on tensor cores, and what feeds them. Layout of a 16 x 8 result over the lanes: lane l
/// holds [0] and [1] of row l / 4, columns 2 (l % 4) and the next; [2] and [3] of row l / 4 + 8.
/// Source: PTX ISA, "Matrix multiply-accumulate operation using mma instruction" and "ldmatrix".

/// sum [16 x 8] += a [16 x 16] * b [16 x 8].
template <typename T>
__device__ inline void multiplyAdd16(float (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    if constexpr (std::is_same_v<T, __half>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// sum [16 x 8] += a [16 x 8] * b [8 x 8].
template <typename T>
__device__ inline void multiplyAdd8(float (&sum)[4], const std::uint32_t (&a)[2], std::uint32_t b) {
    if constexpr (std::is_same_v<T, __half>)
        asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(b));
    else
        asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(b));
}

__device__ inline std::uint32_t sharedAddress(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Four 8 x 8 matrices of 2-byte elements from shared memory. Lane l gives the address (16-byte aligned) of row l % 8
/// of matrix l / 8, and receives of each matrix row l / 4, columns 2 (l % 4) and the next.
__device__ inline void loadMatrices(std::uint32_t (&to)[4], std::uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

/// Two of them, with the addresses of lanes 0 to 15.
__device__ inline void loadMatrices(std::uint32_t (&to)[2], std::uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(address)
                 : "memory");
}

/// The same, transposed: a lane receives rows 2 (l % 4) and the next of column l / 4.
__device__ inline void loadTransposed(std::uint32_t (&to)[4], std::uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

__device__ inline void loadTransposed(std::uint32_t (&to)[2], std::uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(to[0]), "=r"(to[1])
                 : "r"(address)
                 : "memory");
}

/// Begins to copy 16 bytes to shared memory, both addresses 16-byte aligned; zeros, and nothing is read, where not
/// isValid.
__device__ inline void copyAsync16(std::uint32_t to, const void* from, bool isValid) {
    const int bytes = isValid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

/// Closes a group of the copies begun so far.
__device__ inline void closeCopies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most `open` of this thread's groups are under way.
template <int open>
__device__ inline void awaitCopies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(open) : "memory");
}

/// Two values rounded to T, the first in the low half.
template <typename T>
__device__ inline std::uint32_t packPair(float first, float second) {
    std::uint32_t bits;
    if constexpr (std::is_same_v<T, __half>)
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    else
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
    return bits;
}

/// 2^x with an error of about 2^-22; 0 for minus infinity.
__device__ inline float powerOfTwo(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

}  // namespace reelbrush::kernels
