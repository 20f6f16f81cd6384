"""`help limits` tells every limit that a program can meet, with the number of the place that
enforces it."""

from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest

from compiler import counted, toolchain
from compiler.languages import languages_of
from contest.config.settings import Settings
from contest.games import hog
from contest.games.game import TEXT
from contest.games.registry import game_of, game_plugins
from contest.language import number, speaking
from contest.programs import archive
from contest.schema.languages import Language
from contest.schema.sections import Programs
from contest.util import program_files
from contest.util.clock import sleep_seconds
from knobeln import presets
from mailserver.commands import COMMANDS, help_topics
from mailserver.reading import find_program
from reports.limits import limits_of
from reports.render import Templates
from sandbox import players
from sandbox.images import oci_image, unpacking
from sandbox.limits import COMPILER, MB, PREPROCESSOR, Limits
from sandbox.players import arguments, function, lines, table
from sandbox.vm import image

START = datetime(2026, 3, 21, 15, 5, tzinfo=UTC)
GAMES = tuple(sorted(game_plugins()))
FILES = tuple(game for game in GAMES if not game.startswith("knobeln"))
COUNTED = ("C", "Python")


def settings_of(game: str) -> Settings:
    """The game's preset; where programs talk, some languages are counted, and each has its own
    memory."""
    made = presets.settings(game, START)
    if game_of(made.game, made.programs).info.play is not TEXT:
        return made
    return made.changed(programs={"counted_languages": COUNTED, "memory_mb": 0})


def row(name: str) -> Callable[[Settings], Any]:
    """The language as its programs are built and run."""

    def of(settings: Settings) -> Any:
        return next(each for each in languages_of(settings.programs) if each.name == name)

    return of


JAVA, PYTHON, C = row("Java"), row("Python"), row("C")


class Told(NamedTuple):
    """A limit: in which games a program meets it, the number that enforces it, and the sentence
    that tells it, `#` for the number."""

    name: str
    games: tuple[str, ...]
    enforced: Callable[[Settings], float]
    sentence: str


STDIO, FUNCTION, IMAGES = ("bid-tac-toe",), ("ultimate-tic-tac-toe",), ("cooperation",)
TALK = tuple(game for game in FILES if game != "hog")
LIMITS = (
    Told("source", GAMES, lambda s: s.programs.MAX_SOURCE_BYTES, "Source: at most # bytes"),
    Told("files", FILES, lambda s: find_program.MAX_FILES, "At most # files."),
    Told(
        "path",
        FILES,
        lambda s: program_files.MAX_PATH_CHARS,
        "The path of a file has at most # characters",
    ),
    Told("depth", FILES, lambda s: program_files.MAX_DEPTH, "characters and # parts"),
    Told("entries", FILES, lambda s: archive.MAX_ENTRIES, "An archive: at most # entries"),
    Told("unpacked", FILES, lambda s: archive.MAX_BYTES, "and # bytes when it is unpacked"),
    Told(
        "compiler",
        GAMES,
        lambda s: toolchain.COMPILER.cpu_seconds,
        "A compiler has # s of processor time",
    ),
    Told(
        "compiler's clock",
        GAMES,
        lambda s: toolchain.COMPILER.wall_seconds,
        "By the clock it has # s; if it does not end by then, no program is refused",
    ),
    Told(
        "compiler's memory",
        ("knobeln",),
        lambda s: toolchain.COMPILER.address_space_bytes // MB,
        "The compiler has # MB of memory",
    ),
    Told(
        "preprocessor",
        ("knobeln",),
        lambda s: toolchain.PREPROCESSOR.cpu_seconds,
        "The preprocessor has # s of processor time",
    ),
    Told(
        "preprocessed",
        ("knobeln",),
        lambda s: toolchain.PREPROCESSOR.output_bytes,
        "and writes at most # bytes",
    ),
    Told("elements", ("knobeln",), lambda s: s.programs.MAX_ELEMENTS, "At most # lexical elements"),
    Told("memory", ("knobeln",), lambda s: image.MEMORY_SIZE // 1024, "In a game: # kB of memory"),
    Told(
        "instructions",
        ("knobeln",),
        lambda s: s.programs.max_instructions,
        "and # machine instructions",
    ),
    Told("units", TALK, lambda s: s.programs.fuel, "Counted time: # units for an answer"),
    Told(
        "units of a game", TALK, lambda s: s.programs.game_fuel, "and # for all answers of a game"
    ),
    Told(
        "module",
        TALK,
        lambda s: counted.Programs.MAX_MODULE_BYTES,
        "The module that a compiler makes has at most # bytes",
    ),
    Told(
        "machine code",
        TALK,
        lambda s: counted.Programs.MACHINE_CODE_SECONDS,
        "and # s are there to translate it",
    ),
    Told(
        "check", TALK, lambda s: counted.Programs.CHECK_FUEL, "in other programs there are # units"
    ),
    Told("memory of counted C", TALK, lambda s: C(s).memory_mb, "C: # MB of memory; no other"),
    Told(
        "compiler of counted C",
        TALK,
        lambda s: C(s).build_memory_mb,
        "C: 16 MB of memory; no other processes or threads; # MB for the compiler",
    ),
    Told(
        "memory of counted Python",
        TALK,
        lambda s: PYTHON(s).memory_mb,
        "Python: # MB of memory; no other processes or threads.",
    ),
    Told("answer", TALK, lambda s: s.programs.seconds, "Processor time: # s for an answer"),
    Told(
        "sleep",
        TALK,
        lambda s: sleep_seconds(s.programs.seconds),
        "In a game a program may sleep for # s",
    ),
    Told(
        "result",
        TALK,
        lambda s: s.programs.MAX_RESULT_BYTES,
        "What a compiler makes has at most # bytes",
    ),
    Told("memory of Java", TALK, lambda s: JAVA(s).memory_mb, "Java: # MB of memory"),
    Told(
        "address space of Java",
        TALK,
        lambda s: JAVA(s).memory_mb + JAVA(s).reserved_mb + JAVA(s).untouched_mb,
        "Java: 128 MB of memory, that is # MB of address space",
    ),
    Told(
        "processes of Java",
        TALK,
        lambda s: JAVA(s).processes,
        "Java: 128 MB of memory, that is 1,024 MB of address space with what the language"
        " reserves; # processes and threads",
    ),
    Told(
        "compiler of Java",
        TALK,
        lambda s: JAVA(s).build_memory_mb,
        "1,024 MB of address space with what the language reserves; 48 processes and threads; #"
        " MB for the compiler",
    ),
    Told("open files", FILES, lambda s: Limits().open_files, "a program can have # files open"),
    Told("file", FILES, lambda s: Limits().file_bytes // MB, "and write files of up to # MB"),
    Told("all files", FILES, lambda s: Limits().work_bytes // MB, "together # MB"),
    Told(
        "length of an answer",
        TALK,
        lambda s: arguments.MAX_ANSWER_BYTES,
        "An answer has at most # bytes",
    ),
    Told(
        "trial",
        TALK,
        lambda s: s.programs.TRIAL_SECONDS,
        "A trial game is broken off after # s",
    ),
    Told(
        "process",
        STDIO,
        lambda s: lines.CPU_SECONDS,
        "A process that plays one game after another has # s of processor time",
    ),
    Told(
        "import",
        FUNCTION,
        lambda s: function.IMPORT_SECONDS,
        "To import a file with a function there are # s",
    ),
    Told(
        "all scores",
        ("hog",),
        lambda s: s.programs.seconds,
        "All scores together: # s of processor time",
    ),
    Told(
        "all scores' sleep",
        ("hog",),
        lambda s: sleep_seconds(s.programs.seconds),
        "and # s of sleep, the import of the file included",
    ),
    Told("memory of Hog", ("hog",), lambda s: s.programs.memory_mb, "Python: # MB of memory"),
    Told("name", ("hog",), lambda s: hog.MAX_NAME, "PLAYER_NAME has at most # characters"),
    Told(
        "reading the name",
        ("hog",),
        lambda s: table.CONSTANT_SECONDS,
        "to read it there are # s of processor time",
    ),
    Told("dice", ("hog",), lambda s: hog.MAX_DICE, "Numbers of dice are from 0 to #."),
    Told(
        "image's archive",
        IMAGES,
        lambda s: s.programs.max_image_bytes,
        "The archive of a container image has at most # bytes",
    ),
    Told(
        "image",
        IMAGES,
        lambda s: unpacking.UNPACKED_BYTES,
        "A container image has at most # bytes",
    ),
    Told("image's files", IMAGES, lambda s: unpacking.MAX_FILES, "and # files and links when"),
    Told("image's variables", IMAGES, lambda s: oci_image.MAX_VARIABLES, "unpacked, # variables"),
    Told("image's command", IMAGES, lambda s: oci_image.MAX_WORDS, "and # words in its command"),
    Told(
        "image's memory",
        IMAGES,
        lambda s: oci_image.ADDRESS_SPACE_BYTES // MB,
        "It has # MB of address space",
    ),
    Told(
        "image's processes",
        IMAGES,
        lambda s: oci_image.PROCESSES,
        "MB of address space, and # processes and threads",
    ),
    Told(
        "compiles",
        GAMES,
        lambda s: s.programs.MAX_COMPILES_PER_HOUR,
        "In an hour at most # programs of a team are compiled",
    ),
    Told(
        "practices",
        GAMES,
        lambda s: s.programs.MAX_PRACTICES_PER_HOUR,
        "At most # letters with programs to practise",
    ),
)


def help_about_limits(settings: Settings) -> str:
    """The answer to `help limits`, in one line."""
    topic = help_topics.find("limits", COMMANDS, settings)
    facts = {"word": "limits", "topic": topic, "form": "", "near": (), "all_words": ()}
    return " ".join(Templates(settings, None).render("help_word", **facts).body.split())


def written(value: float) -> str:
    return number(int(value)) if value == int(value) else f"{value:g}"


@pytest.mark.parametrize("game", GAMES)
def test_help_limits_tells_the_numbers_that_are_enforced(game: str) -> None:
    settings = settings_of(game)
    text = help_about_limits(settings)
    for told in LIMITS:
        if game in told.games:
            sentence = told.sentence.replace("#", written(told.enforced(settings)))
            assert sentence in text, told.name


CHANGED = (
    ("MAX_SOURCE_BYTES", 123_456),
    ("MAX_ELEMENTS", 12_345),
    ("MAX_RESULT_BYTES", 23_456_789),
    ("MAX_MODULE_BYTES", 3_456_789),
    ("MACHINE_CODE_SECONDS", 37),
    ("CHECK_FUEL", 41_000_000_000),
    ("TRIAL_SECONDS", 77.5),
    ("MAX_COMPILES_PER_HOUR", 7),
    ("MAX_PRACTICES_PER_HOUR", 13),
    ("GAME_ANSWERS", 9),
)


@pytest.mark.parametrize(("name", "value"), CHANGED)
def test_a_constant_that_changes_is_told_anew(
    monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    before = {game: limits_of(settings_of(game)) for game in GAMES}
    monkeypatch.setattr(Programs, name, value)
    after = {game: limits_of(settings_of(game)) for game in GAMES}
    changed = [game for game in GAMES if before[game] != after[game]]
    assert changed
    for game in GAMES:
        test_help_limits_tells_the_numbers_that_are_enforced(game)


SETTINGS = (
    ("knobeln", "max_instructions", 123_000_000, "123,000,000 machine instructions"),
    ("hog", "seconds", 120.0, "All scores together: 120 s of processor time and 245 s"),
    ("hog", "memory_mb", 1_000, "Python: 1,000 MB of memory, that is 1,064 MB"),
    ("standoff", "seconds", 2.5, "2.5 s for an answer. In a game a program may sleep for 10 s"),
    ("standoff", "fuel", 7_000_000_000, "7,000,000,000 units for an answer, and 350,000,000,000"),
    ("standoff", "build_seconds", 70, "To build and try a program may take 70 s"),
    ("cooperation", "max_image_bytes", 1_234, "container image has at most 1,234 bytes"),
)


@pytest.mark.parametrize(("game", "key", "value", "sentence"), SETTINGS)
def test_a_setting_that_changes_is_told_anew(
    game: str, key: str, value: float, sentence: str
) -> None:
    assert sentence not in help_about_limits(settings_of(game))
    assert sentence in help_about_limits(settings_of(game).changed(programs={key: value}))


def test_an_own_language_has_its_numbers() -> None:
    mine = {"name": "Zig", "suffixes": ("zig",), "tool": "zig", "run": ("{tool}",)}
    numbers = {"memory_mb": 321, "reserved_mb": 10, "processes": 5, "build_memory_mb": 654}
    zig = Language.model_validate(mine | numbers)
    settings = settings_of("standoff").changed(programs={"languages": (zig,)})
    (line,) = (each for each in limits_of(settings) if each.startswith("Zig: "))
    assert line.startswith("Zig: 321 MB of memory, that is 331 MB of address space")
    assert "5 processes and threads; 654 MB for the compiler" in line


def test_nothing_that_a_sandbox_limits_is_left_out() -> None:
    told = {
        "cpu_seconds",
        "wall_seconds",
        "address_space_bytes",
        "reserved_bytes",
        "file_bytes",
        "work_bytes",
        "processes",
        "open_files",
        "output_bytes",
    }
    assert {each.name for each in fields(Limits)} == told


def test_nothing_that_limits_programs_is_left_out() -> None:
    """Constants and settings of `Programs` with a number, which are limits."""
    constants = {name for name in vars(Programs) if name.isupper()}
    assert constants == {name for name, _ in CHANGED}
    numbers = {
        name for name, field in Programs.model_fields.items() if field.annotation in (int, float)
    }
    assert numbers == {key for _, key, _, _ in SETTINGS}


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("game", GAMES)
def test_rules_and_announcement_say_where_all_limits_are(game: str, language: str) -> None:
    settings = settings_of(game)
    facts = {"has_rules": True, "form": "", "rules": "", "ledger_key": "key="}
    for template in ("rules", "call"):
        with speaking(language):
            text = Templates(settings, None).render(template, **facts).body
        assert "`help limits`" in " ".join(text.split()), template


def test_the_places_that_enforce_the_same_limit_have_one_number() -> None:
    assert toolchain.COMPILER is COMPILER
    assert toolchain.PREPROCESSOR is PREPROCESSOR
    assert players.MAX_ANSWER_BYTES == arguments.MAX_ANSWER_BYTES == lines.MAX_ANSWER_BYTES
    assert Limits().cpu_seconds == COMPILER.cpu_seconds
    assert archive.MAX_FILES == find_program.MAX_FILES == program_files.MAX_FILES
