#include "engine/core/rational.h"

#include <fmt/format.h>

namespace reelbrush {

namespace {

__extension__ using Wide = __int128;

Rational reduced(Wide num, Wide den) {
    if (den == 0) return Rational::unknown();
    Wide a = num < 0 ? -num : num;
    Wide b = den < 0 ? -den : den;
    while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
    }
    if (den < 0) a = -a;
    Rational result;
    result.num = static_cast<std::int64_t>(num / a);
    result.den = static_cast<std::int64_t>(den / a);
    return result;
}

}  // namespace

Rational::Rational(std::int64_t numerator, std::int64_t denominator) {
    *this = reduced(numerator, denominator);
}

Rational Rational::unknown() {
    Rational value;
    value.den = 0;
    return value;
}

std::string Rational::toString() const {
    if (!isKnown()) return "unknown";
    return den == 1 ? fmt::format("{}", num) : fmt::format("{}/{}", num, den);
}

Rational operator+(Rational a, Rational b) {
    return reduced(Wide{a.num} * b.den + Wide{b.num} * a.den, Wide{a.den} * b.den);
}
Rational operator-(Rational a, Rational b) {
    return reduced(Wide{a.num} * b.den - Wide{b.num} * a.den, Wide{a.den} * b.den);
}
Rational operator*(Rational a, Rational b) {
    return reduced(Wide{a.num} * b.num, Wide{a.den} * b.den);
}
Rational operator/(Rational a, Rational b) {
    return reduced(Wide{a.num} * b.den, Wide{a.den} * b.num);
}
std::strong_ordering operator<=>(Rational a, Rational b) {
    return Wide{a.num} * b.den <=> Wide{b.num} * a.den;
}

}  // namespace reelbrush
