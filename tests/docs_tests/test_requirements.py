"""Requirement codes: docs/requirements.md defines what the source cites, and nothing else."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "requirements.md"
SOURCE = {".py", ".c", ".h", ".S", ".j2", ".toml", ".md"}
# nor any folder that begins with a dot
NO_SOURCE = {"build", "dist", "node_modules", "__pycache__"}
FIXTURES = {"programs", "strategies", "letters", "bounces", "golden"}  # below tests/

_CODE = r"[A-Z]\d{1,3}"
_GAP = r"[\s#*]+"  # a list of codes may go on in the next line of a comment
_CODES = rf"{_CODE}(?:(?:,{_GAP}|{_GAP}(?:to|and){_GAP}|-){_CODE})*(?![\w-])"
_CITED = re.compile(
    # `(K25)`, `(K64-K69)`, `(B1 to B16, B19)`, `(K43: the reason)`
    rf"(?<!\w)\(({_CODES})(?=[):;])"
    rf'|"""({_CODES})(?=[:;,])'  # a docstring that begins with its requirement
    rf"|# ({_CODES})(?=[:;])"  # and so a comment
    rf"|\brules? ({_CODES})"  # `the rules C1 to C7`
)
_FROM_TO = re.compile(rf"({_CODE})(?:-|{_GAP}to{_GAP})({_CODE})|({_CODE})")
_DEFINED = re.compile(rf"^\| ({_CODE}) \| ([^|]*?) ?\| ?([^|]*?) ?\|$", re.MULTILINE)


def members(codes: str) -> Iterator[str]:
    """Each code of a list such as `B1 to B3, B19`. In a range all have as many digits as its first
    one."""
    for first, last, alone in _FROM_TO.findall(codes):
        if alone:
            yield alone
            continue
        assert first[0] == last[0], f"a range of two kinds: {codes}"
        for number in range(int(first[1:]), int(last[1:]) + 1):
            yield f"{first[0]}{number:0{len(first) - 1}}"


def cited_in(text: str) -> set[str]:
    return {
        code for found in _CITED.finditer(text) for code in members(found[found.lastindex or 0])
    }


def is_source(path: Path) -> bool:
    folders = path.relative_to(ROOT).parts[:-1]
    if any(folder in NO_SOURCE or folder.startswith(".") for folder in folders):
        return False
    return not (folders[:1] == ("tests",) and FIXTURES.intersection(folders))


def source_files() -> Iterator[Path]:
    """Every file of ours that may cite a requirement, in whatever top-level folder it stands."""
    yield from (path for path in ROOT.iterdir() if path.suffix in SOURCE)
    for top in ROOT.iterdir():
        if top.is_dir() and is_source(top / "x"):
            found = (path for path in top.rglob("*") if path.suffix in SOURCE and path.is_file())
            yield from (path for path in found if is_source(path))


@cache
def cited() -> dict[str, set[str]]:
    """The requirements that each file cites."""
    files = (path for path in source_files() if path not in (PAGE, Path(__file__)))
    codes_of = {str(path.relative_to(ROOT)): cited_in(path.read_text()) for path in files}
    return {file: codes for file, codes in codes_of.items() if codes}


ROWS = _DEFINED.findall(PAGE.read_text(encoding="utf-8"))
DEFINED = {code for code, _, _ in ROWS}


def test_every_requirement_that_a_file_cites_is_defined() -> None:
    undefined = {file: codes - DEFINED for file, codes in cited().items() if codes - DEFINED}
    assert not undefined, "define them in docs/requirements.md, or do not cite them"


def test_every_requirement_that_is_defined_is_cited_somewhere() -> None:
    assert not DEFINED - set().union(*cited().values()), "nothing cites it any more; take it out"


def test_citations_were_found_in_many_files() -> None:
    assert len(cited()) > 50
    assert len(DEFINED) > 100
