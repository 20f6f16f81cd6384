"""Organizers who start before the announced date, or leave nobody time to object."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from contest.config.load import FILE_NAME
from tests.support.mail_world import START
from tests.support.mailed_contest import CLOSES, KNOWN, LIGHT, MailedContest
from tests.support.organizers import Verify

pytestmark = pytest.mark.slow
Stage = Callable[[str], MailedContest]


def early(contest: MailedContest) -> None:
    """`run --now` a day before programs are closed."""
    contest.clock.at = CLOSES - timedelta(days=1)
    contest.start()


def after_the_deadline(contest: MailedContest) -> None:
    """`run --now` some seconds after the deadline, before the server has sent a list."""
    contest.clock.at = CLOSES + timedelta(seconds=5)
    contest.start()


def start_is_the_deadline(contest: MailedContest) -> None:
    """Written by hand before the deadline, so that no first list is due."""
    file = contest.folder / FILE_NAME
    text = file.read_text()
    written = next(line for line in text.splitlines() if line.startswith("contest_starts"))
    closes = next(line for line in text.splitlines() if line.startswith("compilation_closes"))
    at = closes.partition("=")[2].partition("#")[0]
    file.write_text(text.replace(written, f"contest_starts ={at}"))
    contest.clock.at = CLOSES + timedelta(seconds=5)
    contest.start()


def in_the_last_minute(contest: MailedContest) -> None:
    contest.clock.at = START - timedelta(seconds=75)
    contest.tell_first_list()
    contest.clock.at = START + timedelta(seconds=5)
    contest.start()


WAYS = {
    early: "the contest started at 1994-05-13 10:00 UT, before its announced start",
    after_the_deadline: "the contest started at 1994-05-14 10:00 UT, before its announced start",
    start_is_the_deadline: "hardly anybody time to object to the list of entries",
    in_the_last_minute: "the first list went out at 1994-05-14 11:58 UT, long after",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_time_that_was_announced_and_not_kept_is_told(
    stage: Stage, verify: Verify, tmp_path: Path, way: Callable[[MailedContest], None]
) -> None:
    contest = stage("open")
    way(contest)
    contest.clock.at = KNOWN
    contest.play()
    said = verify(contest.publish(tmp_path / "archive"), contest.box(LIGHT))
    assert said.code == 3, said.text
    assert any(WAYS[way] in each for each in said.remarks), said.text
