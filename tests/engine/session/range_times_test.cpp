#include "engine/session/range_times.h"

#include "tests/engine/session/written_films.h"
#include "tests/support/test_data.h"

namespace reelbrush::session {
namespace {

TEST(RangeTimes, AreExactForVariableRates) {
    const reelbrush::testing::ScratchFolder scratch;
    const auto film = scratch.path() / "film.mkv";
    testing::writeFilm(film, {32, 32}, {Rational(0), Rational(100, 1000), Rational(130, 1000), Rational(500, 1000)});

    const auto middle = findRangeTimes(film, 1, 2, false);
    ASSERT_TRUE(middle) << middle.error().message;
    EXPECT_EQ(middle->start, Rational(1, 10));
    EXPECT_EQ(middle->end, Rational(1, 2));

    const auto all = findRangeTimes(film, 0, -1, false);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_FALSE(all->start.isKnown());
    EXPECT_FALSE(all->end.isKnown());

    const auto beyond = findRangeTimes(film, 2, 99, false);
    ASSERT_TRUE(beyond) << beyond.error().message;
    EXPECT_EQ(beyond->start, Rational(13, 100));
    EXPECT_FALSE(beyond->end.isKnown());

    EXPECT_FALSE(findRangeTimes(film, 99, 100, false));
}

}  // namespace
}  // namespace reelbrush::session
