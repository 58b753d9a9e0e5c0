#include "tests/architecture/layer_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <sstream>

namespace reelbrush::architecture {

namespace {

/// What a folder may include besides itself. An entry is a folder with all below it, or one file.
struct Layer {
    std::string_view folder;
    std::vector<std::string_view> allowed;
};

const std::vector<Layer>& layers() {
    static const std::vector<Layer> kLayers = {
        {"kernels/tensor", {}},
        {"kernels/ops", {"kernels/tensor"}},
        {"kernels/plan", {"kernels/tensor", "kernels/ops"}},
        {"kernels/reference", {"kernels/tensor", "kernels/ops", "kernels/plan"}},
        {"kernels/cpu", {"kernels/tensor", "kernels/ops", "kernels/plan"}},
        {"kernels/cuda_module", {"kernels/tensor", "kernels/ops", "kernels/plan"}},
        {"kernels/cuda", {"kernels/tensor", "kernels/ops", "kernels/plan", "kernels/cuda_module"}},
        // Status lives at the very bottom, since the kernels report errors with it too.
        {"engine/core", {"kernels/tensor/status.h"}},
        {"engine/media", {"engine/core"}},
        {"engine/imaging", {"engine/core"}},
        {"engine/project", {"engine/core"}},
        {"engine/styles", {"engine/core"}},
        {"engine/jobs", {"engine/core"}},
        {"engine/sqlite", {"engine/core"}},
        {"engine/cache", {"engine/core", "engine/sqlite", "kernels"}},
        {"engine/weights", {"engine/core", "kernels"}},
        {"engine/library", {"engine/core", "engine/sqlite", "engine/weights", "engine/styles/near_miss.h", "kernels"}},
        {"engine/diffusion", {"engine/core", "engine/weights", "kernels"}},
        {"engine/temporal", {"engine/core", "engine/weights", "engine/diffusion", "engine/imaging", "kernels"}},
        {"engine/render",
         {"engine/core", "engine/media", "engine/imaging", "engine/project", "engine/styles", "engine/weights",
          "engine/diffusion", "engine/temporal", "engine/cache", "kernels"}},
        {"engine/session", {"engine", "kernels"}},
        {"ui/bridge", {"engine/session"}},
        {"ui/timeline", {"ui/bridge", "ui/widgets", "engine/project"}},
        {"ui/styles", {"ui/bridge", "ui/widgets"}},
        {"ui/preview", {"ui/bridge", "ui/widgets"}},
        {"ui/jobs", {"ui/bridge", "ui/widgets"}},
        {"ui/widgets", {}},
        {"ui/windows", {"ui"}},
        {"app/desktop", {"ui", "engine", "kernels"}},
        {"app/cli", {"engine", "kernels"}},
        {"app/openfx", {"engine", "kernels"}},
        {"app/frei0r", {"engine", "kernels"}},
    };
    return kLayers;
}

/// A third-party library, how its headers are recognised, and the folders that may see it.
struct Library {
    std::string_view name;
    std::regex header;
    std::vector<std::string_view> homes;
};

const std::vector<Library>& libraries() {
    static const std::vector<Library> kLibraries = {
        {"Qt", std::regex("(Qt?[A-Z]\\w*(/.*)?|q[a-z0-9]+\\.h)"), {"ui", "app/desktop"}},
        {"CUDA",
         std::regex("(cu(da|blas|dnn|pti|sparse|solver|rand|fft|file|tensor|tlass)\\w*(\\.h|\\.hpp|/.*)|device_launch_"
                    "parameters\\.h|nv(rtc|ml|tx|jitlink)\\w*(\\.h|/.*)|nccl\\w*\\.h|cub/.*|thrust/.*|mma\\.h)",
                    std::regex::icase),
         {"kernels/cuda"}},
        {"Vulkan", std::regex("(vulkan/.*|volk\\.h)"), {"ui/preview"}},
        {"FFmpeg", std::regex("lib(av|sw|post)[a-z]+/.*"), {"engine/media"}},
        // A frame is a cv::Mat, so all of the engine sees it; it does not reach the kernels or the faces.
        {"OpenCV", std::regex("opencv2/.*"), {"engine"}},
        {"oneDNN", std::regex("((oneapi/)?dnnl/.*|dnnl.*\\.h(pp)?)"), {"kernels/cpu"}},
        {"Highway", std::regex("hwy/.*"), {"kernels/cpu"}},
        {"simdjson", std::regex("simdjson.*"), {"engine/weights"}},
        {"utf8proc", std::regex("utf8proc\\.h"), {"engine/diffusion/text"}},
        {"SQLite", std::regex("sqlite3.*"), {"engine/sqlite"}},
        {"Nettle", std::regex("nettle/.*"), {"engine/library"}},
        {"CLI11", std::regex("CLI/.*"), {"app/cli"}},
    };
    return kLibraries;
}

bool isWithin(std::string_view path, std::string_view folderOrFile) {
    return path.substr(0, folderOrFile.size()) == folderOrFile &&
           (path.size() == folderOrFile.size() || path[folderOrFile.size()] == '/');
}

bool isWithinAny(std::string_view path, const std::vector<std::string_view>& places) {
    return std::any_of(places.begin(), places.end(), [&](auto place) { return isWithin(path, place); });
}

bool isOurs(std::string_view header) {
    constexpr std::array<std::string_view, 5> kTops = {"app", "ui", "engine", "kernels", "tests"};
    return std::any_of(kTops.begin(), kTops.end(), [&](auto top) { return isWithin(header, top); });
}

const Layer* layerOf(std::string_view path) {
    for (const Layer& layer : layers())
        if (isWithin(path, layer.folder)) return &layer;
    return nullptr;
}

/// What is wrong with `path` including `header`, if anything is.
std::optional<std::string> objection(std::string_view path, std::string_view header, bool quoted) {
    const Layer* layer = layerOf(path);
    if (!layer) return "this folder has no row in the table of layers: add it to tests/architecture/layer_rules.cpp";
    if (isOurs(header)) {
        if (isWithin(header, layer->folder) || isWithinAny(header, layer->allowed)) return std::nullopt;
        return std::string(layer->folder) + " may not include " + std::string(header);
    }
    for (const Library& library : libraries())
        if (std::regex_match(header.begin(), header.end(), library.header) && !isWithinAny(path, library.homes))
            return std::string(library.name) + " header " + std::string(header) + " outside its folder " +
                   std::string(library.homes.front());
    if (quoted) return "\"" + std::string(header) + "\" is not written from the repository root";
    return std::nullopt;
}

}  // namespace

Violations includeViolations(std::string_view path, std::string_view text) {
    static const std::regex kInclude("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]");
    Violations violations;
    std::istringstream lines{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::smatch match;
        if (!std::regex_search(line, match, kInclude)) continue;
        if (const auto wrong = objection(path, match[2].str(), match[1].str() == "\""))
            violations.push_back(std::string(path) + ":" + std::to_string(number) + ": " + *wrong);
    }
    return violations;
}

}  // namespace reelbrush::architecture
