#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace reelbrush::kernels {

/// Calls body(begin, end) for ranges that together cover [0, count), on up to `threads` threads, and waits for all.
/// Stays on the calling thread where there are fewer than 2 * grain items: waking threads costs some microseconds.
/// The body must not contain vector code itself (Highway's target attributes do not reach code outlined by OpenMP);
/// it calls functions that do.
template <typename Body>
void parallelFor(int threads, std::int64_t count, std::int64_t grain, const Body& body) {
    if (count <= 0) return;
    if (threads <= 1 || count < 2 * grain || count < 2) {
        body(std::int64_t{0}, count);
        return;
    }
    // All or one: teams of changing size would make the runtime rebuild its pool.
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < threads; ++part) {
        const std::int64_t begin = count * part / threads, end = count * (part + 1) / threads;
        if (begin < end) body(begin, end);
    }
}

/// Calls body(item, thread) for each item in [0, count), thread in [0, threads), and waits for all. Whoever is free
/// takes the next item. As with parallelFor, the body must not contain vector code itself.
template <typename Body>
void parallelItems(int threads, std::int64_t count, const Body& body) {
    if (threads <= 1 || count < 2) {
        for (std::int64_t item = 0; item < count; ++item) body(item, 0);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (std::int64_t item = 0; item < count; ++item) body(item, omp_get_thread_num());
}

}  // namespace reelbrush::kernels
