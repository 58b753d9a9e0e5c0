#include "engine/diffusion/text/embedding_library.h"

#include "engine/weights/foreign_format.h"
#include "engine/weights/quoted_name.h"
#include "engine/weights/safetensors_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace reelbrush::diffusion {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kEndings{".safetensors", ".pt", ".bin", ".pth"};

/// Folders below one another; a link to a folder above it would go round for ever.
constexpr int kDeepest = 6;

std::string lowerAscii(std::string_view text) {
    std::string lower(text);
    for (char& letter : lower)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return lower;
}

/// Files that may be embeddings, those of one folder in order of their names.
std::vector<fs::path> candidatesIn(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    const auto options =
        fs::directory_options::skip_permission_denied | fs::directory_options::follow_directory_symlink;
    for (fs::recursive_directory_iterator entry(folder, options, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry.depth() >= kDeepest) entry.disable_recursion_pending();
        std::error_code unreadable;
        const std::string ending = lowerAscii(entry->path().extension().string());
        if (std::ranges::find(kEndings, ending) != kEndings.end() && entry->is_regular_file(unreadable))
            files.push_back(entry->path());
    }
    // Pickles last, so that a converted file beside them counts.
    std::ranges::sort(files, {}, [](const fs::path& file) {
        return std::pair(lowerAscii(file.extension().string()) != kEndings.front(), file);
    });
    return files;
}

/// The word that a trainer wrote into a file of a single tensor; empty where there is none.
std::string wordInside(const fs::path& file) {
    if (lowerAscii(file.extension().string()) != kEndings.front()) return {};
    const auto opened = weights::SafetensorsFile::open(file);
    if (!opened || (*opened)->tensors().size() != 1) return {};
    const std::string& name = (*opened)->tensors().front().name;
    const bool isFixed = name == "emb_params" || name == "clip_l" || name == "clip_g" || name.find('.') != name.npos;
    return isFixed ? std::string() : name;
}

}  // namespace

EmbeddingLibrary EmbeddingLibrary::scan(const std::vector<fs::path>& folders) {
    EmbeddingLibrary library;
    for (const fs::path& folder : folders) {
        const std::vector<fs::path> files = candidatesIn(folder);
        for (const fs::path& file : files) library.add(file.stem().string(), file);
        for (const fs::path& file : files) library.add(wordInside(file), file);
    }
    return library;
}

void EmbeddingLibrary::add(const std::string& word, const fs::path& file) {
    if (!word.empty()) entries_.emplace(lowerAscii(word), Entry{word, file});
}

std::vector<std::string> EmbeddingLibrary::words() const {
    std::vector<std::string> words;
    for (const auto& [key, entry] : entries_) words.push_back(entry.word);
    return words;
}

const EmbeddingLibrary::Entry* EmbeddingLibrary::find(std::string_view word) const {
    const std::string key = lowerAscii(word);
    auto found = entries_.find(key);
    for (const std::string_view ending : kEndings)
        if (found == entries_.end() && key.ends_with(ending))
            found = entries_.find(std::string_view(key).substr(0, key.size() - ending.size()));
    return found == entries_.end() ? nullptr : &found->second;
}

bool EmbeddingLibrary::contains(std::string_view word) const {
    return find(word) != nullptr;
}

Result<TextEmbedding> EmbeddingLibrary::open(std::string_view word) const {
    const Entry* entry = find(word);
    if (!entry)
        return fail(StatusCode::BadInput,
                    fmt::format("there is no embedding {} in the folders of embeddings", weights::quotedName(word)));
    if (lowerAscii(entry->file.extension().string()) != kEndings.front())
        RB_TRY(weights::refuseForeignFormat(entry->file, {}));
    return TextEmbedding::open(entry->file);
}

}  // namespace reelbrush::diffusion
