"""Organizers who write letters in a team's name, or change what a team wrote in its form."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select, update

from contest.ledger.receipts import Effect
from contest.schema.sections import ExtraField
from store.tables import teams
from tests.support.mail_world import FORM, flat, from_line
from tests.support.mailed_contest import (
    CLOSES,
    DARK,
    HEAVY,
    LIGHT,
    PROGRAMS,
    MailedContest,
    small_settings,
)
from tests.support.organizers import Verify, entries_in

pytestmark = pytest.mark.slow
Stage = Callable[[str], MailedContest]


def without_its_answer(contest: MailedContest, team: str, send: Callable[[], None]) -> None:
    """Send a letter in a team's name, and delete the answer before the team has it."""
    box = contest.box(team)
    kept = shutil.copytree(box, box.with_name("kept"))
    send()
    shutil.rmtree(box)
    kept.rename(box)


def test_who_was_withdrawn_by_somebody_else_is_told_and_heard(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    """The organizer has the team's string from its letters."""
    contest = stage("open")
    contest.clock.at += timedelta(minutes=1)
    words = from_line(DARK, contest.strings[DARK])
    without_its_answer(contest, DARK, lambda: contest.send(DARK, "withdraw", words))
    contest.clock.at = CLOSES + timedelta(minutes=1)
    contest.tell_first_list()
    (first,) = contest.mails(DARK, "entries")
    assert f"{DARK}: it is withdrawn" in flat(first)
    contest.clock.at += timedelta(minutes=1)
    contest.send(DARK, "objection", words)
    assert contest.mails(DARK, "objection")[-1]["X-Knobeln-Receipt"]
    archive = contest.hold(tmp_path / "archive")
    assert [each.team for each in entries_in(archive) if each.effect is Effect.OBJECTION] == [DARK]
    for mails in (None, contest.box(LIGHT)):
        said = verify(archive, mails)
        assert said.code == 3, said.text
        assert any(each.startswith(f"{DARK} has withdrawn at ") for each in said.remarks)
        assert f"{DARK} objected at 1994-05-14 10:02 UT; it is not on the final list" in (
            said.remarks
        )
    assert (
        "if you sent no such letter, somebody else did" in verify(archive, contest.box(DARK)).text
    )


def test_who_got_another_string_by_somebody_else_is_heard_by_a_receipt(stage: Stage) -> None:
    contest = stage("listed")
    contest.clock.at += timedelta(minutes=1)
    *_, proof = contest.mails(DARK, "compile-report")[-1].iter_attachments()
    wrong = from_line(DARK, contest.strings[HEAVY])
    contest.send(DARK, "objection", wrong + proof.get_content())
    assert contest.mails(DARK, "objection")[-1]["X-Knobeln-Receipt"]


def test_a_program_that_somebody_sent_again_is_told_to_everybody(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    """The team has replaced it by a better one, and the organizer replays the older letter."""
    contest = stage("open")
    contest.clock.at += timedelta(minutes=1)
    contest.send_program(DARK, "dice_cup")
    contest.clock.at += timedelta(minutes=1)
    without_its_answer(contest, DARK, lambda: contest.send_program(DARK, PROGRAMS[DARK]))
    archive = contest.go_on(tmp_path / "archive")
    for mails in (None, contest.box(LIGHT), contest.box(DARK)):
        said = verify(archive, mails)
        assert said.code == 3, said.text
        assert any(
            f"{DARK} plays a program that it had replaced by another one before it came again"
            in each
            for each in said.remarks
        )


def test_prizes_by_a_field_follow_what_the_team_wrote(verify: Verify, tmp_path: Path) -> None:
    """After the results the organizer changes the school of the winner."""
    chosen = small_settings(beacon="drand")
    own = {"fields": (ExtraField(name="school"),), "prizes_by": "school"}
    chosen = chosen.model_copy(update={"teams": chosen.teams.model_copy(update=own)})
    contest = MailedContest.create(tmp_path / "contest", chosen)
    contest.form = FORM.replace("team-members:", "school: MIT\nteam-members:")
    contest.take_part(PROGRAMS)
    honest = contest.go_on(tmp_path / "archive")
    entries = json.loads((honest / "entries.json").read_text())
    assert [each["prize_field"] for each in entries] == ["MIT"] * 3
    said = verify(honest, contest.box(LIGHT))
    assert (said.code, said.remarks) == (0, []), said.text
    with contest.opened() as opened, opened.store.write() as tx:
        row = tx.execute(select(teams).where(teams.c.name == DARK)).one()
        other = update(teams).where(teams.c.id == row.id).values(fields=[["school", "Caltech"]])
        tx.execute(other)
    said = verify(contest.publish(tmp_path / "forged"))
    assert said.code == 1
    assert "is not what the ledger has with the final list" in said.text
