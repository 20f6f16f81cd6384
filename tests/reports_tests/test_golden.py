"""The mails of a small contest, byte for byte, so that people see what they look like.

`KNOBELN_GOLDEN=write pytest tests/reports_tests/test_golden.py` writes them anew; read the
difference.
"""

import gzip
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from contest.config.settings import Settings
from contest.interfaces.events import GroupFinished, GroupStarted, RoundFinished
from contest.model import Certainty, Outgoing, TeamCertainty
from knobellib.software import protocolfmt
from reports.announcement import announcement
from reports.contest_reporter import ContestReporter
from reports.render import Templates
from tests.reports_tests.conftest import SmallContest
from tests.support.golden import compare, whole_mail

WORDS = "What a round! Nobody expected the cooperators.\n\n  * I did not.\n  * Neither did they."
MAILS = {
    "lap": "contest/LAP/example",
    "no_program": "contest/no-program/latecomer",
    "lgp": "round/1/group/2/LGP/greedy",
    "dgp": "round/1/group/2/DGP/zero_thrower",
    "grp": "round/1/group/2/GRP/greedy",
    "grg": "round/1/group/2/GRG/zero_thrower",
    "grr": "round/1/group/2/GRR/greedy",
    "rsm": "round/1/RSM/example",
    "rsm_final": "round/2/RSM/example",
}


CERTAIN = Certainty(
    contests=1_000,
    margin=4,
    teams=(
        TeamCertainty("patient_cooperator", 1, 912, 1_000, 1, 2, 88),
        TeamCertainty("silent", 2, 87, 1_000, 1, 2, 3),
        TeamCertainty("example", 3, 1, 412, 3, 5, 588),
    ),
    alike=(("silent", "example"),),
    likely_winners=("patient_cooperator", "silent"),
)


@pytest.fixture(scope="module")
def mails(reporter: ContestReporter, contest: SmallContest) -> Mapping[str, Outgoing]:
    """All mails of the contest day by their keys."""

    def of_the_day() -> Iterator[Outgoing]:
        yield from reporter.mails(contest.started)
        for group in contest.first.groups:
            yield from reporter.mails(GroupStarted(teams=contest.teams, plan=group.plan))
            yield from reporter.mails(GroupFinished(teams=contest.teams, outcome=group))
        yield from reporter.mails(
            RoundFinished(teams=contest.teams, history=[contest.first], words=WORDS)
        )
        yield from reporter.mails(replace(contest.finished, certainty=CERTAIN))

    return {mail.key: mail for mail in of_the_day()}


@pytest.mark.parametrize("name", sorted(MAILS))
def test_a_mail_looks_as_it_did(mails: Mapping[str, Outgoing], name: str) -> None:
    compare(name, whole_mail(mails[MAILS[name]]))


def test_the_attached_protocols_look_as_they_did(mails: Mapping[str, Outgoing]) -> None:
    (attachment,) = mails[MAILS["dgp"]].attachments
    compact = gzip.decompress(attachment.data).decode()
    compare("dgp_attachment", compact)
    compare("protocol_in_full", protocolfmt.in_full(next(protocolfmt.games_of(compact))))


def test_the_attached_registrations_look_as_they_did(mails: Mapping[str, Outgoing]) -> None:
    (attachment,) = mails[MAILS["lap"]].attachments
    compare("lap_attachment", attachment.data.decode())


def test_the_announcement_looks_as_it_did(
    contest: SmallContest, settings: Settings, templates: Templates
) -> None:
    history, ranking = (contest.first, contest.final), contest.ranking
    posting = announcement(
        history, ranking, contest.evolution, contest.seed, {}, settings, templates
    )
    compare("announcement", f"Subject: {posting.subject}\n\n{posting.body}")
    without = announcement((contest.final,), ranking, None, contest.seed, {}, settings, templates)
    assert "Evolution" not in without.body


@pytest.fixture
def posted(contest: Any, settings: Settings) -> Callable[[bool], str]:
    """The posting of a contest with pages. `programs`: whether these show the programs."""

    def post(programs: bool) -> str:
        with_pages = settings.changed(site={"url": "https://spring.example/", "programs": programs})
        history, templates = (contest.first, contest.final), Templates(with_pages, None)
        facts = contest.ranking, contest.evolution, contest.seed
        return announcement(history, *facts, {}, with_pages, templates).body

    return post


def test_where_the_archive_is_beside_the_pages_the_results_lead_to_the_check_page(
    posted: Callable[[bool], str],
) -> None:
    assert "check these results:\n  https://spring.example/verify.html\n" in posted(True)


def test_where_pages_show_no_programs_the_results_lead_to_no_check_page(
    posted: Callable[[bool], str],
) -> None:
    assert "verify.html" not in posted(False)


def test_a_team_without_a_program_is_told_when_a_season_takes_programs_again(
    settings: Settings,
) -> None:
    facts = {"seed_commitment": "5eed", "entries_root": "4007", "number_of_teams": 3}
    of_season = settings.changed(season={"tournaments": 2})
    once = Templates(settings, None).render("no_program", is_pending=False, **facts).body
    again = Templates(of_season, None).render("no_program", is_pending=False, **facts).body
    assert "no longer accepted" in " ".join(once.split())
    assert "programs are taken again after the results" in " ".join(again.split())
    assert "no longer accepted" not in " ".join(again.split())
