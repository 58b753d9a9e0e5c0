#include "kernels/cuda_module/cuda_module.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace reelbrush::kernels {
namespace {

/// Where the program was built without CUDA, or its module was not installed.
TEST(CudaModule, AMissingModuleIsTold) {
    const auto backend = openCudaBackend("/no/such/libreelbrush_cuda.so", {});
    ASSERT_FALSE(backend);
    EXPECT_EQ(backend.error().code, StatusCode::Unsupported);
    EXPECT_NE(backend.error().message.find("built without its CUDA module"), std::string::npos);
    EXPECT_FALSE(describeCudaDevice("/no/such/libreelbrush_cuda.so", 0));
    EXPECT_FALSE(traceCuda("/no/such/libreelbrush_cuda.so", nullptr));
}

/// On machines without a driver that is told; on others the file is no module.
TEST(CudaModule, AFileThatIsNoModuleIsTold) {
    const auto backend = openCudaBackend(std::filesystem::read_symlink("/proc/self/exe"), {});
    ASSERT_FALSE(backend);
    EXPECT_EQ(backend.error().code, StatusCode::Unsupported);
    EXPECT_FALSE(backend.error().message.empty());
}

}  // namespace
}  // namespace reelbrush::kernels
