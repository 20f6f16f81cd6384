"""Solves the game against itself, from the end; an extra turn comes in one of eight turns, it
thinks."""

from functools import cache

PLAYER_NAME = "Looks to the End"
GOAL = 50


@cache
def odds(dice):
    ways = {0: 1}
    for _ in range(dice):
        sums = {}
        for points, count in ways.items():
            for face in range(2, 7):
                sums[points + face] = sums.get(points + face, 0) + count
        ways = sums
    missed = 6**dice - sum(ways.values())
    return [(n, w / 6**dice) for n, w in [(1, missed), *ways.items()]]


def mean(score, opponent, dice, value):
    digit = int("142857"[(opponent - 1) % 6]) if opponent else 7
    total = 0
    for points, chance in odds(dice) if dice else [(digit, 1)]:
        new = score + points
        new += new * (new == opponent)
        total += chance * (1 if new >= GOAL else value(new))
    return total


@cache
def best(score, opponent):
    """The chance to win, on an ordinary turn and on an extra one, and the dice for it."""

    def plain(new):
        return 1 - best(opponent, new)[0]

    def extra(new):
        return best(new, opponent)[1]

    choices = []
    for dice in range(11):
        ends = mean(score, opponent, dice, plain)
        trots = mean(score, opponent, dice, extra) if dice < 8 else ends
        choices.append(((7 * ends + trots) / 8, ends, dice))
    return max(choices)


def final_strategy(score, opponent_score):
    return best(min(score, GOAL - 1), min(opponent_score, GOAL - 1))[2]
