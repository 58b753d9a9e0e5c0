#include "engine/library/model_verification.h"

#include "engine/library/file_digests.h"
#include "engine/library/published_hashes.h"
#include "engine/weights/diffusers_folder.h"
#include "engine/weights/finite_check.h"
#include "engine/weights/model_weights.h"
#include "engine/weights/quoted_name.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

namespace reelbrush::library {

namespace {

namespace fs = std::filesystem;
using Weights = std::shared_ptr<const weights::ModelWeights>;

Result<std::vector<Weights>> openParts(const fs::path& model) {
    std::vector<Weights> parts;
    std::error_code ignored;
    const bool isFolder = fs::is_directory(model, ignored);
    if (!isFolder) {
        RB_ASSIGN(parts.emplace_back(), weights::ModelWeights::open(model));
        return parts;
    }
    if (const auto part = weights::readDiffusersComponent(model); part && !part->weightsFile.empty()) {
        RB_ASSIGN(parts.emplace_back(), part->openWeights());
        return parts;
    }
    RB_ASSIGN(const auto folder, weights::DiffusersFolder::open(model));
    for (const auto& [name, component] : folder.components()) {
        if (component.weightsFile.empty()) continue;
        RB_ASSIGN(parts.emplace_back(), component.openWeights());
    }
    return parts;
}

/// Tells how much of the weights behind it was asked for.
class CountedWeights final : public weights::ListedWeights {
  public:
    CountedWeights(const weights::ModelWeights& weights, std::function<void(std::uint64_t)> told)
        : weights_(weights), told_(std::move(told)) {}

    Result<kernels::WeightView> find(std::string_view name) const override {
        if (const weights::StoredTensor* tensor = weights_.stored().find(name)) told_(tensor->info->sizeBytes);
        return weights_.find(name);
    }
    bool contains(std::string_view name) const override { return weights_.contains(name); }
    const std::vector<std::string>& names() const override { return weights_.names(); }
    void dropPages() const override { weights_.dropPages(); }

  private:
    const weights::ModelWeights& weights_;
    const std::function<void(std::uint64_t)> told_;
};

/// Collects what is wrong, and stops only where the user wants to.
class Verifier {
  public:
    Verifier(const fs::path& model, const VerifyOptions& options) : model_(model), options_(options) {}

    Result<ModelVerification> run() {
        const auto parts = openParts(model_);
        if (!parts) {
            found_.problems.push_back(parts.error().message);
            return std::move(found_);
        }
        std::size_t files = 0;
        for (const Weights& part : *parts) {
            totalBytes_ += 2 * part->stored().sizeBytes();
            files += part->stored().files().size();
        }
        RB_TRY(compareHashes(*parts, files == 1));
        for (const Weights& part : *parts) {
            const std::uint64_t before = doneBytes_;
            const CountedWeights counted(*part, [this](std::uint64_t bytes) { tell(bytes); });
            const Status finite = weights::checkFinite(counted, options_.cancel);
            if (!finite && finite.error().code == StatusCode::Cancelled) return fail(finite.error());
            if (!finite)
                found_.problems.push_back(
                    fmt::format("{}: {}", weights::quotedPath(part->stored().path()), finite.error().message));
            doneBytes_ = before + part->stored().sizeBytes();
        }
        tell(0);
        return std::move(found_);
    }

  private:
    void tell(std::uint64_t bytes) {
        doneBytes_ += bytes;
        if (options_.progress) options_.progress(std::min(doneBytes_, totalBytes_), totalBytes_);
    }

    Status compareHashes(const std::vector<Weights>& parts, bool isSingleFile) {
        ModelDigester digester(options_.cancel, [this](std::uint64_t bytes) { tell(bytes); });
        for (const Weights& part : parts)
            for (const auto& file : part->stored().files()) {
                auto published = publishedHashes(file->path(), file->metadata());
                if (!published) found_.problems.push_back(published.error().message);
                const std::vector<PublishedHash> hashes =
                    published ? *std::move(published) : std::vector<PublishedHash>();
                WantedDigests wanted;
                wanted.tensorsSha256 = std::ranges::any_of(hashes, &PublishedHash::ofTensors);
                wanted.sha256 =
                    (options_.sha256 && isSingleFile) || !std::ranges::all_of(hashes, &PublishedHash::ofTensors);
                RB_ASSIGN(const FileDigests digests, digester.add(*file, wanted));
                for (const PublishedHash& hash : hashes) compare(file->path(), digests, hash);
                if (isSingleFile) found_.sha256 = digests.sha256;
            }
        found_.xxh3 = digester.xxh3();
        if (!options_.knownXxh3.empty() && options_.knownXxh3 != found_.xxh3)
            found_.problems.push_back(fmt::format(
                "the content of {} has changed since it was first verified (XXH3 {} then, {} now), though its size and "
                "date have not: the disk may be failing; get the model again",
                weights::quotedPath(model_), options_.knownXxh3, found_.xxh3));
        return {};
    }

    void compare(const fs::path& file, const FileDigests& digests, const PublishedHash& hash) {
        const std::string& actual = hash.ofTensors ? digests.tensorsSha256 : digests.sha256;
        if (std::ranges::find(hash.sha256, actual) != hash.sha256.end()) {
            found_.agreed.push_back(hash.source);
            return;
        }
        found_.problems.push_back(
            fmt::format("the SHA-256 of {}{} is {}, but {} says {}: the download is damaged or of "
                        "another version; get it again",
                        hash.ofTensors ? "the tensors of " : "", weights::quotedPath(file), actual, hash.source,
                        fmt::join(hash.sha256, " or ")));
    }

    const fs::path& model_;
    const VerifyOptions& options_;
    std::uint64_t doneBytes_ = 0, totalBytes_ = 0;
    ModelVerification found_;
};

}  // namespace

Result<ModelVerification> verifyModel(const fs::path& model, const VerifyOptions& options) {
    return Verifier(model, options).run();
}

}  // namespace reelbrush::library
