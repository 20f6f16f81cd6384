"""The ladder: every version that counts against every other, by the real compiler and machine."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladder_service import LadderService
from compiler.builders import builder_of
from contest.config.settings import Settings, game_settings
from contest.config.template import usual_dates
from contest.games import hog
from contest.games.registry import game_of
from contest.ladder_ranking import Ladder, movements
from contest.model import LadderEntry, LadderGame, LadderLine, LadderRanking, Team
from contest.schema import sections
from contest.schema.sections import Programs
from knobellib.samples import house_strategies
from mailserver.commands.send import LADDER
from reports.render import Templates
from store import Store, contest_state, ladder, letters, migrate, submissions
from tests.support.clocks import FixedClock
from tests.support.compile_services import engine_failures
from tests.support.contest_field import add_team
from tests.support.hog_ranking import all_pairs, ranking
from tournament.runners import open_runner

NOW = datetime(1994, 4, 1, 12, tzinfo=UTC)
HOUSE = {strategy.name: strategy.source for strategy in house_strategies()}


@dataclass
class Field:
    store: Store
    service: LadderService
    clock: FixedClock
    builds: int = 0

    def send(self, team: Team, strategy: str) -> None:
        """The team's next version is this house strategy."""
        self.builds += 1
        builder = builder_of(self.service.settings, open_runner)
        built = builder.build({"program.c": HOUSE[strategy].encode()}, "")
        with self.store.write() as tx:
            letter_id = letters.add(
                tx,
                raw=b"letter %d" % self.builds,
                sender="",
                recipients=(),
                channel="smtp",
                now=NOW,
            )
            sent = submissions.add(tx, team.id, letter_id, {"program.c": b""}, NOW)
            assert built.image
            submissions.add_build(tx, sent.id, built.report, built.image.to_bytes(), NOW)

    def team(self, name: str, strategy: str) -> Team:
        with self.store.write() as tx:
            team = add_team(tx, name, "")
        self.send(team, strategy)
        return team

    def update(self) -> LadderRanking | None:
        while self.service.update():
            pass
        with self.store.read() as tx:
            return next(iter(ladder.rankings(tx, 1)), None)


@pytest.fixture
def field(tmp_path: Path) -> Iterator[Field]:
    store = Store(f"sqlite:///{tmp_path / 'contest.db'}")
    migrate.upgrade(store)
    with store.write() as tx:
        contest_state.create(tx, bytes(32))
    settings = Settings(dates=usual_dates(NOW), ladder=sections.Ladder(enabled=True))
    clock = FixedClock(NOW)
    failures = engine_failures(store, settings, clock, None)
    yield Field(store, LadderService(store, settings, clock, open_runner, failures), clock)
    store.close()


@pytest.mark.slow
def test_everybody_plays_everybody_and_only_new_pairs_are_played_again(field: Field) -> None:
    alpha = field.team("alpha", "pavlov")
    for name, strategy in (("beta", "council"), ("gamma", "high_roller")):
        field.team(name, strategy)
    first = field.update()
    assert {line.team: line.games for line in first.lines} == {"alpha": 2, "beta": 2, "gamma": 2}
    with field.store.read() as tx:
        kept = {(game.first, game.second): game for game in ladder.all_games(tx)}
    field.send(alpha, "grim")
    second = field.update()
    assert second.id > first.id
    assert {line.team: line.version for line in second.lines} == {"alpha": 2, "beta": 1, "gamma": 1}
    with field.store.read() as tx:
        after = {(game.first, game.second): game for game in ladder.all_games(tx)}
    assert len(after) == 3
    assert {pair: game for pair, game in after.items() if pair in kept} == {(2, 3): kept[2, 3]}


def test_a_ranking_that_did_not_move_is_kept_once(field: Field) -> None:
    field.team("alpha", "pavlov")
    assert field.update() is None  # one alone has nobody to play against
    field.team("beta", "council")
    first = field.update()
    assert field.update() == first
    assert not replace(field.service).update()  # a service that remembers nothing
    with field.store.read() as tx:
        assert len(ladder.rankings(tx, 10)) == 1


def test_the_ladder_rests_while_a_program_waits_and_while_the_contest_runs(field: Field) -> None:
    alpha = field.team("alpha", "pavlov")
    field.team("beta", "council")
    with field.store.write() as tx:
        letter_id = letters.add(
            tx, raw=b"another", sender="", recipients=(), channel="smtp", now=NOW
        )
        waiting = submissions.add(tx, alpha.id, letter_id, {"program.c": b"main(){}"}, NOW)
    assert field.update() is None
    with field.store.write() as tx:
        submissions.set_aside(tx, waiting.id)
        contest_state.start(tx, {}, NOW)
    assert field.update() is None
    with field.store.write() as tx:
        contest_state.finish(tx, NOW)
    assert field.update()


# --- the ranking, as a rule -----------------------------------------------------------------------
@given(st.integers(2, 6), st.data())
def test_the_ranking_is_by_mean_points_and_ties_share_a_rank(
    count: int, data: st.DataObject
) -> None:
    there = tuple(LadderEntry(n, f"t{n}", 1, str(n)) for n in range(count))
    pairs = [(a, b) for a in range(count) for b in range(a + 1, count)]
    games = [
        LadderGame(a, b, data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3))), (False, False))
        for a, b in data.draw(st.lists(st.sampled_from(pairs), unique=True))
    ]
    lines = Ladder(there, games, game_of(game_settings({"name": "knobeln"}), Programs()).info).lines
    played = {n for game in games for n in (game.first, game.second)}
    assert {line.team for line in lines} == {f"t{n}" for n in played}
    assert sum(line.games for line in lines) == 2 * len(games)
    for better, worse in pairwise(lines):
        assert better.points >= worse.points
        assert (better.rank == worse.rank) == (better.points == worse.points)


@given(st.integers(1, 6), st.data())
def test_where_games_are_computed_the_ranking_is_by_match_points(
    count: int, data: st.DataObject
) -> None:
    unit = hog.WIN_RATE_UNIT
    there = tuple(LadderEntry(n, f"t{n}", 1, str(n)) for n in range(count))
    near = st.sampled_from([0, unit // 2, unit // 2 + 1_000_000, unit // 2 + 1_000_001, unit])
    points = {pair: data.draw(near) for pair in all_pairs(count)}
    games = [LadderGame(*pair, (won, unit - won)) for pair, won in points.items()]
    ladder = Ladder(there, games, game_of(game_settings({"name": "hog"}), Programs()).info)
    expected = ranking(count, {pair: won / unit for pair, won in points.items()})
    assert [(line.rank, line.team, line.points) for line in ladder.lines] == [
        (rank, f"t{entry}", points) for rank, entry, points in expected
    ]
    for number in range(count):
        place = ladder.place(f"t{number}", None)
        assert place.now is not None
        assert place.now.entrants == count
        assert len(place.beaten_by) == sum(
            (unit - won if pair[0] == number else won) / unit > hog.MATCH_POINT
            for pair, won in points.items()
            if number in pair
        )


def test_anybody_may_ask_for_the_ladder_where_rankings_are_offered() -> None:
    chosen = Settings(dates=usual_dates(NOW), ladder=sections.Ladder(enabled=True))
    silent = chosen.model_copy(update={"reports": sections.Reports(offered=("OWN",))})
    assert LADDER.subjects(chosen)
    assert not LADDER.subjects(silent)
    assert not LADDER.subjects(chosen.model_copy(update={"ladder": sections.Ladder()}))
    lines = (LadderLine(1, "alpha", 2, 3, 4.5, 0), LadderLine(2, "beta", 1, 3, 4.0, 1))
    body = Templates(chosen, None).render("ladder", lines=lines).body
    assert "   1  alpha                                 2        4.5\n" in body


def test_movements_are_told_against_the_ranking_before() -> None:
    def stood(*names: str) -> LadderRanking:
        lines = tuple(
            LadderLine(place, name, 1, 3, 1.0, 0) for place, name in enumerate(names, start=1)
        )
        return LadderRanking(1, NOW, lines)

    moved = movements(stood("a", "b", "c", "d"), stood("b", "a", "c"))
    assert moved == {"a": "+1", "b": "-1", "c": "=", "d": "new"}
    assert movements(stood("a"), None) == {"a": "new"}
