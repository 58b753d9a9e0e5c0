#include "engine/weights/located_part.h"

#include "engine/weights/diffusers_folder.h"
#include "engine/weights/json_file.h"
#include "engine/weights/model_kind.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

namespace reelbrush::weights {

namespace {

namespace fs = std::filesystem;

Result<LocatedPart> fromComponent(const DiffusersComponent& component) {
    LocatedPart located;
    located.path = component.folder;
    RB_ASSIGN(located.weights, component.openWeights());
    located.config = component.config;
    return located;
}

Result<nlohmann::json> sidecarFields(const fs::path& path, const char* part) {
    const fs::path sidecar = fs::path(path).replace_extension(".json");
    std::error_code ignored;
    if (sidecar == path || !fs::is_regular_file(sidecar, ignored)) return nlohmann::json::object();
    RB_ASSIGN(const nlohmann::json all, readJsonObject(sidecar));
    const auto fields = all.find(part);
    if (fields == all.end()) return nlohmann::json::object();
    if (!fields->is_object())
        return fail(StatusCode::BadInput,
                    fmt::format("{}: '{}' must be an object with configuration fields", quotedPath(sidecar), part));
    return *fields;
}

}  // namespace

Result<LocatedPart> locatePart(const fs::path& path, const char* part) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        if (const auto component = readDiffusersComponent(path); component && !component->weightsFile.empty())
            return fromComponent(*component);
        RB_ASSIGN(const DiffusersFolder folder, DiffusersFolder::open(path));
        RB_ASSIGN(const DiffusersComponent* component, folder.component(part));
        return fromComponent(*component);
    }
    if (const auto component = readDiffusersComponent(path.parent_path()); component && component->weightsFile == path)
        return fromComponent(*component);
    LocatedPart located;
    located.path = path;
    RB_ASSIGN(located.weights, ModelWeights::open(path));
    RB_ASSIGN(located.overrides, sidecarFields(path, part));
    return located;
}

tl::unexpected<Error> notSuchAPart(const LocatedPart& located, const char* wanted) {
    const ModelIdentity identity = identifyModel(located.weights->stored());
    if (identity.kind == ModelKind::Unknown)
        return fail(StatusCode::BadInput,
                    fmt::format("{} holds no {}; choose another file", quotedPath(located.path), wanted));
    return fail(StatusCode::BadInput, fmt::format("{} holds no {}: it is {}; choose another file",
                                                  quotedPath(located.path), wanted, nameWithArticle(identity.kind)));
}

}  // namespace reelbrush::weights
