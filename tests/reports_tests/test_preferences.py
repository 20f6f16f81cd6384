"""Who gets which report (K91-K95), and a report that another package adds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import pytest

from contest import presets
from contest.config.settings import Settings
from contest.errors import ConfigError
from contest.games.registry import game_of
from contest.interfaces.events import (
    ContestStarted,
    Event,
    GroupFinished,
    GroupStarted,
    RoundFinished,
    RoundPlayed,
)
from contest.ledger.entry_list import EntryList
from contest.mail.form import record_text
from contest.model import Outgoing, Team
from contest.schema.sections import KNOBELN_REPORTS, Reports
from contest.seeds import ContestSeed
from mailserver.commands import COMMANDS, help_topics
from mailserver.reading import registration_form
from reports.contest_reporter import ContestReporter
from reports.kinds import BUILT_IN, check_offered, reports
from reports.kinds.base import Audience, Mailing, Report
from reports.render import Templates

CODES = tuple(reports())
SUPERFLUOUS = {(report.code, report.contained_in) for report in reports().values()}


def wanted(team) -> list[str]:
    return [report.code for report in reports().values() if report.is_wanted_by(team)]


def test_the_reports_of_the_announcement_come_first_in_its_order() -> None:
    assert CODES[: len(KNOBELN_REPORTS)] == KNOBELN_REPORTS


@pytest.mark.parametrize("code", CODES)
def test_a_team_gets_what_it_asked_for_and_nothing_else(make_team, code) -> None:
    assert wanted(make_team("example", code)) == [code]


@pytest.mark.parametrize(("one", "other"), list(combinations(CODES, 2)))
def test_of_two_reports_one_is_dropped_only_if_the_other_contains_it(make_team, one, other) -> None:
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
def test_each_event_has_its_reports_for_the_group_or_for_everybody(event, expected) -> None:
    found = {r.code: r.to_whom for r in reports().values() if r.when is event}
    assert found.items() >= expected.items()


@dataclass(frozen=True, kw_only=True)
class OneLeaves(Event):
    """An event that concerns the first of the teams."""

    title = moment = "one leaves"
    key = "leaving"

    @property
    def concerned(self) -> Sequence[Team]:
        return list(self.teams.values())[:1]


class Farewell(Report[OneLeaves]):
    code = "FAR"
    meaning = "send a farewell"
    when = OneLeaves
    to_whom = Audience.LEAVING
    contained_in = "RSM"
    template = "Subject: farewell\n\nGoodbye, {{ name }}.\n"

    def write(self, mailing: Mailing[OneLeaves], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        return (self.own_mail(mailing, team, {"name": team.name}) for team in wanting)


class FarewellToAll(Farewell):
    to_whom = Audience.EVERYBODY


@pytest.fixture
def recipients(settings, monkeypatch):
    """The teams that get this report, of those given; the event concerns the first."""

    def found(report: Report[OneLeaves], *teams: Team, offered: Sequence[str] = ("FAR",)) -> list[str]:
        monkeypatch.setattr("reports.kinds.BUILT_IN", (*BUILT_IN, report))
        chosen = settings.model_copy(update={"reports": Reports.model_construct(offered=tuple(offered))})
        game = game_of(settings.game, settings.programs).info
        event = OneLeaves(teams={team.name: team for team in teams})
        mails = report.due(Mailing(event, chosen, Templates(settings, None), game))
        return [mail.body.removeprefix("Goodbye, ").strip(".\n") for mail in mails]

    return found


def test_an_offered_report_goes_to_the_teams_that_the_event_concerns_or_to_all(make_team, recipients) -> None:
    teams = [make_team("c", "FAR"), make_team("a"), make_team("b", "FAR"), make_team("d", "FAR", "RSM")]
    assert recipients(Farewell(), *teams) == ["c"]
    assert recipients(FarewellToAll(), *teams) == ["c", "b"]
    assert recipients(FarewellToAll(), make_team("a")) == []
    assert recipients(FarewellToAll(), make_team("a", "FAR"), offered=("OWN",)) == []


def test_a_code_without_a_report_is_not_offered() -> None:
    check_offered(Reports(offered=CODES))
    with pytest.raises(ConfigError, match=r"reports\.offered: there is no report 'LAB', only LAP, LGP"):
        check_offered(Reports(offered=("LAP", "LAB")))
    check_offered(Reports(offered=("DGP", "RSM", "GRR"), places=3))
    with pytest.raises(ConfigError, match="the report GRG tells all games of all teams"):
        check_offered(Reports(offered=("DGP", "GRG"), places=3))


# --- a report of another package ---------------------------------------------------------------------------
@pytest.fixture
def another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that adds the report NWS, as it is found when it is installed."""
    (tmp_path / "news_report.py").write_text(
        """
from contest.interfaces.events import ContestStarted
from reports.kinds.base import Audience, Report

class News(Report[ContestStarted]):
    code = "NWS"
    meaning = "send news of the contest day"
    when = ContestStarted
    to_whom = Audience.EVERYBODY
    template = "Subject: news\\n\\nGood morning, {{ number }} teams.\\n"

    def write(self, mailing, wanting):
        return self.same_mail(mailing, wanting, number=len(mailing.event.teams))

REPORT = News()
"""
    )
    facts = tmp_path / "news_report-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: news-report\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[knobeln.reports]\nnews = news_report:REPORT\n")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("another_package")
def test_a_report_of_an_installed_package_is_announced_explained_and_sent(settings, make_team) -> None:
    offering = settings.model_copy(update={"reports": Reports(offered=("RSM", "NWS"))})
    check_offered(offering.reports)
    templates = Templates(offering, None)
    meaning = "NWS  send news of the contest day"

    form = record_text(make_team("a", "NWS").registration)
    assert registration_form.read(form.split("\n"), offering).registration.preferences == ("NWS",)

    topic = help_topics.find("nws", COMMANDS, offering)
    facts = {"topic": topic, "word": "nws", "form": form, "near": (), "all_words": ()}
    assert "send news of the contest day" in templates.render("help_word", **facts).body
    call = {"form": form, "rules": "", "ledger_key": "a+public/key="}
    announced = templates.render("call", **call).body
    assert meaning in announced
    assert "NWS  when the contest starts" in announced
    assert meaning in templates.render("help_word", **{**facts, "topic": command_topic(offering)}).body

    teams = {"a": make_team("a", "NWS"), "b": make_team("b", "RSM")}
    event = ContestStarted(teams=teams, seed=ContestSeed(bytes(32)), sealed=EntryList(()))
    (mail,) = ContestReporter(offering, templates).mails(event)
    assert (mail.kind, mail.to, mail.body) == ("NWS", "a@machine.example", "Good morning, 2 teams.\n")


def command_topic(settings: Settings) -> help_topics.Topic | None:
    return help_topics.find("mail-preference", COMMANDS, settings)


@pytest.mark.parametrize(
    ("game", "words"),
    [("knobeln", "every throw"), ("cooperation", "every round"), ("ultimate-tic-tac-toe", "every move")],
)
def test_the_form_names_what_the_protocol_of_a_game_has_in_the_words_of_the_game(game, words) -> None:
    facts = {"form": "", "rules": "", "ledger_key": "a+public/key="}
    templates = Templates(presets.settings(game, datetime(2027, 1, 4, tzinfo=UTC)), None)
    announced = templates.render("call", has_rules=True, **facts)
    assert f"for each of my games ({words})" in " ".join(announced.body.split())
