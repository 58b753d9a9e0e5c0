#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <tl/expected.hpp>
#include <utility>

/// How every layer of Reelbrush reports what a user's file, disk, memory or device can cause.
/// Lives at the bottom of the house so that kernels can use it too; engine/core/status.h re-exports it.
namespace reelbrush {

enum class StatusCode { Cancelled, OutOfMemory, Unsupported, BadInput, Io, Internal };

/// What went wrong. The message is one sentence that names the operation, expected against actual, and the file or
/// device, and says what to do where something can be done.
struct Error {
    StatusCode code = StatusCode::Internal;
    std::string message;
};

/// A value or an Error. Never throws; errors travel by return.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  public:
    using tl::expected<T, Error>::expected;
};

/// Success or an Error; `return {};` is success.
using Status = Result<void>;

inline tl::unexpected<Error> fail(StatusCode code, std::string message) {
    return tl::unexpected<Error>(Error{code, std::move(message)});
}
inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace reelbrush

#define RB_CONCAT_INNER(a, b) a##b
#define RB_CONCAT(a, b) RB_CONCAT_INNER(a, b)

/// Returns the error of `expression` from the enclosing function, if it has one.
#define RB_TRY(expression)                                                    \
    do {                                                                      \
        auto&& rbStatus = (expression);                                       \
        if (!rbStatus) return ::reelbrush::fail(std::move(rbStatus).error()); \
    } while (false)

/// Declares or assigns `target` from a Result, or returns its error.
#define RB_ASSIGN(target, expression) RB_ASSIGN_IMPL(RB_CONCAT(rbResult, __LINE__), target, expression)
#define RB_ASSIGN_IMPL(result, target, expression)                    \
    auto result = (expression);                                       \
    if (!result) return ::reelbrush::fail(std::move(result).error()); \
    target = std::move(*result)

/// Guards our own bugs: aborts in debug builds, returns Internal in release builds.
#ifdef NDEBUG
#define RB_ENSURE(condition, text)                                                                                 \
    do {                                                                                                           \
        if (!(condition))                                                                                          \
            return ::reelbrush::fail(::reelbrush::StatusCode::Internal, std::string("internal error: ") + (text)); \
    } while (false)
#else
#define RB_ENSURE(condition, text)                                                                             \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            std::fprintf(stderr, "%s:%d: ENSURE failed: %s\n", __FILE__, __LINE__, std::string(text).c_str()); \
            std::abort();                                                                                      \
        }                                                                                                      \
    } while (false)
#endif
