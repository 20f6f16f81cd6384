"""Organizers who date letters back, wait with the list of entries, or change what was announced
with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from contest.config.load import FILE_NAME
from contest.ledger.receipts import Effect
from knobeln.services import Services
from mailserver.intake.accept import accept
from store import ledger
from tests.support.letters import letter
from tests.support.mail_world import START, flat, from_line
from tests.support.mailed_contest import (
    CLOSES,
    DARK,
    HEAVY,
    HOUSE,
    LIGHT,
    LOST,
    MailedContest,
    Stages,
    address_of,
)
from tests.support.organizer import organizer_acts
from tests.support.organizers import Forgery, Verify, entries_in

Stage = Callable[[str], MailedContest]
DATED_BACK = (
    "a program of the_dark_lords_of_knobeln was accepted that is said to have come at 1994-05-14"
    " 09:58 UT, but its letter is none of those that waited at 1994-05-14 10:01 UT, when programs"
    " were no longer taken"
)
CHANGED = "settings, title, dates or rules were changed before 1994-05-14"


def store_program(contest: MailedContest, team: str, strategy: str) -> None:
    """A program that is in the database, but that nobody has looked at."""
    text = f"/*\n  {from_line(team, contest.strings[team])}*/\n{HOUSE[strategy]}"
    raw = letter(address_of(team), "please compile", text, Message_ID=f"<{strategy}@teams.example>")
    with contest.opened() as opened:
        to = (opened.settings.contest.address,)
        accept(opened.store, raw, address_of(team), to, "test", contest.clock.at)


def work(contest: MailedContest) -> None:
    """What the server does with the letters that wait."""
    with contest.opened() as opened:
        services = Services(opened)
        services.handle_letters()
        services.compile_programs(at_once=True)
        while services.list_entries():
            pass
    contest.bring_mails()


def effects(archive: Path) -> list[Effect]:
    return [each.effect for each in entries_in(archive)]


# --- letters after the deadline -------------------------------------------------------------------
def test_a_letter_that_is_dated_back_before_the_first_list_is_noticed(
    stage: Callable[[str], MailedContest], verify: Verify, tmp_path: Path
) -> None:
    """One letter waits at the deadline, so the list does. The organizer reads all programs, turns
    the clock back, and sends a better one for a team of friends."""
    contest = stage("open")
    contest.clock.at = CLOSES - timedelta(minutes=5)
    store_program(contest, LIGHT, "pavlov")
    contest.clock.at = CLOSES + timedelta(minutes=1)
    contest.tell_first_list()
    for team in (LIGHT, DARK, HEAVY, LOST):
        (told,) = contest.mails(team, "programs-closed")
        assert "1 letter that came in time still waits" in flat(told)
        assert told["X-Knobeln-Receipt"]
        assert contest.mails(team, "entries") == []
    contest.clock.at = CLOSES - timedelta(minutes=2)
    contest.send_program(DARK, "dice_cup")
    contest.clock.at = CLOSES + timedelta(minutes=40)
    work(contest)
    said = verify(contest.hold(tmp_path / "archive"))
    assert said.code == 3
    assert said.remarks == [DATED_BACK]  # and not the letter of LIGHT, which had waited


@pytest.mark.slow
def test_a_letter_that_waited_is_an_honest_one(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    contest = stage("open")
    contest.clock.at = CLOSES - timedelta(minutes=5)
    store_program(contest, LIGHT, "pavlov")
    contest.clock.at = CLOSES + timedelta(minutes=1)
    contest.tell_first_list()
    contest.clock.at = CLOSES + timedelta(minutes=4)
    work(contest)
    archive = contest.hold(tmp_path / "archive")
    assert [
        (each.at, each.effect) for each in entries_in(archive) if each.effect is Effect.LETTER_WAITS
    ] == [(CLOSES - timedelta(minutes=5), Effect.LETTER_WAITS)]
    said = verify(archive, contest.box(LIGHT))
    assert (said.code, said.remarks) == (0, []), said.text


@pytest.mark.slow
def test_a_close_that_is_entered_late_is_noticed(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    """The server is stopped at the deadline. Half an hour later the clock goes back for one
    letter."""
    contest = stage("open")
    contest.clock.at = CLOSES - timedelta(minutes=2)
    contest.send_program(DARK, "dice_cup")
    contest.clock.at = CLOSES + timedelta(minutes=31)
    contest.tell_first_list()
    said = verify(contest.hold(tmp_path / "archive"))
    assert said.code == 3
    assert said.remarks == [
        "programs were no longer taken from 1994-05-14 10:00 UT on, but the ledger says so only at "
        "1994-05-14 10:31 UT; until then a letter could be dated back"
    ]


def test_a_close_that_is_not_in_the_ledger_is_noticed(
    forgery: Forgery, honest: Stages, verify: Verify, tmp_path: Path
) -> None:
    del forgery.ledger[forgery.place_of(Effect.PROGRAMS_CLOSED)]
    archive = forgery.publish(tmp_path / "archive")
    (remark,) = verify(archive).remarks
    assert "but the ledger says so nowhere" in remark
    assert "the ledger was changed" in verify(archive, honest.kept["played"].box(LOST)).text


def test_a_letter_is_put_among_the_waiting_ones_later(
    forgery: Forgery, honest: Stages, verify: Verify, tmp_path: Path
) -> None:
    """It needs a second close, which is told; before the first one it would change the receipts."""
    program = forgery.ledger.pop(forgery.place_of(Effect.PROGRAM_ACCEPTED, DARK))
    closed = forgery.place_of(Effect.PROGRAMS_CLOSED)
    again = replace(forgery.ledger[closed], at=CLOSES + timedelta(minutes=2))
    waits = replace(program, effect=Effect.LETTER_WAITS, team="", digest="")
    forgery.ledger[closed + 1 : closed + 1] = [waits, again, program]
    archive = forgery.publish(tmp_path / "archive")
    assert "programs were taken again after 1994-05-14 10:01 UT, because the date was moved" in (
        verify(archive).remarks
    )
    assert "the ledger was changed" in verify(archive, honest.kept["played"].box(LOST)).text


@pytest.mark.parametrize(("minutes", "is_late"), [(58, False), (62, True)], ids=str)
def test_a_first_list_that_comes_shortly_before_the_start_is_noticed(
    forgery: Forgery, verify: Verify, tmp_path: Path, minutes: int, is_late: bool
) -> None:
    at = CLOSES + timedelta(minutes=minutes)
    place = forgery.place_of(Effect.ENTRIES_LISTED)
    forgery.ledger[place] = replace(forgery.ledger[place], at=at)
    with forgery.json("entry_lists.json") as lists:
        lists[0]["at"] = f"{at:%Y-%m-%dT%H:%M:%SZ}"
    said = verify(forgery.publish(tmp_path / "archive"))
    assert [each for each in said.remarks if each.startswith("the first list went out at")] == (
        [
            f"the first list went out at {at:%Y-%m-%d %H:%M} UT, long after 1994-05-14 10:00 UT,"
            " when programs were no longer taken; the contest started at 1994-05-14 12:00 UT, and"
            " the announced time for objections ended at 1994-05-14 12:00 UT"
        ]
        if is_late
        else []
    )


# --- what was announced with the first list -------------------------------------------------------
def rewrite(contest: MailedContest, old: str, new: str) -> None:
    """Change contest.toml."""
    file = contest.folder / FILE_NAME
    text = file.read_text()
    assert text.count(old) == 1, text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("L = 40", "L = 41"),
        pytest.param("title = ", 'title = "Another" # ', marks=pytest.mark.slow),
    ],
    ids=["throws", "title"],
)
def test_settings_that_change_after_the_first_list_are_told_to_all(
    stage: Callable[[str], MailedContest], verify: Verify, tmp_path: Path, old: str, new: str
) -> None:
    """The organizer has read all programs by then."""
    contest = stage("listed")
    rewrite(contest, old, new)
    contest.clock.at = CLOSES + timedelta(minutes=30)
    work(contest)
    for team in (LIGHT, LOST):
        (told,) = contest.mails(team, "settings-changed")
        assert "Settings, title, dates or rules are not those that were valid" in flat(told)
        assert told["X-Knobeln-Receipt"]
    archive = contest.hold(tmp_path / "archive")
    assert effects(archive).count(Effect.SETTINGS_CHANGED) == 1
    said = verify(archive)
    assert said.code == 3
    assert [each for each in said.remarks if each.startswith(CHANGED)], said.text


@pytest.mark.slow
def test_settings_that_change_with_the_start_are_told_in_the_final_list(
    stage: Callable[[str], MailedContest], verify: Verify, tmp_path: Path
) -> None:
    """The server was stopped, so that nobody should hear of it before."""
    contest = stage("listed")
    rewrite(contest, "L = 40", "L = 41")
    archive = contest.hold(tmp_path / "archive")
    (_first, final) = contest.mails(LOST, "entries")
    assert "Settings, title, dates or rules are not those that were valid" in flat(final)
    assert [each for each in verify(archive).remarks if each.startswith(CHANGED)]


@pytest.mark.slow
def test_a_date_that_moves_after_the_first_list_is_under_a_receipt(
    stage: Callable[[str], MailedContest], verify: Verify, tmp_path: Path
) -> None:
    contest = stage("listed")
    moved = {"contest_starts": START + timedelta(minutes=4)}
    with contest.opened() as opened:
        written = opened.written
        organizer_acts(opened, lambda organizer: organizer.move_dates(written, moved, ""))
        with opened.store.read() as tx:
            *_, last = ledger.entries(tx)
        assert last.effect is Effect.SETTINGS_CHANGED
    work(contest)
    (told,) = contest.mails(LOST, "dates-moved")
    assert told["X-Knobeln-Receipt"]
    assert contest.mails(LOST, "settings-changed") == []  # one mail is enough
    contest.clock.at = START + timedelta(minutes=5)
    contest.start()
    contest.clock.at = START + timedelta(minutes=21)
    contest.play()
    archive = contest.publish(tmp_path / "archive")
    assert [each for each in verify(archive).remarks if each.startswith(CHANGED)]
    assert verify(archive, contest.box(LOST)).code == 3


@pytest.mark.slow
def test_a_change_that_the_ledger_hides_is_noticed(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    contest = stage("listed")
    rewrite(contest, "L = 40", "L = 41")
    forgery = Forgery(contest.folder, contest.hold(tmp_path / "honest"))
    del forgery.ledger[forgery.place_of(Effect.SETTINGS_CHANGED)]
    assert [
        each for each in verify(forgery.publish(tmp_path / "1")).remarks if each.startswith(CHANGED)
    ]
    first = forgery.place_of(Effect.ENTRIES_LISTED)
    final = forgery.place_of(Effect.ENTRIES_FINAL)
    forgery.ledger[first] = replace(forgery.ledger[first], letter=forgery.ledger[final].letter)
    assert verify(forgery.publish(tmp_path / "2")).remarks == []
    assert "the ledger was changed" in verify(tmp_path / "2", contest.box(LOST)).text


@pytest.mark.parametrize("what", ["closes", "rules"])
def test_an_archive_with_other_settings_than_the_frozen_ones_is_refused(
    forgery: Forgery, verify: Verify, tmp_path: Path, what: str
) -> None:
    with forgery.json("contest.json") as facts:
        if what == "closes":
            facts["settings"]["dates"]["compilation_closes"] = "1994-05-14T10:30:00Z"
    if what == "rules":
        forgery.files["rules.md"] += b"The organizer wins.\n"
    said = verify(forgery.publish(tmp_path / "archive"))
    assert said.code == 1
    words = "title, dates, rules or settings are not those that ledger.txt has with the final list"
    assert words in said.text


def test_a_title_that_changes_after_the_start_is_not_in_the_archive(
    stage: Callable[[str], MailedContest], verify: Verify, tmp_path: Path
) -> None:
    contest = stage("played")
    rewrite(contest, "title = ", 'title = "Another" # ')
    archive = contest.publish(tmp_path / "archive")
    assert '"title": "Another"' not in (archive / "contest.json").read_text()
    assert verify(archive).code == 0
