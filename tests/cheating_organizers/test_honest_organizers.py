"""The control: an honest organizer is suspected of nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from contest.actions.organizer_actions import OrganizerActions
from knobellib import receipts
from tests.support.mail_world import START
from tests.support.mailed_contest import (
    CLOSES,
    HEAVY,
    LOST,
    PROGRAMS,
    MailedContest,
    Stages,
    small_settings,
)
from tests.support.organizers import Verify

STAND_IN = "which is not quicknet, the one of the League of Entropy"  # it is only a stand-in of drand


def test_an_honest_contest_is_clean_by_all_mails_of_all_teams(
    honest: Stages, verify: Verify, one_box: Callable[..., Path]
) -> None:
    played = honest.kept["played"]
    said = verify(honest.archive, one_box(*map(played.box, (*PROGRAMS, LOST))))
    assert said.code == 0, said.text
    assert "9 receipts: the ledger is the one that they were signed for" in said.text
    (remark,) = said.remarks
    assert STAND_IN in remark


@pytest.mark.parametrize("team", [HEAVY, LOST])
def test_the_file_of_the_kit_finds_nothing_in_one_teams_mails(
    honest: Stages, team: str, tmp_path: Path
) -> None:
    text = Path(receipts.__file__).read_text()
    file = tmp_path / "receipts.py"  # that knows the stand-in's chain
    file.write_text(re.sub(r"^DRAND = .*$", f"DRAND = {receipts.DRAND!r}", text, flags=re.M))
    command = [sys.executable, "-I", file, honest.archive, honest.kept["played"].box(team)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "look at this" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("beacon", "number"),
    [("none", ""), ("file", "a dragon"), ("lottery: the six numbers of the 14th of May, 1994", "4 9 18 34")],
)
def test_contests_with_the_other_beacons_are_clean(
    tmp_path: Path, verify: Verify, one_box: Callable[..., Path], beacon: str, number: str
) -> None:
    contest = MailedContest.create(tmp_path / "contest", small_settings(beacon=beacon))
    contest.take_part(PROGRAMS)
    contest.clock.at = CLOSES + timedelta(minutes=1)
    contest.tell_first_list()
    contest.clock.at = START
    contest.start()
    contest.clock.at += timedelta(minutes=11)
    if number:
        with contest.opened() as opened, opened.store.write() as tx:
            now = contest.clock.now()
            OrganizerActions(tx, opened.settings, opened.templates, now, "").hand_in_number(number, "a test")
        contest.play()
    boxes = one_box(*map(contest.box, PROGRAMS))
    said = verify(contest.publish(tmp_path / "archive"), boxes)
    assert (said.code, said.remarks) == (0, []), said.text
    assert "8 receipts: the ledger is the one that they were signed for" in said.text
