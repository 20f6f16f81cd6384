"""`knobeln teams forget`: the people of a team are in no file of the contest's folder any more."""

from __future__ import annotations

import quopri
import re
from base64 import b64decode
from pathlib import Path

import pytest

from knobeln.services import Services
from mailserver.delivery.transports import MAILDIRS
from store import class_people, teams
from store.class_people import ListedPerson
from tests.support.archives import knobeln
from tests.support.mail_world import REGISTER, from_line, told
from tests.support.mailed_contest import (
    DARK,
    HEAVY,
    HOUSE,
    LIGHT,
    START,
    MailedContest,
    address_of,
    form_of,
    small_settings,
)

PERSON, NUMBER = "Zebedee Quux", "No. 4711 of Quux"  # no digest has these by chance
BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{60,76}\r?\n)+[A-Za-z0-9+/=]+")


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> MailedContest:
    """A contest that is over; all want to know all about all teams."""
    contest = MailedContest.create(
        tmp_path_factory.mktemp("over") / "contest", small_settings(beacon="none")
    )
    contest.take_part({HEAVY: "dice_cup", LIGHT: "log_dice"})
    contest.clock.at = START.replace(day=11)
    contest.send(DARK, REGISTER, form_of(DARK).replace("Joe Cool", PERSON))
    contest.strings[DARK] = told(contest.mails(DARK)[0])[1]
    contest.send(HEAVY, "a question", f"Who is {PERSON}?")
    head = f"/*\n  {from_line(DARK, contest.strings[DARK])}*/\n"
    contest.send(DARK, "please compile", f"Greetings from {PERSON}.\n{head}{HOUSE['pavlov']}")
    with contest.opened() as opened, opened.store.write() as tx:
        class_people.put(tx, [ListedPerson(address_of(DARK), PERSON, DARK, (("number", NUMBER),))])
    contest.go_on(contest.place / "archive")
    return contest


def files_with(folder: Path, words: bytes) -> list[str]:
    """The files in which these words are, as they are or in an encoding of mails."""

    def readings(raw: bytes) -> list[bytes]:
        lines = (re.sub(rb"[\s=]", b"", each) for each in BASE64.findall(raw))
        packed = [b64decode(each[: len(each) // 4 * 4]) for each in lines]
        return [raw, quopri.decodestring(raw), *packed]

    files = [path for path in folder.rglob("*") if path.is_file() and MAILDIRS not in path.parts]
    small = words.lower()
    return [
        path.name
        for path in files
        if any(small in each.lower() for each in readings(path.read_bytes()))
    ]


@pytest.mark.parametrize("words", [PERSON.encode(), address_of(DARK).encode(), NUMBER.encode()])
def test_nothing_of_a_forgotten_team_is_left(
    over: MailedContest, tmp_path: Path, words: bytes
) -> None:
    contest = over.copied(tmp_path / "copy")
    assert files_with(contest.folder, words)
    done = knobeln("teams", "forget", DARK, "--reason", "they asked for it", "-C", contest.folder)
    assert done.exit_code == 0, done.output
    assert files_with(contest.folder, words) == []
    assert files_with(contest.folder, address_of(HEAVY).encode())  # others are not forgotten


def test_the_results_stay_and_can_be_checked(over: MailedContest, tmp_path: Path) -> None:
    contest = over.copied(tmp_path / "copy")
    assert knobeln("teams", "forget", DARK, "--reason", "so", "-C", contest.folder).exit_code == 0
    archive = contest.publish(tmp_path / "archive")
    assert PERSON in (over.place / "archive" / "entries.json").read_text()
    assert PERSON not in (archive / "entries.json").read_text()
    for path in ("ranking.json", "ledger.txt", "seal.json"):
        assert (archive / path).read_bytes() == (over.place / "archive" / path).read_bytes()
    done = knobeln("verify", archive)
    # no number
    assert "Every result follows if you believe " in done.output
    assert knobeln("teams", "-C", contest.folder).exit_code == 0
    assert knobeln("teams", "show", DARK, "-C", contest.folder).exit_code == 0


def test_who_was_forgotten_is_a_stranger(over: MailedContest, tmp_path: Path) -> None:
    contest = over.copied(tmp_path / "copy")
    assert knobeln("teams", "forget", DARK, "--reason", "so", "-C", contest.folder).exit_code == 0
    contest.send_program(DARK, "dice_cup")
    assert len(contest.mails(DARK, "wrong-authentification")) == 1


def test_a_team_that_plays_and_mails_that_wait_come_first(tmp_path: Path) -> None:
    contest = MailedContest.create(tmp_path / "contest", small_settings(beacon="none"))
    contest.register(DARK)
    forget = ("teams", "forget", DARK, "--reason", "so", "-C", contest.folder)
    assert "still plays" in knobeln(*forget).output
    contest.send(DARK, "withdraw", from_line(DARK, contest.strings[DARK]))
    with contest.opened() as opened, opened.store.write() as tx:
        assert teams.named(tx, DARK).state == "withdrawn"
    assert knobeln(*forget, "--dry-run").exit_code == 0
    assert files_with(contest.folder, address_of(DARK).encode())
    assert knobeln(*forget).exit_code == 0
    assert files_with(contest.folder, address_of(DARK).encode()) == []
    with contest.opened() as opened:
        Services(opened).handle_letters()
