#include "app/cli/style_thumbnails.h"

#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/stylize_run.h"
#include "engine/core/xdg_folders.h"
#include "engine/session/picture_file.h"
#include "engine/styles/style_catalogue.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace reelbrush::cli {

namespace {

namespace fs = std::filesystem;

constexpr session::PictureSize kPaintedSize{512, 288};
constexpr session::PictureSize kThumbnailSize{256, 144};

Result<std::vector<styles::StyleCard>> chosenCards(const std::vector<std::string>& names) {
    const styles::StyleCatalogue catalogue = styles::StyleCatalogue::load();
    if (names.empty()) return catalogue.cards();
    std::vector<styles::StyleCard> cards;
    for (const std::string& name : names) {
        RB_ASSIGN(cards.emplace_back(), styles::resolveStyle(name, catalogue));
    }
    return cards;
}

fs::path thumbnailOf(const styles::StyleCard& card, const std::string& folder) {
    if (!folder.empty()) return fs::path(folder) / (card.name + ".jpg");
    if (!card.thumbnail.empty()) return card.thumbnail;
    return resourcesFolder() / "styles" / "thumbnails" / (card.name + ".jpg");
}

/// The picture at the painted size, so that every style is painted from the same pixels without being stretched.
Status renderOne(session::Session& session, const styles::StyleCard& card, const fs::path& picture,
                 const fs::path& target) {
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    const fs::path painted = target.parent_path() / ("." + card.name + ".painted.png");
    session::StylizeRequest request;
    request.input = picture;
    request.output = painted;
    request.style = card;
    ProgressDisplay silent(ProgressDisplay::Form::None);
    const auto report = runToEnd(session, std::move(request), silent);
    Status status = report ? session::writeThumbnail(painted, target, kThumbnailSize) : Status(fail(report.error()));
    fs::remove(painted, error);
    return status;
}

}  // namespace

int renderThumbnails(const ThumbnailArguments& arguments, InterruptWatch& interrupts) {
    const auto cards = chosenCards(arguments.names);
    if (!cards) return failWith(cards.error());
    const fs::path source =
        arguments.picture.empty() ? resourcesFolder() / "clips" / "sample.mp4" : fs::path(arguments.picture);
    std::error_code error;
    const fs::path fitted =
        fs::temp_directory_path(error) / ("reelbrush-thumbnail-" + std::to_string(getpid()) + ".png");
    if (const Status status = session::writeThumbnail(source, fitted, kPaintedSize); !status)
        return failWith(status.error());

    session::SessionOptions options;
    options.application = interrupts.token();
    session::Session session(std::move(options));
    Json written = Json::array();
    int code = kDone;
    for (const styles::StyleCard& card : *cards) {
        const fs::path target = thumbnailOf(card, arguments.folder);
        if (const Status status = renderOne(session, card, fitted, target); !status) {
            code = tellFailure(status.error(), interrupts);
            break;
        }
        written.push_back({{"style", card.name}, {"thumbnail", target.string()}});
        if (!arguments.json) printLine(target.string());
    }
    fs::remove(fitted, error);
    if (arguments.json) printJson({{"thumbnails", written}});
    return code;
}

}  // namespace reelbrush::cli
