#include "engine/core/cancel_token.h"

#include <gtest/gtest.h>

namespace reelbrush {
namespace {

TEST(CancelToken, ParentsCancelChildrenOnly) {
    const CancelToken application;
    const CancelToken job = application.child();
    const CancelToken frame = job.child();
    frame.cancel();
    EXPECT_FALSE(job.isCancelled());
    job.cancel();
    EXPECT_FALSE(application.isCancelled());
    const CancelToken second = job.child();
    EXPECT_TRUE(second.isCancelled());
    ASSERT_FALSE(second.check());
    EXPECT_EQ(second.check().error().code, StatusCode::Cancelled);
}

}  // namespace
}  // namespace reelbrush
