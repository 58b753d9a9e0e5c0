#include "engine/weights/safetensors_header.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace reelbrush::weights {

namespace {

namespace dom = simdjson::dom;
using kernels::DType;

constexpr std::size_t kLengthBytes = 8;
static_assert(std::endian::native == std::endian::little, "safetensors data is used in place, little-endian");

std::optional<DType> dtypeNamed(std::string_view name) {
    static constexpr std::array kTypes = {DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2,
                                          DType::I64, DType::I32, DType::I16, DType::I8,   DType::U8,     DType::Bool};
    for (DType type : kTypes)
        if (name == kernels::nameOf(type)) return type;
    return std::nullopt;
}

/// Reads one header; holds what every error sentence needs.
class HeaderReader {
  public:
    HeaderReader(std::string_view displayName, std::uint64_t dataOffset, std::uint64_t dataBytes)
        : file_(displayName), dataOffset_(dataOffset), dataBytes_(dataBytes) {}

    Result<SafetensorsHeader> read(dom::object root) {
        for (dom::key_value_pair entry : root) {
            if (entry.key == "__metadata__") {
                RB_TRY(readMetadata(entry.value));
            } else {
                RB_TRY(readTensor(entry.key, entry.value));
            }
        }
        std::ranges::sort(header_.tensors, {}, &TensorInfo::name);
        const auto twice = std::ranges::adjacent_find(header_.tensors, {}, &TensorInfo::name);
        if (twice != header_.tensors.end()) return bad(twice->name, "is listed twice");
        RB_TRY(checkLayout());
        return std::move(header_);
    }

  private:
    tl::unexpected<Error> bad(std::string_view tensor, std::string_view what) const {
        return fail(StatusCode::BadInput, fmt::format("{} is damaged: tensor {} {}", file_, quotedName(tensor), what));
    }

    Status readMetadata(dom::element value) {
        dom::object entries;
        if (metadataSeen_ || value.get(entries))
            return fail(StatusCode::BadInput,
                        fmt::format("{} is damaged: its __metadata__ {}", file_,
                                    metadataSeen_ ? "is listed twice" : "is not an object of strings"));
        metadataSeen_ = true;
        for (dom::key_value_pair entry : entries) {
            std::string_view text;
            if (entry.value.get(text))
                return fail(StatusCode::BadInput,
                            fmt::format("{} is damaged: the value of {} in its __metadata__ is not "
                                        "a string",
                                        file_, quotedName(entry.key)));
            header_.metadata.insert_or_assign(std::string(entry.key), std::string(text));
        }
        return {};
    }

    Status readTensor(std::string_view name, dom::element value) {
        dom::object fields;
        if (value.get(fields)) return bad(name, "is not described by an object");
        std::optional<dom::element> dtype, shape, offsets;
        for (dom::key_value_pair field : fields) {
            auto* slot = field.key == "dtype"          ? &dtype
                         : field.key == "shape"        ? &shape
                         : field.key == "data_offsets" ? &offsets
                                                       : nullptr;
            if (!slot) continue;
            if (slot->has_value()) return bad(name, fmt::format("has two entries '{}'", field.key));
            *slot = field.value;
        }
        if (!dtype || !shape || !offsets) return bad(name, "lacks one of 'dtype', 'shape' and 'data_offsets'");

        TensorInfo info;
        info.name = name;
        RB_TRY(readDtype(*dtype, info));
        RB_TRY(readShape(*shape, info));
        RB_TRY(readOffsets(*offsets, info));
        RB_TRY(checkSize(info));
        header_.tensors.push_back(std::move(info));
        return {};
    }

    Status readDtype(dom::element value, TensorInfo& info) const {
        std::string_view text;
        if (value.get(text)) return bad(info.name, "has an element type that is not a string");
        const auto type = dtypeNamed(text);
        if (!type)
            return fail(StatusCode::Unsupported,
                        fmt::format("{}: tensor {} has the element type {}, which is not supported", file_,
                                    quotedName(info.name), quotedName(text)));
        info.dtype = *type;
        return {};
    }

    Status readShape(dom::element value, TensorInfo& info) const {
        dom::array dims;
        if (value.get(dims)) return bad(info.name, "has a shape that is not a list");
        for (dom::element dim : dims) {
            std::uint64_t size = 0;
            if (dim.get(size) || size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
                return bad(info.name, "has a dimension that is not a whole number from 0 to 2^63 - 1");
            if (info.shape.size() == kMaxStoredRank)
                return bad(info.name, fmt::format("has more than {} dimensions", kMaxStoredRank));
            info.shape.push_back(static_cast<std::int64_t>(size));
        }
        return {};
    }

    Status readOffsets(dom::element value, TensorInfo& info) const {
        dom::array offsets;
        if (value.get(offsets)) return bad(info.name, "has data_offsets that are not a list");
        std::array<std::uint64_t, 2> range{};
        std::size_t count = 0;
        for (dom::element offset : offsets) {
            if (count == range.size()) return bad(info.name, "has more than two data_offsets");
            if (offset.get(range[count++]))
                return bad(info.name, "has a data offset that is not a whole number from 0 to 2^64 - 1");
        }
        if (count != range.size()) return bad(info.name, "has fewer than two data_offsets");
        const auto [begin, end] = range;
        if (begin > end) return bad(info.name, fmt::format("ends at byte {} before it begins at {}", end, begin));
        if (end > dataBytes_)
            return bad(info.name,
                       fmt::format("ends at byte {} of the data, but the file holds only {}; it may have been "
                                   "cut short: download it again",
                                   end, dataBytes_));
        info.offsetBytes = dataOffset_ + begin;
        info.sizeBytes = end - begin;
        return {};
    }

    Status checkSize(const TensorInfo& info) const {
        // Zeros count as one in the overflow check, so that a product over any part of the shape is safe later on.
        std::uint64_t bytes = kernels::sizeOf(info.dtype);
        bool overflow = false;
        bool empty = false;
        for (std::int64_t dim : info.shape) {
            empty |= dim == 0;
            overflow |=
                __builtin_mul_overflow(bytes, std::max<std::uint64_t>(static_cast<std::uint64_t>(dim), 1), &bytes);
        }
        overflow |= bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (empty) bytes = 0;
        if (overflow) return bad(info.name, fmt::format("has the impossible shape {}", shapeText(info.shape)));
        if (bytes != info.sizeBytes)
            return bad(info.name,
                       fmt::format("of shape {} and type {} needs {} bytes, but its data_offsets span {}",
                                   shapeText(info.shape), kernels::nameOf(info.dtype), bytes, info.sizeBytes));
        return {};
    }

    /// The tensors must follow each other without overlap or gap up to the end of the file.
    Status checkLayout() const {
        std::vector<const TensorInfo*> order;
        order.reserve(header_.tensors.size());
        for (const TensorInfo& info : header_.tensors) order.push_back(&info);
        std::ranges::sort(order, {}, [](const TensorInfo* t) { return std::pair(t->offsetBytes, t->sizeBytes); });
        std::uint64_t expected = dataOffset_;
        const TensorInfo* before = nullptr;
        for (const TensorInfo* info : order) {
            if (info->offsetBytes < expected && before)
                return bad(info->name, fmt::format("overlaps tensor {}", quotedName(before->name)));
            if (info->offsetBytes != expected)
                return bad(info->name, fmt::format("begins at byte {} of the data, {} bytes after the tensor before it",
                                                   info->offsetBytes - dataOffset_, info->offsetBytes - expected));
            expected += info->sizeBytes;
            before = info;
        }
        if (expected != dataOffset_ + dataBytes_)
            return fail(StatusCode::BadInput,
                        fmt::format("{} is damaged: {} bytes after its last tensor belong to nothing", file_,
                                    dataOffset_ + dataBytes_ - expected));
        return {};
    }

    std::string_view file_;
    std::uint64_t dataOffset_;
    std::uint64_t dataBytes_;
    bool metadataSeen_ = false;
    SafetensorsHeader header_;
};

}  // namespace

std::int64_t TensorInfo::elements() const {
    return static_cast<std::int64_t>(sizeBytes / kernels::sizeOf(dtype));
}

std::string shapeText(std::span<const std::int64_t> shape) {
    return fmt::format("[{}]", fmt::join(shape, ","));
}

Result<SafetensorsHeader> parseSafetensorsHeader(std::span<const std::byte> file, std::string_view displayName) {
    const auto bad = [&](std::string what) {
        return fail(StatusCode::BadInput, fmt::format("{} is not a whole safetensors file: {}", displayName, what));
    };
    if (file.empty()) return bad("it is empty; download it again");
    if (file.size() < kLengthBytes) return bad(fmt::format("it has only {} bytes; download it again", file.size()));
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), sizeof length);
    if (length > kMaxHeaderBytes)
        return bad(fmt::format("its header would have {} bytes (at most {} are allowed)", length, kMaxHeaderBytes));
    if (length > file.size() - kLengthBytes)
        return bad(fmt::format("its header should have {} bytes, but only {} follow; download it again", length,
                               file.size() - kLengthBytes));
    const auto* text = reinterpret_cast<const char*>(file.data()) + kLengthBytes;
    if (length == 0 || text[0] != '{') return bad("its header does not begin with '{'");

    // The parser reads a little past the end, so it gets a padded copy of the header; nothing else is copied.
    const simdjson::padded_string json(text, length);
    dom::parser parser(kMaxHeaderBytes);
    dom::object root;
    if (const auto error = parser.parse(json).get(root); error) {
        if (error == simdjson::UTF8_ERROR) return bad("its header is not valid UTF-8");
        if (error == simdjson::MEMALLOC)
            return fail(StatusCode::OutOfMemory, fmt::format("no memory to read the header of {}", displayName));
        return bad(fmt::format("its header is not valid JSON ({})", simdjson::error_message(error)));
    }
    const std::uint64_t dataOffset = kLengthBytes + length;
    return HeaderReader(displayName, dataOffset, file.size() - dataOffset).read(root);
}

}  // namespace reelbrush::weights
