"""Every way to cheat, and who notices: `verify`, the page, and two teams by their own mails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.mailed_contest import MailedContest
from tests.support.ways_to_cheat import WAYS, Hands
from tests.support.who_notices import must_be_noticed, row_of, write_row

pytestmark = [pytest.mark.slow, pytest.mark.night]


@pytest.mark.usefixtures("verify")  # builds each program once
@pytest.mark.parametrize("name", WAYS)
def test_no_way_to_cheat_is_silent_and_no_two_verdicts_contradict(
    stage: Callable[[str], MailedContest], tmp_path: Path, name: str
) -> None:
    archive = tmp_path / "archive"
    row = row_of(archive, WAYS[name](Hands(stage, archive)))
    write_row(name, "knobeln", row)
    must_be_noticed(name, row)
