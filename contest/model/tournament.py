"""The tournament: entries, groups, rounds, evolution and certainty, and the state of the
contest."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from contest.model.games import GameResult, SeatResult
from contest.seeds import ContestSeed

_MILLIONTHS = 1_000_000


@dataclass(frozen=True)
class Entry:
    """A team's program as frozen for the contest day. `name` is the team's; it names the entry
    everywhere."""

    name: str
    team_id: int
    build_id: int
    image_digest: str


@dataclass(frozen=True, order=True, slots=True)
class Pairing:
    """Entries that meet, in the order of their seats; the same name twice is a self-game (K65).

    They play `games` games, and then, one by one, more while the best are equal, up to `most`
    (U11). With every further game each player moves up a seat, so that of two each begins every
    other game.
    """

    players: tuple[str, ...]
    games: int = 1
    most: int = 0  # 0 = no more than `games`

    def __hash__(self) -> int:
        return hash(self.players)  # enough to tell them apart, in a third of the time

    @property
    def is_self(self) -> bool:
        players = self.players
        return players[0] == players[1] if len(players) == 2 else len(set(players)) < len(players)

    def seating(self, game: int) -> tuple[str, ...]:
        """The players by seat in this game of the pairing; games count from 1."""
        shift = (game - 1) % len(self.players)
        if not shift:
            return self.players
        return self.players[shift:] + self.players[:shift]


@dataclass(frozen=True)
class TimeChange:
    """The organizer changed the time for a move while the contest ran. `before`, `after`:
    seconds."""

    at: datetime
    before: float
    after: float


@dataclass(frozen=True, slots=True)
class Match:
    """One attempt at one game of a pairing, as it was played."""

    pairing: Pairing
    attempt: int  # from 1; a rescheduled game is attempt 2 and so on (K74)
    result: GameResult
    # it was not discarded, and none of its players is disqualified in this round (K73)
    counted: bool
    game: int = 1

    @property
    def players(self) -> tuple[str, ...]:
        """By seat, as in `result.seats`."""
        return self.pairing.players if self.game == 1 else self.pairing.seating(self.game)

    @property
    def half_points(self) -> tuple[tuple[str, int], ...]:
        """What the game is worth to each entry in it, in half points.

        Twice the points of a player. A self-game is one line, worth the mean of its sides: in half
        points, the sum of their points (K66).
        """
        if self.pairing.is_self:
            return ((self.players[0], sum(seat.points for seat in self.result.seats)),)
        return tuple([(name, 2 * seat.points) for name, seat in self.sides])

    @property
    def is_discarded(self) -> bool:
        """Somebody failed, and the rules of the game say that it is played again (K72)."""
        return not self.counted and not self.result.is_flawless

    @property
    def sides(self) -> tuple[tuple[str, SeatResult], ...]:
        """Each player with its result; in a self-game the same player twice."""
        return tuple(zip(self.players, self.result.seats, strict=True))


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of a group's ranking. The disqualified have no rank and no points (K73)."""

    entry: str
    half_points: int
    rank: int | None
    failures: int
    disqualified: bool
    advances: bool

    @property
    def taken_out(self) -> bool:
        """Disqualified without having failed: by the organizer, or at its own wish."""
        return self.disqualified and not self.failures

    @property
    def status(self) -> str:
        """What happens to the entry, for tables; "" if rank and points say everything."""
        if self.disqualified:
            return "taken out" if self.taken_out else "disqualified"
        return "proceeds" if self.advances else ""


@dataclass(frozen=True)
class GroupPlan:
    """A group as drawn: its members and their pairings. Numbers count from 1."""

    round: int
    number: int
    members: tuple[str, ...]  # in the order of the draw
    pairings: tuple[Pairing, ...]
    title: str = ""  # its place in the contest, e.g. "losers' side"; "" if the numbers are enough

    def without_seats(self, gone: Container[str]) -> GroupPlan:
        """The group without these members, if its games have all members at once and two or more
        are left."""
        players = tuple(name for name in self.members if name not in gone)
        if len(players) < 2:
            return self
        return replace(
            self, pairings=tuple(replace(pairing, players=players) for pairing in self.pairings)
        )


@dataclass(frozen=True)
class RoundPlan:
    number: int
    groups: tuple[GroupPlan, ...]
    final: bool  # it decides the contest; in a knock-out this may turn out only after it was played

    @property
    def members(self) -> tuple[str, ...]:
        """The entries of all groups."""
        return tuple(name for group in self.groups for name in group.members)

    @property
    def planned_games(self) -> int:
        """How many games the groups have as they were drawn."""
        return sum(pairing.games for group in self.groups for pairing in group.pairings)


@dataclass(frozen=True)
class GroupOutcome:
    """A group when it has finished: every attempt that was played, and the ranking."""

    plan: GroupPlan
    matches: tuple[Match, ...]
    standings: tuple[Standing, ...]  # best first, the disqualified last


@dataclass(frozen=True)
class RoundOutcome:
    """A round as drawn, and those of its groups that have finished, in the order of their
    numbers."""

    plan: RoundPlan
    groups: tuple[GroupOutcome, ...]

    @property
    def is_complete(self) -> bool:
        return len(self.plan.groups) == len(self.groups)

    @property
    def matches(self) -> tuple[Match, ...]:
        """What was played in the finished groups."""
        return tuple(match for group in self.groups for match in group.matches)

    def has_played(self, name: str) -> bool:
        """Return whether this entry is in a group that has finished."""
        return any(name in group.plan.members for group in self.groups)

    @property
    def survivors(self) -> tuple[str, ...]:
        """The entries that proceed, in the order of the groups and of their ranks."""
        return tuple(s.entry for g in self.groups for s in g.standings if s.advances)


class Phase(StrEnum):
    """The state of a contest. Before RUNNING the dates decide what is open."""

    OPEN = "open"
    RUNNING = "running"
    FINISHED = "finished"


@dataclass(frozen=True)
class ContestState:
    """The state of a tournament, the only one or one of a season; `number`: from 1."""

    phase: Phase
    seed: ContestSeed
    started_at: datetime | None = None
    finished_at: datetime | None = None
    number: int = 1


@dataclass(frozen=True)
class Pause:
    """The run starts nothing new. At `until` it goes on by itself; None: the organizer has to
    resume it."""

    since: datetime
    reason: str
    until: datetime | None = None

    def is_over(self, now: datetime) -> bool:
        """Whether it has ended by itself; one that would begin later was noted while a clock was
        wrong."""
        return self.until is not None and not self.since <= now < self.until


@dataclass(frozen=True)
class Rerun:
    """An order to play a round, or one group of it, again, with everything that came after it."""

    id: int  # 0: it is not ordered yet
    at: datetime
    round: int
    group: int | None  # None = all groups of the round
    reason: str

    @property
    def what(self) -> str:
        return (
            f"round {self.round}"
            if self.group is None
            else f"group {self.group} of round {self.round}"
        )


@dataclass(frozen=True)
class Former:
    """The groups that were played again, with all that came after them, as they were before the
    rerun.

    `released`: when the results of their rounds had gone out; the rounds of which nothing had are
    missing.
    """

    rerun: Rerun
    groups: tuple[GroupOutcome, ...]
    released: Mapping[int, datetime]


@dataclass(frozen=True)
class LogLine:
    """A line of the journal. `actor` is "" if the program acted by itself."""

    id: int
    at: datetime
    # what was done, or the part of the program: "pause", "disqualify", "run", "delivery" ...
    area: str
    text: str
    actor: str = ""
    whom: str = ""
    reason: str = ""


@dataclass(frozen=True)
class TeamCertainty:
    """One team in the contests with other random numbers. `first`, `final` and `worse` count such
    contests.

    Places count from 1; teams that got equally far share the best of their places. `place` is the
    published one; from `low` to `high` are the places of the central 90 % of the contests.
    """

    entry: str
    place: int
    first: int
    final: int  # it reached the final
    low: int
    high: int
    worse: int  # it got less far than in the published contest


@dataclass(frozen=True)
class Certainty:
    """The whole contest, drawn and played again `contests` times.

    `margin`: how far shares of contests can be off, in percentage points. `teams`: as they were
    placed, the best first. `alike`: runs of neighbours in the ranking that cannot be told apart.
    `likely_winners`: the fewest teams among whom are all winners of 95 of 100 contests, those that
    win most first.
    """

    contests: int
    margin: int
    teams: tuple[TeamCertainty, ...]
    alike: tuple[tuple[str, ...], ...]
    likely_winners: tuple[str, ...]


@dataclass(frozen=True)
class DecisiveTurn:
    """A turn that cost a player much of its lead.

    `moves`: what it did, and what was done against it, by name, as text. `fall`: by how much the
    lead fell; `lead`: what was left of it. Below 0 it is a lag.
    """

    turn: int  # from 1
    moves: tuple[tuple[str, str], ...]
    fall: int
    lead: int


@dataclass(frozen=True)
class WorstGame:
    """The game of a group, or of a contest, in which an entry got least, compared with the best of
    the others.

    `plan`: of its group, with this pairing alone. `turns`: those that decided it, in their order;
    () if nobody knows. `alike`: how many more cost as much as the least of them.
    """

    entry: str
    plan: GroupPlan
    match: Match
    turns: tuple[DecisiveTurn, ...] = ()
    alike: int = 0

    @property
    def own(self) -> SeatResult:
        """What became of the entry in it."""
        return self.match.result.seats[self.match.players.index(self.entry)]

    @property
    def others(self) -> tuple[str, ...]:
        """The other players, by seat."""
        return tuple(name for name in self.match.players if name != self.entry)

    @property
    def best_other(self) -> int:
        """The points of the best other player."""
        return max(seat.points for name, seat in self.match.sides if name != self.entry)

    @property
    def lead(self) -> int:
        """How far the entry was ahead of the best other player; below 0 it was behind."""
        return self.own.points - self.best_other


@dataclass(frozen=True)
class EvolutionRank:
    """A line of the evolution's ranking: the fraction held at the end as numerator and
    denominator."""

    entry: str
    rank: int | None  # None: extinct, no rank (K89)
    fraction: tuple[int, int]
    extinct_in: int | None  # the generation in which the last exemplar vanished

    @property
    def share(self) -> float:
        """The fraction as a number from 0 to 1."""
        return self.fraction[0] / self.fraction[1]


class EvolutionEnding(StrEnum):
    FIXED_POINT = "fixed point"
    CYCLE = "cycle"
    NO_POINTS = "nobody won a point"
    LAST_ONE = "a single exemplar was left"
    CAP = "generation limit"


@dataclass(frozen=True)
class EvolutionOutcome:
    """All generations, from the start (generation 0) to the last, and how it ended."""

    entries: tuple[str, ...]
    generations: tuple[tuple[int, ...], ...]  # exemplars per entry, in the order of `entries`
    ending: EvolutionEnding
    cycle_start: int | None  # the generation that came back, if it ended in a cycle
    ranking: tuple[EvolutionRank, ...]  # best first, the extinct last


def points_text(half_points: int, point: int = 1) -> str:
    """Half points as people read them, to the sixth decimal: 4247 -> "2123.5", -2 -> "-1".

    `point`: how many of the game's points make one as people count (GameInfo.point).
    """
    if point == 1:
        half = ".5" if half_points % 2 else ""
        return f"{'-' if half_points < 0 else ''}{abs(half_points) // 2}{half}"
    rounded = (_MILLIONTHS * half_points + point) // (2 * point)  # half up
    whole, rest = divmod(abs(rounded), _MILLIONTHS)
    decimals = f"{rest:06}".rstrip("0")
    return f"{'-' * (rounded < 0)}{whole}{'.' * bool(decimals)}{decimals}"


@dataclass(frozen=True)
class SeasonLine:
    """A team in a season, in which it has `points` for its places.

    Of each tournament: `places`, None where it took no part; `strengths` of the versions that it
    played, in points per game, None also where nobody can tell. `strength` is the first of these,
    `gain` how far the last one is above it; None where there is none.
    """

    rank: int
    team: str
    points: int
    places: tuple[int | None, ...]
    strengths: tuple[float | None, ...]
    strength: float | None
    gain: float | None


@dataclass(frozen=True)
class SeasonTable:
    """The table of a season, the best first. `tournaments`: how many have been played.

    `versions` are the programs that played in them; each met each of the others in a game, which
    makes `games`. `unknown`: why they did not, "" if they did.
    """

    tournaments: int
    lines: tuple[SeasonLine, ...]
    versions: int
    games: int
    unknown: str


@dataclass(frozen=True, kw_only=True)
class AllTimeLine:
    """A program in the table. `points`: the mean of its points in its games, of which a failed one
    counts 0.

    `in_contest`: its rank among the programs of its own contest, by this table; `place`: the one
    that it had there.
    """

    rank: int
    contest: str
    team: str
    points: float
    won: int
    drawn: int
    lost: int
    failures: int
    in_contest: int
    place: int | None


@dataclass(frozen=True)
class AllTimeTable:
    """The lines, the best first. `builds`: how many programs differ; each met each other one in
    one game, which makes `games`."""

    contests: tuple[str, ...]
    lines: tuple[AllTimeLine, ...]
    builds: int
    games: int
