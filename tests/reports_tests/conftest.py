"""A small contest made by hand, out of the real model's values.

Round 1: two groups. In group 2 `zero_thrower` fails twice and is disqualified, so that every fate a
game can have occurs: counted, replayed, discarded, not counted, not played. Round 2 is the final,
with an evolution.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations_with_replacement

import pytest

from contest.config.settings import Settings
from contest.games.knobeln import KnobelnSettings
from contest.interfaces.events import ContestStarted, RoundFinished
from contest.ledger.entry_list import EntryList, SealedEntry
from contest.model import (
    EvolutionEnding,
    EvolutionOutcome,
    EvolutionRank,
    Fault,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Member,
    Pairing,
    Registration,
    RoundOutcome,
    RoundPlan,
    SeatResult,
    Standing,
    Team,
    TeamState,
    Verdict,
)
from contest.schema.sections import KNOBELN_REPORTS, Contest, Dates
from contest.seeds import ContestSeed
from reports.contest_reporter import ContestReporter
from reports.render import Templates
from reports.site.facts import SiteFacts
from tests.support.site_files import of_knobeln

L = 40
SEED = bytes(range(32))
OK = Verdict.OK
ROBOT = "knobeln@ira.example"


@pytest.fixture(scope="session")
def settings() -> Settings:
    """The contest of 1994 with short games."""
    return Settings(
        contest=Contest(organizer="Lutz", organizer_address="lutz@ira.example", address=ROBOT),
        dates=Dates(
            registration_opens=datetime(1994, 3, 22, tzinfo=UTC),
            compilation_opens=datetime(1994, 3, 23, tzinfo=UTC),
            registration_closes=datetime(1994, 5, 12, 12, tzinfo=UTC),
            compilation_closes=datetime(1994, 5, 14, 10, tzinfo=UTC),
            contest_starts=datetime(1994, 5, 14, 12, tzinfo=UTC),
            results_published=datetime(1994, 5, 21, 12, tzinfo=UTC),
        ),
        game=KnobelnSettings(L=L),
    )


@pytest.fixture(scope="session")
def templates(settings: Settings) -> Templates:
    return Templates(settings, None)


@pytest.fixture(scope="session")
def reporter(settings: Settings, templates: Templates) -> ContestReporter:
    return ContestReporter(settings, templates)


# --- teams ----------------------------------------------------------------------------------------
LORDS = (
    Member("Joe Cool", 45, "professional systems programmer", "20-year-experienced programmer"),
    Member(
        "Jane More",
        20,
        "graduate student of computer science",
        "hackeress fluent in 34 programming languages",
    ),
)
BILL = (Member("Bill Neat", 24, "undergraduate student of psychology", "advanced beginner"),)
MakeTeam = Callable[..., Team]


def _team(
    name: str,
    *preferences: str,
    number: int = 1,
    organization: str = "University of Northeast Sacrodata, Intellect City, Eggland",
    members: tuple[Member, ...] = BILL,
) -> Team:
    registration = Registration(f"{name}@machine.example", preferences, name, organization, members)
    return Team(number, registration, name, TeamState.ACTIVE, datetime(1994, 3, 30, tzinfo=UTC))


@pytest.fixture(scope="session")
def make_team() -> MakeTeam:
    return _team


_TEAMS: Mapping[str, Team] = {
    team.name: team
    for team in (
        _team(
            "the_heavy_lords_of_knobeln", "LAP", "DGP", "GRG", "RSM", number=1, members=LORDS + BILL
        ),
        _team(
            "example", *KNOBELN_REPORTS, "OWN", "BRK", "JSON", number=2, organization="Karlsruhe"
        ),
        _team("patient_cooperator", "GRP", "GRR", number=3),
        _team("greedy", "LGP", "GRP", "GRR", number=4),
        _team("zero_thrower", "DGP", "GRP", "GRR", "GRG", number=5),
        _team("silent", number=6),
    )
}


# --- games ----------------------------------------------------------------------------------------
def _throws(name: str, start: int, length: int) -> list[int]:
    """Series of eight or more throws, different for every name."""
    step = 1 + len(name) * 7 % 23
    series = 8 + (len(name) + start) % 11
    return [start + 90 * len(name) + step * (at % series) ** 2 for at in range(length)]


def _points(mine: int, other: int) -> int:
    """What `mine` wins (K2-K5)."""
    low, high = min(mine, other), max(mine, other)
    winner = high if 2 * low >= high else low
    return 0 if mine == other or mine != winner else mine.bit_length() - 1


def _result(
    pairing: Pairing,
    length: int = L,
    verdicts: tuple[Verdict, Verdict] = (OK, OK),
    reason: str = "",
) -> GameResult:
    firsts, seconds = (
        _throws(pairing.players[0], 700, length),
        _throws(pairing.players[1], 705, length),
    )
    throws = tuple(zip(firsts, seconds, strict=True))
    seats = tuple(
        SeatResult(
            sum(_points(*pair) for pair in pairs),
            verdict,
            None if verdict is OK else Fault(length + 1, reason.format(throw=length + 1)),
            instructions=12_345,
            memory=4_096,
        )
        for pairs, verdict in zip((throws, [(q, p) for p, q in throws]), verdicts, strict=True)
    )
    return GameResult(tuple(seats), length, f"{hash_of(throws):016x}", throws)


def hash_of(throws: Sequence[tuple[int, int]]) -> int:
    """Any 64-bit number that belongs to these throws."""
    value = 0
    for first, second in throws:
        value = (value * 1_000_003 + first * 31 + second) % 2**64
    return value


def _standings(
    members: Sequence[str], matches: Sequence[Match], final: bool
) -> tuple[Standing, ...]:
    failed = [{name for name, seat in m.sides if seat.verdict is not OK} for m in matches]
    failures = {name: sum(name in names for names in failed) for name in members}
    half_points = {
        name: sum(_half_points(m, name) for m in matches if m.counted) for name in members
    }
    stays = sorted((n for n in members if failures[n] < 2), key=lambda n: -half_points[n])
    worst = half_points[stays[(len(members) + 1) // 2 - 1]]
    ranked = [
        Standing(
            name,
            half_points[name],
            1 + sum(half_points[other] > half_points[name] for other in stays),
            failures[name],
            disqualified=False,
            advances=not final and half_points[name] >= worst,
        )
        for name in stays
    ]
    gone = [Standing(n, 0, None, failures[n], True, False) for n in members if failures[n] >= 2]
    return (*ranked, *gone)


def _half_points(match: Match, name: str) -> int:
    first, second = (seat.points for seat in match.result.seats)
    if match.pairing.is_self:
        return first + second if match.players[0] == name else 0
    return 2 * {match.players[0]: first, match.players[1]: second}.get(name, 0)


MakeGroup = Callable[..., GroupOutcome]


def _plan(members: Sequence[str], round_number: int, number: int) -> GroupPlan:
    pairings = tuple(Pairing(pair) for pair in combinations_with_replacement(sorted(members), 2))
    return GroupPlan(round_number, number, tuple(members), pairings)


def _group(
    members: Sequence[str], round_number: int = 1, number: int = 1, final: bool = False
) -> GroupOutcome:
    """A group in which nobody failed."""
    plan = _plan(members, round_number, number)
    matches = tuple(Match(pairing, 1, _result(pairing), counted=True) for pairing in plan.pairings)
    return GroupOutcome(plan, matches, _standings(members, matches, final))


@pytest.fixture(scope="session")
def make_group() -> MakeGroup:
    return _group


def _group_with_failures() -> GroupOutcome:
    """`zero_thrower` fails against `greedy` and, when that is played again, against `silent`."""
    members = ("silent", "greedy", "zero_thrower", "patient_cooperator")
    plan = _plan(members, 1, 2)
    failed, failed_again = Pairing(("greedy", "zero_thrower")), Pairing(("silent", "zero_thrower"))
    replayed = Pairing(("greedy", "silent"))
    low = "throw {throw} was 0, but only 1..12288 are allowed"
    slow = "used more than 855,000,000 instructions in throw {throw}"
    matches = [
        Match(p, 1, _result(p), counted="zero_thrower" not in (p.players[0], p.players[1]))
        for p in plan.pairings
        if p not in (failed, failed_again, replayed, Pairing(("zero_thrower", "zero_thrower")))
    ]
    matches += [
        Match(failed, 1, _result(failed, 16, (OK, Verdict.ILLEGAL_MOVE), low), counted=False),
        Match(replayed, 1, _result(replayed, 9, (Verdict.TIME, OK), slow), counted=False),
        Match(replayed, 2, _result(replayed), counted=True),
        Match(failed, 2, _result(failed), counted=False),
        Match(
            failed_again,
            1,
            _result(failed_again, 24, (OK, Verdict.ILLEGAL_MOVE), low),
            counted=False,
        ),
    ]
    return GroupOutcome(plan, tuple(matches), _standings(members, matches, final=False))


# --- the contest ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class SmallContest:
    """What the reporter is told in the course of the contest."""

    teams: Mapping[str, Team]
    late: Team
    first: RoundOutcome
    final: RoundOutcome
    evolution: EvolutionOutcome
    seed: ContestSeed
    sealed: EntryList

    @property
    def ranking(self) -> tuple[Standing, ...]:
        return self.final.groups[0].standings

    @property
    def started(self) -> ContestStarted:
        late = (self.late,)
        return ContestStarted(
            teams=self.teams, without_program=late, seed=self.seed, sealed=self.sealed
        )

    @property
    def finished(self) -> RoundFinished:
        """The final is."""
        return RoundFinished(
            teams=self.teams,
            history=(self.first, self.final),
            ranking=self.ranking,
            evolution=self.evolution,
            seed=self.seed,
        )


def _round(groups: Sequence[GroupOutcome], final: bool) -> RoundOutcome:
    plans = tuple(group.plan for group in groups)
    return RoundOutcome(RoundPlan(plans[0].round, plans, final), tuple(groups))


def _evolution() -> EvolutionOutcome:
    entries = ("example", "patient_cooperator", "silent")
    generations = tuple((5 - min(g, 5), 5 + g // 3, 5 + min(g, 5) - g // 3) for g in range(13))
    generations += (generations[-1],)
    total = sum(generations[-1])
    ranking = (
        EvolutionRank("patient_cooperator", 1, (generations[-1][1], total), None),
        EvolutionRank("silent", 2, (generations[-1][2], total), None),
        EvolutionRank("example", None, (0, 1), 5),
    )
    return EvolutionOutcome(entries, generations, EvolutionEnding.FIXED_POINT, None, ranking)


@pytest.fixture(scope="session")
def contest() -> SmallContest:
    lords = _group(("the_heavy_lords_of_knobeln", "example"), 1, 1)
    first = _round((lords, _group_with_failures()), final=False)
    final = _round(
        (_group(("silent", "patient_cooperator", "example"), 2, 1, final=True),), final=True
    )
    sealed = EntryList.of(
        SealedEntry(name, f"{n:064x}", f"{n + 16:064x}") for n, name in enumerate(_TEAMS)
    )
    seed = ContestSeed(SEED, sealed.root)
    return SmallContest(
        _TEAMS, _team("latecomer", number=7), first, final, _evolution(), seed, sealed
    )


@pytest.fixture(scope="session")
def small(settings: Settings, contest: SmallContest) -> SiteFacts:
    """The pages' facts of the small contest, over."""
    return of_knobeln(settings, contest)
