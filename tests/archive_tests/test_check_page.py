"""The page on which readers check a contest: what it finds, and what it says that it does not
check.

That it has the verdict of `knobeln verify` is checked wherever a test here runs that, see
conftest.py.
"""

import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from random import Random

import pytest

import knobeln.cli
from contest.errors import Differs
from knobeln.cli.progress_bars import progress_bar
from tests.support.archives import Published, changes, put_in_place
from tests.support.check_page import mended, packed, page_on, page_says
from tests.support.drand_network import RECORDED
from tests.support.organizers import entries_in, frozen, signed_again
from tests.support.servers import program
from tools.check_page import CLANG, build_machine
from trust import verification
from trust.archive import contents, files
from trust.archive.findings import DIFFERENCES, FINDINGS
from trust.check_page import FOLDER, MADE, check_page, readable

DOCS = Path(__file__).parents[2] / "docs" / "archive.md"
MAX_LINES = 2_860
MAX_BYTES = 250_000


def unchecked_facts() -> set[str]:
    """The table of docs/archive.md, in which * stands for anything."""
    section = DOCS.read_text().partition("## What the page does not check")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z_/*-]+\.json)` \| (.*?) \|", section, re.MULTILINE)
    return {f"{path}: {fact}" for path, facts in rows for fact in re.findall(r"`([^`]+)`", facts)}


@pytest.mark.slow
def test_every_fact_of_a_contest_of_knobeln_is_checked_or_listed_as_unchecked(
    tiny: Published,
) -> None:
    cases = list(changes(tiny.archive))
    said = page_says(mended(changed) for _, changed in cases)
    unnoticed = {fact for (fact, _), each in zip(cases, said, strict=True) if not each.is_refused}
    listed = unchecked_facts()
    assert [fact for fact in unnoticed if not any(fnmatchcase(fact, each) for each in listed)] == []
    assert [each for each in listed if not any(fnmatchcase(fact, each) for fact in unnoticed)] == []


def test_what_only_verify_finds_is_listed() -> None:
    section = DOCS.read_text().partition("## What the page does not check")[2].partition("\n## ")[0]
    (codes,) = re.findall(r"but for the codes (.*?)\.", section)
    own = [code for code, kind in FINDINGS.items() if not kind.on_page]
    assert re.findall(r"`([a-z-]+)`", codes) == sorted(own)


def test_the_page_finds_what_the_table_has() -> None:
    """Each code is in a module of the page, and no other."""
    sources = "".join(file.read_text() for file in (FOLDER / "js").glob("*.js"))
    found = re.findall(r'\b(?:noticed|believed|tell)\("([a-z-]+)",', sources)
    assert set(found) == {code for code, kind in FINDINGS.items() if kind.on_page}
    steps = set(re.findall(r'\bstep\("([a-z]+)",', sources))
    assert steps == {code for code, step in DIFFERENCES.items() if step.on_page} | {"form"}


def test_rules_that_the_page_does_not_know_are_named_in_its_verdict(in_words: Published) -> None:
    said = page_on(in_words.archive)
    (rules,) = (each["text"] for each in said.believed if each["code"] == "rules")
    assert rules == "moves and points: this page does not know the rules of this game"
    assert said.verdict["kind"] == "eyes"


def test_the_steps_are_listed() -> None:
    section = DOCS.read_text().partition("\n## The steps\n")[2].partition("\n## ")[0]
    steps, _, left_out = section.partition("The page leaves out ")
    assert re.findall(r"`([a-z]+)`", steps) == list(DIFFERENCES)
    own = [code for code, step in DIFFERENCES.items() if not step.on_page and code != "form"]
    assert re.findall(r"`([a-z]+)`", left_out.partition(";")[0]) == own


def test_verify_takes_the_steps_that_the_table_has() -> None:
    modules = [Path(knobeln.cli.__file__).with_name("verify.py"), *FOLDER.parent.glob("*.py")]
    found = re.findall(r'\bstep\("([a-z]+)"\)', "".join(file.read_text() for file in modules))
    assert set(found) == set(DIFFERENCES)


UNCHECKED_FILES = (
    # whole
    r"verify\.(html|mjs)|README\.md|announcement\.txt|rules\.md|certainty\.json"
    r"|programs/\w+/description\.txt"
    r"|contest\.json|entries\.json|rounds/\d+/group-\d+\.json"  # in part, as the test above says
)


@pytest.mark.parametrize("is_mended", [False, True])
def test_60_flipped_bits_are_found(knobeln_contest: Published, *, is_mended: bool) -> None:
    """In any file, each as likely; with the manifest left alone or written again."""
    honest, random = dict(files.read(knobeln_contest.archive)), Random(1994)  # noqa: S311
    manifest = (knobeln_contest.archive / files.MANIFEST).read_bytes()
    archives, where = [], []
    for _ in range(60):
        path = random.choice(sorted(honest))
        raw = bytearray(honest[path])
        raw[random.randrange(len(raw))] ^= 1 << random.randrange(8)
        changed = {**honest, path: bytes(raw)}
        archives.append(
            mended(changed) if is_mended else packed({**changed, files.MANIFEST: manifest})
        )
        where.append(path)
    missed = [
        path for path, each in zip(where, page_says(archives), strict=True) if not each.is_refused
    ]
    assert [
        path for path in missed if not (is_mended and re.fullmatch(UNCHECKED_FILES, path))
    ] == []
    assert len(missed) < 30


def test_the_first_difference_is_told_with_the_game_and_both_values(
    knobeln_contest: Published, tmp_path: Path
) -> None:
    honest = dict(files.read(knobeln_contest.archive))
    path = "rounds/1/group-1.json"
    group = json.loads(honest[path])
    match = next(match for match in group["matches"] if match["counted"])
    points = match["result"]["seats"][0]["points"]
    match["result"]["seats"][0]["points"] += 1
    raw = json.dumps(group, indent=1).encode() + b"\n"
    (said,) = page_says([mended({**honest, path: raw})])
    first, second = match["pairing"]["players"]
    assert said.differs == (
        f"round 1, group 1: {first} against {second}: points of {first}: "
        f"the archive says {points + 1}, but {points} follows"
    )
    assert said.game == f"1.{first}.{second}"


def test_a_game_is_shown_to_whoever_came_from_its_replay(knobeln_contest: Published) -> None:
    group = json.loads((knobeln_contest.archive / "rounds/3/group-1.json").read_text())
    match = next(each for each in group["matches"] if each["counted"])
    first, second = match["pairing"]["players"]
    said = page_on(knobeln_contest.archive, game=f"3.{first}.{second}")
    points = " : ".join(f"{seat['points']:,}" for seat in match["result"]["seats"])
    assert said.played.startswith(f"{first} against {second}: {points} points, 60 throws, ")


# --- what it consists of --------------------------------------------------------------------------
def test_the_machine_is_built_from_the_engines_own_sources(tmp_path: Path) -> None:
    if not shutil.which(CLANG):
        pytest.skip(f"there is no {CLANG}, which makes the bytes that are noted")
    build_machine(tmp_path / "knobeln.wasm")
    assert (tmp_path / "knobeln.wasm").read_bytes() == (FOLDER / "knobeln.wasm").read_bytes()


@pytest.mark.parametrize("name", MADE)
def test_what_was_made_is_what_was_noted(name: str) -> None:
    assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == MADE[name]


def test_the_page_is_one_valid_script_in_a_worker(tmp_path: Path) -> None:
    """No two modules define the same name, and nothing in them ends the script."""
    page = readable(check_page()).decode()
    worker, arena = re.findall(r'<script type="text/plain" id=.*?>(.*?)</script>', page, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    for number, source in enumerate((worker, arena, script)):
        file = tmp_path / f"{number}.js"
        file.write_text(source)
        subprocess.run([program("node"), "--check", file], check=True)
        assert "eval(" not in source
    assert page.count("<script") == 6 - 1


def test_the_page_is_small() -> None:
    assert len(check_page()) <= MAX_BYTES


def with_script(
    page: bytes, change: Callable[[bytes], bytes], mark: bytes = b'id="worker">'
) -> bytes:
    """The page whose packed script was changed."""
    head, mark, rest = page.partition(mark)
    packed, end, tail = rest.partition(b"</script>")
    return head + mark + b64encode(change(b64decode(packed))) + end + tail


def test_a_page_that_another_zlib_has_packed_is_the_same_to_read() -> None:
    page = check_page()
    for mark in (b'id="worker">', b'id="packed-arena">'):
        other = with_script(page, lambda packed: zlib.compress(zlib.decompress(packed), 1), mark)
        assert other != page
        assert readable(other) == readable(page)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda packed: zlib.compress(zlib.decompress(packed) + b";"), id="another"),
        pytest.param(lambda packed: packed + b"more", id="something behind it"),
        pytest.param(lambda packed: packed[:-1], id="cut"),
        pytest.param(lambda packed: b"x" + packed, id="not packed"),
        pytest.param(lambda _: zlib.compress(bytes(2_000_000)), id="very large"),
    ],
)
def test_a_page_with_another_script_is_another_page(change: Callable[[bytes], bytes]) -> None:
    page = check_page()
    for mark in (b'id="worker">', b'id="packed-arena">'):
        assert readable(with_script(page, change, mark)) != readable(page)


def test_a_person_can_read_all_of_it() -> None:
    lines = [
        line.strip()
        for file in (FOLDER / "js").glob("*.js")
        for line in file.read_text().splitlines()
    ]
    assert (
        len([line for line in lines if line and not line.startswith(("//", "/*", "*"))])
        <= MAX_LINES
    )


def test_a_recorded_round_of_quicknet_is_signed_and_a_forged_one_is_not() -> None:
    script = (
        "import { readFileSync } from 'node:fs'; import { runInThisContext } from 'node:vm';"
        f"runInThisContext(readFileSync('{FOLDER}/noble.js', 'utf8'));"
        f"const {{ QUICKNET, randomness }} = await import('{FOLDER}/js/ledger.js');"
        "for (const source of process.argv.slice(1)) {"
        "  try { console.log(randomness(source, QUICKNET, 657413)); }"
        "  catch (error) { console.log(error.message); }"
        "}"
    )
    forged = json.loads(RECORDED)
    forged["signature"] = forged["signature"][:-1] + "a"
    forged["randomness"] = hashlib.sha256(bytes.fromhex(forged["signature"])).hexdigest()
    done = subprocess.run(
        [program("node"), "--input-type=module", "-e", script, RECORDED, json.dumps(forged)],
        capture_output=True,
        text=True,
        check=True,
    )
    right, wrong = done.stdout.splitlines()
    assert right == json.loads(RECORDED)["randomness"]
    assert wrong == "seal.json: the chain of drand has not signed this round"


def test_a_module_that_does_not_count_is_not_run() -> None:
    script = (
        f"const {{ moduleOf }} = await import('{FOLDER}/js/asking.js');"
        "try { moduleOf(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0), 'builds/1'); }"
        "catch (error) { console.log(error.constructor.name, error.message); }"
    )
    command = [program("node"), "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "Differs builds/1 does not count its time\n"


# --- what strangers may send ----------------------------------------------------------------------
@pytest.mark.slow
def test_an_archive_that_unpacks_to_more_than_a_browser_has_is_refused() -> None:
    target = io.BytesIO()
    with gzip.GzipFile(fileobj=target, mode="wb", compresslevel=1) as zipped:
        for _ in range(501):
            zipped.write(bytes(1_000_000))
    (said,) = page_says([target.getvalue()])
    assert said.error == "the archive has more than 500000000 bytes"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "this is no archive of a contest"),
        (b"\x1f\x8b" + bytes(50), "the file is damaged, or no archive"),
        (b"x" * 5_000, "the file is damaged, or no archive"),
        (packed({"notes.txt": b"hello"}), "this is no archive of a contest"),
        (packed({"manifest.json": b"{}\n"}), "describes no archive of version 1"),
        (packed({"manifest.json": b"[" * 100_000}), "this is not JSON"),
        (packed({"manifest.json": b"{}\n", "../a": b""}), "describes no archive of version 1"),
    ],
)
def test_what_is_no_archive_is_refused_in_a_sentence(data: bytes, why: str) -> None:
    (said,) = page_says([data])
    assert why in (said.error or said.differs)


@pytest.mark.parametrize(
    ("before", "changed"),
    [
        (rb'("contest_starts": ".*)Z', rb"\1+02:00"),
        (rb'("contest_starts": ".*)Z', rb"\1.0000000Z"),
        (rb'"title": "', rb"\g<0>\\ud800"),
    ],
    ids=["another zone", "another form of a time", "half a sign"],
)
def test_settings_that_verify_cannot_read_are_refused_though_the_ledger_has_them(
    tiny: Published, tmp_path: Path, before: bytes, changed: bytes
) -> None:
    found = dict(files.read(tiny.archive))
    found["contest.json"] = re.sub(before, changed, found["contest.json"], count=1)
    signed_again(tiny.contest, frozen(found, entries_in(tiny.archive)))(found)
    put_in_place(tmp_path, found)
    with pytest.raises(Differs):
        verification.verify(contents.from_files(files.read(tmp_path)), progress_bar)
    (said,) = page_says([mended(found)])
    assert "form that knobeln writes" in said.differs


def test_a_program_that_never_ends_is_found_soon(tiny: Published) -> None:
    """A game that the archive says nothing of, or that needs more than it says, is not played to
    its end."""
    honest = dict(files.read(tiny.archive))
    path = "rounds/1/group-1.json"
    group = json.loads(honest[path])
    for match in group["matches"]:
        for seat in match["result"]["seats"]:
            seat["instructions"] = min(seat["instructions"], 1_100)
    (said,) = page_says([mended({**honest, path: json.dumps(group, indent=1).encode() + b"\n"})])
    assert "needs more instructions than the archive has of any game of this group" in said.differs
