"""How sure a ranking is: draw and play the whole contest again, many times, with other random numbers.

Pure but for the runner that plays the games. Nothing here touches the contest's own draws: all names of
random streams begin with `certainty/`.

A contest of 41 teams has 861 games, so a thousand contests would take minutes of games alone. Therefore a
contest takes each of its games from a *pool*: independent games of the same programs in the same seats,
played once. The formats draw, rank and eliminate as in the real contest. Where a game has a failure, the
referee itself plays the group from the pools.

Two errors remain in a share p of n contests. Sampling contests gives the variance p(1-p)/n. A finite pool of
K games adds at most p(1-p)/K: the variance over pools is the sum of the parts that single games explain,
divided by K, and these are not more than all of it (Hoeffding's decomposition). A pool grows with its uses;
those of programs that think long have fewer games. K is the harmonic mean of the sizes, weighted by the
variance that each pool brings: the square of its uses, as if all games had the same deviation.
`Certainty.margin` is two standard deviations at p = 1/2, with both errors.

Costs are counted in instructions, not in seconds, so that every host plays the same games and tells the same
numbers, whatever the number of workers.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from itertools import islice

from contest.config.settings import Settings
from contest.formats.format import Format
from contest.formats.standings import ranks_of
from contest.games.game import GameInfo, TextProtocol
from contest.games.registry import game_of
from contest.interfaces.protocols import Images, Runner
from contest.model import (
    Certainty,
    GameJob,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Pairing,
    RoundOutcome,
    RoundPlan,
    SeatResult,
    TeamCertainty,
    Verdict,
)
from contest.seeds import Seeds
from tournament import referee
from tournament.field import Field
from tournament.rounds import rounds
from tournament.runners import runner_of

MAX_CONTESTS = 1_000  # by default; the margin of a share is then 3 in 100, and what pools add
WORTHWHILE_CONTESTS = 100  # with fewer the margin is more than 10 in 100
INTERVAL = 0.90
LIKELY = 0.95  # of the contests are won by the likely winners
TOLD_APART = 0.95  # of the contests in which the one is ahead of the other

_FIRST_GAMES = 2  # of a pool, to learn the cost of its games
_FEWEST_GAMES = 16  # of a pool, if they fit into the budget
_USES_OF_A_GAME = 4  # at least, beyond these; that at most doubles the margin
_BUDGET_INSTRUCTIONS = 50_000_000_000  # for all pools: some 20 s of one core
_INSTRUCTIONS_PER_GAME = 300_000  # what a quick game costs that needs none
# Of a game of programs that are asked for moves, and whose time is counted in fuel:
_INSTRUCTIONS_PER_QUESTION = 6_000_000  # a new instance, about 2.5 ms
_UNITS_PER_INSTRUCTION = 4
_CHUNK_GAMES = 20_000  # their results are in memory at the same time
_AT_ONCE = 250  # contests in memory
_DRAWN_NUMBERS = 10_000
_DEFAULT_SECONDS = 60.0
# For choosing the default alone: what a game of a pool, a game of a contest, and a group take on two cores.
_SECONDS_PER_GAME, _SECONDS_PER_USE, _SECONDS_PER_GROUP = 100e-6, 12e-6, 400e-6

Seating = tuple[str, ...]
"""The players of a game, by seat."""


def why_unknown(settings: Settings, images: Images) -> str | None:
    """Why nobody can tell how sure the ranking of a contest of these programs is, in a sentence; None if we
    can.

    Games of programs that talk depend on their processes and on the clock, and most pairs met once or never.
    To draw contests from one recorded game of a pair would take chance for certainty. Programs whose time is
    counted can be asked again. But where one lives through many games, it may learn, and then its games are
    not independent of each other.
    """
    info = game_of(settings.game, settings.programs).info
    computed = runner_of(settings).computed(images, settings)
    if len(computed) < len(images):
        which = "some programs of this contest" if computed else "the programs of this game"
        return f"{which} cannot be played again from seeds, so nobody can tell"
    if info.max_seats > 2:
        return "only contests in games of two can be played again many times"
    if info.protocols[:1] == (TextProtocol.STDIO,):
        return (
            "a program plays all games of a group in one life and may learn from them, so games cannot be "
            "played again one by one"
        )
    return None


def default_contests(field: Field, history: Sequence[RoundOutcome]) -> int | None:
    """How many contests are played after the contest day: as many as take about a minute, up to MAX_CONTESTS.

    None: in a field so large that a minute is not enough for WORTHWHILE_CONTESTS. It depends on the published
    contest alone, not on the host. `history`: its rounds; with all games, where games are not quick.
    """
    if _is_certain(field):
        return 1
    if not field.info.play.is_quick and _least_cost(field, history) > 2 * _BUDGET_INSTRUCTIONS:
        return None
    groups = [group for each in history for group in each.plan.groups]
    games = sum(pairing.games for group in groups for pairing in group.pairings)
    pools = _FEWEST_GAMES * len(field.images) ** 2 / 2

    def seconds(contests: int) -> float:
        uses = contests * games
        drawing = contests * len(groups) * _SECONDS_PER_GROUP
        return drawing + uses * _SECONDS_PER_USE + min(uses, pools) * _SECONDS_PER_GAME

    fewest = min(WORTHWHILE_CONTESTS, MAX_CONTESTS)
    return next((n for n in range(MAX_CONTESTS, fewest - 1, -1) if seconds(n) <= _DEFAULT_SECONDS), None)


def _least_cost(field: Field, history: Sequence[RoundOutcome]) -> float:
    """The cost of the smallest pools, by the games of the contest itself."""
    costs = [
        _game_cost(field.info, match.result)
        for each in history
        for group in each.groups
        for match in group.matches
    ]
    pools = len(field.images) * (len(field.images) - 1)  # each two in two seatings
    return _FIRST_GAMES * pools * sum(costs) / max(1, len(costs))


def _game_cost(info: GameInfo, result: GameResult) -> int:
    """The cost of this game in instructions of the contest machine; a core does 2.5 billion a second."""
    used = sum(seat.instructions for seat in result.seats)
    if info.play.is_quick:
        return _INSTRUCTIONS_PER_GAME + used
    questions = result.turns * len(result.seats)
    return used // _UNITS_PER_INSTRUCTION + questions * _INSTRUCTIONS_PER_QUESTION


def certainty(field: Field, history: Sequence[RoundOutcome], contests: int, runner: Runner) -> Certainty:
    """How sure the ranking of this contest is. Raises EngineFailed as the referee does.

    `history`: its rounds as published, with all games.
    """
    is_certain = _is_certain(field)
    contests = 1 if is_certain else contests
    pools = _Pools(field, runner)
    published = _Reached.of(field.format, history)
    starts = range(0, contests, _AT_ONCE)
    batches = (range(start, min(contests, start + _AT_ONCE)) for start in starts)
    replayed = [reached for batch in batches for reached in _play(field, batch, pools)]
    playing = replayed[0].places
    teams = tuple(_team(name, published, replayed) for name in published.places if name in playing)
    margin = 0 if is_certain else math.ceil(100 * math.sqrt(1 / contests + pools.error))
    return Certainty(contests, margin, teams, _alike(published, replayed), _likely_winners(teams, replayed))


def _is_certain(field: Field) -> bool:
    """Whether no chance takes part: results are computed exactly, and nothing is drawn."""
    return not field.info.play.has_moves and not field.format.has_rounds


# --- how far a team came -----------------------------------------------------------------------------------
_Level = tuple[int, int]
"""How far a team came; the less, the farther. (0, rank): ranked in the end; (1, 0): in the final, but
disqualified; (2, -round): out before, in this round."""


@dataclass(frozen=True)
class _Reached:
    """How far each team came in one contest, its place, and who was in the final."""

    levels: Mapping[str, _Level]
    places: Mapping[str, int]
    finalists: frozenset[str]

    @classmethod
    def of(cls, chosen: Format, history: Sequence[RoundOutcome]) -> _Reached:
        last = {name: each.plan.number for each in history for g in each.plan.groups for name in g.members}
        end = history[-1].plan
        has_final = end.final or chosen.ends_in_final(end)
        finalists = frozenset(name for group in end.groups for name in group.members if has_final)
        levels: dict[str, _Level] = {
            name: (1, 0) if name in finalists else (2, -number) for name, number in last.items()
        }
        levels |= {s.entry: (0, s.rank) for s in chosen.ranking(history) if s.rank is not None}
        ordered = sorted(levels, key=lambda name: (levels[name], name))
        places = dict(zip(ordered, ranks_of([levels[name] for name in ordered]), strict=True))
        return cls(levels, places, finalists)


def places(chosen: Format, history: Sequence[RoundOutcome]) -> Mapping[str, int]:
    """The place of each team that took part: those who got equally far share the best of their places."""
    return _Reached.of(chosen, history).places


def _team(name: str, published: _Reached, replayed: Sequence[_Reached]) -> TeamCertainty:
    places = sorted(each.places[name] for each in replayed)
    tail = math.floor((1 - INTERVAL) / 2 * len(places))
    return TeamCertainty(
        entry=name,
        place=published.places[name],
        first=places.count(1),
        final=sum(name in each.finalists for each in replayed),
        low=places[tail],
        high=places[-1 - tail],
        worse=sum(each.levels[name] > published.levels[name] for each in replayed),
    )


def _likely_winners(teams: Sequence[TeamCertainty], replayed: Sequence[_Reached]) -> tuple[str, ...]:
    """The fewest of the teams that win most, in order, that include the winners of enough contests."""
    ordered = sorted(teams, key=lambda team: (-team.first, team.place, team.entry))
    at = {team.entry: number for number, team in enumerate(ordered, start=1)}
    needed = sorted(max(at[name] for name, place in each.places.items() if place == 1) for each in replayed)
    return tuple([team.entry for team in ordered[: needed[math.ceil(LIKELY * len(needed)) - 1]]])


def _alike(published: _Reached, replayed: Sequence[_Reached]) -> tuple[tuple[str, ...], ...]:
    """Runs of adjacent teams in the ranking whose order is not significant."""
    playing = replayed[0].places
    runs: list[list[str]] = []
    for name in published.places:
        if name not in playing or published.levels[name][0]:
            continue
        if runs and not any(_are_told_apart(name, other, replayed) for other in runs[-1]):
            runs[-1].append(name)
        else:
            runs.append([name])
    return tuple(tuple(run) for run in runs if len(run) > 1)


def _are_told_apart(name: str, other: str, replayed: Sequence[_Reached]) -> bool:
    """Whether the same one of the two is ahead in nearly all contests."""
    ahead = sum(each.levels[name] < each.levels[other] for each in replayed)
    behind = sum(each.levels[name] > each.levels[other] for each in replayed)
    return max(ahead, behind) >= TOLD_APART * len(replayed)


# --- contests with other random numbers --------------------------------------------------------------------
def _play(field: Field, numbers: range, pools: _Pools) -> list[_Reached]:
    """How far the teams came in the contests of these numbers, whose games are played together."""
    histories: list[list[RoundOutcome]] = [[] for _ in numbers]
    playing = [_redraw(field, *each, pools) for each in zip(numbers, histories, strict=True)]
    while drawn := [(each, plan) for each in playing if (plan := next(each, None))]:
        fixtures = (fixture for _, plan in drawn for group in plan.groups for fixture in _fixtures(group))
        pools.fill(pairing.seating(game) for pairing, game in fixtures)
        playing = [each for each, _ in drawn]
    return [_Reached.of(field.format, history) for history in histories]


def _redraw(field: Field, number: int, history: list[RoundOutcome], pools: _Pools) -> Iterator[RoundPlan]:
    """Yield each round of a contest as it is drawn, for its pools to be filled; then play it."""
    redrawn = replace(field, seeds=Seeds(field.seeds.stream(f"certainty/contest/{number}", 32)))
    for plan in rounds(field.format, tuple(field.images), redrawn.seeds, history):
        yield plan
        groups = tuple(_play_group(redrawn, group, plan.final, pools) for group in plan.groups)
        history.append(RoundOutcome(plan, groups))


def _fixtures(plan: GroupPlan) -> Iterator[tuple[Pairing, int]]:
    """The games that are planned, each with its number: all but those that failures or equal points add."""
    return ((pairing, game) for pairing in plan.pairings for game in range(1, pairing.games + 1))


def _play_group(field: Field, plan: GroupPlan, final: bool, pools: _Pools) -> GroupOutcome:
    several = [pools.matches(*fixture) for fixture in _fixtures(plan)]
    numbers = field.seeds.numbers(f"{plan.round}/{plan.number}", len(several), _DRAWN_NUMBERS)
    matches = [pool[n * len(pool) // _DRAWN_NUMBERS] for pool, n in zip(several, numbers, strict=True)]
    has_more = any(p.most > p.games for p in plan.pairings)
    if has_more or not (pools.are_flawless or all(match.result.is_flawless for match in matches)):
        standings = field.play_group(plan, final, _pool_runner(pools, matches)).standings
    else:
        standings = field.format.standings(plan, final, matches, {}, frozenset())
    return GroupOutcome(plan, (), standings)


def _pool_runner(pools: _Pools, matches: Sequence[Match]) -> Runner:
    """Gives the referee of one group the games that were drawn, and draws further ones that it asks for."""
    drawn: defaultdict[Seating, deque[GameResult]] = defaultdict(deque)
    for match in matches:
        drawn[match.players].append(match.result)

    def game(job: GameJob) -> GameResult:
        if drawn[job.names]:
            return drawn[job.names].popleft()
        if job.names not in pools.games:
            pools.fill([job.names])
        pool = pools.games[job.names]
        return pool[int.from_bytes(job.streams[0], "big") % len(pool)]

    return lambda jobs: list(map(game, jobs))


# --- pools of games ----------------------------------------------------------------------------------------
@dataclass
class _Pools:
    """Independent games of the teams, by seating."""

    field: Field
    runner: Runner
    games: defaultdict[Seating, list[GameResult]] = dataclass_field(default_factory=lambda: defaultdict(list))
    are_flawless: bool = True  # nobody has failed in any game
    _uses: Counter[Seating] = dataclass_field(default_factory=Counter)
    _costs: Counter[Seating] = dataclass_field(default_factory=Counter)  # of the games so far
    _known: dict[_Points, GameResult] = dataclass_field(default_factory=dict)
    _matches: dict[tuple[Pairing, int], list[Match]] = dataclass_field(default_factory=dict)

    @property
    def error(self) -> float:
        """What finite pools add to the variance of a share, in units of p(1-p); see the module."""
        weights = {seating: uses * uses for seating, uses in self._uses.items()}
        added = sum(weight / len(self.games[seating]) for seating, weight in weights.items())
        return added / max(1, sum(weights.values()))

    def matches(self, pairing: Pairing, game: int) -> Sequence[Match]:
        """The pool of this game; the same objects for all contests, which keep what was computed of them."""
        found, pool = self._matches.setdefault((pairing, game), []), self.games[pairing.seating(game)]
        found += [Match(pairing, 1, result, True, game) for result in pool[len(found) :]]
        return found

    def fill(self, seatings: Iterable[Seating]) -> None:
        """Let the pools suit these uses and those before."""
        uses = Counter(seatings)
        self._uses.update(uses)
        if not self.field.info.play.has_moves:  # a result is exact: there is only one
            self._play(dict.fromkeys(uses, 1))
            return
        self._play(dict.fromkeys(uses, _FIRST_GAMES))
        share = _BUDGET_INSTRUCTIONS / (len(self.field.images) ** 2 / 2)
        affordable = {s: int(share * len(self.games[s]) / self._costs[s]) for s in uses}
        wanted = {s: min(self._uses[s], max(_FEWEST_GAMES, self._uses[s] // _USES_OF_A_GAME)) for s in uses}
        self._play({s: min(affordable[s], wanted[s]) for s in uses})

    def _play(self, sizes: Mapping[Seating, int]) -> None:
        """Let these pools have so many games."""
        jobs = (
            (seating, self._job(seating, number))
            for seating, size in sizes.items()
            for number in range(len(self.games[seating]), size)
        )
        while chunk := list(islice(jobs, _CHUNK_GAMES)):
            results = referee.carry_out([job for _, job in chunk], self.runner)
            for (seating, _), result in zip(chunk, results, strict=True):
                self.games[seating].append(self._kept(result))
                self._costs[seating] += _game_cost(self.field.info, result)

    def _job(self, seating: Seating, number: int) -> GameJob:
        title = f"certainty/game/{'/'.join(seating)}/{number}/seat"
        streams = tuple([self.field.seeds.stream(f"{title}/{seat}") for seat in range(len(seating))])
        return GameJob(tuple([self.field.images[name] for name in seating]), streams, names=seating)

    def _kept(self, result: GameResult) -> GameResult:
        """What standings and referee need of a game; equal results are one object."""
        key = tuple([(seat.points, seat.verdict, seat.faults) for seat in result.seats])
        if key not in self._known:
            seats = tuple(SeatResult(points, verdict, None, faults=faults) for points, verdict, faults in key)
            self._known[key] = GameResult(seats, 0, "")
            self.are_flawless &= self._known[key].is_flawless
        return self._known[key]


_Points = tuple[tuple[int, Verdict, int], ...]
