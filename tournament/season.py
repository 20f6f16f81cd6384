"""The table of a season: points for places, and how strong each version of each program is.

Pure but for the runner that plays the games.

A place of one tournament does not tell who has learned: the field changes with every tournament. So
every version of everybody meets every version of everybody, in one game whose random numbers follow
from the two programs alone. A version's strength is its mean of points in these games: one measure
for all tournaments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from contest.config.settings import Settings
from contest.formats.standings import ranks_of
from contest.games.game import GameInfo
from contest.games.registry import game_of
from contest.interfaces.protocols import Images, RunnerFactory
from contest.model import SeasonLine, SeasonTable, Verdict
from contest.seeds import Seeds, seed_from
from tournament.certainty import why_unknown
from tournament.every_pair import games_of_all_pairs, number_of_pairs

MAX_GAMES = 200_000
"""Of games that are quick: some 20 s on two cores. 632 versions have so many."""
MAX_SLOW_GAMES = 2_000

_DIGITS = 3  # of a strength
_SEEDS = Seeds(seed_from("season"))


@dataclass(frozen=True)
class Played:
    """A tournament that was played: the place of each team that took part, and the digest of its
    build."""

    places: Mapping[str, int]
    builds: Mapping[str, str]

    def teams_behind(self, name: str) -> int:
        """How many teams are behind this one; 0 if it took no part."""
        own = self.places.get(name)
        return 0 if own is None else sum(place > own for place in self.places.values())


def season_table(
    tournaments: Sequence[Played], images: Images, settings: Settings, open_runner: RunnerFactory
) -> SeasonTable:
    """The table of these tournaments. `images`: their builds, as far as we have them.

    Raises EngineFailed as the runner does.
    """
    info = game_of(settings.game, settings.programs).info
    versions = sorted(
        {digest for tournament in tournaments for digest in tournament.builds.values()}
    )
    games = number_of_pairs(len(versions))
    unknown = _why_unknown(versions, games, images, info, settings)
    strengths = {} if unknown else _strengths(versions, images, settings, open_runner)
    names = dict.fromkeys(name for tournament in tournaments for name in tournament.places)
    lines = [_line(name, tournaments, strengths) for name in names]
    lines.sort(key=lambda line: (_order(line), line.team))
    ranks = ranks_of([_order(line) for line in lines])
    return SeasonTable(
        tournaments=len(tournaments),
        lines=tuple(replace(line, rank=rank) for line, rank in zip(lines, ranks, strict=True)),
        versions=len(versions),
        games=0 if unknown else games,
        unknown=unknown,
    )


def _why_unknown(
    versions: Sequence[str], games: int, images: Images, info: GameInfo, settings: Settings
) -> str:
    most = MAX_GAMES if info.play.is_quick else MAX_SLOW_GAMES
    if games > most:
        return f"{len(versions):,} versions have {games:,} games, and at most {most:,} are played"
    if len(versions) < 2:
        return "there is only one version"
    known = {digest: images[digest] for digest in versions if digest in images}
    return why_unknown(settings, known) or (
        "" if len(known) == len(versions) else "some builds are missing"
    )


def _line(name: str, tournaments: Sequence[Played], strengths: Mapping[str, float]) -> SeasonLine:
    """A team's line, without its rank. It has a point for each team behind it, in each
    tournament."""
    points = sum(tournament.teams_behind(name) for tournament in tournaments)
    of_tournaments = tuple(
        strengths.get(tournament.builds.get(name, "")) for tournament in tournaments
    )
    known = [value for value in of_tournaments if value is not None]
    gain = round(known[-1] - known[0], _DIGITS) if known else None
    return SeasonLine(
        rank=0,
        team=name,
        points=points,
        places=tuple(tournament.places.get(name) for tournament in tournaments),
        strengths=of_tournaments,
        strength=known[0] if known else None,
        gain=gain,
    )


def _order(line: SeasonLine) -> tuple[int, float]:
    """By points; among equals, by the place in the last tournament."""
    last = line.places[-1]
    return -line.points, float("inf") if last is None else last


def _strengths(
    versions: Sequence[str], images: Images, settings: Settings, open_runner: RunnerFactory
) -> Mapping[str, float]:
    """The mean of each version's points in its games against all others."""
    info = game_of(settings.game, settings.programs).info
    points = Counter[str]()
    for pair, result in games_of_all_pairs(versions, images, settings, _SEEDS, open_runner):
        for digest, seat in zip(pair, result.seats, strict=True):
            points[digest] += seat.points if seat.verdict is Verdict.OK else 0
    games = (len(versions) - 1) * info.point
    return {digest: round(points[digest] / games, _DIGITS) for digest in versions}
