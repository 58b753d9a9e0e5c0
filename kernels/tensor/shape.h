#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace reelbrush::kernels {

/// Up to four dimensions, row-major, outermost first: images and latents [N,H,W,C], tokens [N,T,C], vectors [N,C].
class Shape {
  public:
    static constexpr std::size_t kMaxRank = 4;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> dims);
    explicit Shape(std::span<const std::int64_t> dims);

    std::size_t rank() const { return rank_; }
    std::int64_t operator[](std::size_t axis) const { return dims_[axis]; }
    std::int64_t& operator[](std::size_t axis) { return dims_[axis]; }
    /// Innermost dimension: the channels.
    std::int64_t channels() const { return rank_ == 0 ? 1 : dims_[rank_ - 1]; }
    std::int64_t batch() const { return rank_ == 0 ? 1 : dims_[0]; }
    /// Product of all dimensions; 1 for rank 0.
    std::int64_t elements() const;
    /// Product of all dimensions but the innermost: tokens or pixels over the whole batch.
    std::int64_t rows() const;
    std::span<const std::int64_t> dims() const { return {dims_.data(), rank_}; }
    bool operator==(const Shape& other) const;
    /// "[1,64,64,96]"
    std::string toString() const;

  private:
    std::array<std::int64_t, kMaxRank> dims_{};
    std::size_t rank_ = 0;
};

}  // namespace reelbrush::kernels
