#include "tests/architecture/layer_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reelbrush::architecture {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Case {
    const char* path;
    const char* line;
};

class Forbidden : public testing::TestWithParam<Case> {};
class Allowed : public testing::TestWithParam<Case> {};

TEST_P(Forbidden, IsFound) {
    EXPECT_THAT(includeViolations(GetParam().path, GetParam().line), SizeIs(1)) << GetParam().line;
}

TEST_P(Allowed, IsNot) {
    EXPECT_THAT(includeViolations(GetParam().path, GetParam().line), IsEmpty()) << GetParam().line;
}

INSTANTIATE_TEST_SUITE_P(Layers, Forbidden,
                         testing::Values(Case{"kernels/cpu/conv2d_cpu.cpp", "#include \"engine/core/status.h\""},
                                         Case{"kernels/tensor/buffer.cpp", "#include \"kernels/ops/conv2d.h\""},
                                         Case{"kernels/ops/conv2d.cpp", "#include \"kernels/cpu/cpu_backend.h\""},
                                         Case{"engine/core/rational.cpp", "#include \"kernels/tensor/shape.h\""},
                                         Case{"engine/core/rational.cpp", "#include \"engine/media/clip_info.h\""},
                                         Case{"engine/media/frame_sink.h", "#include \"engine/imaging/flow.h\""},
                                         Case{"engine/media/frame_sink.h", "#include \"kernels/tensor/shape.h\""},
                                         Case{"engine/jobs/queue.cpp", "#include \"engine/render/painter.h\""},
                                         Case{"engine/weights/lora.cpp", "#include \"engine/diffusion/unet.h\""},
                                         Case{"engine/session/session.h", "#include \"ui/bridge/bridge.h\""},
                                         Case{"engine/render/x.cpp", "#include \"app/cli/main.h\""},
                                         Case{"engine/render/x.cpp", "#include \"engine/session/session.h\""},
                                         Case{"engine/render/x.cpp", "#include \"tests/support/test_data.h\""},
                                         Case{"ui/timeline/track.cpp", "#include \"engine/session/session.h\""},
                                         Case{"ui/bridge/bridge.cpp", "#include \"app/desktop/main.h\""},
                                         Case{"app/cli/main.cpp", "#include \"ui/windows/main_window.h\""}));

INSTANTIATE_TEST_SUITE_P(Spelling, Forbidden,
                         testing::Values(Case{"kernels/plan/graph.cpp",
                                              "  #  include <engine/core/status.h>  // hidden"},
                                         Case{"kernels/plan/graph.cpp", "#include\t\"engine/core/status.h\""},
                                         Case{"kernels/plan/graph.cpp", "#include \"../../engine/core/status.h\""},
                                         Case{"kernels/plan/graph.cpp", "#include \"node.h\""},
                                         Case{"kernels/vulkan/graph.cpp", "#include <vector>"}));

INSTANTIATE_TEST_SUITE_P(Libraries, Forbidden,
                         testing::Values(Case{"engine/session/session.cpp", "#include <QObject>"},
                                         Case{"engine/session/session.cpp", "#include <QtCore/QString>"},
                                         Case{"app/cli/main.cpp", "#include <qobject.h>"},
                                         Case{"kernels/tensor/device.h", "#include <cuda_runtime.h>"},
                                         Case{"kernels/cpu/x.cpp", "#include <cublasLt.h>"},
                                         Case{"engine/diffusion/x.cpp", "#include <cudnn.h>"},
                                         Case{"engine/cache/x.cpp", "#include <nccl.h>"},
                                         Case{"app/cli/doctor.cpp", "#include <vulkan/vulkan.h>"},
                                         Case{"engine/imaging/x.cpp", "#include <libavutil/frame.h>"},
                                         Case{"app/cli/x.cpp", "#include <opencv2/core.hpp>"},
                                         Case{"kernels/ops/x.cpp", "#include <oneapi/dnnl/dnnl.hpp>"},
                                         Case{"kernels/reference/x.cpp", "#include <hwy/highway.h>"}));

INSTANTIATE_TEST_SUITE_P(Layers, Allowed,
                         testing::Values(Case{"engine/core/status.h", "#include \"kernels/tensor/status.h\""},
                                         Case{"engine/diffusion/unet.cpp", "#include \"kernels/plan/graph.h\""},
                                         Case{"engine/session/session.cpp", "#include \"engine/jobs/queue.h\""},
                                         Case{"ui/timeline/track.cpp", "#include \"engine/project/timeline.h\""},
                                         Case{"ui/preview/viewport.cpp", "#include <vulkan/vulkan.h>"},
                                         Case{"app/desktop/main.cpp", "#include <QApplication>"},
                                         Case{"kernels/cuda/gemm.cu", "#include <cuda_fp16.h>"},
                                         Case{"kernels/cpu/gemm.cpp", "#include <oneapi/dnnl/dnnl.hpp>"},
                                         Case{"kernels/plan/graph.cpp", "// #include \"engine/core/status.h\""},
                                         Case{"kernels/plan/graph.cpp",
                                              "#include <queue>\n#include <cmath>\n#include <cuchar>"}));

TEST(LayerRules, NamesFileAndLine) {
    EXPECT_THAT(includeViolations("kernels/ops/a.h", "#pragma once\n\n#include \"engine/core/status.h\"\n"),
                ElementsAre("kernels/ops/a.h:3: kernels/ops may not include engine/core/status.h"));
}

TEST(LayerRules, AFolderIsNotItsPrefix) {
    EXPECT_THAT(includeViolations("engine/core/a.h", "#include \"engine/core_extras/b.h\""), SizeIs(1));
}

}  // namespace
}  // namespace reelbrush::architecture
