"""The kit's referee and the contest machine: the same programs and seeds, the same protocol."""

from collections.abc import Callable, Iterable, Mapping
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.build import BuildResult
from contest.games.knobeln import Rules
from contest.model import Match, Pairing
from contest.seeds import Seeds, seed_from
from knobellib.kits import STRATEGIES
from knobellib.samples import house_strategies
from knobellib.software import protocolfmt
from reports.knobeln_protocol import GameProtocol, write
from sandbox.vm.image import Image
from tests.support.kit_on_disk import Kit, Said, unpacked
from tournament.referee import Fixture, game_job
from tournament.runners.machine import MachineRunner

Compile = Callable[[str], BuildResult]

CONTEST_SEED = bytes(range(32))
ROUND, GROUP, ATTEMPT = 3, 2, 1
INSTRUCTIONS = 100_000_000


def on_the_machine(
    images: Mapping[str, Image], pairs: Iterable[tuple[str, str]], rules: Rules | None = None
) -> dict[tuple[str, str], str]:
    """The protocols of a contest's games between these, as DGP has them."""
    chosen = [Pairing(pair) for pair in pairs]
    by_digest = {image.digest: image for image in images.values()}
    runner = MachineRunner(by_digest, rules or Rules(), INSTRUCTIONS, workers=2)
    digests = {name: image.digest for name, image in images.items()}
    jobs = [
        game_job(ROUND, Fixture(pairing, 1, ATTEMPT), digests, Seeds(CONTEST_SEED), images.keys())
        for pairing in chosen
    ]
    played = zip(chosen, runner.play(jobs), strict=True)
    matches = [Match(pairing, ATTEMPT, result, result.is_flawless) for pairing, result in played]
    return {
        each.players: write([GameProtocol(ROUND, GROUP, rules or Rules(), each)])
        for each in matches
    }


def at_home(kit: Kit, first: str, second: str, *options: str) -> Said:
    """The same game of the contest by the kit's referee."""
    game = ("-c", CONTEST_SEED.hex(), "-r", str(ROUND), "-g", str(GROUP), "-n", str(ATTEMPT))
    return kit.play(*game, *options, first, second)


def differing(kit: Kit, protocols: Mapping[tuple[str, str], str]) -> list[tuple[str, str]]:
    return [pair for pair, protocol in protocols.items() if at_home(kit, *pair).out != protocol]


@pytest.mark.slow
def test_the_kits_strategies_play_the_same_games_as_on_the_machine(
    kit: Kit, compile_program: Callable[[str], BuildResult]
) -> None:
    house = {strategy.name: strategy.source for strategy in house_strategies()}
    images = {name: image_of(compile_program(house[name])) for name in STRATEGIES}
    protocols = on_the_machine(images, combinations_with_replacement(STRATEGIES, 2))
    assert all("verdicts OK OK\ncounted yes" in protocol for protocol in protocols.values())
    assert differing(kit, protocols) == []


def image_of(built: BuildResult) -> Image:
    assert built.image, built.report.findings
    return built.image


DESCRIPTION = "#if 0\n" + "It is there to be compared.\n" * 15 + "#endif\n"


def in_both(
    kit: Kit,
    compile_program: Compile,
    programs: Mapping[str, str],
    *options: str,
    rules: Rules | None = None,
) -> tuple[Said, str]:
    """The game of the two programs by the kit's referee and by the machine: the same protocol."""
    images = {}
    for name, source in programs.items():
        kit.add(name, source)
        images[name] = image_of(compile_program(DESCRIPTION + source))
    names = tuple(programs)
    pair = (names[0], names[-1])
    said, protocol = at_home(kit, *pair, *options), on_the_machine(images, [pair], rules)[pair]
    assert said.out == protocol
    return said, protocol


# --- what C may mean differently on two computers -------------------------------------------------


OLD_STYLE = """
main ()
{
  auto mine = 4096, i;
  for (i = 0; i < 1000; i++)
    mine = max (mine, make_throw (mine) - 1);
}
max (a, b)
{
  return a > b ? a : b;
}
"""
NEW_STYLE = """
int make_throw (int my_throw);
static int larger (const int a, const int b) { return a > b ? a : b; }
int main (void)
{
  int mine = 4000;
  for (;;)
    mine = larger (mine, make_throw (mine));
}
"""


# drops after whole series
ZIGZAG = "main () { int i; for (i = 0;; i++) make_throw (i / 8 % 2 ? 5 : 7); }"


@pytest.mark.parametrize(
    "programs", [{"old_style": OLD_STYLE, "new_style": NEW_STYLE}, {"zigzag": ZIGZAG}]
)
def test_good_programs_in_the_old_and_in_the_new_style_play_the_same_at_home(
    kit: Kit, compile_program: Callable[[str], BuildResult], programs: dict[str, str]
) -> None:
    _, protocol = in_both(kit, compile_program, programs)
    assert "verdicts OK OK" in protocol


# --- failures -------------------------------------------------------------------------------------
FAILING = {
    "throws_nothing": ("main () { }", "PROTOCOL", "ended after 0 of 1000 throws"),
    "throws_zero": (
        "main () { make_throw (1); make_throw (0); }",
        "ILLEGAL_MOVE",
        "throw 2 was 0, but only 1..12288 are allowed",
    ),
    "drops_too_early": (
        "main () { int i; for (i = 0;; i++) make_throw (i == 15 ? 3 : i < 8 ? 7 : 5); }",
        "ILLEGAL_MOVE",
        (
            "throw 16 (3) is lower than throw 15 (5), but its series is only 7 throws long; 8 are"
            " needed"
        ),
    ),
    "follows_a_wild_pointer": (
        "int *wild = (int *) 64; main () { make_throw (7); make_throw (*wild); }",
        "CRASH",
        "was stopped by signal 11 (Segmentation fault)",
    ),
    "thinks_for_ever": (
        "volatile int on = 1; main () { make_throw (7); while (on) continue; }",
        "TIME",
        "used more than 1 s of processor time",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAILING)
def test_a_failure_is_the_same_failure_at_home(
    kit: Kit, compile_program: Compile, name: str
) -> None:
    source, verdict, reason = FAILING[name]
    good = "main () { for (;;) make_throw (9); }"
    said, protocol = in_both(kit, compile_program, {"good": good, name: source}, "-t", "1")
    assert f"verdicts OK {verdict}\ncounted no" in protocol
    assert (said.status, said.err) == (1, f"good: 0 points\n{name}: 0 points; failed: {reason}\n")


def test_two_that_fail_at_once_are_both_charged(kit: Kit, compile_program: Compile) -> None:
    leaves, drops = "main () { make_throw (9); }", "main () { make_throw (9); make_throw (8); }"
    _, protocol = in_both(kit, compile_program, {"leaves": leaves, "drops": drops})
    assert "points 0 0\nverdicts PROTOCOL ILLEGAL_MOVE" in protocol


# --- the numbers of a contest ---------------------------------------------------------------------
def test_the_referee_has_the_numbers_of_the_contest_that_the_kit_is_for(
    tmp_path: Path, compile_program: Callable[[str], BuildResult]
) -> None:
    rules = Rules(a=2, b=7, k=3, L=20)
    kit = unpacked(tmp_path, rules)
    kit.make("knobeln")
    source = "main () { int i; for (i = 0;; i++) make_throw (2 + i % 3); }"
    _, protocol = in_both(kit, compile_program, {"short": source}, rules=rules)
    assert "rules a=2 b=7 k=3 L=20" in protocol


# --- seeds ----------------------------------------------------------------------------------------
PROBE = '#!/bin/sh\necho "$KNOBELN_SEED" >"$0.seed"\n'


@pytest.fixture(scope="module")
def probes(kit: Kit) -> tuple[Path, Path]:
    """Two programs that write down their seeds and leave."""
    paths = (kit.path / "one", kit.path / "other")
    for path in paths:
        path.write_text(PROBE)
        path.chmod(0o755)
    return paths


def words(seed: bytes) -> str:
    return (
        ",".join(str(int.from_bytes(seed[at : at + 4], "little")) for at in range(0, 16, 4)) + "\n"
    )


def seeds_told(probes: tuple[Path, Path]) -> list[str]:
    return [Path(f"{path}.seed").read_text() for path in probes]


# An argument of a command holds any text but NUL.
@given(
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300)
)
def test_a_text_gives_the_same_seeds_as_for_knobeln_play(
    kit: Kit, probes: tuple[Path, Path], text
) -> None:
    seeds = Seeds(seed_from(f"play/{text}"))
    kit.play("-s", text, "one", "other")
    assert seeds_told(probes) == [words(seeds.stream("seat/0")), words(seeds.stream("seat/1"))]


@pytest.mark.parametrize("length", [122, 123, 124, 5_000])
def test_a_text_of_any_length_gives_the_same_seeds(
    kit: Kit, probes: tuple[Path, Path], length: int
) -> None:
    """`play/` and the text fill blocks of 128 bytes: just not, exactly, and one more."""
    seeds = Seeds(seed_from(f"play/{'x' * length}"))
    kit.play("-s", "x" * length, "one", "other")
    assert seeds_told(probes) == [words(seeds.stream("seat/0")), words(seeds.stream("seat/1"))]


# --- what the referee answers ---------------------------------------------------------------------
@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ((), "usage: knobeln"),
        (("-x", "grim", "grim"), "./knobeln: invalid option -- 'x'\nusage: knobeln"),
        (("-k", "0", "grim", "grim"), "knobeln: -k: a number from 1 to 1073741824 is needed"),
        (
            ("-L", "99999999999999999999", "grim", "grim"),
            "knobeln: -L: a number from 1 to 1000000 is needed",
        ),
        (("-a", "9", "-b", "8", "grim", "grim"), "knobeln: -a: A is larger than B"),
        (
            ("-c", "12", "-r", "1", "grim", "grim"),
            "knobeln: -c: the seed of a contest has 64 hex digits",
        ),
        (
            ("-c", "0" * 64, "grim", "grim"),
            "knobeln: -c and -r: the seed of a contest and the number of",
        ),
        (
            ("-s", "1", "-c", "0" * 64, "-r", "1", "grim", "grim"),
            "knobeln: -c and -s: a game has one seed",
        ),
        (("grim", "nobody"), "knobeln: nobody: No such file or directory"),
        (("a b", "grim"), "knobeln: a b: a program's name is neither empty nor has it white space"),
    ],
)
def test_a_wrong_command_line_gets_a_clear_answer(
    kit: Kit, command: tuple[str, ...], complaint: str
) -> None:
    said = kit.play(*command)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(complaint)


@pytest.mark.parametrize("words", ["hello", "99999999999", "x" * 500])
def test_a_program_that_says_what_is_no_throw_has_failed(kit: Kit, words: str) -> None:
    path = kit.path / "babbler"
    path.write_text(f"#!/bin/sh\nprintf '{words}\\n'\nread answer\n")
    path.chmod(0o755)
    said = kit.play("-s", "1", "babbler", "grim")
    assert "verdicts PROTOCOL OK\n" in said.out
    assert "babbler: 0 points; failed: said what is no throw instead of throw 1\n" in said.err


def test_no_program_is_left_behind(kit: Kit) -> None:
    """One that ignores all signals that can be ignored, and would go on for ever."""
    path = kit.path / "stays"
    path.write_text('#!/bin/sh\ntrap "" HUP PIPE TERM\nwhile :; do echo 5; done\n')
    path.chmod(0o755)
    for opponent in ("stays", "grim"):
        assert "failed" in kit.play("-s", "1", "stays", opponent).err
    assert "No such file" in kit.play("-s", "1", "stays", "nobody").err
    assert running_in(kit.path) == []


def running_in(folder: Path) -> list[str]:
    """The processes whose current folder this is."""
    return [
        link.parent.name for link in Path("/proc").glob("[0-9]*/cwd") if target(link) == str(folder)
    ]


def target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # it has just ended
        return ""


def test_a_protocol_that_cannot_be_written_is_no_game(kit: Kit) -> None:
    said = kit.run("sh", "-c", "./knobeln -s 1 leapfrog grim >/dev/full")
    assert (said.status, said.err) == (2, "knobeln: standard output: No space left on device\n")


def test_a_protocol_of_the_referee_is_read_by_the_server(kit: Kit) -> None:
    said = kit.play("-s", "1", "leapfrog", "./grim")
    (game,) = protocolfmt.games_of(said.out)
    assert game.players == ("leapfrog", "grim")
    assert game.verdicts == ("OK", "OK")
    assert said.err.startswith(
        f"leapfrog: {game.points[0]} points\ngrim: {game.points[1]} points\n"
    )
