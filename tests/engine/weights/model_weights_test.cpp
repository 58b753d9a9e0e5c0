#include "engine/weights/model_weights.h"

#include "engine/core/process_memory.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace reelbrush::weights {

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SafetensorsWriter;
using testing::ScratchFolder;
using testing::writeBytes;

std::vector<float> valuesOf(const kernels::WeightView& view) {
    std::vector<float> values(static_cast<std::size_t>(view.shape.elements()));
    view.toFloat(values.data());
    return values;
}

std::string messageOf(const std::filesystem::path& path) {
    const auto weights = ModelWeights::open(path);
    return weights ? std::string("opened") : weights.error().message;
}

TEST(ModelWeights, JoinsInt8WeightsWithTheirScales) {
    const ScratchFolder scratch;
    SafetensorsWriter writer;
    writer.addI8("conv.weight", {2, 1, 1, 2}, {1, -2, 3, 127})
        .addF16("conv.weight_scale", {2}, {0.5f, 2.0f})
        .addF16("conv.bias", {2}, {0.25f, -1.0f})
        .addI8("lin.weight", {2, 2}, {1, 2, 3, 4})
        .addF16("lin.weight_scale", {2, 1}, {1.0f, 0.5f})
        .addF16("plain_scale", {1}, {3.0f});
    const auto weights = ModelWeights::open(writer.write(scratch.path() / "空 间 🎨" / "m.safetensors"));
    ASSERT_TRUE(weights) << weights.error().message;
    EXPECT_THAT((*weights)->names(), ElementsAre("conv.bias", "conv.weight", "lin.weight", "plain_scale"));
    EXPECT_EQ((*weights)->parameters(), 2 + 4 + 4 + 1);
    EXPECT_FALSE((*weights)->contains("conv.weight_scale"));

    const auto conv = (*weights)->find("conv.weight");
    ASSERT_TRUE(conv);
    EXPECT_EQ(conv->shape, (kernels::Shape{2, 1, 1, 2}));
    EXPECT_TRUE(conv->isQuantised());
    EXPECT_THAT(valuesOf(*conv), ElementsAre(0.5f, -1.0f, 6.0f, 254.0f));
    EXPECT_THAT(valuesOf(*(*weights)->find("lin.weight")), ElementsAre(1, 2, 1.5f, 2));
    EXPECT_THAT(valuesOf(*(*weights)->find("conv.bias")), ElementsAre(0.25f, -1.0f));
    EXPECT_FALSE((*weights)->find("conv.bias")->isQuantised());
}

TEST(ModelWeights, NamesWhatIsMissing) {
    const ScratchFolder scratch;
    const auto path = SafetensorsWriter().addF32("a", {1}, {1}).write(scratch.path() / "m.safetensors");
    const auto missing = (*ModelWeights::open(path))->find("down.0.weight");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, StatusCode::BadInput);
    EXPECT_THAT(missing.error().message, AllOf(HasSubstr("m.safetensors"), HasSubstr("'down.0.weight'")));
}

TEST(ModelWeights, RefusesRanksAboveFourOnlyWhereAskedFor) {
    const ScratchFolder scratch;
    const auto path = SafetensorsWriter().addZeros("video", {1, 1, 1, 1, 2}).write(scratch.path() / "m.safetensors");
    const auto weights = ModelWeights::open(path);
    ASSERT_TRUE(weights);
    EXPECT_TRUE((*weights)->contains("video"));
    const auto view = (*weights)->find("video");
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().code, StatusCode::Unsupported);
}

TEST(ModelWeights, RefusesScalesThatDoNotFit) {
    const ScratchFolder scratch;
    const auto path = scratch.path() / "m.safetensors";
    const auto withScale = [&](const SafetensorsWriter::Dims& shape, const std::vector<float>& values) {
        SafetensorsWriter writer;
        writer.addI8("w", {2, 2}, {1, 2, 3, 4}).addF16("w_scale", shape, values);
        return messageOf(writer.write(path));
    };
    EXPECT_EQ(withScale({2}, {1, 1}), "opened");
    EXPECT_EQ(withScale({2, 1, 1, 1}, {1, 1}), "opened");
    EXPECT_THAT(withScale({3}, {1, 1, 1}), HasSubstr("one scale a row"));
    EXPECT_THAT(withScale({2, 2}, {1, 1, 1, 1}), HasSubstr("one scale a row"));
    EXPECT_THAT(withScale({}, {1}), HasSubstr("one scale a row"));
    EXPECT_THAT(withScale({2}, {1, 1e9f}), HasSubstr("not finite in row 1"));
    SafetensorsWriter wide;
    wide.addI8("w", {2, 2}, {1, 2, 3, 4}).addF32("w_scale", {2}, {1, 1});
    EXPECT_THAT(messageOf(wide.write(path)), HasSubstr("stored as F32 where F16"));
}

TEST(ModelWeights, DataAtOddAddressesIsReadWhole) {
    const ScratchFolder scratch;
    for (std::size_t padding = 0; padding < 8; ++padding) {
        SafetensorsWriter writer;
        writer.addI8("a", {1, 3}, {1, 2, 3}).addF16("a_scale", {1}, {2}).addF32("b", {3}, {1.5f, -2, 1e10f});
        const auto weights = ModelWeights::open(writer.write(scratch.path() / "m.safetensors", padding));
        ASSERT_TRUE(weights);
        const auto view = (*weights)->find("b");
        ASSERT_TRUE(view);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view->data) % 4, 0u);
        EXPECT_THAT(valuesOf(*view), ElementsAre(1.5f, -2, 1e10f));
        EXPECT_EQ((*weights)->find("b")->data, view->data);
        EXPECT_THAT(valuesOf(*(*weights)->find("a")), ElementsAre(2, 4, 6));
    }
}

TEST(ModelWeights, ReadsShardsThroughTheirIndex) {
    const ScratchFolder scratch;
    const auto index = scratch.path() / "model.safetensors.index.json";
    SafetensorsWriter().addF32("a", {1}, {1}).setMetadata("format", "pt").write(scratch.path() / "m-1.safetensors");
    SafetensorsWriter().addF32("b", {2}, {2, 3}).write(scratch.path() / "m-2.safetensors");
    writeBytes(index, R"({"metadata":{},"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}})");
    const auto weights = ModelWeights::open(index);
    ASSERT_TRUE(weights) << weights.error().message;
    EXPECT_THAT((*weights)->names(), ElementsAre("a", "b"));
    EXPECT_THAT(valuesOf(*(*weights)->find("b")), ElementsAre(2, 3));
    EXPECT_EQ((*weights)->stored().metadata().at("format"), "pt");
    EXPECT_EQ((*weights)->stored().files().size(), 2u);
}

TEST(ModelWeights, RefusesBrokenIndexes) {
    const ScratchFolder scratch;
    const auto index = scratch.path() / "model.safetensors.index.json";
    SafetensorsWriter().addF32("a", {1}, {1}).write(scratch.path() / "m-1.safetensors");
    SafetensorsWriter().addF32("a", {1}, {1}).addF32("b", {1}, {1}).write(scratch.path() / "m-2.safetensors");
    const auto withMap = [&](const std::string& map) {
        return messageOf(writeBytes(index, R"({"weight_map":)" + map + "}"));
    };
    EXPECT_EQ(withMap(R"({"a":"m-1.safetensors"})"), "opened");
    EXPECT_THAT(withMap(R"({"a":"m-1.safetensors","b":"m-2.safetensors"})"), HasSubstr("lies both in"));
    EXPECT_THAT(withMap(R"({"z":"m-1.safetensors"})"), HasSubstr("tensor 'z' in 'm-1.safetensors', but it is not"));
    EXPECT_THAT(withMap(R"({"a":"m-3.safetensors"})"), HasSubstr("m-3.safetensors': No such file"));
    for (const char* elsewhere : {"../m-1.safetensors", "/etc/passwd", "..", "", "sub/m.safetensors"})
        EXPECT_THAT(withMap(std::string(R"({"a":")") + elsewhere + "\"}"), HasSubstr("something other than a file"));
    EXPECT_THAT(withMap(R"({"a":7})"), HasSubstr("something other than a file"));
    EXPECT_THAT(withMap("{}"), HasSubstr("no weight_map"));
    EXPECT_THAT(messageOf(writeBytes(index, "[]")), HasSubstr("does not hold a JSON object"));
    EXPECT_THAT(messageOf(writeBytes(index, "{")), HasSubstr("not valid JSON"));
}

TEST(ModelWeights, RefusesForeignFilesWithAdvice) {
    const ScratchFolder scratch;
    const auto write = [&](const char* name, const std::string& bytes) {
        return messageOf(writeBytes(scratch.path() / name, bytes));
    };
    EXPECT_THAT(write("a.ckpt", "whatever"), HasSubstr("PyTorch pickle"));
    EXPECT_THAT(write("a.PT", ""), HasSubstr("convert it once"));
    EXPECT_THAT(write("zip.safetensors", std::string("PK\x03\x04 data.pkl")), HasSubstr("PyTorch pickle"));
    EXPECT_THAT(write("old.safetensors", std::string("\x80\x02}q") + std::string(20, 'x')),
                HasSubstr("PyTorch pickle"));
    EXPECT_THAT(write("a.gguf", "GGUF3..."), HasSubstr("GGUF"));
    EXPECT_THAT(write("lfs.safetensors", "version https://git-lfs.github.com/spec/v1\noid"), HasSubstr("git lfs pull"));
    EXPECT_THAT(write("web.safetensors", "<!DOCTYPE html><html>"), HasSubstr("web page"));
    EXPECT_THAT(messageOf(scratch.path() / "none.safetensors"), HasSubstr("No such file"));
    EXPECT_THAT(messageOf(scratch.path()), HasSubstr("is a folder"));
    // A header of 642 bytes begins like a pickle of protocol 2, and a good file may bear any ending.
    std::string header(0x282, ' ');
    header.replace(0, 2, "{}");
    EXPECT_EQ(messageOf(writeBytes(scratch.path() / "odd.bin", testing::safetensorsBytes(header, ""))), "opened");
}

TEST(ModelWeights, DroppedPagesLeaveResidentMemoryAndComeBack) {
    const ScratchFolder scratch;
    constexpr std::int64_t kValues = 16 << 20;
    std::vector<std::int8_t> values(kValues, 3);
    const auto path = SafetensorsWriter().addI8("big", {kValues}, values).write(scratch.path() / "m.safetensors");
    const auto weights = ModelWeights::open(path);
    ASSERT_TRUE(weights);
    const auto view = (*weights)->find("big");
    const auto* data = static_cast<const std::int8_t*>(view->data);
    const auto sum = [&] { return std::accumulate(data, data + kValues, std::int64_t{0}); };
    EXPECT_EQ(sum(), 3 * kValues);
    const auto touched = residentBytes();
    (*weights)->dropPages();
    EXPECT_LT(residentBytes() + (kValues * 3 / 4), touched);
    EXPECT_EQ(sum(), 3 * kValues);
}

}  // namespace

}  // namespace reelbrush::weights
