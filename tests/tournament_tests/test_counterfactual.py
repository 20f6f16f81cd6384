"""A contest without bans comes out as the one that was really played without them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from random import Random

import pytest

from contest.config.settings import Settings
from contest.model import BanKind, GroupOutcome, GroupPlan, Pairing, RoundPlan
from contest.seeds import Seeds
from contest.store import contest_state, decisions, results, submissions, teams
from contest.store.results import Games
from knobeln.contest_day.run import Silence
from knobeln.context import ContestContext
from reports.contest_reporter import ContestReporter
from tests.support.contest_field import NOW, House, make_contest, settings
from tournament.certainty import Field
from tournament.counterfactual import ContestOutcome, UnknownGames, play_with_bans
from tournament.day import ContestDay
from tournament.derived_settings import format_of
from tournament.runners import open_runner

TEAMS = 14
FORMATS = ("group-elimination", "double-elimination", "round-robin")


@pytest.fixture(autouse=True)
def a_few_contests_with_other_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """These take most of the time, and nothing here looks at them."""
    for name in ("MIN_CONTESTS", "MAX_CONTESTS"):
        monkeypatch.setattr(f"tournament.certainty.{name}", 2)


class Organizer(Silence):
    """Takes teams out at some moments of the day, and lets them in again if they are named again.

    If there are any moments, the first of the third group, too, when that has been played.
    """

    def __init__(self, folder: ContestContext, moments: Iterable[tuple[int, str]]) -> None:
        self.folder, self.events = folder, 0
        self.moments = list(moments)
        self.groups, self.acts = 0, bool(self.moments)

    def round_drawn(self, plan: RoundPlan) -> None:
        self.act()

    def group_finished(self, outcome: GroupOutcome) -> None:
        self.groups += 1
        if self.groups == 3 and self.acts:
            self.moments.append((self.events + 1, outcome.standings[0].entry))
        self.act()

    def act(self) -> None:
        self.events += 1
        for moment, name in [each for each in self.moments if each[0] == self.events]:
            self.moments.remove((moment, name))
            with self.folder.store.write() as tx:
                team = teams.by_name(tx, name)
                assert team
                known = decisions.ban_of(tx, team.id)
                if known is not None:
                    decisions.lift(tx, known.id, NOW)
                else:
                    decisions.ban(tx, team.id, BanKind.DISQUALIFIED, "so it is", NOW)


def played(folder: ContestContext, moments: Iterable[tuple[int, str]]) -> ContestContext:
    reporter = ContestReporter(folder.settings, folder.templates)
    spectator = Organizer(folder, moments)
    ContestDay(folder.store, folder.settings, folder.clock, reporter, spectator).run()
    return folder


def outcome_of(folder: ContestContext) -> ContestOutcome:
    with folder.store.read() as tx:
        history = tuple(results.finished_rounds(tx, Games.ALL))
        return ContestOutcome(history, format_of(folder.settings).ranking(history), results.get_evolution(tx))


def with_bans(folder: ContestContext, bans: Iterable[str], silent: Iterable[str] = ()) -> ContestOutcome:
    with folder.store.read() as tx:
        seeds = Seeds(contest_state.state(tx).seed.value)
        digests = {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}
        images = submissions.load_images(tx, tuple(digests.values()))
    field = Field(folder.settings, format_of(folder.settings), digests, seeds)
    return play_with_bans(
        field,
        outcome_of(folder).history,
        frozenset(bans),
        frozenset(silent),
        lambda wanted: open_runner({each: images[each] for each in wanted}, folder.settings, seeds),
    )


def chosen(name: str) -> Settings:
    found = settings(format=name, group_min=2, group_max=5, final_size=4, games=1)
    evolution = found.evolution.model_copy(update={"enabled": name == "group-elimination"})
    short = found.game.model_copy(update={"L": 30})
    return found.model_copy(update={"game": short, "evolution": evolution})


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("seed", range(2))
def test_without_bans_it_is_the_contest_of_which_nobody_was_taken_out(
    tmp_path: Path, house: House, name: str, seed: int
) -> None:
    random = Random(f"{name} {seed}")  # noqa: S311 - cases for a test
    names = [f"team_{number:04}" for number in range(1, TEAMS + 1)]
    taken_out = random.sample(names, 5)
    moments = [(1, taken_out[0]), *((random.randint(1, 6), each) for each in taken_out[1:])]
    moments += [(random.randint(5, 9), each) for each in taken_out[1:3]]  # they are let in again
    make = partial(make_contest, count=TEAMS, programs=house.first(8), chosen=chosen(name))
    honest, banned = played(make(tmp_path / "honest"), ()), played(make(tmp_path / "banned"), moments)
    assert outcome_of(banned).ranking != outcome_of(honest).ranking
    with banned.store.read() as tx:
        taken_out = [each.team for each in decisions.ban_history(tx)]
    assert with_bans(banned, taken_out) == outcome_of(banned)
    assert with_bans(banned, ()) == outcome_of(honest)


def test_games_of_silent_programs_are_known_as_far_as_they_were_published(
    tmp_path: Path, house: House
) -> None:
    """One was out from the first group on, so the games of that round are what nobody knows."""
    make = partial(make_contest, programs=house.first(8), chosen=chosen("round-robin"))
    banned = played(make(tmp_path / "banned", 5), [(1, "team_0002")])
    with pytest.raises(UnknownGames) as unknown:
        with_bans(banned, (), silent=["team_0002"])
    needed = unknown.value
    assert needed.plan.number == 1
    assert needed.history == ()
    assert needed.games == 15  # with those against itself
    assert len(needed.unknown) == 5
    assert all("team_0002" in players for players in needed.unknown)
    assert with_bans(banned, ["team_0002"], silent=["team_0002"]) == outcome_of(banned)


def test_a_game_of_all_is_planned_without_those_who_are_out() -> None:
    group = GroupPlan(1, 1, ("a", "b", "c"), (Pairing(("a", "b", "c"), 3),))
    assert group.without_seats({"b", "x"}).pairings == (Pairing(("a", "c"), 3),)
    assert group.without_seats({"b"}).members == group.members
    assert group.without_seats({"b", "c"}) == group
