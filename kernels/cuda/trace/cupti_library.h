#pragma once

#include "kernels/tensor/status.h"

#include <cupti.h>

namespace reelbrush::kernels {

/// The functions of CUPTI that traces use, opened at run time: it comes with the CUDA toolkit, not with the driver, and
/// painting does without it. Stays loaded, since its threads outlive a trace.
struct CuptiLibrary {
    /// Errors: Unsupported where it is missing or lacks a function (named).
    static Result<CuptiLibrary> open();

    /// Success, or what CUPTI says. doing: "tracing the GPU".
    Status check(CUptiResult result, const char* doing) const;

    decltype(&::cuptiActivityRegisterCallbacks) registerCallbacks = nullptr;
    decltype(&::cuptiActivityRegisterTimestampCallback) registerTimestamp = nullptr;
    decltype(&::cuptiActivityEnable) enable = nullptr;
    decltype(&::cuptiActivityDisable) disable = nullptr;
    decltype(&::cuptiActivityFlushAll) flushAll = nullptr;
    decltype(&::cuptiActivityFlushPeriod) flushPeriod = nullptr;
    decltype(&::cuptiActivityGetNextRecord) nextRecord = nullptr;
    decltype(&::cuptiActivityGetNumDroppedRecords) droppedRecords = nullptr;
    decltype(&::cuptiGetResultString) resultString = nullptr;
};

}  // namespace reelbrush::kernels
