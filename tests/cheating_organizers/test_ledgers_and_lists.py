"""Organizers who lose letters, put letters in, or tell two teams different things."""

import base64
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contest.ledger import signatures
from contest.ledger.receipts import Effect, LedgerEntry
from contest.model import BanKind
from store import decisions, teams
from tests.support.mail_world import START, body_of, flat
from tests.support.mailed_contest import CLOSES, DARK, HEAVY, LIGHT, LOST, MailedContest, Stages
from tests.support.organizers import Forgery, Verify, signing_key
from trust.archive import files

Stage = Callable[[str], MailedContest]


# --- the ledger is edited and signed again --------------------------------------------------------
def lose_the_program(forgery: Forgery) -> None:
    del forgery.ledger[forgery.place_of(Effect.PROGRAM_ACCEPTED, HEAVY)]


def put_in_a_letter(forgery: Forgery) -> None:
    forgery.ledger.insert(1, LedgerEntry(Effect.WITHDRAWN, "a_rival", CLOSES, "ab" * 32))


def change_a_program(forgery: Forgery) -> None:
    place = forgery.place_of(Effect.PROGRAM_ACCEPTED, HEAVY)
    forgery.ledger[place] = replace(forgery.ledger[place], digest="ab" * 32)


def cut_off_the_end(forgery: Forgery) -> None:
    del forgery.ledger[forgery.place_of(Effect.ENTRIES_FINAL) :]


Wrong = Callable[[Forgery], None]
CHANGED = "the ledger was changed: up to entry"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lose_the_program, CHANGED),
        (put_in_a_letter, CHANGED),
        (change_a_program, CHANGED),
        (cut_off_the_end, "is missing: the archive's ledger ends with entry"),
    ],
)
def test_receipts_show_that_the_ledger_was_edited_and_signed_again(
    forgery: Forgery, honest: Stages, verify: Verify, tmp_path: Path, wrong: Wrong, words: str
) -> None:
    wrong(forgery)
    said = verify(forgery.publish(tmp_path / "archive"), honest.kept["played"].box(HEAVY))
    assert said.code == 1
    assert words in said.text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lose_the_program, f"no program of {HEAVY} was accepted, but it has played"),
        (change_a_program, f"the program of {HEAVY} is none of the accepted ones in ledger.txt"),
        (cut_off_the_end, "entry_lists.json has not the lists that ledger.txt has"),
    ],
)
def test_some_of_that_is_noticed_without_any_mail(
    forgery: Forgery, verify: Verify, tmp_path: Path, wrong: Callable[..., Any], words: str
) -> None:
    wrong(forgery)
    said = verify(forgery.publish(tmp_path / "archive"))
    assert said.code == 1
    assert words in said.text


@pytest.mark.parametrize("file", ["ledger.txt", "seal.json"])
def test_an_archive_without_its_proofs_is_refused(
    forgery: Forgery, verify: Verify, tmp_path: Path, file: str
) -> None:
    del forgery.files[file]
    files.write(tmp_path / "without", forgery.files)
    said = verify(tmp_path / "without")
    assert said.code == 1
    assert (
        said.text
        == f"knobeln: the results do not follow. The first difference (form): {file} is missing\n"
    )


def test_a_team_whose_letter_was_never_answered_reads_in_the_list_that_it_is_missing(
    honest: Stages,
) -> None:
    (first, final) = honest.kept["played"].mails(LOST, "entries")
    assert f"{LOST}: no accepted program" in flat(first)
    assert "Then object before 1994-05-14" in flat(first)
    assert "Nothing has changed; now the list is final" in flat(final)
    text, _, _signature = body_of(final).partition("\n-- ")
    assert len(text.splitlines()) <= 6


# --- late programs --------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("at", "words"),
    [
        (
            CLOSES + timedelta(minutes=30),
            "was accepted that came at 1994-05-14 10:30 UT, when programs were no",
        ),
        (
            CLOSES - timedelta(hours=3),
            "was accepted after the list of 1994-05-14 10:01 UT had gone out",
        ),
    ],
    ids=["late", "dated back"],
)
def test_a_program_after_the_deadline_is_shown_even_if_it_is_dated_back(
    forgery: Forgery, honest: Stages, verify: Verify, tmp_path: Path, at: object, words: str
) -> None:
    """The same program plays, so that all else is in order; only when it came is another."""
    program = forgery.ledger.pop(forgery.place_of(Effect.PROGRAM_ACCEPTED, DARK))
    place = forgery.place_of(Effect.ENTRIES_FINAL)
    forgery.ledger.insert(place, replace(program, at=at))  # type: ignore[arg-type]
    archive = forgery.publish(tmp_path / "archive")
    said = verify(archive)
    assert any(words in remark for remark in said.remarks), said.text
    assert "the ledger was changed" in verify(archive, honest.kept["played"].box(LIGHT)).text


def test_a_first_list_that_was_never_sent_is_shown(
    forgery: Forgery, honest: Stages, verify: Verify, tmp_path: Path
) -> None:
    del forgery.ledger[forgery.place_of(Effect.ENTRIES_LISTED)]
    with forgery.json("entry_lists.json") as lists:
        del lists[0]
    archive = forgery.publish(tmp_path / "archive")
    words = "the teams got no list of entries before the final one, so nobody could object to it"
    assert words in verify(archive).remarks
    assert "the ledger was changed" in verify(archive, honest.kept["played"].box(LOST)).text


# --- two teams are told different things ----------------------------------------------------------
def other_future(stage: Stage) -> MailedContest:
    """The contest that LIGHT is told of: DARK was dropped, unknown to the ledger, and is not
    listed."""
    contest = stage("listed")
    with contest.opened() as opened, opened.store.write() as tx:
        team = teams.by_name(tx, DARK)
        assert team is not None
        decisions.ban(tx, team.id, BanKind.DROPPED, "", contest.clock.now())
    contest.clock.at = START + timedelta(seconds=5)
    contest.start()
    return contest


def test_two_teams_that_were_told_different_lists_find_out(
    stage: Callable[[str], MailedContest],
    honest: Stages,
    verify: Verify,
    one_box: Callable[..., Path],
) -> None:
    light = other_future(stage).box(LIGHT)
    assert "the ledger was changed: up to entry" in verify(honest.archive, light).text
    both = verify(honest.archive, one_box(honest.kept["played"].box(HEAVY), light))
    assert both.code == 1
    assert "have different receipts of one entry" in both.text


def retold(contest: MailedContest, team: str, old: str, new: str) -> Path:
    """The Maildir of this team, which was told something else."""
    changed = 0
    for file in (contest.box(team) / "new").iterdir():
        raw = file.read_bytes()
        file.write_bytes(raw.replace(old.encode(), new.encode()))
        changed += old.encode() in raw
    assert changed
    return contest.box(team)


def test_two_teams_that_were_told_different_commitments_find_out(
    stage: Stage, honest: Stages, verify: Verify, one_box: Callable[..., Path], forgery: Forgery
) -> None:
    with forgery.json("contest.json") as facts:
        commitment = facts["seed_commitment"]
    told = f"knobeln/{commitment}"[:66]  # a line of the mail
    light = retold(stage("played"), LIGHT, told, told.replace(commitment[:8], "ab" * 4))
    heavy = honest.kept["played"].box(HEAVY)
    said = verify(honest.archive, one_box(heavy, light))
    assert said.code == 1
    assert f"names {'ab' * 4}{commitment[8:]} as the sha256 of the secret number" in said.text


def test_two_teams_that_were_told_different_keys_find_out(
    stage: Callable[[str], MailedContest],
    honest: Stages,
    verify: Verify,
    one_box: Callable[..., Path],
) -> None:
    contest = stage("played")
    key, other = (
        base64.b64encode(b"\x01" + signatures.public_key(each)).decode()
        for each in (signing_key(contest.folder), bytes(32))
    )
    light = retold(contest, LIGHT, key, other)
    said = verify(honest.archive, one_box(honest.kept["played"].box(HEAVY), light))
    assert said.code == 1
    assert "names another key than" in said.text


def test_a_mail_with_another_root_than_its_receipt_is_noticed(
    stage: Callable[[str], MailedContest], honest: Stages, verify: Verify, forgery: Forgery
) -> None:
    with forgery.json("seal.json") as seal:
        root = seal["entries_root"]
    said = verify(honest.archive, retold(stage("played"), LOST, root, "ab" * 32))
    assert said.code == 1
    assert "tells another digest than entry" in said.text


def test_a_file_with_another_list_than_the_root_is_noticed(
    stage: Callable[[str], MailedContest], honest: Stages, verify: Verify, forgery: Forgery
) -> None:
    with forgery.json("entry_lists.json") as lists:
        listed = "".join(
            "{team}\n{program}\n{build}\n".format(**entry) for entry in lists[-1]["entries"]
        )
    told = listed.replace(DARK, "the_hidden_friends_of_organizer")
    old, new = (base64.encodebytes(each.encode()).decode() for each in (listed, told))
    said = verify(honest.archive, retold(stage("played"), HEAVY, old, new))
    assert said.code == 1
    assert "is another one than its root says" in said.text
