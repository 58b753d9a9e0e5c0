#pragma once

#include "engine/core/status.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

/// What the program says: results on stdout, for people or with --json as one JSON document; errors as one line on
/// stderr. Nothing else is ever printed there but progress.
namespace reelbrush::cli {

using Json = nlohmann::ordered_json;

/// "reelbrush-cli: <message>" on stderr, in one line.
void printError(std::string_view message);
/// The same for an Error; returns kFailed.
int failWith(const Error& error);
/// The same for a wrong command line; returns kWrongUsage.
int refuseUsage(std::string_view message);

/// A line of UTF-8 on stdout. Control characters, which a file's metadata may hold, are shown as "\x1b".
void printLine(std::string_view line);
/// An indented document on stdout; bytes that are no UTF-8 are replaced.
void printJson(const Json& document);

/// "412 MiB", "1.2 GiB"
std::string bytesText(double bytes);
/// "0:27", "1:02:03"; seconds rounded up.
std::string clockText(double seconds);

}  // namespace reelbrush::cli
