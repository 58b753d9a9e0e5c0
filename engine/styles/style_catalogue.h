#pragma once

#include "engine/core/status.h"
#include "engine/styles/style_card.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace reelbrush::styles {

/// The style cards at hand, as they were when it was loaded. Immutable, thread-safe.
class StyleCatalogue {
  public:
    /// A card that could not be read, and why.
    struct Problem {
        std::filesystem::path file;
        Error error;
    };

    /// The bundled cards and the user's, which replace bundled ones of the same name.
    static StyleCatalogue load();
    /// All *.json of these folders, not of the folders below; later folders win. A missing folder holds no cards.
    static StyleCatalogue load(const std::vector<std::filesystem::path>& folders);

    /// Sorted by name.
    const std::vector<StyleCard>& cards() const { return cards_; }
    const std::vector<Problem>& problems() const { return problems_; }

    /// By name, or by English or Chinese title; upper and lower case of A-Z are the same.
    /// Errors: BadInput, which says what was probably meant; the card's own error where it could not be read.
    Result<StyleCard> find(std::string_view name) const;

  private:
    std::vector<StyleCard> cards_;
    std::vector<Problem> problems_;
};

/// What a user may name a style by: a card of the catalogue, the file of a card, or any picture, which becomes a card
/// for the starter model with the file's name. Pictures are not opened here.
/// Errors: as StyleCatalogue::find and readStyleCard; BadInput for folders and for files of weights.
Result<StyleCard> resolveStyle(std::string_view text, const StyleCatalogue& catalogue);

}  // namespace reelbrush::styles
