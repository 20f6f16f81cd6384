"""Every way to cheat, and who notices: `verify`, the page, and two teams by their own mails."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from dataclasses import astuple, dataclass
from pathlib import Path

import pytest

from tests.support.archives import knobeln
from tests.support.check_page import page_on
from tests.support.mailed_contest import CHAIN, MailedContest
from tests.support.organizers import Verify
from tests.support.ways_to_cheat import BY_MAILS_ALONE, THIRD, VICTIM, WAYS, Hands
from trust.for_teams import receipts

pytestmark = [pytest.mark.slow, pytest.mark.night]
Stage = Callable[[str], MailedContest]
TABLE = Path("build") / "ways-to-cheat.txt"
FOLLOWS, BELIEVE, DIFFERS = 0, 3, 1


@dataclass(frozen=True)
class Row:
    """The exit codes of `verify`, of `verify --letters` and `receipts.py` with the mails of the
    victim and of a third team, and the verdict of the page as such a code."""

    verify: int
    strict: int
    letters_of_victim: int
    letters_of_third: int
    kit_of_victim: int
    kit_of_third: int
    page: int


def by_kit(archive: Path, mails: Path) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return receipts.main([str(archive), str(mails)])


def by_page(archive: Path) -> int:
    said = page_on(archive, chain=CHAIN)
    return DIFFERS if said.is_refused else BELIEVE if said.noticed or said.believed else FOLLOWS


def row_of(archive: Path, contest: MailedContest, verify: Verify) -> Row:
    """`verify` here also compares the findings of the page."""
    boxes = [contest.box(team) for team in (VICTIM, THIRD)]
    return Row(
        verify(archive).code,
        knobeln("verify", archive, "--strict").exit_code,
        *(verify(archive, box).code for box in boxes),
        *(by_kit(archive, box) for box in boxes),
        by_page(archive),
    )


@pytest.mark.parametrize("name", WAYS)
def test_no_way_to_cheat_is_silent_and_no_two_verdicts_contradict(
    stage: Stage, verify: Verify, tmp_path: Path, name: str
) -> None:
    archive = tmp_path / "archive"
    row = row_of(archive, WAYS[name](Hands(stage, archive)), verify)
    TABLE.parent.mkdir(exist_ok=True)
    with TABLE.open("a") as table:
        print(f"{name:45}", *astuple(row), sep="\t", file=table)
    assert (row.verify == FOLLOWS) == (name in BY_MAILS_ALONE), row
    assert row.letters_of_victim != FOLLOWS, row
    assert row.strict == (DIFFERS if row.verify else FOLLOWS)
    worse = {FOLLOWS: 0, BELIEVE: 1, DIFFERS: 2}
    for code in (row.letters_of_victim, row.letters_of_third):
        assert worse[code] >= worse[row.verify], row
    assert row.page == row.verify or name == "lets another build play", row
