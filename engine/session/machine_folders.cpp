#include "engine/core/xdg_folders.h"
#include "engine/session/machine_report.h"
#include "engine/session/model_folders.h"
#include "engine/styles/style_catalogue.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace reelbrush::session {

namespace {

namespace fs = std::filesystem;

std::size_t fontsBelow(const fs::path& folder) {
    std::size_t fonts = 0;
    std::error_code error;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator entry(folder, options, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string extension = entry->path().extension().string();
        if (extension == ".ttf" || extension == ".otf" || extension == ".ttc" || extension == ".pfb") ++fonts;
    }
    return fonts;
}

/// Empty when files can be made there; else why not.
std::string whyNotWritable(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return error.message();
    const fs::path probe = folder / fmt::format(".probe-{}", getpid());
    const bool written = static_cast<bool>(std::ofstream(probe) << "probe");
    fs::remove(probe, error);
    return written ? "" : "files cannot be made there";
}

}  // namespace

std::vector<MachineFinding> examineFonts() {
    std::size_t fonts = fontsBelow("/usr/share/fonts") + fontsBelow("/usr/local/share/fonts");
    if (const char* home = std::getenv("HOME"); home && *home)
        fonts += fontsBelow(fs::path(home) / ".fonts") + fontsBelow(fs::path(home) / ".local/share/fonts");
    if (fonts > 0) return {{"fonts", FindingKind::Good, fmt::format("{} font files", fonts), ""}};
    return {{"fonts", FindingKind::Note, "none; only the window uses them",
             "apt-get install fonts-noto-core fonts-noto-cjk"}};
}

std::vector<MachineFinding> examineModelsAndStyles() {
    constexpr const char* kAdvice =
        "set REELBRUSH_RESOURCES to the folder 'resources' of the program, or install the program again";
    std::vector<MachineFinding> findings;
    std::vector<std::string> names;
    for (const ModelFolder& model : listModelFolders()) names.push_back(model.name);
    if (names.empty())
        findings.push_back({"models", FindingKind::Missing,
                            fmt::format("none in {} or {}", (resourcesFolder() / "models").string(),
                                        (dataFolder() / "models").string()),
                            kAdvice});
    else
        findings.push_back({"models", FindingKind::Good, fmt::format("{}", fmt::join(names, ", ")), ""});

    const styles::StyleCatalogue catalogue = styles::StyleCatalogue::load();
    if (catalogue.cards().empty())
        findings.push_back({"styles", FindingKind::Missing,
                            fmt::format("none in {}", (resourcesFolder() / "styles").string()), kAdvice});
    else
        findings.push_back({"styles", FindingKind::Good, fmt::format("{} cards", catalogue.cards().size()), ""});
    for (const auto& problem : catalogue.problems())
        findings.push_back({"styles", FindingKind::Missing, problem.error.message, "mend or remove that card"});
    return findings;
}

std::vector<MachineFinding> examineFolders() {
    const fs::path cache = cacheFolder();
    const std::string why = whyNotWritable(cache);
    if (why.empty()) return {{"cache", FindingKind::Good, cache.string() + " can be written", ""}};
    return {{"cache", FindingKind::Missing, fmt::format("{} cannot be written: {}", cache.string(), why),
             fmt::format("mkdir -p '{0}' && chmod u+rwx '{0}', or set XDG_CACHE_HOME", cache.string())}};
}

}  // namespace reelbrush::session
