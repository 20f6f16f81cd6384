"""How sure a ranking is: contests with other random numbers, of fields whose strengths are known."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import pytest

from contest.config.sections import Tournament
from contest.config.settings import Settings, game_settings
from contest.formats import make_format
from contest.games.registry import game_of
from contest.model import (
    Fault,
    GameJob,
    GameResult,
    GroupOutcome,
    RoundOutcome,
    SeatResult,
    Verdict,
)
from contest.seeds import Seeds, seed_from
from tests.support.contest_field import settings
from tournament import certainty as module
from tournament import leave_one_out, referee
from tournament.certainty import certainty, default_contests, kendall_tau, why_unknown
from tournament.field import Field
from tournament.leave_one_out import without_each


@dataclass
class Arena:
    """Plays games whose points are normal around the strength of the seat; implements Runner."""

    strengths: dict[str, float]
    noise: float = 100.0
    fails: str = ""  # this team fails in one of eight games
    slow: str = ""  # this team thinks long
    games: int = 0

    def play(self, jobs: Sequence[GameJob]) -> list[GameResult]:
        self.games += len(jobs)
        return [GameResult(tuple(map(self._seat, job.names, job.streams)), 1, "") for job in jobs]

    def _seat(self, name: str, stream: bytes) -> SeatResult:
        chance = random.Random(stream)  # noqa: S311 - games by known rules
        if name == self.fails and chance.random() < 1 / 8:
            return SeatResult(0, Verdict.CRASH, Fault(1, "crashed"), 1_000, faults=1)
        instructions = 800_000_000 if name == self.slow else 1_000
        points = round(chance.gauss(self.strengths[name], self.noise))
        return SeatResult(points, Verdict.OK, None, instructions)


def field_of(strengths: Sequence[float], seed: str, **tournament: object) -> tuple[Field, dict[str, float]]:
    chosen = settings().model_copy(
        update={"tournament": Tournament.model_validate({"workers": 1, **tournament})}
    )
    info = game_of(chosen.game, chosen.programs).info
    names = {f"team_{number:02}": strength for number, strength in enumerate(strengths, start=1)}
    tournament_format = make_format(chosen.tournament, info)
    return Field(chosen, tournament_format, {name: name for name in names}, Seeds(seed_from(seed))), names


def contest_of(field: Field, arena: Arena) -> tuple[RoundOutcome, ...]:
    """The contest as it is published: drawn and played by the field's own seeds."""
    history: tuple[RoundOutcome, ...] = ()
    while plan := field.format.plan(tuple(field.images), history, field.seeds):
        groups = [
            referee.play_group(
                group,
                images=field.images,
                seeds=field.seeds,
                runner=arena,
                protocols_for=frozenset(),
                standings=partial(field.format.standings, group, plan.final),
                fault_rule=field.info.fault_rule,
            )
            for group in plan.groups
        ]
        history = (*history, RoundOutcome(plan, tuple(groups)))
    return history


FORMATS = {
    "one group": {},
    "groups": {"group_min": 3, "group_max": 6, "final_size": 6},
    "round robin": {"format": "round-robin"},
    "match points": {"format": "exact"},
    "knock-out": {"format": "double-elimination", "games": 2, "final_games": 3, "third_place_games": 1},
}


@pytest.mark.parametrize("title", FORMATS)
def test_the_strongest_wins_most_and_all_contests_have_a_winner(title: str) -> None:
    field, strengths = field_of([40.0 * n for n in range(12)], title, **FORMATS[title])
    arena = Arena(strengths)
    found = certainty(field, contest_of(field, arena), 60, arena)
    firsts = {team.entry: team.first for team in found.teams}
    assert max(firsts, key=lambda name: firsts[name]) == "team_12"
    assert sum(firsts.values()) >= 60  # some share the first place
    assert all(team.low <= team.high for team in found.teams)
    assert {team.entry for team in found.teams} == set(strengths)
    if title == "groups":
        assert sum(team.final for team in found.teams) < 60 * 12
        assert {other.title for other in found.formats} >= {"one round robin"}


def test_equal_programs_cannot_be_told_apart_and_strong_ones_can() -> None:
    field, strengths = field_of([500.0, 500.0, 500.0, 0.0], "alike")
    arena = Arena(strengths)
    found = certainty(field, contest_of(field, arena), 100, arena)
    (run,) = found.alike
    assert set(run) == {"team_01", "team_02", "team_03"}
    last = found.teams[-1]
    assert (last.entry, last.low, last.high, last.first) == ("team_04", 4, 4, 0)


def test_the_same_number_gives_the_same_result_whatever_was_played_before() -> None:
    field, strengths = field_of([30.0 * n for n in range(9)], "again", group_min=3, group_max=5, final_size=4)
    arena = Arena(strengths, fails="team_09")
    history = contest_of(field, arena)
    assert certainty(field, history, 40, arena) == certainty(
        field, history, 40, Arena(strengths, fails="team_09")
    )


def test_who_fails_often_is_disqualified_as_by_the_referee() -> None:
    field, strengths = field_of([30.0 * n for n in range(8)], "fails")
    arena = Arena(strengths, fails="team_08")
    found = certainty(field, contest_of(field, arena), 50, arena)
    (strongest,) = (team for team in found.teams if team.entry == "team_08")
    assert strongest.high == 8


def test_flawless_games_are_ranked_as_the_referee_ranks_them(monkeypatch: pytest.MonkeyPatch) -> None:
    field, strengths = field_of([30.0 * n for n in range(8)], "short", **FORMATS["groups"])
    arena = Arena(strengths)
    history = contest_of(field, arena)
    short = certainty(field, history, 30, arena)
    monkeypatch.setattr(
        module._Redraw,
        "_group",
        lambda self, plan, final, *rest: GroupOutcome(plan, (), self._by_referee(plan, final, *rest)),
    )
    assert certainty(field, history, 30, arena) == short


def test_nothing_is_certain_of_programs_that_talk_and_all_of_tables() -> None:
    chosen: Settings = settings(format="round-robin")
    talking = chosen.model_copy(update={"game": game_settings({"name": "cooperation"})})
    folder = {"digest": b'{"command": ["sh"]}'}
    assert "cannot be played again from seeds" in (why_unknown(talking, folder) or "")
    assert why_unknown(chosen, {"digest": b"an image of the contest machine"}) is None
    tables = settings(format="exact").model_copy(update={"game": game_settings({"name": "hog"})})
    info = game_of(tables.game, tables.programs).info
    field = Field(
        tables, make_format(tables.tournament, info), dict.fromkeys("abcde", "x"), Seeds(seed_from("hog"))
    )
    arena = Arena({name: 1000.0 + ord(name) for name in "abcde"}, noise=0.0)
    history = contest_of(field, arena)
    assert default_contests(field, history) == 1
    found = certainty(field, history, 500, arena)
    assert (found.contests, found.margin, found.alike) == (1, 0, ())
    assert [team.entry for team in found.teams] == list("edcba")


def winners_of(field: Field, history: Sequence[RoundOutcome]) -> tuple[str, ...]:
    return tuple(sorted(line.entry for line in field.format.ranking(history) if line.rank == 1))


def without(field: Field, name: str) -> Field:
    return replace(field, images={each: digest for each, digest in field.images.items() if each != name})


@pytest.mark.parametrize("title", FORMATS)
def test_a_team_is_left_out_as_if_it_had_never_been_there(title: str) -> None:
    """Each contest comes out as if it were played alone, by the same seed. One of the teams often fails."""
    field, strengths = field_of([5.0 * n for n in range(11)], f"left out of {title}", **FORMATS[title])
    arena = Arena(strengths, fails="team_06")
    history = contest_of(field, arena)
    winners = winners_of(field, history)
    names = [name for name in field.images if name not in winners]
    expected = {}
    for name in names:
        fewer = without(field, name)
        expected[name] = winners_of(fewer, contest_of(fewer, Arena(strengths, fails="team_06")))
    arena.games = 0
    done, changed = without_each(field, history, names, arena)
    assert done == len(names)
    assert {each.entry: each.winners for each in changed} == {
        name: others for name, others in expected.items() if others != winners
    }
    if title == "groups":
        assert changed  # a team fewer is another draw
    if title in ("one group", "round robin"):
        assert arena.games < 20  # all others are known; some fail, and others are out then


def test_without_its_victim_another_team_would_have_won() -> None:
    """`team_01` wins by what it gets from `team_04` alone."""
    field, strengths = field_of([300.0, 310.0, 100.0, 0.0], "victim", self_play=False)
    arena = Arena(strengths, noise=0.0)
    (last,) = contest_of(field, arena)
    (group,) = last.groups
    matches = tuple(
        replace(m, result=GameResult((SeatResult(900, Verdict.OK, None), m.result.seats[1]), 1, ""))
        if m.players == ("team_01", "team_04")
        else m
        for m in group.matches
    )
    standings = field.format.standings(group.plan, True, matches, {}, frozenset())
    history = (replace(last, groups=(replace(group, matches=matches, standings=standings),)),)
    assert standings[0].entry == "team_01"
    found = certainty(field, history, 20, arena)
    assert found.left_out == 3
    assert [(each.entry, each.winners) for each in found.without] == [("team_04", ("team_02",))]
    assert found.twice == ()


def test_as_many_are_left_out_as_the_budget_allows_the_best_first(monkeypatch: pytest.MonkeyPatch) -> None:
    field, strengths = field_of([5.0 * n for n in range(11)], "b", **FORMATS["groups"])
    arena = Arena(strengths)
    history = contest_of(field, arena)
    whole = certainty(field, history, 20, arena)
    followers = [team.entry for team in whole.teams if team.place > 1]
    assert whole.left_out == len(followers) == 10
    assert len(whole.without) == 8
    done = []
    for budget in (0, 30_000_000, 50_000_000, 10**9):
        monkeypatch.setattr(leave_one_out, "_BUDGET_INSTRUCTIONS", budget)
        found = certainty(field, history, 20, arena)
        first = followers[: found.left_out]
        assert found.without == tuple(each for each in whole.without if each.entry in first)
        done.append(found.left_out)
    assert done[0] == 0 < done[1] < done[2] < done[3] == 10


def test_nobody_is_left_out_if_the_organizer_has_changed_the_winner() -> None:
    """`team_03` was taken out in mid-contest: without it the field has another winner from the start."""
    field, strengths = field_of([5.0 * n for n in range(11)], "taken out", **FORMATS["groups"])
    arena = Arena(strengths)
    history = contest_of(field, arena)
    (winner,) = winners_of(field, history)
    names = [name for name in field.images if name != winner]
    _, changed = without_each(field, history, names, arena)
    rest = without(field, changed[0].entry)
    assert without_each(rest, history, [name for name in rest.images if name != winner], arena) == (0, ())


def test_pools_play_no_more_games_than_the_contests_have() -> None:
    field, strengths = field_of([10.0 * n for n in range(10)], "cost")
    arena = Arena(strengths)
    history = contest_of(field, arena)
    arena.games = 0
    found = certainty(field, history, 100, arena)
    assert arena.games <= 55 * 100
    assert found.margin == 20


def test_of_a_program_that_thinks_long_fewer_games_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    field, strengths = field_of([10.0 * n for n in range(12)], "slow", self_play=False)
    arena = Arena(strengths, slow="team_07")
    played: Counter[tuple[str, ...]] = Counter()
    play = arena.play
    monkeypatch.setattr(arena, "play", lambda jobs: [played.update(j.names for j in jobs), play(jobs)][1])
    for budget, games in ((10**12, 16), (10**11, 8), (10**9, 2)):
        monkeypatch.setattr(module, "_BUDGET_INSTRUCTIONS", budget)
        monkeypatch.setattr(module, "_MAX_POOL_GAMES", 0)  # no more than the first games
        played.clear()
        module._play(field, "contest", 100, module._Pools(field, arena, 100))
        assert len(played) == 66
        assert all(count == (games if "team_07" in names else 16) for names, count in played.items())


@pytest.mark.slow
def test_the_margin_covers_the_error_of_small_pools(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same field is measured forty times with other random numbers, from pools of some sixteen games."""
    monkeypatch.setattr(module, "_MAX_POOL_GAMES", 0)  # no more than the first games
    shares, margins = [], set()
    for number in range(40):
        field, strengths = field_of([500.0, 500.0, 490.0, 480.0, 460.0, 400.0], f"margin/{number}")
        arena = Arena(strengths)
        found = certainty(field, contest_of(field, arena), 300, arena)
        shares.append(next(team.first for team in found.teams if team.entry == "team_01") / 300)
        margins.add(found.margin)
    (margin,) = margins
    far = sum(abs(share - sum(shares) / 40) > margin / 100 for share in shares)
    assert margin == math.ceil(100 * math.sqrt(1 / 16))
    assert far <= 4  # of 40: a margin of two deviations leaves two


@pytest.mark.parametrize(
    ("one", "other", "tau"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        ([1, 1, 1], [1, 2, 3], 0.0),
        ([1, 2, 2, 4], [1, 2, 3, 4], 5 / math.sqrt(5 * 6)),
    ],
)
def test_kendalls_tau(one: list[int], other: list[int], tau: float) -> None:
    assert math.isclose(kendall_tau(one, other), tau)


def test_kendalls_tau_counts_every_pair() -> None:
    chance = random.Random(1938)  # noqa: S311
    for size in range(40):
        one, other = ([chance.randrange(1, 12) for _ in range(size)] for _ in range(2))
        both = list(combinations(zip(one, other, strict=True), 2))
        agreeing = sum((a > c) == (b > d) for (a, b), (c, d) in both if a != c and b != d)
        opposed = sum((a > c) != (b > d) for (a, b), (c, d) in both if a != c and b != d)
        scale = math.sqrt(sum(a != c for (a, _), (c, _) in both) * sum(b != d for (_, b), (_, d) in both))
        assert kendall_tau(one, other) == ((agreeing - opposed) / scale if scale else 0.0)


@pytest.mark.slow
def test_the_interval_has_the_published_place_in_nine_of_ten_contests() -> None:
    """200 contests of teams of known strengths, each with its interval from 200 with other random numbers.

    The interval foretells the place in one more contest, and the published contest is one. Places are whole
    numbers, so a closed interval has more than 90 %, and without its ends it has less. A place on an end
    counts in part, by the share of the contests that must be within: then exactly 90 % are covered.
    """
    closed = inner = share = total = 0.0
    for number in range(200):
        chance = random.Random(number)  # noqa: S311 - games by known rules
        strengths = [chance.gauss(0, 40) + 500 for _ in range(12)]
        field, known = field_of(
            strengths, f"coverage/{number}", **FORMATS["groups" if number % 2 else "one group"]
        )
        arena = Arena(known)
        history = contest_of(field, arena)
        contests = 200
        pools = module._Pools(field, arena, contests)
        published = module._Reached.of(field.format, history)
        replayed = module._play(field, "contest", contests, pools)
        for team in module._teams(published, replayed):
            places = [each.places[team.entry] for each in replayed]
            below, here = sum(p < team.place for p in places), places.count(team.place)
            closed += team.low <= team.place <= team.high
            inner += team.low < team.place < team.high
            share += covered(below / contests, (below + here) / contests)
            total += 1
    assert inner / total <= 0.92
    assert closed / total >= 0.88
    assert abs(share / total - 0.90) <= 0.02


def covered(before: float, after: float) -> float:
    """Which part of the quantiles `before` to `after` of a place is within the central 90 %."""
    if after == before:
        return float(0.05 <= before <= 0.95)
    return max(0.0, min(after, 0.95) - max(before, 0.05)) / (after - before)
