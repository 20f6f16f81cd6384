"""The contest day from frozen entries to the last report: real programs, the real engine, a real
database."""

from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contest.config.load import FILE_NAME
from contest.config.settings import Settings
from contest.errors import NotNow
from contest.games.knobeln import rules_of
from contest.interfaces.protocols import Images, Runner
from contest.model import Phase
from contest.seeds import ContestSeed
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from reports.announcement import announcement
from store import contest_state, outbox, results, submissions
from store.results import Games
from tests.support.contest_days import dump, stumbling_day
from tests.support.contest_field import PREFERENCES, SEED, House, add_team, make_contest, settings
from tournament.day import Spectator
from tournament.derived_settings import format_of
from tournament.runners import open_runner


def kinds(folder: ContestContext) -> dict[str, list[str]]:
    """What each team got, by its name."""
    with folder.store.read() as tx:
        mails = outbox.listing(tx, state=None, to=None, count=10_000)
    got: dict[str, list[str]] = {}
    for mail in mails:
        got.setdefault(mail.to.partition("@")[0], []).append(mail.kind)
    return got


@pytest.fixture(scope="module")
def of_20(tmp_path_factory: pytest.TempPathFactory, house: House) -> ContestContext:
    folder = make_contest(tmp_path_factory.mktemp("of_20"), 20, house, settings())
    contest_day(folder).run()
    return folder


def test_twenty_teams_play_one_final_and_an_evolution_and_get_what_they_asked_for(
    of_20: ContestContext,
) -> None:
    folder = of_20
    with folder.store.read() as tx:
        (final,) = results.finished_rounds(tx, Games.ALL)
        assert contest_state.state(tx).phase is Phase.FINISHED
        assert final.plan.final
        assert len(final.groups[0].plan.members) == 20
        assert len(final.groups[0].matches) == 20 * 21 // 2
        assert {s.rank for s in final.groups[0].standings} >= {1, 2}
        evolution = results.get_evolution(tx)
    assert sum(evolution.generations[0]) == 20 * 5
    got = kinds(folder)
    for number in range(1, 21):
        codes = set(PREFERENCES[(number - 1) % len(PREFERENCES)].split(",")) - {""}
        if "DGP" in codes:
            codes.discard("GRP")
        if "RSM" in codes:
            codes.discard("GRR")
        assert sorted(got.get(f"team_{number:04}", [])) == sorted(codes)


def test_the_number_of_workers_changes_nothing(
    of_20: ContestContext, tmp_path: Path, house: House
) -> None:
    alone = make_contest(tmp_path, 20, house, settings(workers=1))
    contest_day(alone).run()
    assert dump(alone) == dump(of_20)


def test_a_finished_contest_is_not_played_again(tmp_path: Path, house: House) -> None:
    folder = make_contest(tmp_path, 5, house, settings())
    contest_day(folder).run()
    before = dump(folder)
    contest_day(folder).run()
    assert dump(folder) == before


def test_without_any_program_there_is_nothing_to_start(tmp_path: Path, house: House) -> None:
    folder = make_contest(tmp_path, 0, house, settings())
    with pytest.raises(NotNow, match="nobody to play"):
        contest_day(folder).run()
    with folder.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.OPEN


def test_settings_that_decide_results_are_frozen_at_the_start(tmp_path: Path, house: House) -> None:
    folder = make_contest(tmp_path, 6, house, settings())

    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    with pytest.raises(Stop):
        stumbling_day(folder, Spectator(), stop).run()
    seen: list[int] = []

    def watch(images: Images, chosen: Settings, *others: Any) -> AbstractContextManager[Runner]:
        seen.append(rules_of(chosen.game).L)
        return open_runner(images, chosen, *others)

    later = folder.settings.model_copy(
        update={"game": folder.settings.game.model_copy(update={"L": 17})}
    )
    stumbling_day(replace(folder, settings=later), Spectator(), watch).run()
    assert set(seen) == {1000}


def test_reports_tell_the_rules_that_were_played_by_whatever_the_file_says_later(
    tmp_path: Path, house: House
) -> None:
    contest_day(make_contest(tmp_path, 5, house, settings())).run()
    file = tmp_path / FILE_NAME
    file.write_text(
        file.read_text().replace("L = 1000", "L = 17").replace("The organizer", "Somebody")
    )
    reopened = ContestContext.open(tmp_path)
    with reopened.store.read() as tx:
        rounds = results.finished_rounds(tx, Games.ALL)
    ranking = format_of(reopened.settings).ranking(rounds)
    posting = announcement(
        rounds, ranking, None, ContestSeed(SEED), {}, reopened.settings, reopened.templates
    ).body
    assert "1,000 throws each" in " ".join(posting.split())
    assert "Somebody" in posting


def test_a_team_without_a_program_is_told_so_and_gets_the_summaries_it_asked_for(
    tmp_path: Path, house: House
) -> None:
    folder = make_contest(tmp_path, 5, house, settings(), ("LAP",))
    with folder.store.write() as tx:
        add_team(tx, "the_dreamers", "LAP,RSM")
    contest_day(folder).run()
    assert sorted(kinds(folder).pop("the_dreamers")) == ["RSM", "no program"]
    with folder.store.read() as tx:
        assert "the_dreamers" not in submissions.participants(tx)
