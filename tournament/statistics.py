"""Statistics of a result: the score matrix, and how much of the ranking is due to chance.

Pure but for the runner that plays the games.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import partial

from contest.config.settings import Settings
from contest.formats.base import Format
from contest.games.registry import game_of
from contest.model import FinalReplays, GroupOutcome, GroupPlan, points_text
from contest.protocols import Runner
from contest.seeds import Seeds
from contest.standings import match_half_points
from tournament import referee


def score_table(outcome: GroupOutcome, point: int) -> str:
    """The group's score matrix as CSV, best team first: row = team, column = opponent, cell = points won.

    Only counted games; a cell is empty if the two had none. `point`: as in GameInfo.
    """
    names = [line.entry for line in outcome.standings]
    won: dict[tuple[str, str], int] = {}
    for match in outcome.matches:
        if match.counted and len(match.players) == 2:
            others = dict(zip(match.players, reversed(match.players), strict=True))
            for name, half in match_half_points(match):
                won[name, others[name]] = won.get((name, others[name]), 0) + half
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["team", *names])
    for name in names:
        cells = (won.get((name, other)) for other in names)
        lines.writerow([name, *("" if half is None else points_text(half, point) for half in cells)])
    return text.getvalue()


def replay_final(
    plan: GroupPlan,
    images: Mapping[str, str],
    seeds: Seeds,
    runner: Runner,
    settings: Settings,
    chosen: Format,
    banned: AbstractSet[str],
) -> FinalReplays:
    """Play the final `tournament.final_replays` times more, each with the seed `final replay/<number>`.

    `images`: the digests of the members' programs; `banned`: members who play no games. Raises EngineFailed
    as the referee does.
    """
    times = settings.tournament.final_replays
    firsts = Counter(dict.fromkeys(plan.members, 0))
    for number in range(1, times + 1):
        outcome = referee.play_group(
            plan,
            images=images,
            seeds=Seeds(seeds.stream(f"final replay/{number}", 32)),
            runner=runner,
            protocols_for=frozenset(),
            standings=partial(chosen.standings, plan, True),
            fault_rule=game_of(settings.game, settings.programs).info.fault_rule,
            banned=banned,
        )
        firsts.update(line.entry for line in outcome.standings if line.rank == 1)
    return FinalReplays(times, tuple(sorted(firsts.items(), key=lambda line: (-line[1], line[0]))))
