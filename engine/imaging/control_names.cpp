#include "engine/imaging/control_image.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace reelbrush::imaging {

namespace {

struct Spelling {
    std::string_view name;
    ControlPreprocessor kind;
};

constexpr std::array<Spelling, 12> kSpellings{{
    {"none", ControlPreprocessor::None},
    {"canny", ControlPreprocessor::Canny},
    {"softedge", ControlPreprocessor::SoftEdge},
    {"hed", ControlPreprocessor::SoftEdge},
    {"pidinet", ControlPreprocessor::SoftEdge},
    {"scribble", ControlPreprocessor::Scribble},
    {"lineart", ControlPreprocessor::Lineart},
    {"luminance", ControlPreprocessor::Luminance},
    {"grey", ControlPreprocessor::Luminance},
    {"gray", ControlPreprocessor::Luminance},
    {"brightness", ControlPreprocessor::Luminance},
    {"tile", ControlPreprocessor::Tile},
}};

std::string spelled(std::string_view name) {
    std::string result;
    for (char c : name)
        if (c != ' ' && c != '-' && c != '_') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

}  // namespace

Result<ControlPreprocessor> controlPreprocessorNamed(std::string_view name) {
    const std::string spelling = spelled(name);
    for (const Spelling& known : kSpellings)
        if (known.name == spelling) return known.kind;
    return fail(
        StatusCode::BadInput,
        fmt::format("there is no control preprocessor '{}'; there are none, canny, soft edge, scribble, lineart, "
                    "luminance and tile",
                    name.substr(0, 80)));
}

const char* nameOf(ControlPreprocessor kind) {
    switch (kind) {
        case ControlPreprocessor::None:
            return "none";
        case ControlPreprocessor::Canny:
            return "canny";
        case ControlPreprocessor::SoftEdge:
            return "soft edge";
        case ControlPreprocessor::Scribble:
            return "scribble";
        case ControlPreprocessor::Lineart:
            return "lineart";
        case ControlPreprocessor::Luminance:
            return "luminance";
        case ControlPreprocessor::Tile:
            return "tile";
    }
    return "none";
}

std::optional<ControlPreprocessor> controlPreprocessorOfFile(std::string_view fileName) {
    const std::string spelling = spelled(fileName.substr(fileName.find_last_of("/\\") + 1));
    for (const Spelling& known : kSpellings)
        if (known.kind != ControlPreprocessor::None && spelling.find(known.name) != std::string::npos)
            return known.kind;
    return std::nullopt;
}

}  // namespace reelbrush::imaging
