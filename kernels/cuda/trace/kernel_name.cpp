#include "kernels/cuda/trace/kernel_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace reelbrush::kernels {

namespace {

constexpr std::size_t kMostCharacters = 100;

std::string demangled(std::string_view mangled) {
    const std::string name(mangled);
    if (!name.starts_with("_Z")) return name;  // "a" would be read as a type
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> plain(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && plain ? std::string(plain.get()) : name;
}

void removeAll(std::string& text, std::string_view part) {
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at)) text.erase(at, part.size());
}

}  // namespace

std::string kernelName(std::string_view mangled) {
    std::string name = demangled(mangled);
    for (const std::string_view part : {"(anonymous namespace)::", "reelbrush::kernels::"}) removeAll(name, part);
    if (name.starts_with("void ")) name.erase(0, 5);
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (name[i] == '<') ++depth;
        if (name[i] == '>') --depth;
        if (name[i] != '(' || depth > 0) continue;
        name.erase(i);
        break;
    }
    if (name.size() > kMostCharacters) name.replace(kMostCharacters - 3, name.npos, "...");
    return name;
}

}  // namespace reelbrush::kernels
