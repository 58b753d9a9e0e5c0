#include "engine/session/model_locator.h"

#include "engine/library/model_library.h"
#include "engine/library/model_paths.h"
#include "engine/session/model_folders.h"

#include <mutex>
#include <utility>
#include <vector>

namespace reelbrush::session {

namespace {

namespace fs = std::filesystem;

/// As library::ModelRecord::kind calls them.
std::vector<std::string> kindsFor(ModelRole role) {
    switch (role) {
        case ModelRole::Base:
            return {"checkpoint", "model folder", "UNet"};
        case ModelRole::Vae:
            return {"VAE", "tiny VAE", "checkpoint", "model folder"};
        case ModelRole::TextEncoder:
            return {"text encoder", "checkpoint", "model folder"};
        case ModelRole::Lora:
            return {"LoRA"};
        case ModelRole::ControlNet:
            return {"ControlNet"};
        case ModelRole::IpAdapter:
            return {"IP-Adapter"};
        case ModelRole::ImageEncoder:
            return {"image encoder"};
        case ModelRole::Motion:
            return {"motion module"};
    }
    return {};
}

class LibraryLocator {
  public:
    Result<fs::path> operator()(ModelRole role, const std::string& nameOrPath, const CancelToken& cancel) {
        RB_ASSIGN(const auto path, library::modelAtPath(nameOrPath));
        if (path) return *path;
        if (role == ModelRole::Base)
            for (const ModelFolder& model : listModelFolders())
                if (model.name == nameOrPath) return model.folder;
        RB_ASSIGN(library::ModelLibrary * library, opened());
        RB_ASSIGN(const library::ModelRecord record, library->find(nameOrPath, kindsFor(role), cancel));
        return record.path;
    }

  private:
    Result<library::ModelLibrary*> opened() {
        const std::lock_guard lock(mutex_);
        if (!library_) {
            RB_ASSIGN(library::LibraryOptions options, library::userLibrary());
            RB_ASSIGN(library_, library::ModelLibrary::open(std::move(options)));
        }
        return library_.get();
    }

    std::mutex mutex_;
    std::unique_ptr<library::ModelLibrary> library_;
};

}  // namespace

ModelLocator libraryLocator() {
    return [locator = std::make_shared<LibraryLocator>()](ModelRole role, const std::string& nameOrPath,
                                                          const CancelToken& cancel) {
        return (*locator)(role, nameOrPath, cancel);
    };
}

}  // namespace reelbrush::session
