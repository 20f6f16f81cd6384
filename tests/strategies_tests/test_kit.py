"""The software kit as a team gets it: unpacked in an empty folder, built, played with, read."""

import gzip
import re
import shutil
import tarfile
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import pytest

from compiler.toolchain import COMPILE_FLAGS
from contest.games.knobeln import Rules
from knobellib.kit_archives import tar_archive
from knobellib.kits import FOLDER, STRATEGIES, knobeln_kit
from knobellib.samples import house_strategies
from knobellib.software import protocolfmt
from tests.support.kit_on_disk import Kit, unpacked

KIT = knobeln_kit(Rules())


# --- the archives ---------------------------------------------------------------------------------
def test_the_kit_has_what_the_announcement_and_its_readme_promise() -> None:
    names = [file.name for file in KIT.files]
    promised = "knobellib.c knobellib.h knobeln.c protocolfmt example.c Makefile README"
    assert set(promised.split()) <= set(names)
    assert len(STRATEGIES) == 6
    assert {f"{name}.c" for name in STRATEGIES} < set(names)
    assert names == sorted(names)


def test_the_archive_is_smaller_than_110_kilobytes_and_the_same_whenever_it_is_made() -> None:
    assert tar_archive(KIT) == tar_archive(knobeln_kit(Rules()))
    assert 10_000 < len(tar_archive(KIT)) < 110_000


def test_the_archive_for_tar_names_no_person_and_no_time_of_ours() -> None:
    raw = tar_archive(KIT)
    assert raw[4:8] == bytes(4)
    with tarfile.open(fileobj=BytesIO(raw)) as archive:
        entries = archive.getmembers()
    assert {(e.uid, e.gid, e.uname, e.gname, e.mtime) for e in entries} == {
        (0, 0, "", "", 768_916_800)
    }
    assert {e.mode for e in entries if e.isfile()} == {0o644, 0o755}
    assert all(e.name == FOLDER or e.name.startswith(f"{FOLDER}/") for e in entries)


def test_every_file_is_plain_text_that_mail_systems_let_through() -> None:
    for file in KIT.files:
        assert re.fullmatch(rb"[\t\n -~]+\n", file.data), file.name
        assert b"<<FROM>>" not in file.data
        assert not re.search(rb"[ \t]\n", file.data), file.name


# --- building -------------------------------------------------------------------------------------
@pytest.mark.slow
def test_make_builds_everything_without_a_warning_and_a_second_make_nothing(
    kit: Kit, tmp_path: Path
) -> None:
    fresh = unpacked(tmp_path)
    said = fresh.run("make")
    assert (said.status, said.err) == (0, "")
    made = {path.name for path in fresh.path.iterdir()} - {file.name for file in KIT.files}
    assert made == {"knobeln", "example", *STRATEGIES}
    assert "gcc" not in fresh.run("make").out
    fresh.make("clean")
    assert {path.name for path in fresh.path.iterdir()} == {file.name for file in KIT.files}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("standard", ["c89", "gnu2x"])
def test_our_own_c_has_no_warnings_in_any_standard(
    tmp_path: Path, compiler: str, standard: str
) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler}")
    kit = unpacked(tmp_path)
    ours = ("knobellib.c", "knobeln.c", "player.c", "seeds.c")
    flags = f"-std={standard} -pedantic -Wall -Wextra -Wshadow -Werror -O2 -fno-builtin -c"
    said = kit.run(compiler, *flags.split(), *ours)
    assert (said.status, said.err) == (0, "")


# --- by hand --------------------------------------------------------------------------------------
def test_a_strategy_run_alone_plays_against_a_person_who_is_asked_before_its_number_shows(
    kit: Kit,
) -> None:
    kit.add("steady", "main () { for (;;) make_throw (4096); }")
    said = kit.run("./steady", typed="8192 8193\n4096\n1")
    assert said.out == (
        "throw 1, your number:   it has 4096; points so far: 13 for you, 0 for it\n"
        "throw 2, your number:   it has 4096; points so far: 13 for you, 12 for it\n"
        "throw 3, your number:   it has 4096; points so far: 13 for you, 12 for it\n"
        "throw 4, your number:   it has 4096; points so far: 13 for you, 12 for it\n"
        "throw 5, your number: the end\n"
    )
    assert kit.run("./steady").out == "throw 1, your number: the end\n"
    assert kit.run("./steady", typed="what?").out == "throw 1, your number: the end\n"


def test_a_seed_gives_the_same_numbers_by_hand(kit: Kit) -> None:
    seeds = ("1,2,3,4", "1,2,3,4", "1,2,3,5")
    one, again, other = (
        kit.run("./dice_cup", typed="5 " * 10, KNOBELN_SEED=seed) for seed in seeds
    )
    assert one == again != other


def in_full(protocol: str) -> str:
    """The first game, as this checkout's own formatter writes it."""
    return protocolfmt.in_full(next(protocolfmt.games_of(protocol)))


# --- the formatter --------------------------------------------------------------------------------
@pytest.fixture(params=["./protocolfmt", "./protocolfmt.pl"])
def formatter(request: pytest.FixtureRequest) -> str:
    """The same program, once in Python and once in Perl."""
    return str(request.param)


def test_the_formatter_takes_what_the_referee_prints(kit: Kit, formatter: str) -> None:
    protocol = kit.play("-s", "1", "leapfrog", "planner").out
    said = kit.run(formatter, typed=protocol)
    assert said.out == in_full(protocol)
    assert said.status == 0


def test_the_formatter_takes_files_gzipped_and_protocols_one_behind_the_other(
    kit: Kit, formatter: str
) -> None:
    games = [kit.play("-s", seed, "leapfrog", "planner").out for seed in "12"]
    (kit.path / "two.gz").write_bytes(gzip.compress("".join(games).encode()))
    assert kit.run(formatter, "two.gz").out == "\n".join(in_full(game) for game in games)


def test_the_formatter_shows_only_the_games_that_are_asked_for(kit: Kit, formatter: str) -> None:
    games = (
        kit.play("-s", "1", "leapfrog", "planner").out + kit.play("-s", "1", "grim", "leapfrog").out
    )
    said = kit.run(formatter, "--against", "grim", typed=games)
    assert "grim: " in said.out
    assert "planner" not in said.out
    said = kit.run(formatter, "--against", "nobody", typed=games)
    assert (said.status, said.err) == (1, "protocolfmt: there is no such game\n")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "KNOBELN protocol 1",
            "KNOBELN protocol 2",
            "-: line 1: there must be `KNOBELN protocol 1`",
        ),
        ("throws 1000", "throws 999", "-: line 2: here is no whole and sound game"),
    ],
)
def test_the_formatter_says_in_which_line_a_protocol_is_damaged(
    kit: Kit, formatter: str, old: str, new: str, complaint: str
) -> None:
    protocol = kit.play("-s", "1", "leapfrog", "planner").out
    assert old in protocol
    said = kit.run(formatter, typed=protocol.replace(old, new, 1))
    assert (said.status, said.out) == (1, "")
    assert complaint in said.err
    assert said.err.count("\n") == 1


def test_the_formatter_says_when_a_file_is_not_there_or_no_text(kit: Kit, formatter: str) -> None:
    assert "protocolfmt: nothing: " in kit.run(formatter, "nothing").err
    (kit.path / "broken.gz").write_bytes(b"\x1f\x8bhello")
    said = kit.run(formatter, "broken.gz")
    assert (said.status, said.err.count("\n")) == (1, 1), said.err
    assert said.err.startswith("protocolfmt: broken.gz: ")


BY_HAND = """KNOBELN protocol 1
game round=2 group=3 attempt=1
players {0} b
rules a=1 b=9999999999 k=1 L=4
points 01 0
verdicts {1} OK
counted no
digest ab12
throws 4
9999999999,-7,008,4
4999999999,3,8,9
end
game round=0 group=0 attempt=1
players a b
rules a=1 b=2 k=3 L=4
points 12 1
verdicts OK OK
counted no
digest 0
throws 1 not kept
end
"""


@pytest.mark.parametrize("verdict", protocolfmt.VERDICTS)
@pytest.mark.parametrize("name", ["a", "n" * 30, "n" * 64, "n" * 200])
def test_both_formatters_write_the_same_bytes(kit: Kit, verdict: str, name: str) -> None:
    protocol = BY_HAND.format(name, verdict)
    in_python, in_perl = (
        kit.run(command, typed=protocol) for command in ("./protocolfmt", "./protocolfmt.pl")
    )
    assert in_python.status == 0, in_python.err
    assert in_perl == in_python


# --- what is in it --------------------------------------------------------------------------------
def test_the_programs_of_the_kit_are_those_of_the_house() -> None:
    house = {f"{strategy.name}.c": strategy.source.encode() for strategy in house_strategies()}
    assert all(house[file.name] == file.data for file in KIT.files if file.name in house)


def test_the_numbers_of_the_contest_are_in_the_kit() -> None:
    (header,) = (
        f.data.decode() for f in knobeln_kit(Rules(2, 7, 3, 20)).files if f.name == "rules.h"
    )
    assert re.findall(r"#define RULE_(\w) (\d+)", header) == [
        ("A", "2"),
        ("B", "7"),
        ("K", "3"),
        ("L", "20"),
    ]


def test_the_flags_that_change_what_c_means_are_those_of_the_contest() -> None:
    makefile = files("knobellib").joinpath("software", "Makefile").read_text()
    without = ("strict-aliasing", "delete-null-pointer-checks", "builtin")
    meaning = {"-fwrapv", "-std=gnu89", *(f"-fno-{each}" for each in without)}
    assert meaning <= set(COMPILE_FLAGS) & set(makefile.split())
