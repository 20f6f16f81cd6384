"""How sure a ranking is: contests with other random numbers, of fields whose strengths are
known."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from contest.config.settings import Settings, game_settings
from contest.formats import make_format
from contest.games.registry import game_of
from contest.model import Fault, GameJob, GameResult, RoundOutcome, SeatResult, Verdict
from contest.schema.sections import Tournament
from contest.seeds import Seeds, seed_from
from tests.support.contest_field import settings
from tournament import certainty as module
from tournament.certainty import certainty, default_contests, why_unknown
from tournament.field import Field
from tournament.rounds import rounds


@dataclass
class Arena:
    """Plays games whose points are normal around the strength of the seat; implements Runner."""

    strengths: dict[str, float]
    noise: float = 100.0
    fails: str = ""  # this team fails in one of eight games
    slow: str = ""  # this team thinks long
    games: int = 0

    def __call__(self, jobs: Sequence[GameJob]) -> list[GameResult]:
        self.games += len(jobs)
        return [GameResult(tuple(map(self._seat, job.names, job.streams)), 1, "") for job in jobs]

    def _seat(self, name: str, stream: bytes) -> SeatResult:
        chance = random.Random(stream)  # noqa: S311 - games by known rules
        if name == self.fails and chance.random() < 1 / 8:
            return SeatResult(0, Verdict.CRASH, Fault(1, "crashed"), 1_000, faults=1)
        instructions = 800_000_000 if name == self.slow else 1_000
        points = round(chance.gauss(self.strengths[name], self.noise))
        return SeatResult(points, Verdict.OK, None, instructions)


def field_of(
    strengths: Sequence[float], seed: str, *, fails: str = "", slow: str = "", **tournament: object
) -> tuple[Field, Arena]:
    rules = Tournament.model_validate({"workers": 1, **tournament})
    chosen = settings().model_copy(update={"tournament": rules})
    info = game_of(chosen.game, chosen.programs).info
    names = {f"team_{number:02}": strength for number, strength in enumerate(strengths, start=1)}
    tournament_format = make_format(chosen.tournament, info)
    field = Field(chosen, tournament_format, {name: name for name in names}, Seeds(seed_from(seed)))
    return field, Arena(names, fails=fails, slow=slow)


def contest_of(field: Field, arena: Arena) -> tuple[RoundOutcome, ...]:
    """The contest as it is published: drawn and played by the field's own seeds."""
    history: list[RoundOutcome] = []
    for plan in rounds(field.format, tuple(field.images), field.seeds, history):
        groups = tuple(field.play_group(group, plan.final, arena) for group in plan.groups)
        history.append(RoundOutcome(plan, groups))
    return tuple(history)


FORMATS = {
    "one group": {},
    "groups": {"group_min": 3, "group_max": 6, "final_size": 6},
    "round robin": {"format": "round-robin"},
    "match points": {"format": "exact"},
    "knock-out": {"format": "double-elimination", "games": 2},
}


@pytest.mark.parametrize("title", FORMATS)
def test_the_strongest_wins_most_and_all_contests_have_a_winner(title: str) -> None:
    field, arena = field_of([40.0 * n for n in range(12)], title, **FORMATS[title])
    found = certainty(field, contest_of(field, arena), 60, arena)
    firsts = {team.entry: team.first for team in found.teams}
    assert max(firsts, key=lambda name: firsts[name]) == "team_12"
    assert sum(firsts.values()) >= 60  # some share the first place
    together = [sum(sorted(firsts.values())[-count:]) for count in range(1, 13)]
    assert found.likely_winners[0] == "team_12"
    assert together[len(found.likely_winners) - 1] >= 57  # 95 of 100
    if sum(firsts.values()) == 60:
        assert ([0, *together])[len(found.likely_winners) - 1] < 57
    assert all(team.low <= team.high for team in found.teams)
    assert {team.entry for team in found.teams} == set(arena.strengths)
    if title == "groups":
        assert sum(team.final for team in found.teams) < 60 * 12


def test_equal_programs_cannot_be_told_apart_and_strong_ones_can() -> None:
    field, arena = field_of([500.0, 500.0, 500.0, 0.0], "alike")
    found = certainty(field, contest_of(field, arena), 100, arena)
    (run,) = found.alike
    assert set(run) == {"team_01", "team_02", "team_03"}
    last = found.teams[-1]
    assert (last.entry, last.low, last.high, last.first) == ("team_04", 4, 4, 0)


def test_the_same_number_gives_the_same_result_whatever_was_played_before() -> None:
    groups = {"group_min": 3, "group_max": 5, "final_size": 4}
    field, arena = field_of([30.0 * n for n in range(9)], "again", fails="team_09", **groups)
    history = contest_of(field, arena)
    fresh = Arena(arena.strengths, fails="team_09")
    assert certainty(field, history, 40, arena) == certainty(field, history, 40, fresh)


def test_who_fails_often_is_disqualified_as_by_the_referee() -> None:
    field, arena = field_of([30.0 * n for n in range(8)], "fails", fails="team_08")
    found = certainty(field, contest_of(field, arena), 50, arena)
    (strongest,) = (team for team in found.teams if team.entry == "team_08")
    assert strongest.high == 8


def test_nothing_is_certain_of_programs_that_talk_and_all_of_tables() -> None:
    chosen: Settings = settings(format="round-robin")
    talking = chosen.model_copy(update={"game": game_settings({"name": "cooperation"})})
    folder = {"digest": b'{"command": ["sh"]}'}
    assert "cannot be played again from seeds" in (why_unknown(talking, folder) or "")
    assert why_unknown(chosen, {"digest": b"an image of the contest machine"}) is None
    tables = settings(format="exact").model_copy(update={"game": game_settings({"name": "hog"})})
    of_tables = make_format(tables.tournament, game_of(tables.game, tables.programs).info)
    field = Field(tables, of_tables, dict.fromkeys("abcde", "x"), Seeds(seed_from("hog")))
    arena = Arena({name: 1000.0 + ord(name) for name in "abcde"}, noise=0.0)
    history = contest_of(field, arena)
    assert default_contests(field, history) == 1
    found = certainty(field, history, 500, arena)
    assert (found.contests, found.margin, found.alike) == (1, 0, ())
    assert [team.entry for team in found.teams] == list("edcba")


def test_pools_play_no_more_games_than_the_contests_have() -> None:
    field, arena = field_of([10.0 * n for n in range(10)], "cost")
    history = contest_of(field, arena)
    arena.games = 0
    found = certainty(field, history, 100, arena)
    assert arena.games <= 55 * 100
    assert found.margin == 20


def test_of_a_program_that_thinks_long_fewer_games_are_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    field, arena = field_of([10.0 * n for n in range(12)], "slow", self_play=False, slow="team_07")
    played: Counter[tuple[str, ...]] = Counter()

    def play(jobs: Sequence[GameJob]) -> list[GameResult]:
        played.update(job.names for job in jobs)
        return arena(jobs)

    for budget, games in ((10**12, 16), (10**11, 8), (10**9, 2)):
        monkeypatch.setattr(module, "_BUDGET_INSTRUCTIONS", budget)
        monkeypatch.setattr(module, "_MAX_POOL_GAMES", 0)  # no more than the first games
        played.clear()
        module._play(field, 100, module._Pools(field, play, 100))
        assert len(played) == 66
        assert all(
            count == (games if "team_07" in names else 16) for names, count in played.items()
        )


@pytest.mark.slow
def test_the_margin_covers_the_error_of_small_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same field is measured forty times with other random numbers, from pools of some sixteen
    games."""
    monkeypatch.setattr(module, "_MAX_POOL_GAMES", 0)  # no more than the first games
    shares, margins = [], set()
    for number in range(40):
        field, arena = field_of([500.0, 500.0, 490.0, 480.0, 460.0, 400.0], f"margin/{number}")
        found = certainty(field, contest_of(field, arena), 300, arena)
        shares.append(next(team.first for team in found.teams if team.entry == "team_01") / 300)
        margins.add(found.margin)
    (margin,) = margins
    far = sum(abs(share - sum(shares) / 40) > margin / 100 for share in shares)
    assert margin == math.ceil(100 * math.sqrt(1 / 16))
    assert far <= 4  # of 40: a margin of two deviations leaves two
