#include "app/cli/console.h"

#include "app/cli/exit_code.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>

namespace reelbrush::cli {

namespace {

/// One line, whatever a file's name or metadata holds: a terminal must not obey it.
std::string printable(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte == '\n' || byte == '\r' || byte == '\t')
            result += ' ';
        else if (byte < 0x20 || byte == 0x7f)
            result += fmt::format("\\x{:02x}", byte);
        else
            result += c;
    }
    return result;
}

}  // namespace

void printError(std::string_view message) {
    const std::string line = "reelbrush-cli: " + printable(message) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

int failWith(const Error& error) {
    printError(error.message);
    return kFailed;
}

int refuseUsage(std::string_view message) {
    printError(message);
    return kWrongUsage;
}

void printLine(std::string_view line) {
    const std::string text = printable(line) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void printJson(const Json& document) {
    const std::string text = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
}

std::string bytesText(double bytes) {
    constexpr double kKibi = 1024, kMebi = kKibi * 1024, kGibi = kMebi * 1024;
    if (bytes >= kGibi) return fmt::format("{:.1f} GiB", bytes / kGibi);
    if (bytes >= kMebi) return fmt::format("{:.0f} MiB", bytes / kMebi);
    if (bytes >= kKibi) return fmt::format("{:.0f} KiB", bytes / kKibi);
    return fmt::format("{:.0f} bytes", bytes);
}

std::string clockText(double seconds) {
    const auto whole = static_cast<long long>(std::ceil(seconds));
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace reelbrush::cli
