#pragma once

#include "engine/core/status.h"

#include <memory>

struct CUctx_st;
struct CUstream_st;

namespace reelbrush::media {

/// A shared library opened at run time and closed by the last owner.
class DriverLibrary {
  public:
    /// Null where it is not installed.
    static std::shared_ptr<DriverLibrary> open(const char* name);
    explicit DriverLibrary(void* handle) : handle_(handle) {}
    ~DriverLibrary();
    DriverLibrary(const DriverLibrary&) = delete;
    DriverLibrary& operator=(const DriverLibrary&) = delete;

    template <typename Function>
    bool find(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(symbol(name));
        return function != nullptr;
    }

  private:
    void* symbol(const char* name) const;

    void* handle_;
};

/// Whether there is a driver for NVIDIA cards at all.
bool hasCudaDriver();

/// The few functions of CUDA's driver (plain C, 0 for success) that video needs; an open primary context of one device,
/// which is given back at destruction.
class CudaPrimaryContext {
  public:
    /// Errors: Unsupported (no driver, no such card), OutOfMemory.
    static Result<std::shared_ptr<CudaPrimaryContext>> open(int device);
    ~CudaPrimaryContext();
    CudaPrimaryContext(const CudaPrimaryContext&) = delete;
    CudaPrimaryContext& operator=(const CudaPrimaryContext&) = delete;

    CUctx_st* context() const { return context_; }
    /// A stream that waits for no other one; owned by this object. Null when the driver gives none.
    CUstream_st* makeStream();

    /// While it lives, the context is the calling thread's.
    class Current {
      public:
        explicit Current(const CudaPrimaryContext& owner);
        ~Current();
        Current(const Current&) = delete;
        Current& operator=(const Current&) = delete;
        bool isSet() const { return isSet_; }

      private:
        const CudaPrimaryContext& owner_;
        bool isSet_;
    };

  private:
    CudaPrimaryContext() = default;
    bool findFunctions();

    std::shared_ptr<DriverLibrary> driver_;
    int (*init_)(unsigned) = nullptr;
    int (*deviceCount_)(int*) = nullptr;
    int (*deviceOf_)(int*, int) = nullptr;
    int (*retain_)(CUctx_st**, int) = nullptr;
    int (*release_)(int) = nullptr;
    int (*push_)(CUctx_st*) = nullptr;
    int (*pop_)(CUctx_st**) = nullptr;
    int (*createStream_)(CUstream_st**, unsigned) = nullptr;
    int (*destroyStream_)(CUstream_st*) = nullptr;
    int device_ = 0;
    CUctx_st* context_ = nullptr;
    CUstream_st* stream_ = nullptr;
};

}  // namespace reelbrush::media
