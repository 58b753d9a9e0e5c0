#pragma once

#include "kernels/cuda/tensor_core.cuh"

#include <cstdint>
#include <type_traits>

namespace reelbrush::kernels {

/// Matrix products of a warpgroup (four warps) of Hopper, which run on while the warps compute other things. Needs code
/// for sm_90a. Rows 16 w to 16 w + 15 of a result belong to warp w, and lie over its lanes as in tensor_core.cuh: tile
/// n holds columns 8 n to 8 n + 7; so do rows of a. Source: PTX ISA, "Asynchronous warpgroup level matrix
/// multiply-accumulate instructions".

/// Where a matrix b lies in shared memory: rows of 128 bytes (64 values), of which eight make a block of 1024 bytes,
/// aligned to its size; in a block the 16-byte piece p of row r lies at r * 128 + (p ^ r) * 16, as copies with a
/// swizzle of 128 bytes leave it. address: of the first value; leadingBytes: from 64 columns of a b that is stored by
/// its rows to the next 64. Source: PTX ISA, "Matrix descriptor": bits 0-13 address / 16, 16-29 leading offset / 16,
/// 32-45 stride / 16 between blocks, 62-63 kind of swizzle, 1 for 128 bytes.
__device__ inline std::uint64_t swizzledMatrix(std::uint32_t address, std::uint32_t leadingBytes) {
    constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62, kBlocks = std::uint64_t{1024 / 16} << 32;
    return kSwizzle128 | kBlocks | std::uint64_t{leadingBytes / 16} << 16 | std::uint64_t{address / 16};
}

/// Before the first product that reads registers written since.
__device__ inline void openProducts() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Closes a group of the products begun so far.
__device__ inline void closeProducts() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most `open` groups are under way.
template <int open>
__device__ inline void awaitProducts() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(open) : "memory");
}

/// Keeps the compiler from moving what it does with a result across this place: it does not know that products write
/// it later.
template <int kTiles>
__device__ inline void pin(float (&sum)[kTiles][4]) {
#pragma unroll
    for (int n = 0; n < kTiles; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) asm volatile("" : "+f"(sum[n][i])::"memory");
}

// clang-format off
#define REELBRUSH_SUM(n) "+f"(sum[n][0]), "+f"(sum[n][1]), "+f"(sum[n][2]), "+f"(sum[n][3])

#define REELBRUSH_PRODUCT_40(TYPE) \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %25, 0; " \
                 "wgmma.mma_async.sync.aligned.m64n40k16.f32." TYPE "." TYPE " {" \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19}, " \
                 "{%20,%21,%22,%23}, %24, p, 1, 1, %26;}" \
                 : REELBRUSH_SUM(0), REELBRUSH_SUM(1), REELBRUSH_SUM(2), REELBRUSH_SUM(3), REELBRUSH_SUM(4) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(int{kAdds}), "n"(int{kByRows}))

#define REELBRUSH_PRODUCT_64(TYPE) \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %37, 0; " \
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE "." TYPE " {" \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19," \
                 "%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, " \
                 "{%32,%33,%34,%35}, %36, p, 1, 1, %38;}" \
                 : REELBRUSH_SUM(0), REELBRUSH_SUM(1), REELBRUSH_SUM(2), REELBRUSH_SUM(3), REELBRUSH_SUM(4), \
                   REELBRUSH_SUM(5), REELBRUSH_SUM(6), REELBRUSH_SUM(7) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(int{kAdds}), "n"(int{kByRows}))

#define REELBRUSH_PRODUCT_80(TYPE) \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %45, 0; " \
                 "wgmma.mma_async.sync.aligned.m64n80k16.f32." TYPE "." TYPE " {" \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19," \
                 "%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39}, " \
                 "{%40,%41,%42,%43}, %44, p, 1, 1, %46;}" \
                 : REELBRUSH_SUM(0), REELBRUSH_SUM(1), REELBRUSH_SUM(2), REELBRUSH_SUM(3), REELBRUSH_SUM(4), \
                   REELBRUSH_SUM(5), REELBRUSH_SUM(6), REELBRUSH_SUM(7), REELBRUSH_SUM(8), REELBRUSH_SUM(9) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(int{kAdds}), "n"(int{kByRows}))

#define REELBRUSH_PRODUCT_96(TYPE) \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %53, 0; " \
                 "wgmma.mma_async.sync.aligned.m64n96k16.f32." TYPE "." TYPE " {" \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19," \
                 "%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39," \
                 "%40,%41,%42,%43,%44,%45,%46,%47}, " \
                 "{%48,%49,%50,%51}, %52, p, 1, 1, %54;}" \
                 : REELBRUSH_SUM(0), REELBRUSH_SUM(1), REELBRUSH_SUM(2), REELBRUSH_SUM(3), REELBRUSH_SUM(4), \
                   REELBRUSH_SUM(5), REELBRUSH_SUM(6), REELBRUSH_SUM(7), REELBRUSH_SUM(8), REELBRUSH_SUM(9), \
                   REELBRUSH_SUM(10), REELBRUSH_SUM(11) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(int{kAdds}), "n"(int{kByRows}))

#define REELBRUSH_PRODUCT_128(TYPE) \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %69, 0; " \
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPE "." TYPE " {" \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19," \
                 "%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39," \
                 "%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59," \
                 "%60,%61,%62,%63}, " \
                 "{%64,%65,%66,%67}, %68, p, 1, 1, %70;}" \
                 : REELBRUSH_SUM(0), REELBRUSH_SUM(1), REELBRUSH_SUM(2), REELBRUSH_SUM(3), REELBRUSH_SUM(4), \
                   REELBRUSH_SUM(5), REELBRUSH_SUM(6), REELBRUSH_SUM(7), REELBRUSH_SUM(8), REELBRUSH_SUM(9), \
                   REELBRUSH_SUM(10), REELBRUSH_SUM(11), REELBRUSH_SUM(12), REELBRUSH_SUM(13), REELBRUSH_SUM(14), \
                   REELBRUSH_SUM(15) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(int{kAdds}), "n"(int{kByRows}))

#define REELBRUSH_PRODUCT_160(TYPE) \
    asm volatile("{.reg .pred p; setp.ne.b32 p, %85, 0; " \
                 "wgmma.mma_async.sync.aligned.m64n160k16.f32." TYPE "." TYPE " {" \
                 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19," \
                 "%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39," \
                 "%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59," \
                 "%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79}, " \
                 "{%80,%81,%82,%83}, %84, p, 1, 1, %86;}" \
                 : REELBRUSH_SUM(0), REELBRUSH_SUM(1), REELBRUSH_SUM(2), REELBRUSH_SUM(3), REELBRUSH_SUM(4), \
                   REELBRUSH_SUM(5), REELBRUSH_SUM(6), REELBRUSH_SUM(7), REELBRUSH_SUM(8), REELBRUSH_SUM(9), \
                   REELBRUSH_SUM(10), REELBRUSH_SUM(11), REELBRUSH_SUM(12), REELBRUSH_SUM(13), REELBRUSH_SUM(14), \
                   REELBRUSH_SUM(15), REELBRUSH_SUM(16), REELBRUSH_SUM(17), REELBRUSH_SUM(18), REELBRUSH_SUM(19) \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "n"(int{kAdds}), "n"(int{kByRows}))

// clang-format on

/// Begins sum [64 x 8 kTiles] = a [64 x 16] * b [16 x 8 kTiles], on top of what sum holds where kAdds. kByRows: b is
/// stored by its rows, each with its columns side by side; else by its columns. b: a swizzledMatrix(), the next 16 rows
/// of which are 2048 bytes on if it is stored by rows, and 32 bytes on if by columns, up to the 64th. Neither sum nor a
/// may be touched before the product is awaited.
template <typename T, bool kAdds, bool kByRows, int kTiles>
__device__ inline void beginProduct(float (&sum)[kTiles][4], const std::uint32_t (&a)[4], std::uint64_t b) {
    constexpr bool kIsHalf = std::is_same_v<T, __half>;
    if constexpr (kTiles == 5) {
        if constexpr (kIsHalf)
            REELBRUSH_PRODUCT_40("f16");
        else
            REELBRUSH_PRODUCT_40("bf16");
    } else if constexpr (kTiles == 8) {
        if constexpr (kIsHalf)
            REELBRUSH_PRODUCT_64("f16");
        else
            REELBRUSH_PRODUCT_64("bf16");
    } else if constexpr (kTiles == 10) {
        if constexpr (kIsHalf)
            REELBRUSH_PRODUCT_80("f16");
        else
            REELBRUSH_PRODUCT_80("bf16");
    } else if constexpr (kTiles == 12) {
        if constexpr (kIsHalf)
            REELBRUSH_PRODUCT_96("f16");
        else
            REELBRUSH_PRODUCT_96("bf16");
    } else if constexpr (kTiles == 16) {
        if constexpr (kIsHalf)
            REELBRUSH_PRODUCT_128("f16");
        else
            REELBRUSH_PRODUCT_128("bf16");
    } else if constexpr (kTiles == 20) {
        if constexpr (kIsHalf)
            REELBRUSH_PRODUCT_160("f16");
        else
            REELBRUSH_PRODUCT_160("bf16");
    } else {
        static_assert(kTiles == 0, "a width that no kernel uses so far");
    }
}

#undef REELBRUSH_PRODUCT_40
#undef REELBRUSH_PRODUCT_64
#undef REELBRUSH_PRODUCT_80
#undef REELBRUSH_PRODUCT_96
#undef REELBRUSH_PRODUCT_128
#undef REELBRUSH_PRODUCT_160
#undef REELBRUSH_SUM

}  // namespace reelbrush::kernels
