#include "engine/media/numbered_pictures.h"

#include "engine/media/ffmpeg_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace reelbrush::media {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 18> kPictureExtensions = {".png",  ".jpg", ".jpeg", ".webp", ".exr", ".tif",
                                                                 ".tiff", ".bmp", ".dpx",  ".ppm",  ".pgm", ".pnm",
                                                                 ".jp2",  ".j2k", ".jxl",  ".avif", ".qoi", ".gif"};
/// Numbers above this are dates or serial numbers of a width that no sequence has; they would overflow.
constexpr std::size_t kMostDigits = 15;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

/// A file name cut around its number, and the number as it is written.
struct NumberedName {
    std::string prefix, digits, suffix;
};

struct PatternParts {
    std::string prefix, suffix;
    int digits = 0;
};

std::optional<PatternParts> parsePattern(std::string_view name) {
    PatternParts parts;
    bool found = false;
    for (std::size_t i = 0; i < name.size();) {
        std::string& text = found ? parts.suffix : parts.prefix;
        if (name[i] != '%') {
            text += name[i++];
        } else if (name.substr(i, 2) == "%%") {
            text += '%';
            i += 2;
        } else {
            std::size_t end = i + 1;
            int width = 0;
            for (; end < name.size() && isDigit(name[end]) && width < 100; ++end)
                width = width * 10 + (name[end] - '0');
            const bool zeroPadded = end == i + 1 || name[i + 1] == '0';
            if (found || end >= name.size() || name[end] != 'd' || !zeroPadded) return std::nullopt;
            if (width > static_cast<int>(kMostDigits)) return std::nullopt;
            parts.digits = width;
            found = true;
            i = end + 1;
        }
    }
    if (!found) return std::nullopt;
    return parts;
}

/// The last number of the stem is the one that counts: "take2.0001.png" is number 1.
std::optional<NumberedName> splitNumberedPicture(const std::string& name) {
    const std::size_t dot = name.find_last_of('.');
    if (dot == std::string::npos) return std::nullopt;
    std::string extension = name.substr(dot);
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (std::find(kPictureExtensions.begin(), kPictureExtensions.end(), extension) == kPictureExtensions.end())
        return std::nullopt;
    std::size_t end = dot;
    while (end > 0 && !isDigit(name[end - 1])) --end;
    std::size_t start = end;
    while (start > 0 && isDigit(name[start - 1])) --start;
    if (start == end || end - start > kMostDigits) return std::nullopt;
    return NumberedName{name.substr(0, start), name.substr(start, end - start), name.substr(end)};
}

std::int64_t toNumber(const std::string& digits) {
    std::int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

std::string numberText(std::int64_t number, int digits) {
    return fmt::format("{:0{}}", number, std::max(digits, 1));
}

Result<std::vector<std::string>> fileNames(const fs::path& folder) {
    std::error_code error;
    fs::directory_iterator files(folder, error);
    if (error) return fail(StatusCode::Io, fmt::format("cannot list folder {}: {}", quoted(folder), error.message()));
    std::vector<std::string> names;
    for (; files != fs::directory_iterator(); files.increment(error)) {
        if (error)
            return fail(StatusCode::Io, fmt::format("cannot list folder {}: {}", quoted(folder), error.message()));
        std::error_code ignored;
        if (!files->is_directory(ignored)) names.push_back(files->path().filename().string());
    }
    return names;
}

/// Fills in first number and count, and refuses gaps.
Result<NumberedPictures> withNumbers(NumberedPictures pictures, std::vector<std::int64_t> numbers) {
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 1; i < numbers.size(); ++i) {
        const std::int64_t before = numbers[i - 1], after = numbers[i];
        if (after == before + 1) continue;
        const std::string missing = after == before + 2
                                        ? numberText(before + 1, pictures.digits)
                                        : fmt::format("{} to {}", numberText(before + 1, pictures.digits),
                                                      numberText(after - 1, pictures.digits));
        return fail(StatusCode::BadInput,
                    fmt::format("the picture sequence {} has a gap: {} missing; add the pictures or renumber the rest",
                                quoted(pictures.folder / pictures.pattern()), missing));
    }
    pictures.firstNumber = numbers.front();
    pictures.count = static_cast<std::int64_t>(numbers.size());
    return pictures;
}

}  // namespace

fs::path NumberedPictures::pathOf(std::int64_t index) const {
    return folder / (prefix + numberText(firstNumber + index, digits) + suffix);
}

std::string NumberedPictures::pattern() const {
    return prefix + (digits > 1 ? fmt::format("%0{}d", digits) : "%d") + suffix;
}

bool isNumberPattern(const std::string& fileName) {
    return parsePattern(fileName).has_value();
}

Result<NumberedPictures> findByPattern(const fs::path& pattern) {
    const std::optional<PatternParts> parts = parsePattern(pattern.filename().string());
    RB_ENSURE(parts, "a path without a number pattern was taken for one");
    NumberedPictures pictures;
    pictures.folder = pattern.parent_path();
    pictures.prefix = parts->prefix;
    pictures.suffix = parts->suffix;
    pictures.digits = parts->digits;
    RB_ASSIGN(const auto names, fileNames(pictures.folder.empty() ? fs::path(".") : pictures.folder));

    std::vector<std::int64_t> numbers;
    for (const std::string& name : names) {
        if (name.size() <= parts->prefix.size() + parts->suffix.size()) continue;
        if (!name.starts_with(parts->prefix) || !name.ends_with(parts->suffix)) continue;
        const std::string digits =
            name.substr(parts->prefix.size(), name.size() - parts->prefix.size() - parts->suffix.size());
        if (digits.size() > kMostDigits || !std::all_of(digits.begin(), digits.end(), isDigit)) continue;
        if (numberText(toNumber(digits), parts->digits) == digits) numbers.push_back(toNumber(digits));
    }
    if (numbers.empty()) return fail(StatusCode::Io, fmt::format("no picture matches the pattern {}", quoted(pattern)));
    return withNumbers(std::move(pictures), std::move(numbers));
}

Result<NumberedPictures> findInFolder(const fs::path& folder) {
    RB_ASSIGN(const auto names, fileNames(folder));
    std::map<std::pair<std::string, std::string>, std::vector<std::string>> groups;
    for (const std::string& name : names) {
        if (auto parts = splitNumberedPicture(name)) groups[{parts->prefix, parts->suffix}].push_back(parts->digits);
    }
    if (groups.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("the folder {} holds no numbered pictures; give a video, a picture "
                                "or a folder with pictures such as 0001.png, 0002.png",
                                quoted(folder)));
    std::vector<std::string> patterns;
    NumberedPictures pictures;
    std::vector<std::int64_t> numbers;
    for (const auto& [around, digitTexts] : groups) {
        pictures = {};
        pictures.folder = folder;
        std::tie(pictures.prefix, pictures.suffix) = around;
        const auto shortest = std::min_element(digitTexts.begin(), digitTexts.end(),
                                               [](const auto& a, const auto& b) { return a.size() < b.size(); });
        const bool padded = std::any_of(digitTexts.begin(), digitTexts.end(),
                                        [](const std::string& d) { return d.size() > 1 && d.front() == '0'; });
        pictures.digits = padded ? static_cast<int>(shortest->size()) : 0;
        numbers.clear();
        for (const std::string& digits : digitTexts) {
            if (numberText(toNumber(digits), pictures.digits) != digits)
                return fail(
                    StatusCode::BadInput,
                    fmt::format("the pictures in folder {} are numbered in more than one way: '{}{}{}' does not "
                                "fit '{}'; give a pattern",
                                quoted(folder), around.first, digits, around.second, pictures.pattern()));
            numbers.push_back(toNumber(digits));
        }
        patterns.push_back(fmt::format("'{}'", pictures.pattern()));
    }
    if (groups.size() > 1)
        return fail(StatusCode::BadInput,
                    fmt::format("the folder {} holds {} picture sequences, {}{}; give the pattern of one of them",
                                quoted(folder), patterns.size(),
                                fmt::join(patterns.begin(),
                                          patterns.begin() + std::min<std::ptrdiff_t>(4, std::ssize(patterns)), ", "),
                                patterns.size() > 4 ? " and others" : ""));
    return withNumbers(std::move(pictures), std::move(numbers));
}

}  // namespace reelbrush::media
