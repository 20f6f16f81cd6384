"""Rolls what brings the most on average in this turn, Hog Pile counted in."""

from functools import cache

PLAYER_NAME = "One Turn Ahead"
# a chance is so many parts of it: whole numbers, so that no rounding decides between equals
WHOLE = 6**10


@cache
def odds(dice):
    """The chance of each number of points."""
    ways = {0: 1}  # without a 1, in 6 ** dice rolls
    for _ in range(dice):
        sums = {}
        for points, count in ways.items():
            for face in range(2, 7):
                sums[points + face] = sums.get(points + face, 0) + count
        ways = sums
    ways[1] = 6**dice - sum(ways.values())
    return {points: count * WHOLE // 6**dice for points, count in ways.items()}


MEANS = [sum(points * chance for points, chance in odds(dice).items()) for dice in range(1, 11)]


def final_strategy(score, opponent_score):
    digit = int("142857"[(opponent_score - 1) % 6]) if opponent_score else 7
    equal = opponent_score - score  # so many points make the score double, to twice the opponent's
    gains = [WHOLE * (digit + opponent_score * (digit == equal))]
    gains += [
        mean + opponent_score * odds(dice).get(equal, 0) for dice, mean in enumerate(MEANS, 1)
    ]
    return gains.index(max(gains))
