"""How close was it? The numbers in the summary of a contest, and that they change nothing."""

from __future__ import annotations

from email import message_from_bytes
from email.policy import default as modern
from pathlib import Path

import pytest

from contest.config.settings import Settings, game_settings
from contest.errors import ConfigError
from contest.model import EvolutionOutcome, Standing
from contest.store import outbox, results
from knobeln.contest_day.run import contest_day
from knobeln.context import ContestContext
from tests.support.contest_field import House, make_contest, settings
from tournament.derived_settings import format_of


def outcome(folder: ContestContext) -> tuple[tuple[Standing, ...], EvolutionOutcome | None]:
    with folder.store.read() as tx:
        return results.finished_rounds(tx)[-1].groups[0].standings, results.get_evolution(tx)


def test_the_summary_says_how_often_each_team_came_first_when_the_final_was_played_again(
    tmp_path: Path, house: House
) -> None:
    folder = make_contest(tmp_path / "replayed", 5, house, settings(final_replays=8), ("RSM",))
    contest_day(folder).run()
    with folder.store.read() as tx:
        replays = results.get_final_replays(tx)
        mail = message_from_bytes(outbox.due(tx, folder.clock.now(), 1)[0].raw, policy=modern)
    assert replays is not None
    assert replays.times == 8
    assert {name for name, _ in replays.firsts} == {f"team_{number:04}" for number in range(1, 6)}
    assert sum(count for _, count in replays.firsts) >= 8
    body = mail.get_body(("plain",))
    assert body is not None
    text = body.get_content()
    assert " ahead of the second: " in text
    assert "The same final was played 8 times more" in " ".join(text.split())
    (table,) = mail.iter_attachments()
    assert table.get_filename() == "scores.csv"
    assert len(table.get_content().splitlines()) == 6


def test_replays_of_the_final_change_no_result(tmp_path: Path, house: House) -> None:
    plain = make_contest(tmp_path / "plain", 5, house, settings())
    replayed = make_contest(tmp_path / "replayed", 5, house, settings(final_replays=3))
    for folder in (plain, replayed):
        contest_day(folder).run()
    assert outcome(plain) == outcome(replayed)
    with plain.store.read() as tx:
        assert results.get_final_replays(tx) is None


def test_replays_are_refused_where_the_final_cannot_be_had_again() -> None:
    chosen: Settings = settings(final_replays=3, format="round-robin")
    chosen = chosen.model_copy(update={"game": game_settings({"name": "cooperation"})})
    chosen = chosen.model_copy(update={"evolution": chosen.evolution.model_copy(update={"enabled": False})})
    with pytest.raises(ConfigError, match=r"tournament.final_replays: only games of the contest machine"):
        format_of(chosen)
