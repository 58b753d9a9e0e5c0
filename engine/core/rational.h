#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace reelbrush {

/// An exact fraction: frame times and rates. Always in lowest terms with a positive denominator, except {0,0}, which
/// means unknown. Arithmetic is exact as long as the reduced result fits 64 bits (intermediates use 128).
struct Rational {
    std::int64_t num = 0;
    std::int64_t den = 1;

    constexpr Rational() = default;
    Rational(std::int64_t numerator, std::int64_t denominator = 1);

    static Rational unknown();
    bool isKnown() const { return den != 0; }
    double toDouble() const { return den == 0 ? 0.0 : static_cast<double>(num) / static_cast<double>(den); }
    /// "30000/1001", "25"
    std::string toString() const;

    friend Rational operator+(Rational a, Rational b);
    friend Rational operator-(Rational a, Rational b);
    friend Rational operator*(Rational a, Rational b);
    friend Rational operator/(Rational a, Rational b);
    friend std::strong_ordering operator<=>(Rational a, Rational b);
    friend bool operator==(Rational a, Rational b) { return a.num == b.num && a.den == b.den; }
};

}  // namespace reelbrush
