#include "engine/library/model_names.h"

#include "engine/library/model_endings.h"
#include "engine/styles/near_miss.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <system_error>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;
using Records = std::vector<const ModelRecord*>;

constexpr std::size_t kMostNamed = 8;

/// "sub/ink" is named by "ink" and "sub/ink", not by "k".
bool isEndOf(std::string_view end, std::string_view whole) {
    if (!whole.ends_with(end)) return false;
    return whole.size() == end.size() || whole[whole.size() - end.size() - 1] == '/';
}

bool isWithin(const ModelRecord& record, const fs::path& folder) {
    return folder / record.relative == record.path;
}

bool isWanted(const ModelRecord& record, const NameQuery& query) {
    return query.kinds.empty() || std::ranges::find(query.kinds, record.kind) != query.kinds.end();
}

std::string wantedText(const NameQuery& query) {
    if (query.kinds.empty()) return "model";
    const std::vector<std::string> firsts(query.kinds.begin(), query.kinds.end() - 1);
    return fmt::format("{}{}{}", fmt::join(firsts, ", "), firsts.empty() ? "" : " or ", query.kinds.back());
}

/// Those of one folder that the name stands for, the closest only: the whole path before its end, the very letters
/// before others.
Records namedIn(const fs::path& folder, const std::string& name, const Records& records) {
    struct Spelling {
        std::string asNamed, asFile;
        const ModelRecord* record;
    };
    std::vector<Spelling> spellings;
    for (const ModelRecord* record : records)
        if (isWithin(*record, folder)) spellings.push_back({record->name(), record->relative.generic_string(), record});
    const auto select = [&](const auto& fits) {
        Records found;
        for (const Spelling& spelling : spellings)
            if (fits(spelling)) found.push_back(spelling.record);
        return found;
    };
    Records found = select([&](const Spelling& s) { return s.asNamed == name || s.asFile == name; });
    if (found.empty())
        found = select([&](const Spelling& s) { return isEndOf(name, s.asNamed) || isEndOf(name, s.asFile); });
    if (found.empty()) {
        const std::string lower = styles::lowerCase(name);
        found = select([&](const Spelling& s) {
            return isEndOf(lower, styles::lowerCase(s.asNamed)) || isEndOf(lower, styles::lowerCase(s.asFile));
        });
    }
    return found;
}

Records namedInFirst(const std::vector<fs::path>& folders, const std::string& name, const Records& records) {
    for (const fs::path& folder : folders)
        if (Records found = namedIn(folder, name, records); !found.empty()) return found;
    return {};
}

/// Of several, those that can be used; of links to one file, one.
void leaveOne(Records& found) {
    const auto isUsable = [](const ModelRecord* record) { return record->problem.empty(); };
    if (std::ranges::any_of(found, isUsable)) std::erase_if(found, std::not_fn(isUsable));
    Records different;
    for (const ModelRecord* record : found) {
        std::error_code ignored;
        if (std::ranges::none_of(different,
                                 [&](const auto* other) { return fs::equivalent(other->path, record->path, ignored); }))
            different.push_back(record);
    }
    found = std::move(different);
}

/// The last `count` components of a name: 2 of "models/loras/ink" are "loras/ink".
std::string lastComponents(const std::string& name, std::ptrdiff_t count) {
    std::size_t start = name.size();
    for (; count > 0 && start != std::string::npos; --count) start = start == 0 ? start : name.rfind('/', start - 1);
    return start == std::string::npos ? name : name.substr(start + 1);
}

/// What the artist may have meant, quoted, as little of each path as tells it from the others: who forgets a letter
/// of "ink" has not written the folders before it.
std::vector<std::string> nearNames(const std::string& text, const std::vector<std::string>& names) {
    const std::string wanted = withoutModelEnding(text);
    const auto components = std::ranges::count(wanted, '/') + 1;
    std::map<std::string, std::vector<std::string>> wholes;
    for (const std::string& name : names) wholes[lastComponents(name, components)].push_back(name);
    std::vector<std::string> ends;
    for (const auto& [end, whole] : wholes) ends.push_back(end);
    std::vector<std::string> near;
    for (const std::string& end : styles::nearMisses(wanted, ends)) {
        const std::vector<std::string>& whole = wholes.at(end);
        if (whole.size() == 1)
            near.push_back(weights::quotedName(end));
        else
            for (const std::string& name : whole) near.push_back(weights::quotedName(name));
    }
    return near;
}

tl::unexpected<Error> nothingNamed(const NameQuery& query, const std::vector<ModelRecord>& records) {
    std::vector<std::string> names;
    for (const ModelRecord& record : records)
        if (isWanted(record, query)) names.push_back(record.name());
    const auto near = nearNames(query.name, names);
    const bool areMore = names.size() > kMostNamed;
    if (areMore) names.resize(kMostNamed);
    const std::string hint = !near.empty() ? fmt::format("did you mean {}?", fmt::join(near, " or "))
                             : names.empty()
                                 ? "there is none yet; 'models folders add' tells where yours are"
                                 : fmt::format("there are: {}{}", fmt::join(names, ", "), areMore ? " ..." : "");
    return fail(StatusCode::BadInput, fmt::format("there is no {} named {} in the model library; {}", wantedText(query),
                                                  weights::quotedName(query.name), hint));
}

}  // namespace

Result<ModelRecord> recordNamed(const NameQuery& query, const std::vector<ModelRecord>& records,
                                const std::vector<fs::path>& folders) {
    Records all, wanted;
    for (const ModelRecord& record : records) {
        all.push_back(&record);
        if (isWanted(record, query)) wanted.push_back(&record);
    }
    if (query.name.empty()) return nothingNamed(query, records);
    Records found = namedInFirst(folders, query.name, wanted);
    const bool isOther = found.empty();
    if (isOther) found = namedInFirst(folders, query.name, all);
    if (found.empty()) return nothingNamed(query, records);
    leaveOne(found);
    const ModelRecord& first = *found.front();
    if (isOther && !first.kind.empty() && first.problem.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("there is no {} named {}: {} is of the kind {}", wantedText(query),
                                weights::quotedName(query.name), weights::quotedPath(first.path), first.kind));
    if (!first.problem.empty())
        return fail(StatusCode::BadInput,
                    fmt::format("{} cannot be used: {}", weights::quotedName(query.name), first.problem));
    if (found.size() > 1)
        return fail(StatusCode::BadInput,
                    fmt::format("{} names {} files, {} and {}; give more of the path", weights::quotedName(query.name),
                                found.size(), weights::quotedPath(first.path), weights::quotedPath(found[1]->path)));
    return first;
}

}  // namespace reelbrush::library
