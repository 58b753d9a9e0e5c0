#pragma once

#include "engine/core/status.h"
#include "engine/diffusion/text/text_embedding.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelbrush::diffusion {

/// The embeddings in an artist's folders, by the words that call them. Immutable, thread-safe.
class EmbeddingLibrary {
  public:
    /// Looks for safetensors files (and for pickles, only to say that they must be converted) in these folders and
    /// those below; of two with one name the first counts. Folders that cannot be read count as empty.
    static EmbeddingLibrary scan(const std::vector<std::filesystem::path>& folders);

    /// Words: names of files without their ending, and names of single tensors in them; as written, sorted.
    std::vector<std::string> words() const;

    /// word: in any case (ASCII), with or without the file's ending. Reads the file each time; it is small.
    /// Errors: BadInput where no file has this name, and those of TextEmbedding::open.
    Result<TextEmbedding> open(std::string_view word) const;
    bool contains(std::string_view word) const;

  private:
    struct Entry {
        std::string word;  ///< as written
        std::filesystem::path file;
    };

    void add(const std::string& word, const std::filesystem::path& file);
    const Entry* find(std::string_view word) const;

    std::map<std::string, Entry, std::less<>> entries_;  ///< by lower-case word
};

}  // namespace reelbrush::diffusion
