"""Who notices what an organizer did: `verify`, the page, and two teams by their own mails."""

from __future__ import annotations

import contextlib
import io
from dataclasses import astuple, dataclass
from pathlib import Path

from tests.support.archives import knobeln
from tests.support.check_page import PageSaid, must_agree, page_on
from tests.support.kinds_of_contests import archives_in
from tests.support.mailed_contest import CHAIN, MailedContest
from tests.support.ways_to_cheat import (
    BY_MAILS_ALONE,
    BY_NOBODY,
    THIRD,
    UNSEEN_BY_THE_PAGE,
    VICTIM,
)
from trust.for_teams import receipts

TABLE = Path("build") / "ways-to-cheat.txt"
FOLLOWS, BELIEVE, DIFFERS = 0, 3, 1
_WORSE = {FOLLOWS: 0, BELIEVE: 1, DIFFERS: 2}


@dataclass(frozen=True)
class Row:
    """The exit codes of `verify`, of `verify --letters` and `receipts.py` with the mails of the
    victim and of a third team, and the verdict of the page as such a code. `by_rules`: whether the
    page knows the rules of game and format."""

    verify: int
    strict: int
    letters_of_victim: int
    letters_of_third: int
    kit_of_victim: int
    kit_of_third: int
    page: int
    by_rules: bool


def _worst(*codes: int) -> int:
    return max(codes, key=_WORSE.__getitem__)


def by_kit(archive: Path, mails: Path) -> int:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return _worst(*(receipts.main([str(each), str(mails)]) for each in archives_in(archive)))


def _by_page(said: PageSaid) -> int:
    return DIFFERS if said.is_refused else BELIEVE if said.noticed or said.believed else FOLLOWS


def _knows_rules(said: PageSaid) -> bool:
    return all(each["code"] != "rules" for each in said.believed)


def row_of(archive: Path, contest: MailedContest, *, in_full: bool = True) -> Row:
    """What each says of this archive; page and `verify` must have found the same.

    Not `in_full`: the archive is verified once, and what `--strict` and `--letters` add to that
    follows from what they are.
    """
    done = knobeln("verify", archive)
    pages = [page_on(each, chain=CHAIN) for each in archives_in(archive)]
    if len(pages) == 1:
        must_agree(done.exit_code, done.output, pages[0])
    boxes = [contest.box(team) for team in (VICTIM, THIRD)]
    kit = [by_kit(archive, box) for box in boxes]
    page, by_rules = _worst(*map(_by_page, pages)), all(map(_knows_rules, pages))
    if not in_full:
        strict = DIFFERS if done.exit_code else FOLLOWS
        letters = [_worst(done.exit_code, code) for code in kit]
        return Row(done.exit_code, strict, *letters, *kit, page, by_rules)
    strict = knobeln("verify", archive, "--strict").exit_code
    letters = [knobeln("verify", archive, "--letters", box).exit_code for box in boxes]
    return Row(done.exit_code, strict, *letters, *kit, page, by_rules)


def write_row(name: str, kind: str, row: Row | str) -> None:
    """Add a line to the table; a text says why there is nothing to see."""
    TABLE.parent.mkdir(exist_ok=True)
    columns = (row,) if isinstance(row, str) else astuple(row)
    with TABLE.open("a") as table:
        print(f"{kind:12}", f"{name:45}", *columns, sep="\t", file=table)


def must_be_noticed(name: str, row: Row) -> None:
    """No way is silent but those that docs/trust.md lists, and no two verdicts contradict."""
    assert (row.verify == FOLLOWS) == (name in (*BY_MAILS_ALONE, *BY_NOBODY)), row
    assert (row.letters_of_victim == FOLLOWS) == (name in BY_NOBODY), row
    assert row.strict == (DIFFERS if row.verify else FOLLOWS)
    for code in (row.letters_of_victim, row.letters_of_third):
        assert _WORSE[code] >= _WORSE[row.verify], row
    is_left_to_verify = row.page == BELIEVE and not row.by_rules
    assert row.page == row.verify or is_left_to_verify or name in UNSEEN_BY_THE_PAGE, row
