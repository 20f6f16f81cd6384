"""Every way to cheat, and who notices: `verify`, the page, and two teams by their own mails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.mailed_contest import MailedContest
from tests.support.ways_to_cheat import BY_MAILS_ALONE, WAYS, Hands
from tests.support.who_notices import must_be_noticed, row_of, write_row


@pytest.mark.slow
@pytest.mark.usefixtures("verify")  # builds each program once
@pytest.mark.parametrize("name", WAYS)
def test_no_way_to_cheat_is_silent_and_no_two_verdicts_contradict(
    stage: Callable[[str], MailedContest], tmp_path: Path, name: str
) -> None:
    archive = tmp_path / "archive"
    contest = WAYS[name](Hands(stage, archive))
    row = row_of(archive, contest, in_full=name in BY_MAILS_ALONE)
    write_row(name, "knobeln", row)
    must_be_noticed(name, row)
