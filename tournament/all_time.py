"""The table of several contests: all their programs in one, every one against every other.

Pure but for the runner that plays the games. A place of one contest says little about a program of
another, because the fields differ. Here all meet all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.formats.standings import ranks_of
from contest.games.registry import game_of
from contest.interfaces.protocols import Images, RunnerFactory
from contest.model import AllTimeLine, AllTimeTable, GameResult, Verdict
from contest.seeds import Seeds, seed_from
from tournament.certainty import why_unknown
from tournament.every_pair import games_of_all_pairs, number_of_pairs

MAX_GAMES = 500_000
"""1,000 programs have so many."""

_DIGITS = 3  # of a mean
_SEEDS = Seeds(seed_from("all-time"))


@dataclass(frozen=True)
class FormerProgram:
    """A program of a contest. `build`: the digest of its build; `place`: in its contest, None if
    it took no part."""

    contest: str
    team: str
    build: str
    place: int | None


@dataclass
class _Score:
    points: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    failures: int = 0
    games: int = 0


def all_time_table(
    programs: Sequence[FormerProgram],
    images: Images,
    settings: Settings,
    open_runner: RunnerFactory,
) -> AllTimeTable:
    """Play the games, and make the table. `images`: the builds of the programs.

    Raises GiveUp if nobody can tell, EngineFailed as the runner does.
    """
    info = game_of(settings.game, settings.programs).info
    builds = sorted({program.build for program in programs})
    games = number_of_pairs(len(builds))
    if len(builds) < 2:
        raise GiveUp("a table needs two different programs, and there is only one")
    if games > MAX_GAMES:
        raise GiveUp(
            f"{len(builds):,} programs have {games:,} games, and at most {MAX_GAMES:,} are played"
        )
    if reason := why_unknown(settings, {digest: images[digest] for digest in builds}):
        raise GiveUp(reason)
    scores = {digest: _Score() for digest in builds}
    for pair, result in games_of_all_pairs(builds, images, settings, _SEEDS, open_runner):
        _count(scores, pair, result)
    means = {
        digest: round(score.points / score.games / info.point, _DIGITS)
        for digest, score in scores.items()
    }
    lines = list(_lines(programs, scores, means))
    return AllTimeTable(
        tuple(dict.fromkeys(program.contest for program in programs)),
        tuple(lines),
        len(builds),
        games,
    )


def _count(scores: Mapping[str, _Score], pair: tuple[str, str], result: GameResult) -> None:
    points = [seat.points if seat.verdict is Verdict.OK else 0 for seat in result.seats]
    has_failed = [seat.verdict is not Verdict.OK for seat in result.seats]
    # Who fails is behind whoever does not, even one without points.
    order = [(not failed, own) for failed, own in zip(has_failed, points, strict=True)]
    for seat, digest in enumerate(pair):
        score, own, other = scores[digest], order[seat], order[1 - seat]
        score.games += 1
        score.points += points[seat]
        score.failures += has_failed[seat]
        score.won += own > other
        score.drawn += own == other
        score.lost += own < other


def _lines(
    programs: Sequence[FormerProgram], scores: Mapping[str, _Score], means: Mapping[str, float]
) -> Iterator[AllTimeLine]:
    """The best first; equal means share a rank."""
    ordered = sorted(
        programs, key=lambda program: (-means[program.build], program.contest, program.team)
    )
    within: dict[str, list[FormerProgram]] = {}
    for program in ordered:
        within.setdefault(program.contest, []).append(program)
    in_contest: dict[FormerProgram, int] = {}
    for members in within.values():
        ranks = ranks_of([means[member.build] for member in members])
        in_contest |= zip(members, ranks, strict=True)
    ranks = ranks_of([means[program.build] for program in ordered])
    for rank, program in zip(ranks, ordered, strict=True):
        score = scores[program.build]
        yield AllTimeLine(
            rank=rank,
            contest=program.contest,
            team=program.team,
            points=means[program.build],
            won=score.won,
            drawn=score.drawn,
            lost=score.lost,
            failures=score.failures,
            in_contest=in_contest[program],
            place=program.place,
        )
