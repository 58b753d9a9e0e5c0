#pragma once

#include <string>
#include <string_view>

namespace reelbrush::kernels {

/// A kernel's name for people: without return type, parameters and our own namespaces, and not longer than a line.
/// mangled: as the compiler made it, or a plain name.
std::string kernelName(std::string_view mangled);

}  // namespace reelbrush::kernels
