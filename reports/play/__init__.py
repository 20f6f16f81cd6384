"""What reports say and show differently for each kind of play."""

from __future__ import annotations

from dataclasses import dataclass

from contest.games.base import MACHINE, KindOfPlay


@dataclass(frozen=True)
class PlayWords:
    """Verbs for what happens to a program: we `take` it, it is `taken`, and then it `works`."""

    take: str = "take"
    taken: str = "taken"
    works: str = "works"


def play_words(play: KindOfPlay) -> PlayWords:
    return PlayWords("compile", "compiled", "compiles") if play == MACHINE else PlayWords()
