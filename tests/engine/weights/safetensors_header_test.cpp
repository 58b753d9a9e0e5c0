#include "engine/weights/safetensors_header.h"

#include "engine/weights/mapped_file.h"
#include "tests/support/safetensors_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace reelbrush::weights {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::safetensorsBytes;

Result<SafetensorsHeader> parse(const std::string& bytes) {
    return parseSafetensorsHeader(std::as_bytes(std::span(bytes)), "'model.safetensors'");
}

/// Header text and the number of data bytes after it.
Result<SafetensorsHeader> parse(const std::string& header, std::size_t dataBytes) {
    return parse(safetensorsBytes(header, std::string(dataBytes, '\1')));
}

std::string lengthOnly(std::uint64_t length) {
    std::string bytes(8, '\0');
    std::memcpy(bytes.data(), &length, 8);
    return bytes;
}

TEST(SafetensorsHeader, ReadsTensorsAndMetadata) {
    const auto header =
        parse(R"({"__metadata__":{"format":"pt"},"z":{"dtype":"F16","shape":[2,3],"data_offsets":[4,16]},)"
              R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )",
              16);
    ASSERT_TRUE(header) << header.error().message;
    ASSERT_EQ(header->tensors.size(), 2u);
    EXPECT_EQ(header->tensors[0].name, "a");
    EXPECT_EQ(header->tensors[0].elements(), 1);
    EXPECT_EQ(header->tensors[1].name, "z");
    EXPECT_EQ(header->tensors[1].dtype, kernels::DType::F16);
    EXPECT_THAT(header->tensors[1].shape, ::testing::ElementsAre(2, 3));
    EXPECT_EQ(header->tensors[1].sizeBytes, 12u);
    EXPECT_EQ(header->metadata.at("format"), "pt");
}

TEST(SafetensorsHeader, AcceptsWhatTheFormatAllows) {
    EXPECT_TRUE(parse("{}", 0));
    EXPECT_TRUE(parse(R"({"empty":{"dtype":"I64","shape":[0,7],"data_offsets":[0,0]}})", 0));
    EXPECT_TRUE(parse(R"({"\u4e2d 文 🎨":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", 1));
    EXPECT_TRUE(parse(R"({"r8":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})", 1));
    for (const char* type : {"F8_E4M3", "F8_E5M2", "I8", "U8", "BOOL"})
        EXPECT_TRUE(parse(std::string(R"({"x":{"dtype":")") + type + R"(","shape":[3],"data_offsets":[0,3]}})", 3));
    for (const char* type : {"F64", "I64"})
        EXPECT_TRUE(parse(std::string(R"({"x":{"dtype":")") + type + R"(","shape":[3],"data_offsets":[0,24]}})", 24));
}

struct Hostile {
    const char* what;
    std::string bytes;
    const char* message;
};

std::string withHeader(const std::string& header, std::size_t dataBytes) {
    return safetensorsBytes(header, std::string(dataBytes, '\1'));
}

std::string oneTensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return R"({"t":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

std::vector<Hostile> hostileFiles() {
    const std::string good = R"({"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
    const std::string next = R"({"dtype":"U8","shape":[4],"data_offsets":[4,8]})";
    const std::string over = R"({"dtype":"U8","shape":[4],"data_offsets":[2,6]})";
    const std::string deep = "{\"t\":" + std::string(100000, '[') + std::string(100000, ']') + "}";
    const std::string deepObjects = [] {
        std::string text;
        for (int i = 0; i < 50000; ++i) text += "{\"t\":";
        return text;
    }();
    return {
        {"empty file", "", "it is empty"},
        {"five bytes", "abcde", "it has only 5 bytes"},
        {"no header", lengthOnly(0), "does not begin with '{'"},
        {"header longer than the file", lengthOnly(100) + "{}", "its header should have 100 bytes, but only 2 follow"},
        {"header of 2^64-1 bytes", lengthOnly(~0ull) + "{}", "its header would have 18446744073709551615 bytes"},
        {"header of 2^63 bytes", lengthOnly(1ull << 63) + "{}", "its header would have"},
        {"header above the cap", lengthOnly(kMaxHeaderBytes + 1) + "{}", "at most 100000000 are allowed"},
        {"cut header", lengthOnly(30) + R"({"t":{"dtype":"F32","shape":[)", "its header should have 30 bytes"},
        {"header that stops", withHeader(R"({"t":{"dtype":"F32","shape":[)", 4), "not valid JSON"},
        {"no JSON", withHeader("{nonsense}", 0), "not valid JSON"},
        {"a list", withHeader("[1,2]", 0), "does not begin with '{'"},
        {"text after the object", withHeader("{} x", 0), "not valid JSON"},
        {"bad UTF-8 in a name", withHeader("{\"\xff\xfe\":" + good + "}", 4), "not valid UTF-8"},
        {"overlong UTF-8", withHeader("{\"\xc0\xaf\":" + good + "}", 4), "not valid UTF-8"},
        {"half a surrogate pair", withHeader(R"({"\ud800":)" + good + "}", 4), "not valid JSON"},
        {"deep lists", withHeader(deep, 0), "not valid JSON"},
        {"deep objects", withHeader(deepObjects, 0), "not valid JSON"},
        {"duplicate names", withHeader("{\"t\":" + good + ",\"t\":" + next + "}", 8), "tensor 't' is listed twice"},
        {"duplicate names, one escaped", withHeader("{\"t\":" + good + R"(,"\u0074":)" + next + "}", 8),
         "listed twice"},
        {"two __metadata__", withHeader(R"({"__metadata__":{},"__metadata__":{}})", 0), "__metadata__ is listed twice"},
        {"metadata list", withHeader(R"({"__metadata__":[]})", 0), "is not an object of strings"},
        {"metadata number", withHeader(R"({"__metadata__":{"a":1}})", 0), "the value of 'a' in its __metadata__"},
        {"tensor that is a number", withHeader(R"({"t":5})", 0), "tensor 't' is not described by an object"},
        {"no shape", withHeader(R"({"t":{"dtype":"U8","data_offsets":[0,0]}})", 0), "lacks one of"},
        {"two dtypes", withHeader(R"({"t":{"dtype":"U8","dtype":"U8","shape":[],"data_offsets":[0,1]}})", 1),
         "two ent"},
        {"unknown type", withHeader(oneTensor("F4", "[2]", "[0,1]"), 1), "element type 'F4', which is not supported"},
        {"type in lower case", withHeader(oneTensor("f32", "[1]", "[0,4]"), 4), "not supported"},
        {"type that is a number", withHeader(R"({"t":{"dtype":1,"shape":[],"data_offsets":[0,1]}})", 1),
         "not a string"},
        {"rank 9", withHeader(oneTensor("U8", "[1,1,1,1,1,1,1,1,1]", "[0,1]"), 1), "more than 8 dimensions"},
        {"negative dimension", withHeader(oneTensor("U8", "[-1]", "[0,1]"), 1), "not a whole number"},
        {"fraction", withHeader(oneTensor("U8", "[1.0]", "[0,1]"), 1), "not a whole number"},
        {"text as dimension", withHeader(oneTensor("U8", "[\"1\"]", "[0,1]"), 1), "not a whole number"},
        {"2^63", withHeader(oneTensor("U8", "[9223372036854775808]", "[0,1]"), 1), "not a whole number"},
        {"2^64", withHeader(oneTensor("U8", "[18446744073709551616]", "[0,1]"), 1), "not valid JSON"},
        {"2^62 x 4 x 8 wraps to 0", withHeader(oneTensor("F64", "[4611686018427387904,4]", "[0,0]"), 0), "impossible"},
        {"2^32 x 2^32 wraps to 0", withHeader(oneTensor("U8", "[4294967296,4294967296]", "[0,0]"), 0), "impossible"},
        {"zero beside 2^62 x 2^62",
         withHeader(oneTensor("U8", "[0,4611686018427387904,4611686018427387904]", "[0,0]"), 0), "impossible shape"},
        {"shape larger than its bytes", withHeader(oneTensor("F32", "[2]", "[0,4]"), 4), "needs 8 bytes, but"},
        {"shape smaller than its bytes", withHeader(oneTensor("F32", "[1]", "[0,8]"), 8), "needs 4 bytes, but"},
        {"one offset", withHeader(oneTensor("U8", "[1]", "[0]"), 1), "fewer than two data_offsets"},
        {"three offsets", withHeader(oneTensor("U8", "[1]", "[0,1,2]"), 1), "more than two data_offsets"},
        {"negative offset", withHeader(oneTensor("U8", "[1]", "[-1,0]"), 1), "data offset that is not"},
        {"offsets turned round", withHeader(oneTensor("U8", "[1]", "[1,0]"), 1),
         "ends at byte 0 before it begins at 1"},
        {"end beyond the file", withHeader(oneTensor("U8", "[5]", "[0,5]"), 4), "but the file holds only 4"},
        {"end at 2^64-1", withHeader(oneTensor("U8", "[1]", "[18446744073709551614,18446744073709551615]"), 4),
         "but the file holds only 4"},
        {"overlap", withHeader("{\"a\":" + good + ",\"b\":" + over + "}", 6), "tensor 'b' overlaps tensor 'a'"},
        {"the same bytes twice", withHeader("{\"a\":" + good + ",\"b\":" + good + "}", 4), "overlaps tensor"},
        {"gap at the beginning", withHeader(oneTensor("U8", "[1]", "[1,2]"), 2), "1 bytes after the tensor before"},
        {"gap between", withHeader("{\"a\":" + good + R"(,"b":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}})", 6),
         "1 bytes after"},
        {"bytes left over", withHeader("{\"a\":" + good + "}", 7), "3 bytes after its last tensor belong to nothing"},
    };
}

TEST(SafetensorsHeader, RefusesHostileFilesWithOneSentence) {
    for (const Hostile& hostile : hostileFiles()) {
        SCOPED_TRACE(hostile.what);
        const auto header = parse(hostile.bytes);
        ASSERT_FALSE(header);
        EXPECT_THAT(header.error().message, AllOf(HasSubstr("'model.safetensors'"), HasSubstr(hostile.message)));
        EXPECT_EQ(header.error().message.find('\n'), std::string::npos);
        EXPECT_LT(header.error().message.size(), 600u);
    }
}

TEST(SafetensorsHeader, UnknownTypesAreUnsupportedAllElseIsBadInput) {
    for (const Hostile& hostile : hostileFiles()) {
        const bool isType = std::string_view(hostile.message).find("not supported") != std::string_view::npos;
        EXPECT_EQ(parse(hostile.bytes).error().code, isType ? StatusCode::Unsupported : StatusCode::BadInput)
            << hostile.what;
    }
}

TEST(SafetensorsHeader, EveryCutOfAGoodFileIsRefused) {
    testing::SafetensorsWriter writer;
    writer.addF32("weight", {2, 2}, {1, 2, 3, 4}).addF16("bias", {2}, {1, 2}).setMetadata("format", "pt");
    const std::string whole = writer.bytes();
    ASSERT_TRUE(parse(whole));
    for (std::size_t length = 0; length < whole.size(); ++length) EXPECT_FALSE(parse(whole.substr(0, length)));
}

TEST(SafetensorsHeader, NamesCannotReachTheTerminal) {
    const auto header = parse(R"({"\u001b[31mred\u0000":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4);
    ASSERT_FALSE(header);
    EXPECT_THAT(header.error().message, HasSubstr(R"('\x1b[31mred\x00')"));
    const auto longName = parse(oneTensor("F32", "[2]", "[0,4]").replace(2, 1, std::string(5000, 'n')), 4);
    ASSERT_FALSE(longName);
    EXPECT_LT(longName.error().message.size(), 400u);
}

TEST(SafetensorsHeader, FuzzCorpusIsReadOrRefused) {
    const std::filesystem::path corpus = REELBRUSH_SOURCE_DIR "/tests/fuzz/corpus/safetensors";
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
        const auto file = MappedFile::open(entry.path());
        ASSERT_TRUE(file);
        const auto header = parseSafetensorsHeader((*file)->bytes(), "'corpus file'");
        const bool isGood = entry.path().filename().native().starts_with("good");
        EXPECT_EQ(header.has_value(), isGood) << entry.path();
        ++files;
    }
    EXPECT_GE(files, 9u);
}

}  // namespace

}  // namespace reelbrush::weights
