"""The reports of the contest day in German, for a whole contest and for a single team."""

import re
from dataclasses import replace

import pytest

from contest.interfaces.events import EntriesListed
from contest.ledger.entry_list import AbsentTeam, EntryList, SealedEntry, SealedList
from contest.model import Team
from reports.contest_reporter import ContestReporter
from reports.render import Templates
from reports.text import WIDTH, columns_of
from tests.support.contest_field import NOW as START
from tests.support.german import english_in, german
from tests.support.other_contests import BIDDERS, COOPERATORS, play, settings_of, teams_of

# Why a move was illegal is kept with the results, which have no language; forms and names are the
# teams' own.
_ENGLISH_LINES = ("- in ", "- im ", "  ", "Organization:", "The referees: ")


@pytest.mark.parametrize("strategies", ["cooperation", "bid-tac-toe"])
def test_no_report_of_a_german_contest_has_english_sentences(strategies: str) -> None:
    programs = {"cooperation": COOPERATORS, "bid-tac-toe": BIDDERS}[strategies]
    played = play(
        german(settings_of(strategies)), programs, teams_of(list(programs), ("MIT", "Caltech"))
    )
    assert played.mails
    for key, mail in played.mails.items():
        lines = [
            line
            for line in f"{mail.lead}{mail.body}".split("\n")
            if not line.startswith(_ENGLISH_LINES)
        ]
        assert not english_in("\n".join(lines)), (key, mail.body)
        assert not re.search(r"\b(Zug|Züge)", mail.body)  # both games call a turn a round
        assert max(map(columns_of, mail.body.split("\n"))) <= WIDTH
    assert "gespielt" in played.announcement
    summary = next(mail for key, mail in played.mails.items() if "/RSM/" in key)
    assert bool(re.search(r"\d,\d", summary.body)) is (strategies == "bid-tac-toe")  # half points
    assert not re.search(r"\d\.\d \S", summary.body)


def test_what_has_changed_on_the_list_of_entries_is_told_in_german() -> None:
    settings = german(settings_of("cooperation"))
    reporter = ContestReporter(settings, Templates(settings, None))
    kept, *others = (SealedEntry(name, "11", "22") for name in ("kept", "left", "lost", "changed"))
    before = SealedList(1, START, is_final=False, list=EntryList.of([kept, *others]), absent=())
    entries = EntryList.of(
        [kept, SealedEntry("changed", "33", "44"), SealedEntry("came", "55", "66")]
    )
    absent = (AbsentTeam("left", "it is withdrawn"), AbsentTeam("lost", "no accepted program"))
    after = SealedList(2, START, is_final=True, list=entries, absent=absent)
    teams = teams_of(["kept"])
    event = EntriesListed(teams=teams, listed=after, before=before, draw=None, is_changed=False)
    (mail,) = reporter.mails(event)
    assert mail.lead.startswith("kept steht auf der ")
    assert re.findall(r"^  - (.*)", mail.body, re.MULTILINE) == [
        "came kam dazu.",
        "changed hat ein anderes Programm.",
        "left wurde herausgenommen: das Team hat sich zurückgezogen.",
        "lost wurde herausgenommen: kein angenommenes Programm.",
    ]


def in_german(team: Team) -> Team:
    return replace(team, registration=replace(team.registration, fields=(("language", "de"),)))


def test_a_team_gets_all_reports_in_its_own_language() -> None:
    first, *others = list(COOPERATORS)
    everybody = teams_of([first, *others])
    mixed = {**everybody, first: in_german(everybody[first])}
    played = play(settings_of("cooperation"), COOPERATORS, mixed)
    own = {key: mail for key, mail in played.mails.items() if mail.to == mixed[first].address}
    usual = play(settings_of("cooperation"), COOPERATORS, everybody).mails
    assert own
    assert played.mails.keys() == usual.keys()
    for key, mail in played.mails.items():
        if key in own:
            assert mail.body != usual[key].body
            assert "(ein Roboter)" in mail.body
        elif "/LAP/" not in key:  # which has the registration with the language in it
            assert mail == usual[key]
