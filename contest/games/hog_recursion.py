"""Hog's win rates in Python alone, for teams at home; the contest's solver is a thousand times as fast."""

from __future__ import annotations

from array import array

from contest.games.hog import MAX_DICE, SCORES, TURNS, HogEntry, hog_pile, odds

_UNKNOWN = -1.0


def win_rate(first: HogEntry, second: HogEntry) -> float:
    """How often `first` wins if a fair coin decides who begins (H10), right to about 1e-13.

    Takes seconds for goals of 120, and a minute for the highest ones.
    """
    entries = (first, second)
    chances = [
        [[(points, float(chance)) for points, chance in odds(dice, score).items()] for score in range(SCORES)]
        for dice in range(MAX_DICE + 1)
    ]
    known = array("d", [_UNKNOWN]) * (SCORES * SCORES * 2 * TURNS * 2)

    def wins(own: int, opponent: int, player: int, turn: int, extra: bool) -> float:
        """The chance of the player. Ends: every turn brings a point or more, and no score ever falls."""
        place = (((own * SCORES + opponent) * 2 + player) * TURNS + turn) * 2 + extra
        if known[place] != _UNKNOWN:
            return known[place]
        dice = entries[player].dice(own, opponent)
        again = dice == turn and not extra
        following = (turn + 1) % TURNS
        total = 0.0
        for points, chance in chances[dice][opponent]:
            score = hog_pile(own + points, opponent)
            if score >= entries[player].goal:
                total += chance
            elif again:
                total += chance * wins(score, opponent, player, following, True)
            else:
                total += chance * (1 - wins(opponent, score, 1 - player, following, False))
        known[place] = total
        return total

    return (wins(0, 0, 0, 0, False) + 1 - wins(0, 0, 1, 0, False)) / 2
