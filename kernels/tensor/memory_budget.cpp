#include "kernels/tensor/memory_budget.h"

#include <fmt/format.h>

#include <algorithm>

namespace reelbrush::kernels {

std::size_t MemoryBudget::heldBytes() const {
    const std::lock_guard lock(mutex_);
    return heldBytes_;
}

std::size_t MemoryBudget::peakBytes() const {
    const std::lock_guard lock(mutex_);
    return peakBytes_;
}

std::vector<MemoryHolding> MemoryBudget::holdings() const {
    const std::lock_guard lock(mutex_);
    return holdings_;
}

Result<std::size_t> MemoryBudget::take(std::size_t bytes, const char* purpose) {
    const std::lock_guard lock(mutex_);
    if (limitBytes_ != 0 && (bytes > limitBytes_ || heldBytes_ > limitBytes_ - bytes))
        return fail(StatusCode::OutOfMemory,
                    fmt::format("{} needs {:.1f} MiB, but of the budget of {:.1f} MiB {:.1f} MiB are in use", purpose,
                                static_cast<double>(bytes) / 1048576.0, static_cast<double>(limitBytes_) / 1048576.0,
                                static_cast<double>(heldBytes_) / 1048576.0));
    const std::string_view name = holder_.empty() ? std::string_view(purpose) : std::string_view(holder_);
    auto holding = std::ranges::find(holdings_, name, &MemoryHolding::holder);
    if (holding == holdings_.end()) holding = holdings_.insert(holding, MemoryHolding{std::string(name)});
    heldBytes_ += bytes;
    holding->bytes += bytes;
    peakBytes_ = std::max(peakBytes_, heldBytes_);
    holding->peakBytes = std::max(holding->peakBytes, holding->bytes);
    return static_cast<std::size_t>(holding - holdings_.begin());
}

void MemoryBudget::giveBack(std::size_t bytes, std::size_t holder) {
    const std::lock_guard lock(mutex_);
    heldBytes_ -= bytes;
    holdings_[holder].bytes -= bytes;
}

MemoryClaim& MemoryClaim::operator=(MemoryClaim&& other) noexcept {
    if (this == &other) return *this;
    release();
    budget_ = std::move(other.budget_);
    bytes_ = std::exchange(other.bytes_, 0);
    holder_ = other.holder_;
    return *this;
}

Result<MemoryClaim> MemoryClaim::make(std::shared_ptr<MemoryBudget> budget, std::size_t bytes, const char* purpose) {
    MemoryClaim claim;
    if (!budget || bytes == 0) return claim;
    RB_ASSIGN(claim.holder_, budget->take(bytes, purpose));
    claim.bytes_ = bytes;
    claim.budget_ = std::move(budget);
    return claim;
}

void MemoryClaim::release() {
    if (budget_) budget_->giveBack(bytes_, holder_);
    budget_.reset();
}

HeldBy::HeldBy(std::shared_ptr<MemoryBudget> budget, std::string_view holder) : budget_(std::move(budget)) {
    if (!budget_) return;
    const std::lock_guard lock(budget_->mutex_);
    before_ = std::exchange(budget_->holder_, std::string(holder));
}

HeldBy::~HeldBy() {
    if (!budget_) return;
    const std::lock_guard lock(budget_->mutex_);
    budget_->holder_ = std::move(before_);
}

}  // namespace reelbrush::kernels
