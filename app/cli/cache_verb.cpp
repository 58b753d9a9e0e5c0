#include "app/cli/console.h"
#include "app/cli/exit_code.h"
#include "app/cli/verb.h"
#include "engine/cache/cache_settings.h"
#include "engine/cache/disk_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

namespace reelbrush::cli {

namespace {

namespace fs = std::filesystem;
using cache::DiskStore;

struct CacheArguments {
    std::string folder;
    bool json = false;
};

/// Null where there is no such folder, which is made only when frames are to be kept.
Result<std::unique_ptr<DiskStore>> openExisting(const cache::DiskStoreOptions& options) {
    std::error_code error;
    if (!fs::exists(options.folder, error)) return std::unique_ptr<DiskStore>();
    if (!fs::is_directory(options.folder, error))
        return fail(StatusCode::BadInput, fmt::format("'{}' is no folder; give --cache the folder of a frame cache",
                                                      options.folder.string()));
    if (fs::is_empty(options.folder, error)) return std::unique_ptr<DiskStore>();
    // A mistyped folder of something else is not to be given an index.
    if (!cache::isFrameFolder(options.folder))
        return fail(StatusCode::BadInput, fmt::format("'{}' holds other files, no frame cache; give --cache the folder "
                                                      "of a frame cache",
                                                      options.folder.string()));
    return DiskStore::open(options);
}

double ratioOf(const cache::FrameIndex::Totals& totals) {
    return totals.storedBytes == 0 ? 1 : static_cast<double>(totals.rawBytes) / static_cast<double>(totals.storedBytes);
}

int showInfo(const CacheArguments& arguments) {
    const auto options = cache::userDisk(arguments.folder);
    const auto store = openExisting(options);
    if (!store) return failWith(store.error());
    for (const std::string& note : *store ? (*store)->takeNotes() : std::vector<std::string>()) printError(note);
    const auto totals = *store ? (*store)->reading().totals : cache::FrameIndex::Totals();
    if (arguments.json) {
        printJson({{"folder", options.folder.string()},
                   {"exists", *store != nullptr},
                   {"frames", totals.frames},
                   {"coarseFrames", totals.coarseFrames},
                   {"files", totals.segments},
                   {"bytes", totals.segmentBytes},
                   {"limitBytes", options.limitBytes},
                   {"unpackedBytes", totals.rawBytes},
                   {"ratio", ratioOf(totals)},
                   {"oldestUseMs", totals.oldestUseMs},
                   {"newestUseMs", totals.newestUseMs}});
        return kDone;
    }
    printLine(fmt::format("folder:   {}{}", options.folder.string(), *store ? "" : " (not there yet)"));
    printLine(fmt::format("frames:   {}{}", totals.frames,
                          totals.coarseFrames ? fmt::format(", {} of them coarse", totals.coarseFrames) : ""));
    printLine(fmt::format("on disk:  {} of at most {}, packed {:.1f} times smaller",
                          bytesText(static_cast<double>(totals.segmentBytes)),
                          bytesText(static_cast<double>(options.limitBytes)), ratioOf(totals)));
    return kDone;
}

int clearCache(const CacheArguments& arguments) {
    const auto options = cache::userDisk(arguments.folder);
    const auto store = openExisting(options);
    if (!store) return failWith(store.error());
    cache::FrameIndex::Totals before, after;
    std::uint64_t left = 0;
    if (*store) {
        before = (*store)->reading().totals;
        const auto cleared = (*store)->clear();
        if (!cleared) return failWith(cleared.error());
        left = *cleared;
        after = (*store)->reading().totals;
    }
    const std::uint64_t frames = before.frames - std::min(before.frames, after.frames);
    const std::uint64_t bytes = before.segmentBytes - std::min(before.segmentBytes, after.segmentBytes);
    if (arguments.json) {
        printJson({{"folder", options.folder.string()},
                   {"removedFrames", frames},
                   {"removedBytes", bytes},
                   {"filesInUse", left}});
        return kDone;
    }
    printLine(fmt::format("removed {} frames, {}", frames, bytesText(static_cast<double>(bytes))));
    if (left > 0) printLine(fmt::format("{} files stay: another program is writing to them", left));
    return kDone;
}

void addOptions(CLI::App& verb, CacheArguments& arguments) {
    verb.add_option("--cache", arguments.folder, "the folder of the cache; default: frames in the user's cache folder")
        ->type_name("DIR");
    verb.add_flag("--json", arguments.json, "print it as JSON");
}

}  // namespace

void addCacheVerb(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("cache", "painted frames that are kept: how many there are; remove them");
    verb->require_subcommand(1);
    const auto arguments = std::make_shared<CacheArguments>();

    CLI::App* info = verb->add_subcommand("info", "how many frames there are, what they take and may take");
    addOptions(*info, *arguments);
    info->callback([arguments, &action] { action = [arguments](InterruptWatch&) { return showInfo(*arguments); }; });

    CLI::App* clear = verb->add_subcommand("clear", "remove all frames; they are painted again when they are needed");
    addOptions(*clear, *arguments);
    clear->callback([arguments, &action] { action = [arguments](InterruptWatch&) { return clearCache(*arguments); }; });
}

}  // namespace reelbrush::cli
