"""Archives that were made to harm: each is refused in plain words, in little memory and time."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contest.errors import Differs, KnobelnError
from contest.ledger import signatures
from contest.ledger.receipts import from_file
from knobeln.cli.progress_bars import progress_bar
from tests.support.archives import (
    Mended,
    Published,
    knobeln_field,
    played,
    publish,
    put_in_place,
    small,
)
from tests.support.organizers import frozen, signed
from trust import verification
from trust.archive import contents, files, pieces

MAX_MEMORY_KB = 512_000
MAX_CPU_SECONDS = 60
PYTHON = re.compile(
    r"Traceback|Error\b|\w\(\w+=|\bNone\b|\bTrue\b|\bFalse\b|\btuple|\bdict|Input"
    r" should|pydantic|validation"
)
GROUP = "rounds/1/group-1.json"
ENDLESS = b"main() { int i; for (i = 0; i >= 0; i = (i + 1) & 65535) ; return 0; }\n"

Poison = Callable[[dict[str, bytes]], object]


def dumped(value: Any) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"


def edit(path: str, do: Callable[[Any], object]) -> Poison:
    def change(archive: dict[str, bytes]) -> None:
        value = json.loads(archive[path])
        do(value)
        archive[path] = dumped(value)

    return change


def put(path: str, data: bytes) -> Poison:
    return lambda archive: archive.update({path: data})


def setting(section: str, name: str, value: object) -> Poison:
    return edit("contest.json", lambda c: c["settings"][section].update({name: value}))


def frozen_again(archive: dict[str, bytes]) -> None:
    """Let the ledger have the settings of the archive, and sign it with another key."""
    first, *others = frozen(archive, list(from_file(archive["ledger.txt"])))
    made = replace(first, digest=signatures.public_key(bytes(32)).hex())
    signed(bytes(32), [made, *others])(archive)


def million_throws(archive: dict[str, bytes]) -> None:
    setting("game", "L", 1_000_000)(archive)
    frozen_again(archive)


def many_in_group(name: str) -> Poison:
    def change(archive: dict[str, bytes]) -> None:
        raw = json.loads(archive[GROUP])
        (raw["plan"] if name == "pairings" else raw)[name] = [{}] * 500_000
        archive[GROUP] = dumped(raw)

    return change


POISON: dict[str, tuple[Poison, str]] = {
    "objects in the ranking": (
        put("ranking.json", dumped([{}] * 200_000)),
        "ranking.json is not in the form",
    ),
    "entries in the ranking": (
        edit("ranking.json", lambda r: r.extend(r * 5_000)),
        "ranking.json has more than 6 entries",
    ),
    "pairings": (
        many_in_group("pairings"),
        "cannot be read: plan.pairings.0.players: it is missing",
    ),
    "games": (many_in_group("matches"), "group-1.json is not in the form"),
    "a long line": (put(GROUP, b"[" * 50_000_000), "has a line of more than 1,000,000 bytes"),
    "a long game": (
        edit(GROUP, lambda g: g["matches"][0]["result"].update(moves=[["1", "1"]] * 100_000)),
        "has an entry of more than 2,000,000 bytes",
    ),
    "many generations": (
        edit("evolution.json", lambda e: e.update(generations=[[1]] * 1_000_000)),
        "the evolution, generation",
    ),
    "a fraction of nothing": (
        edit("evolution.json", lambda e: e["ranking"][0].update(fraction=[1, 0])),
        "the evolution's ranking, line 1",
    ),
    "2^60 instructions": (
        setting("programs", "max_instructions", 2**60),
        "settings: max_instructions: it",
    ),
    "a million throws": (million_throws, "The first difference (games): round 1, group 1"),
    "2^40 contests": (
        edit("certainty.json", lambda c: c.update(contests=2**40)),
        "contests, but at most",
    ),
    "2^31 groups": (
        edit("rounds.json", lambda r: r[0].update(groups=2**31)),
        "of 2147483648 groups is number 1",
    ),
    "a large build": (
        lambda archive: archive.update(
            {next(p for p in archive if p[:6] == "builds"): bytes(15_000_000)}
        ),
        "its sha256 is not its name",
    ),
    "a contest that ended before it began": (
        edit("contest.json", lambda c: c.update(finished_at="1990-01-01T00:00:00Z")),
        "start and end cannot be right",
    ),
}


# The kernel counts what a process was before it became `verify`, too; so a small one starts it and
# looks.
MEASURE = """
import json, resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([used.ru_maxrss, used.ru_utime + used.ru_stime]))
sys.exit(code)
"""


class Used(NamedTuple):
    memory_kb: int
    cpu_seconds: float


def verify_in_child(archive: Path, *options: str) -> tuple[int, str, Used]:
    """The exit code, what was printed, and what was used for it."""
    command = [
        sys.executable,
        "-c",
        MEASURE,
        sys.executable,
        "-m",
        "knobeln",
        "verify",
        str(archive),
        *options,
    ]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "COLUMNS": "300"},
        text=True,
        check=False,
    )
    printed, _, used = done.stdout.rstrip("\n").rpartition("\n")
    return done.returncode, printed, Used(*json.loads(used))


@pytest.mark.slow
@pytest.mark.parametrize("poison", POISON)
def test_poison_is_refused_in_plain_words_with_little_memory(
    knobeln_contest: Published, mended: Mended, poison: str
) -> None:
    change, words = POISON[poison]
    code, printed, used = verify_in_child(
        mended(knobeln_contest.archive, lambda archive: change(archive) and None)
    )
    refusal = printed.splitlines()[-1]
    assert code == 1, printed
    assert words in refusal
    assert not PYTHON.search(refusal)
    assert used.memory_kb <= MAX_MEMORY_KB
    assert used.cpu_seconds <= MAX_CPU_SECONDS


@pytest.mark.slow
def test_builds_that_never_end_are_refused_in_plain_words(tmp_path: Path, mended: Mended) -> None:
    """They were made by a compiler that is not here, so nobody compiles the sources again."""
    chosen = small()
    few = chosen.programs.model_copy(update={"description": "none", "max_instructions": 1_000})
    chosen = chosen.model_copy(update={"programs": few})
    contest, strings = played(
        tmp_path / "contest", chosen, knobeln_field(), as_if=lambda _: ENDLESS
    )

    def poison(archive: dict[str, bytes]) -> None:
        edit("entries.json", lambda entries: [each.update(tool="another gcc") for each in entries])(
            archive
        )
        edit("contest.json", lambda c: c.update(written_by="0.0"))(archive)
        setting("programs", "max_instructions", 10**11)(archive)
        for path in [path for path in archive if re.fullmatch(r"rounds/\d+/group-\d+\.json", path)]:
            edit(path, crashed)(archive)
        frozen_again(archive)

    def crashed(group: Any) -> None:
        for match in group["matches"]:
            for seat in match["result"]["seats"]:
                # one that is said to have used up its time gets all of it
                seat["verdict"] = "CRASH"

    published = publish(contest, tmp_path / "archive", strings)
    code, printed, used = verify_in_child(mended(published.archive, poison))
    assert code == 1, printed
    assert "needs more instructions than the archive has of any game" in printed.splitlines()[-1]
    assert used.memory_kb <= MAX_MEMORY_KB
    assert used.cpu_seconds <= MAX_CPU_SECONDS


@pytest.mark.slow
def test_a_manifest_of_many_files_that_are_not_there_is_refused(
    knobeln_contest: Published, tmp_path: Path
) -> None:
    folder = tmp_path / "archive"
    files.write(folder, dict(files.read(knobeln_contest.archive)))
    listed = ",".join(f'"{number}":{{}}' for number in range(1_000_000))
    (folder / files.MANIFEST).write_text(
        f'{{"format":"knobeln archive","version":1,"files":{{{listed}}}}}'
    )
    code, printed, used = verify_in_child(folder)
    assert code == 1
    assert "lists more than the" in printed
    assert used.memory_kb <= MAX_MEMORY_KB


@pytest.mark.slow
def test_when_the_time_is_up_verify_says_what_it_did_not_check(
    knobeln_contest: Published, mended: Mended
) -> None:
    """To build six programs again takes longer than 60 ms."""
    code, printed, _ = verify_in_child(
        mended(knobeln_contest.archive, lambda _: None), "--minutes", "0.001"
    )
    assert code == 3, printed
    assert "not checked: all that is not named here: the time was up after 0.0 minutes" in printed
    assert "games in 3 rounds" not in printed


def test_more_games_than_fit_into_memory_are_not_read(
    knobeln_contest: Published, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "MAX_GAMES", 5)
    with pytest.raises(Differs, match=f"more games than knobeln checks, {pieces.MAX_GAMES:,}"):
        contents.from_files(files.read(knobeln_contest.archive))


# --- anything at all ------------------------------------------------------------------------------
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from([2**31, 2**63, 2**64, 10**300, -1, 0]),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(
        ["team_1", "OK", "TIME", "final", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]
    ),
    st.lists(st.integers(), max_size=3),
    st.just({}),
)


def nodes(value: Any) -> list[tuple[Any, Any]]:
    """Every place of the value: the list or object, and the index or key."""
    places = (
        []
        if not isinstance(value, dict | list)
        else list(value)
        if isinstance(value, dict)
        else range(len(value))
    )
    return [place for key in places for place in ((value, key), *nodes(value[key]))]


@pytest.mark.slow
@pytest.mark.usefixtures("built_once")
@pytest.mark.parametrize("contest", ["tiny", "in_words"])
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_damaged_archive_never_ends_in_a_traceback(
    contest: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, data
) -> None:
    published: Published = request.getfixturevalue(contest)
    archive = dict(files.read(published.archive))
    path = data.draw(st.sampled_from(sorted(archive)))
    if path.endswith(".json") and data.draw(st.integers(0, 9)):
        value = json.loads(archive[path])
        for _ in range(data.draw(st.integers(1, 2))):
            if places := nodes(value):
                holder, key = data.draw(st.sampled_from(places))
                match data.draw(st.sampled_from(["value", "gone", "twice", "value"])):
                    case "gone":
                        del holder[key]
                    case "twice" if isinstance(holder, list):
                        holder.insert(key, holder[key])
                    case _:
                        holder[key] = data.draw(VALUES)
        try:
            archive[path] = dumped(value)
        except UnicodeEncodeError:
            return
    else:
        raw = bytearray(archive[path])
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        archive[path] = bytes(raw)
        if not data.draw(st.integers(0, 5)):
            del archive[path]
    folder = tmp_path_factory.mktemp("damaged")
    put_in_place(folder, archive)
    refusal = ""
    try:
        verification.verify(contents.from_files(files.read(folder)), progress_bar)
    except KnobelnError as error:
        refusal = str(error)
    assert not PYTHON.search(refusal)
