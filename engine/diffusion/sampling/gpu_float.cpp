#include "engine/diffusion/sampling/gpu_float.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace reelbrush::diffusion {

namespace {

constexpr int kTurnBits = 25;     ///< of a turn, that the unit looks at
constexpr int kQuarterBits = 23;  ///< of those, within a quarter turn
constexpr int kWithinBits = 17;   ///< of those, within a segment
constexpr int kSquareBits = 15;   ///< columns kept of the square of those
constexpr int kResultBits = 37;   ///< fraction bits of the unit's sum
constexpr int kSignificantBits = 24;

/// A parabola on a segment of 1/64 quarter turn: start / 2^25 + slope / 2^20 * x - bend / 2^22 * x^2, x in [0,1).
struct Segment {
    std::int32_t start, slope, bend;
};

constexpr std::array<Segment, 64> kSegments{
    {{0, 25737, 14},          {823463, 25730, 48},     {1646436, 25706, 76},    {2468414, 25668, 110},
     {3288906, 25613, 137},   {4107418, 25544, 171},   {4923453, 25459, 201},   {5736526, 25358, 229},
     {6546141, 25243, 262},   {7351816, 25112, 292},   {8153060, 24966, 322},   {8949394, 24805, 352},
     {9740335, 24629, 381},   {10525413, 24438, 410},  {11304145, 24233, 441},  {12076070, 24013, 470},
     {12840725, 23778, 497},  {13597643, 23529, 525},  {14346367, 23266, 553},  {15086452, 22989, 581},
     {15817450, 22698, 608},  {16538916, 22394, 637},  {17250422, 22076, 664},  {17951542, 21744, 688},
     {18641840, 21400, 715},  {19320916, 21042, 738},  {19988350, 20672, 763},  {20643746, 20290, 790},
     {21286703, 19895, 812},  {21916841, 19489, 839},  {22533776, 19070, 859},  {23137138, 18640, 881},
     {23726565, 18199, 904},  {24301698, 17747, 926},  {24862194, 17284, 946},  {25407711, 16811, 967},
     {25937924, 16328, 988},  {26452518, 15834, 1004}, {26951170, 15332, 1025}, {27433593, 14820, 1043},
     {27899488, 14299, 1059}, {28348583, 13769, 1074}, {28780594, 13232, 1093}, {29195273, 12686, 1107},
     {29592364, 12133, 1123}, {29971632, 11572, 1136}, {30332846, 11004, 1148}, {30675788, 10430, 1162},
     {31000253, 9849, 1172},  {31306042, 9263, 1185},  {31592974, 8671, 1196},  {31860879, 8073, 1203},
     {32109590, 7471, 1213},  {32338961, 6864, 1220},  {32548845, 6254, 1230},  {32739132, 5639, 1236},
     {32909694, 5021, 1242},  {33060432, 4400, 1247},  {33191257, 3776, 1250},  {33302087, 3151, 1258},
     {33392857, 2523, 1260},  {33463517, 1893, 1260},  {33514014, 1263, 1263},  {33544326, 632, 1265}}};

/// The square of a 17-bit fraction to 15 bits, without the carries out of the columns that are left out.
std::int64_t cutSquare(std::int64_t fraction) {
    const auto bit = [fraction](int i) { return (fraction >> (kWithinBits - i)) & 1; };
    std::int64_t square = 0;
    for (int i = 1; i <= kSquareBits; ++i) {
        if (bit(i) == 0) continue;
        if (2 * i <= kSquareBits) square += std::int64_t{1} << (kSquareBits - 2 * i);
        for (int j = i + 1; i + j - 1 <= kSquareBits; ++j) square += bit(j) << (kSquareBits - (i + j - 1));
    }
    return square;
}

/// Turns of x radians, rounded towards zero.
float turns(float x) {
    constexpr float kTurnsPerRadian = 0x1.45f306p-3f;
    const double exact = static_cast<double>(x) * kTurnsPerRadian;
    const auto rounded = static_cast<float>(exact);
    return rounded > exact ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) - 1) : rounded;
}

}  // namespace

float gpuLog(float x) {
    // the mantissa is taken from 2/3 to 4/3, where log(1 + t) is a polynomial of t
    constexpr std::int32_t kTwoThirds = 0x3f2aaaab;
    constexpr float kPolynomial[] = {-0x1.0aa04ep-3f, 0x1.2073ecp-3f,  -0x1.f19b98p-4f, 0x1.1e52aap-3f, -0x1.55b172p-3f,
                                     0x1.99da16p-3f,  -0x1.fffe44p-3f, 0x1.5554fp-2f,   -0.5f};
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t exponent = (bits - kTwoThirds) >> 23;
    const float t = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1.0f;
    float sum = kPolynomial[0];
    for (std::size_t i = 1; i < std::size(kPolynomial); ++i) sum = std::fma(t, sum, kPolynomial[i]);
    sum = std::fma(t, t * sum, t);
    return std::fma(static_cast<float>(exponent), 0x1.62e43p-1f, sum);
}

float gpuSine(float x) {
    const auto turn = static_cast<std::int64_t>(std::ldexp(static_cast<double>(turns(x)), kTurnBits));
    const std::int64_t quarter = (turn >> kQuarterBits) & 3;
    std::int64_t within = turn & ((std::int64_t{1} << kQuarterBits) - 1);
    if (quarter % 2 == 1) within ^= (std::int64_t{1} << kQuarterBits) - 1;
    const Segment& segment = kSegments[static_cast<std::size_t>(within >> kWithinBits)];
    const std::int64_t fraction = within & ((std::int64_t{1} << kWithinBits) - 1);
    std::int64_t sum = std::int64_t{segment.start} * (1 << (kResultBits - 25)) + segment.slope * fraction -
                       segment.bend * cutSquare(fraction);
    const int width = std::bit_width(static_cast<std::uint64_t>(sum));
    if (width > kSignificantBits) sum &= -(std::int64_t{1} << (width - kSignificantBits));
    const float sine = std::ldexp(static_cast<float>(sum), -kResultBits);
    return quarter >= 2 ? -sine : sine;
}

}  // namespace reelbrush::diffusion
