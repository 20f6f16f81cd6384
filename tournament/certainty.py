"""How sure a ranking is: draw and play the whole contest again, many times, with other random
numbers.

Pure but for the runner that plays the games. Nothing here touches the contest's own draws: all
names of random streams begin with `certainty/`.

A contest of 41 teams has 861 games, so a thousand contests would take minutes of games alone.
Therefore a contest takes each of its games from a *pool*: independent games of the same programs in
the same seats, played once. The formats draw, rank and eliminate as in the real contest. Where a
game has a failure, the referee itself plays the group from the pools.

Two errors remain in a share p of n contests. Sampling contests gives the variance p(1-p)/n. A
finite pool of K games adds at most p(1-p)/K: the variance over pools is the sum of the parts that
single games explain, divided by K, and these are not more than all of it (Hoeffding's
decomposition). Pools get more games where games decide more: in proportion to the deviation of the
points and the number of uses, divided by the root of the cost (Neyman's allocation). So K is the
harmonic mean of the sizes, weighted by the variance that each pair brings to the points.
`Certainty.margin` is two standard deviations at p = 1/2, with both errors.

Costs are counted in instructions, not in seconds, so that every host plays the same games and tells
the same numbers, whatever the number of workers.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from itertools import chain, count, islice

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
from tournament.runners import runner_of

MAX_CONTESTS = 1_000  # by default; the margin of a share is then 3 in 100, and what pools add
WORTHWHILE_CONTESTS = 100  # with fewer the margin is more than 10 in 100
INTERVAL = 0.90
LIKELY = 0.95  # of the contests are won by the likely winners
TOLD_APART = 0.95  # of the contests in which the one is ahead of the other

_FIRST_GAMES = 16  # of a pool, to learn the deviation of its games
_FIRST_OF_ALL = 2  # of a pool, to learn the cost of its games
_BUDGET_INSTRUCTIONS = 50_000_000_000  # for the pools' other games: some 20 s of one core
_SLOW_BUDGET_INSTRUCTIONS = 100_000_000_000  # where games are not quick, for the first games
_SLOW_FIRST_GAMES = 4
_MAX_POOL_GAMES = 10_000
_INSTRUCTIONS_PER_GAME = 300_000  # what a quick game costs that needs none
# Of a game of programs that are asked for moves, and whose time is counted in fuel:
_INSTRUCTIONS_PER_QUESTION = 6_000_000  # a new instance, about 2.5 ms
_UNITS_PER_INSTRUCTION = 4
MOST_UNITS = _UNITS_PER_INSTRUCTION * (_SLOW_BUDGET_INSTRUCTIONS + 2 * _BUDGET_INSTRUCTIONS)
"""Of all pools, where games are not quick."""
_USES_OF_A_GAME = 4  # at least, beyond the first games; that at most doubles the margin
_MAX_AT_ONCE = 1_000  # contests in memory
_CHUNK_GAMES = 5_000  # their jobs and results are in memory at the same time
_DEFAULT_SECONDS = 60.0
# For choosing the default alone: what a game of a pool, a game of a contest, and a group take on
# two cores.
_SECONDS_PER_GAME, _SECONDS_PER_USE, _SECONDS_PER_GROUP = 100e-6, 12e-6, 400e-6

Seating = tuple[str, ...]
"""The players of a game, by seat."""


class Watcher:
    """Hears how much there is to do until it is known how sure a ranking is; this one does
    nothing."""

    def games_to_come(self, games: int) -> None:
        """About so many more games of the pools are to be played; told again when more is known."""

    def pool_games_played(self, games: int) -> None:
        """So many more of them were played; called from any thread."""

    def round_replayed(self) -> None:
        """A round of one contest with other random numbers was drawn and played."""


def why_unknown(settings: Settings, images: Images) -> str | None:
    """Why nobody can tell how sure the ranking of a contest of these programs is, in a sentence;
    None if we can.

    Games of programs that talk depend on their processes and on the clock, and most pairs met once
    or never. To draw contests from one recorded game of a pair would take chance for certainty.
    Programs whose time is counted can be asked again. But where one lives through many games, it
    may learn, and then its games are not independent of each other.
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
            "a program plays all games of a group in one life and may learn from them, so games"
            " cannot be played again one by one"
        )
    return None


def default_contests(field: Field, history: Sequence[RoundOutcome]) -> int | None:
    """How many contests are played after the contest day: as many as take about a minute, up to
    MAX_CONTESTS.

    None: in a field so large that a minute is not enough for WORTHWHILE_CONTESTS. It depends on the
    published contest alone, not on the host. `history`: its rounds; with all games, where games are
    not quick.
    """
    if _is_certain(field):
        return 1
    if not field.info.play.is_quick and _least_cost(field, history) > _SLOW_BUDGET_INSTRUCTIONS:
        return None
    groups = [group for outcome in history for group in outcome.plan.groups]
    games = sum(pairing.games for group in groups for pairing in group.pairings)
    pools = _FIRST_GAMES * len(field.images) ** 2 / 2

    def seconds(contests: int) -> float:
        uses = contests * games
        drawing = contests * len(groups) * _SECONDS_PER_GROUP
        return drawing + uses * _SECONDS_PER_USE + min(uses, pools) * _SECONDS_PER_GAME

    fewest = min(WORTHWHILE_CONTESTS, MAX_CONTESTS)
    return next(
        (n for n in range(MAX_CONTESTS, fewest - 1, -1) if seconds(n) <= _DEFAULT_SECONDS), None
    )


def _least_cost(field: Field, history: Sequence[RoundOutcome]) -> float:
    """The cost of the smallest pools, by the games of the contest itself."""
    pools = len(field.images) * (len(field.images) - 1)  # each two in two seatings
    return _FIRST_OF_ALL * pools * _mean_cost(field, history)


def _mean_cost(field: Field, history: Sequence[RoundOutcome]) -> float:
    """What a game of the contest has cost; 0 without games."""
    costs = [
        _game_cost(field.info, match.result)
        for outcome in history
        for group in outcome.groups
        for match in group.matches
    ]
    return sum(costs) / max(1, len(costs))


def _game_cost(info: GameInfo, result: GameResult) -> int:
    """The cost of this game in instructions of the contest machine; a core does 2.5 billion a
    second."""
    used = sum(seat.instructions for seat in result.seats)
    if info.play.is_quick:
        return _INSTRUCTIONS_PER_GAME + used
    questions = result.turns * len(result.seats)
    return used // _UNITS_PER_INSTRUCTION + questions * _INSTRUCTIONS_PER_QUESTION


def certainty(
    field: Field,
    history: Sequence[RoundOutcome],
    contests: int,
    runner: Runner,
    watcher: Watcher | None = None,
) -> Certainty:
    """How sure the ranking of this contest is. Raises EngineFailed as the referee does.

    `history`: its rounds as published, with all games.
    """
    contests, sampling_error = (1, 0.0) if _is_certain(field) else (contests, 1 / contests)
    usual_cost = _mean_cost(field, history)
    pools = _Pools(field, runner, contests, watcher or Watcher(), usual_cost)
    published = _Reached.of(field.format, history)
    replayed = _play(field, contests, pools)
    playing = replayed[0].places
    teams = tuple(_team(name, published, replayed) for name in published.places if name in playing)
    margin = math.ceil(100 * math.sqrt(sampling_error + pools.error))
    return Certainty(
        contests, margin, teams, _alike(published, replayed), _likely_winners(teams, replayed)
    )


def _is_certain(field: Field) -> bool:
    """Whether no chance takes part: results are computed exactly, and nothing is drawn."""
    return not field.info.play.has_moves and not field.format.has_rounds


# --- how far a team came --------------------------------------------------------------------------
_Level = tuple[int, int]
"""How far a team came; the less, the farther. (0, rank): ranked in the end; (1, 0): in the final,
but disqualified; (2, -round): out before, in this round."""


@dataclass(frozen=True)
class _Reached:
    """How far each team came in one contest, its place, and who was in the final."""

    levels: Mapping[str, _Level]
    places: Mapping[str, int]
    finalists: frozenset[str]

    @classmethod
    def of(cls, chosen: Format, history: Sequence[RoundOutcome]) -> _Reached:
        last = {
            name: outcome.plan.number
            for outcome in history
            for g in outcome.plan.groups
            for name in g.members
        }
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
    """The place of each team that took part: those who got equally far share the best of their
    places."""
    return _Reached.of(chosen, history).places


def _team(name: str, published: _Reached, replayed: Sequence[_Reached]) -> TeamCertainty:
    places = sorted(reached.places[name] for reached in replayed)
    tail = math.floor((1 - INTERVAL) / 2 * len(places))
    return TeamCertainty(
        entry=name,
        place=published.places[name],
        first=places.count(1),
        final=sum(name in reached.finalists for reached in replayed),
        low=places[tail],
        high=places[-1 - tail],
        worse=sum(reached.levels[name] > published.levels[name] for reached in replayed),
    )


def _likely_winners(
    teams: Sequence[TeamCertainty], replayed: Sequence[_Reached]
) -> tuple[str, ...]:
    """The fewest of the teams that win most, in order, that include the winners of enough
    contests."""
    ordered = sorted(teams, key=lambda team: (-team.first, team.place, team.entry))
    numbers = {team.entry: number for number, team in enumerate(ordered, start=1)}
    needed = sorted(
        max(numbers[name] for name, place in reached.places.items() if place == 1)
        for reached in replayed
    )
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
    ahead = sum(reached.levels[name] < reached.levels[other] for reached in replayed)
    behind = sum(reached.levels[name] > reached.levels[other] for reached in replayed)
    return max(ahead, behind) >= TOLD_APART * len(replayed)


# --- contests with other random numbers -----------------------------------------------------------
def _play(field: Field, contests: int, pools: _Pools) -> list[_Reached]:
    """How far the teams came in this many contests."""
    starts = range(0, contests, _MAX_AT_ONCE)
    batches = (range(start, min(contests, start + _MAX_AT_ONCE)) for start in starts)
    return [reached for batch in batches for reached in _play_together(field, batch, pools)]


def _play_together(field: Field, numbers: range, pools: _Pools) -> list[_Reached]:
    """The contests of these numbers, which are played round by round, all at the same time."""
    redraws = [
        _Redraw(
            field, f"contest/{number}", Seeds(field.seeds.stream(f"certainty/contest/{number}", 32))
        )
        for number in numbers
    ]
    fixtures = _Fixtures()
    playing = redraws
    for round_number in count(1):
        playing = [redraw for redraw in playing if redraw.plan_next(fixtures)]
        if not playing:
            break
        fixtures.draw(f"contest/from {numbers.start}/round/{round_number}", pools)
        for redraw in playing:
            redraw.play_round(pools)
            pools.watcher.round_replayed()
    return [_Reached.of(field.format, redraw.history) for redraw in redraws]


@dataclass
class _Fixture:
    """One game of a pairing, which many contests play: how many in this round, and as what they get
    it."""

    pairing: Pairing
    number: int
    seating: Seating
    uses: int = 0
    pool: tuple[Match, ...] = ()
    drawn: Iterator[Match] = dataclass_field(default_factory=lambda: iter(()))


class _Fixtures:
    """All games that were planned in any of the contests."""

    def __init__(self) -> None:
        self._known: dict[tuple[Seating, int, int], tuple[_Fixture, ...]] = {}

    def of(self, pairing: Pairing) -> tuple[_Fixture, ...]:
        """The games of this pairing: all but those that failures or equal points add."""
        key = (pairing.players, pairing.games, pairing.most)
        if key not in self._known:
            numbers = range(1, pairing.games + 1)
            self._known[key] = tuple(_Fixture(pairing, n, pairing.seating(n)) for n in numbers)
        return self._known[key]

    def of_group(self, group: GroupPlan) -> tuple[_Fixture, ...]:
        """The games of all its pairings."""
        return tuple(chain.from_iterable(map(self.of, group.pairings)))

    def draw(self, title: str, pools: _Pools) -> None:
        """Draw the games of a round for all contests that use them."""
        needed = [
            fixture for several in self._known.values() for fixture in several if fixture.uses
        ]
        uses = Counter[Seating]()
        for fixture in needed:
            uses[fixture.seating] += fixture.uses
        drawn = {seating: iter(numbers) for seating, numbers in pools.draw(title, uses).items()}
        for fixture in needed:
            if not fixture.pool:
                games = pools.games(fixture.seating)
                fixture.pool = tuple(
                    Match(fixture.pairing, 1, game, True, fixture.number) for game in games
                )
            numbers = islice(drawn[fixture.seating], fixture.uses)
            fixture.drawn = iter([fixture.pool[number] for number in numbers])
            fixture.uses = 0


def _shared(group: GroupPlan, fixtures: Sequence[_Fixture]) -> GroupPlan:
    """The group with pairings that all contests share: a thousand of them would need a gigabyte."""
    pairings = [fixture.pairing for fixture in fixtures if fixture.number == 1]
    return replace(group, pairings=tuple(pairings))


@dataclass
class _Redraw:
    """One contest with other random numbers, as far as it has been played."""

    field: Field
    title: str
    seeds: Seeds
    history: list[RoundOutcome] = dataclass_field(default_factory=list)
    _plan: RoundPlan | None = None
    _fixtures: tuple[tuple[_Fixture, ...], ...] = ()  # of each group

    def plan_next(self, fixtures: _Fixtures) -> bool:
        """Draw the next round; False at the contest's end."""
        plan = self.field.format.plan(tuple(self.field.images), self.history, self.seeds)
        if plan is None:
            return False
        self._fixtures = tuple(fixtures.of_group(group) for group in plan.groups)
        for fixture in chain.from_iterable(self._fixtures):
            fixture.uses += 1
        self._plan = replace(plan, groups=tuple(map(_shared, plan.groups, self._fixtures)))
        return True

    def play_round(self, pools: _Pools) -> None:
        """Play the round as drawn: each game is the next one that its fixture has."""
        if self._plan is None:
            return
        groups = []
        for group, fixtures in zip(self._plan.groups, self._fixtures, strict=True):
            matches = [next(fixture.drawn) for fixture in fixtures]
            groups.append(self._group(group, self._plan.final, matches, pools))
        self.history.append(RoundOutcome(self._plan, tuple(groups)))

    def _group(
        self, plan: GroupPlan, final: bool, matches: Sequence[Match], pools: _Pools
    ) -> GroupOutcome:
        has_more = any(p.most > p.games for p in plan.pairings)
        if has_more or not (pools.are_flawless or all(m.result.is_flawless for m in matches)):
            runner = _PoolRunner(pools, f"{self.title}/{plan.round}/{plan.number}", matches)
            standings = self.field.play_group(plan, final, runner).standings
        else:
            standings = self.field.format.standings(plan, final, matches, {}, frozenset())
        return GroupOutcome(plan, (), standings)


class _PoolRunner:
    """Gives the referee of one group the games that were drawn, and draws further ones that it asks
    for."""

    def __init__(self, pools: _Pools, title: str, matches: Sequence[Match]) -> None:
        self._pools = pools
        self._title = title
        self._more = count(1)
        self._drawn: defaultdict[Seating, deque[GameResult]] = defaultdict(deque)
        for match in matches:
            self._drawn[match.players].append(match.result)

    def __call__(self, jobs: Sequence[GameJob]) -> Sequence[GameResult]:
        return [
            self._drawn[job.names].popleft()
            if self._drawn[job.names]
            else self._pools.one(f"{self._title}/more/{next(self._more)}", job.names)
            for job in jobs
        ]


# --- pools of games -------------------------------------------------------------------------------
@dataclass
class _Pools:
    """Independent games of the teams, by seating, for this many contests. `usual_cost`: of a game,
    as far as the contest tells it."""

    field: Field
    runner: Runner
    contests: int
    watcher: Watcher = dataclass_field(default_factory=Watcher)
    usual_cost: float = 0.0
    _games: dict[Seating, list[GameResult]] = dataclass_field(
        default_factory=lambda: defaultdict(list)
    )
    _costs: Counter[Seating] = dataclass_field(default_factory=Counter)  # of the games so far
    _seats: dict[_Seat, SeatResult] = dataclass_field(default_factory=dict)
    are_flawless: bool = True  # nobody has failed in any game
    _games_per_weight: float | None = None
    _variance: float = 0.0
    _error: float = 0.0

    @property
    def error(self) -> float:
        """What finite pools add to the variance of a share, in units of p(1-p); see the module."""
        return self._error / self._variance if self._variance else 0.0

    def games(self, seating: Seating) -> Sequence[GameResult]:
        """The pool of a seating that was drawn from."""
        return self._games[seating]

    def draw(self, title: str, uses: Mapping[Seating, int]) -> Mapping[Seating, Sequence[int]]:
        """Numbers of this many games of each pool. A new pool that is large enough gives each game
        once."""
        new = {seating: count for seating, count in uses.items() if seating not in self._games}
        self._fill(new)
        return {
            seating: range(count)
            if seating in new and len(self._games[seating]) >= count
            else self._numbers(title, seating, count)
            for seating, count in uses.items()
        }

    def one(self, title: str, seating: Seating) -> GameResult:
        """One game of this seating."""
        if seating not in self._games:
            self._fill({seating: min(self.contests, _MAX_AT_ONCE)})
        return self._games[seating][self._numbers(title, seating, 1)[0]]

    def _numbers(self, title: str, seating: Seating, count: int) -> list[int]:
        name = f"certainty/{title}/{'/'.join(seating)}"
        return self.field.seeds.numbers(name, count, len(self._games[seating]))

    def _fill(self, uses_at_once: Mapping[Seating, int]) -> None:
        """Make new pools, whose sizes suit the uses: those known now, and those in later
        batches."""
        batches = max(1.0, self.contests / _MAX_AT_ONCE)
        uses = {seating: round(count * batches) for seating, count in uses_at_once.items()}
        if not self.field.info.play.has_moves:  # a result is exact: there is only one
            self._play(dict.fromkeys(uses, 1))
            return
        least = _FIRST_GAMES if self.field.info.play.is_quick else _SLOW_FIRST_GAMES
        self.watcher.games_to_come(_most_games(uses, least, self.usual_cost))
        probed = self._play({seating: min(_FIRST_OF_ALL, times) for seating, times in uses.items()})
        costs = {seating: cost for seating, (_, cost) in probed.items()}
        self.usual_cost = math.fsum(costs.values()) / max(1, len(costs))
        self.watcher.games_to_come(
            _most_games(uses, least, self.usual_cost) - sum(map(self._number_of_games, uses))
        )
        first = _first_games(costs, least)
        spread = self._play(
            {
                seating: min(first[seating], times) - len(self._games[seating])
                for seating, times in uses.items()
            }
        )
        sizes = self._sizes(uses, spread)
        more = {
            seating: max(0, size - self._number_of_games(seating))
            for seating, size in sizes.items()
        }
        self.watcher.games_to_come(sum(more.values()))
        self._play(more)
        for seating, times in uses.items():
            deviation, _ = spread[seating]
            variance = (times * deviation) ** 2
            self._variance += variance
            self._error += variance * (1 / len(self._games[seating]) - 1 / times)

    def _number_of_games(self, seating: Seating) -> int:
        return len(self._games[seating])

    def _sizes(
        self, uses: Mapping[Seating, int], spread: Mapping[Seating, tuple[float, float]]
    ) -> Mapping[Seating, int]:
        """How many games each pool is to have: more where results differ much, and games are
        cheap. `spread`: as `_play` returns it."""
        weights = {
            seating: uses[seating] * deviation / math.sqrt(cost)
            for seating, (deviation, cost) in spread.items()
        }
        if self._games_per_weight is None:
            total = math.fsum(weights[seating] * cost for seating, (_, cost) in spread.items())
            self._games_per_weight = _BUDGET_INSTRUCTIONS / total if total else 0.0
        sizes = {}
        for seating, times in uses.items():
            by_weight = int(self._games_per_weight * weights[seating])
            sizes[seating] = min(_MAX_POOL_GAMES, times // _USES_OF_A_GAME, by_weight)
        return sizes

    def _play(self, counts: Mapping[Seating, int]) -> Mapping[Seating, tuple[float, float]]:
        """Play this many more games of each seating, none if the number is not positive.

        Returns what the games so far tell: the deviation of their points, and instructions per
        game.
        """
        jobs = (
            (seating, self._job(seating, number))
            for seating, count in counts.items()
            for number in range(len(self._games[seating]), len(self._games[seating]) + count)
        )
        while chunk := list(islice(jobs, _CHUNK_GAMES)):
            results = referee.carry_out([job for _, job in chunk], self.runner)
            for (seating, _), result in zip(chunk, results, strict=True):
                self._games[seating].append(self._kept(result))
                self._costs[seating] += _game_cost(self.field.info, result)
        return {
            seating: (_deviation(games), self._costs[seating] / len(games))
            for seating in counts
            if (games := self._games[seating])
        }

    def _job(self, seating: Seating, number: int) -> GameJob:
        title = f"certainty/game/{'/'.join(seating)}/{number}/seat"
        streams = tuple(
            [self.field.seeds.stream(f"{title}/{seat}") for seat in range(len(seating))]
        )
        return GameJob(tuple([self.field.images[name] for name in seating]), streams, names=seating)

    def _kept(self, result: GameResult) -> GameResult:
        """What standings and referee need of a game; equal results of a seat are one object."""
        self.are_flawless &= result.is_flawless
        return GameResult(tuple([self._kept_seat(seat) for seat in result.seats]), 0, "")

    def _kept_seat(self, seat: SeatResult) -> SeatResult:
        key = (seat.points, seat.verdict, seat.faults)
        if key not in self._seats:
            self._seats[key] = SeatResult(seat.points, seat.verdict, None, faults=seat.faults)
        return self._seats[key]


def _most_games(uses: Mapping[Seating, int], least: int, cost: float) -> int:
    """How many games these pools have together, at most, where a game costs so much."""
    wanted = sum(min(times, max(least, times // _USES_OF_A_GAME)) for times in uses.values())
    first = sum(min(times, _FIRST_OF_ALL) for times in uses.values())
    affordable = first + 2 * _BUDGET_INSTRUCTIONS / cost if cost else math.inf
    return int(min(wanted, affordable))


def _first_games(costs: Mapping[Seating, float], count: int) -> Mapping[Seating, int]:
    """So many of each pool; fewer of those that cost most, if all together exceed the budget."""
    usual = {seating: count * cost for seating, cost in costs.items()}
    most = max(usual.values(), default=0.0)  # that a pool's first games may cost
    while (
        math.fsum(min(instructions, most) for instructions in usual.values()) > _BUDGET_INSTRUCTIONS
    ):
        most /= 2
    return {seating: int(min(usual[seating], most) / cost) for seating, cost in costs.items()}


_Seat = tuple[int, Verdict, int]


def _deviation(games: Sequence[GameResult]) -> float:
    """The standard deviation of the points in these games, of both seats together."""
    variance = 0.0
    for seat in range(len(games[0].seats)):
        points = [game.seats[seat].points for game in games]
        total = sum(points)
        variance += (len(points) * sum(p * p for p in points) - total * total) / len(points) ** 2
    return math.sqrt(variance)
