"""Who gets which report (K91-K95)."""

from datetime import UTC, datetime
from itertools import combinations

import pytest

from contest.errors import ConfigError
from contest.interfaces.events import (
    ContestStarted,
    GroupFinished,
    GroupStarted,
    RoundFinished,
    RoundPlayed,
)
from contest.schema.sections import KNOBELN_REPORTS, Reports
from knobeln import presets
from reports.kinds import check_offered, reports
from reports.kinds.base import Audience
from reports.render import Templates
from tests.reports_tests.conftest import MakeTeam

CODES = tuple(reports())
SUPERFLUOUS = {(report.code, report.contained_in) for report in reports().values()}


def wanted(team) -> list[str]:
    return [report.code for report in reports().values() if report.is_wanted_by(team)]


def test_the_reports_of_the_announcement_come_first_in_its_order() -> None:
    assert CODES[: len(KNOBELN_REPORTS)] == KNOBELN_REPORTS


@pytest.mark.parametrize("code", CODES)
def test_a_team_gets_what_it_asked_for_and_nothing_else(make_team: MakeTeam, code: str) -> None:
    assert wanted(make_team("example", code)) == [code]


@pytest.mark.parametrize(("one", "other"), list(combinations(CODES, 2)))
def test_of_two_reports_one_is_dropped_only_if_the_other_contains_it(
    make_team: MakeTeam, one: str, other: str
) -> None:
    found = wanted(make_team("example", one, other))
    assert (one in found) is ((one, other) not in SUPERFLUOUS)
    assert (other in found) is ((other, one) not in SUPERFLUOUS)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (ContestStarted, {"LAP": Audience.EVERYBODY}),
        (GroupStarted, {"LGP": Audience.GROUP}),
        (GroupFinished, dict.fromkeys(("DGP", "GRP", "GRG", "GRR"), Audience.GROUP)),
        (RoundPlayed, {"OWN": Audience.LEAVING, "BRK": Audience.EVERYBODY}),
        (RoundFinished, {"RSM": Audience.REGISTERED}),
    ],
)
def test_each_event_has_its_reports_for_the_group_or_for_everybody(
    event: type, expected: dict[str, Audience]
) -> None:
    found = {r.code: r.to_whom for r in reports().values() if r.when is event}
    assert found.items() >= expected.items()


def test_a_code_without_a_report_is_not_offered() -> None:
    check_offered(Reports(offered=CODES))
    with pytest.raises(
        ConfigError, match=r"reports\.offered: there is no report 'LAB', only LAP, LGP"
    ):
        check_offered(Reports(offered=("LAP", "LAB")))
    check_offered(Reports(offered=("DGP", "RSM", "GRR"), places=3))
    with pytest.raises(ConfigError, match="the report GRG tells all games of all teams"):
        check_offered(Reports(offered=("DGP", "GRG"), places=3))


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("knobeln", "every throw"),
        ("cooperation", "every round"),
        ("ultimate-tic-tac-toe", "every move"),
    ],
)
def test_the_form_names_what_the_protocol_of_a_game_has_in_the_words_of_the_game(
    game: str, words: str
) -> None:
    facts = {"form": "", "rules": "", "ledger_key": "a+public/key="}
    templates = Templates(presets.settings(game, datetime(2027, 1, 4, tzinfo=UTC)), None)
    announced = templates.render("call", has_rules=True, **facts)
    assert f"for each of my games ({words})" in " ".join(announced.body.split())
