"""Checks archives as the check page does: its own modules, run by node."""

import io
import json
import re
import subprocess
import tarfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

from contest.public_number.drand import Chain
from tests.support.servers import program
from trust.archive import files
from trust.archive.findings import DIFFERENCES, FINDINGS
from trust.check_page import constants

# What `verify` finds and the page says that it has not checked: it has no compiler, and writes no
# texts.
NOT_ON_THE_PAGE = re.compile(
    r"the receipts do not fit|this is another archive|for the program of \w+, but"
    r" here|announcement\.txt"
    r"|certainty\.json|rules\.md|description|verify\.(?:html|mjs)|README\.md"
    r"|settings of \[|contest\.json: settings"
    r"|the settings have the sections|the fault of \w+: archived in turn"
    r"|'a/b/c/d/e'"  # an empty folder
)
RUNNER = Path(__file__).with_name("check_page.mjs")


@dataclass(frozen=True)
class PageSaid:
    """What the page found out about an archive. `error`: why there was nothing to check, ""
    otherwise.

    `mails`: for each mail its sentences, each with whether the mail fits. `others`: what would be
    with each change.
    """

    error: str
    differs: str = ""
    code: str = ""
    checked: Sequence[str] = ()
    noticed: Sequence[Mapping[str, str]] = ()
    believed: Sequence[Mapping[str, str]] = ()
    unchecked: Sequence[str] = ()
    without: Sequence[str] = ()
    game: str = ""
    played: str = ""
    title: str = ""
    digest: str = ""
    isComputed: bool = False  # noqa: N815 - as the script calls it
    asked: int = 0
    verdict: Mapping[str, str] = field(default_factory=dict)
    mails: Sequence[Any] = field(default=())
    others: Sequence[Any] = field(default=())

    @property
    def is_refused(self) -> bool:
        return bool(self.differs or self.error)

    @property
    def checks_games(self) -> bool:
        """Whether the page plays the games again, and knows how the rounds are drawn."""
        return self.isComputed and not any(
            "does not know the format" in each["text"] for each in self.believed
        )


def packed(found: Mapping[str, bytes]) -> bytes:
    """Files as one file .tar."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as tar:
        for path, data in found.items():
            member = tarfile.TarInfo(path)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return target.getvalue()


def packed_folder(folder: Path) -> bytes:
    """The folder as `tar` packs it, with whatever is in it."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        tar.add(folder, arcname=folder.name)
    return target.getvalue()


def mended(contents: Mapping[str, bytes]) -> bytes:
    """These files of an archive with a manifest that says nothing of what was changed, as one
    file."""
    return packed({**contents, files.MANIFEST: files.manifest_of(contents)})


def _as_the_page_notes(chain: Chain) -> dict[str, str | int]:
    """See QUICKNET in ledger.js."""
    key = chain.public_key.hex()
    return {"hash": chain.hash, "key": key, "genesis": chain.genesis, "period": chain.period}


@cache
def _node() -> tuple[TemporaryDirectory[str], Any]:
    """One for all archives that this process checks. It and its constants end with us."""
    folder = TemporaryDirectory()
    (script := Path(folder.name) / "constants.js").write_text(constants())
    command = [program("node", "nodejs"), RUNNER, script]
    return folder, subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _answer(question: str) -> str:
    _, node = _node()
    node.stdin.write(f"{question}\n")
    node.stdin.flush()
    return str(node.stdout.readline())


@dataclass(frozen=True)
class Change:
    """What is changed in a contest that was: the team that is left out, and the number that is
    drawn. "": as it was."""

    leftOut: str = ""  # noqa: N815 - as the script calls it
    number: str = ""


def page_on(
    archive: Path,
    mails: Sequence[str] = (),
    game: str = "",
    chain: Chain | None = None,
    changes: Sequence[Change] = (),
) -> PageSaid:
    """What the page says of the archive in this folder."""
    return next(iter(page_says([packed_folder(archive)], mails, game, chain, changes)))


def page_says(
    archives: Iterable[bytes],
    mails: Sequence[str] = (),
    game: str = "",
    chain: Chain | None = None,
    changes: Sequence[Change] = (),
) -> list[PageSaid]:
    """What the page says of each of these files. `chain`: another than quicknet."""
    of_page = chain and _as_the_page_notes(chain)
    said = []
    with NamedTemporaryFile(suffix=".tar") as file:
        for data in archives:
            file.seek(0)
            file.truncate()
            file.write(data)
            file.flush()
            asked = {
                "archive": file.name,
                "game": game,
                "mails": mails,
                "chain": of_page,
                "changes": [asdict(change) for change in changes],
            }
            said.append(PageSaid(**json.loads(_answer(json.dumps(asked)))))
    broken = [each.error for each in said if each.error.startswith("BROKEN")]
    assert not broken, broken[0]
    return said


def without_late_bans(text: str) -> list[str]:
    """What `verify` says of the contest without the organizer's late bans."""
    found = re.search(r"^  without the late bans of .*\n((?:    .*\n)*)", text, re.MULTILINE)
    return [line.strip() for line in found[1].splitlines()] if found else []


def codes_in(text: str) -> Counter[str]:
    """The codes of what `verify` has found, by what it has printed, as text or JSON; what needs
    mails, witnesses or another host is left out."""
    if text.startswith("{"):
        said = json.loads(text)
        codes = [each["code"] for each in (*said["noticed"], *said["believed"])]
    else:
        codes = re.findall(r"^    proof \(([a-z-]+)\): ", text, re.MULTILINE)
    return Counter(code for code in codes if FINDINGS[code].on_page)


def must_agree(code: int, text: str, page: PageSaid) -> None:
    """The page has no verdict that `verify` does not have, and no other, but for what it does not
    check. Both have found the same.

    `code`, `text`: the exit code of `verify`, and what it has said.
    """
    if code != 1:
        assert not page.is_refused, (page, text)
        codes = (each["code"] for each in (*page.noticed, *page.believed))
        found = Counter(code for code in codes if FINDINGS[code].by_verify)
        assert "the time was up" in text or found == codes_in(text), (page, text)
        if page.checks_games and not text.startswith("{"):
            assert list(page.without) == without_late_bans(text), (page, text)
    elif not NOT_ON_THE_PAGE.search(text) and page.checks_games:
        assert page.is_refused, text
    if page.differs and (found_by := re.search(r"first difference \(([a-z]+)\)", text)):
        step = DIFFERENCES[found_by[1]]
        assert page.code in DIFFERENCES, page
        assert not step.on_page or page.code == found_by[1], (page, text)
