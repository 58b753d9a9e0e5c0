#include "engine/weights/foreign_format.h"

#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace reelbrush::weights {

namespace {

constexpr std::array<std::string_view, 4> kPickleEndings = {".ckpt", ".pt", ".pth", ".bin"};

std::string lowerCase(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

/// Zip archive (PyTorch since 1.6) or a bare pickle of protocol 2 to 5 (before).
bool startsLikePickle(std::string_view start) {
    if (start.starts_with("PK\x03\x04")) return true;
    return start.size() >= 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5 &&
           // A safetensors header length can begin with these bytes too, but then its JSON follows.
           !(start.size() > 8 && start[8] == '{');
}

}  // namespace

Status refuseForeignFormat(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    const std::string_view start(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 64));
    const std::string ending = lowerCase(path.extension().native());
    const bool isSafetensors = start.size() > 8 && start[8] == '{';
    if (startsLikePickle(start) ||
        (!isSafetensors && std::ranges::find(kPickleEndings, ending) != kPickleEndings.end()))
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is a PyTorch pickle, which can run any program when opened, so it is not read; "
                                "convert it once with Python's safetensors package "
                                "(safetensors.torch.save_file(torch.load(FILE, weights_only=True), ...), of the inner "
                                "'state_dict' where there is one) and use the .safetensors file",
                                quotedPath(path)));
    if (start.starts_with("GGUF"))
        return fail(StatusCode::Unsupported,
                    fmt::format("{} is a GGUF file; get the same model as .safetensors", quotedPath(path)));
    if (start.starts_with("version https://git-lfs"))
        return fail(StatusCode::BadInput,
                    fmt::format("{} is only a Git LFS pointer to the model; run 'git lfs pull' in its folder, or "
                                "download the file itself",
                                quotedPath(path)));
    const std::string lower = lowerCase(start);
    if (lower.starts_with("<!doctype html") || lower.starts_with("<html"))
        return fail(
            StatusCode::BadInput,
            fmt::format(
                "{} is a web page, not a model; the download probably asked for a login: log in and download it again",
                quotedPath(path)));
    return {};
}

}  // namespace reelbrush::weights
