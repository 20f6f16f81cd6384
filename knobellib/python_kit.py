"""The software kit of the games whose programs need no library: a referee in Python, to play at
home.

The referee consists of the server's own files, so it plays by the rules of the server. They are
those that need nothing but Python's standard library; `contest.json` has the settings of the
contest. To it come sample programs, samples of what a program reads, and templates of container
images where the contest takes them.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import contest
from contest.config.settings import Settings
from contest.games.game import Game, TextGame, TextProtocol
from contest.games.registry import game_of
from contest.seeds import Seeds, seed_from
from knobellib.kit_archives import Kit, KitFile
from knobellib.ledger_programs import ledger_programs
from knobellib.samples import samples

SAMPLE_GAMES = 3  # the most varied ones of CANDIDATES: some games of chance are over at once
CANDIDATES = 20
SAMPLE_SEATS = 3  # if so many can play; two would not show what neighbours see of each other

_IMAGES_LINE = "    images/           templates of container images\n"
_ROOT = Path(contest.__file__).parents[1]
_KIT = "knobeln/home/kit"  # what only the kits have
_SERVER = (
    "contest/__init__.py",
    "contest/errors.py",
    "contest/seeds.py",
    "contest/games/__init__.py",
    "contest/games/game.py",
    "contest/util/__init__.py",
    *(f"contest/util/{name}.py" for name in ("clock", "plurals", "program_files", "sanitize")),
    "contest/programs/__init__.py",
    "contest/programs/start.py",
    "knobeln/__init__.py",
    "knobeln/home/__init__.py",
    "knobeln/home/home_game.py",
    f"{_KIT}/__init__.py",
    f"{_KIT}/own_computer.py",
    "sandbox/__init__.py",
    "sandbox/budget.py",
    "sandbox/limits.py",
    "sandbox/process.py",
    "sandbox/program_folder.py",
    "sandbox/running.py",
    *(f"sandbox/players/{name}.py" for name in ("__init__", "driver", "function")),
    "tournament/__init__.py",
    "tournament/text_referee.py",
)
_AT_HOME = {
    "name",
    "suffixes",
    "tool",
    "build",
    "result",
    "run",
    "memory_mb",
    "environment",
    "imports_from_start",
}
"""What a team's own computer needs to know of a language."""
_GAME_PARTS = ("drawing", "words")  # in contest/games


# By kind of play: the referee, in knobeln/home/kit, and what of the server there is besides
# `_SERVER`.
_KINDS = {
    "text": (
        "referee_text.py",
        *(f"sandbox/players/{name}.py" for name in ("arguments", "choice", "lines")),
    ),
    "table": (
        "referee_table.py",
        "contest/games/hog.py",
        "sandbox/players/table.py",
        *(f"knobellib/{name}.py" for name in ("__init__", "hog_contest", "hog_course")),
    ),
}


def python_kit(settings: Settings) -> Kit:
    """The kit for a contest with these settings, its files sorted by name. The game must have a
    kit."""
    game = game_of(settings.game, settings.programs)
    referee, *of_kind = _KINDS[game.info.play.name]
    rules = f"{type(game).__module__.replace('.', '/')}.py"
    server = {*_SERVER, *of_kind, rules, *_parts_of(rules)}
    kit_files = [
        KitFile("referee.py", home_file(referee), is_program=True),
        KitFile("contest.json", _contest_facts(game, settings)),
        *ledger_programs(),
        *(KitFile(f"server/{name}", (_ROOT / name).read_bytes()) for name in server),
        KitFile("server/contest/language.py", home_file("language.py")),
        *(KitFile(f"programs/{name}", data) for name, data in samples(game.info.name).items()),
        *_states(game),
        *_image_templates(game, settings),
    ]
    command = _first_command(kit_files)
    kit_files.append(KitFile("README", _readme(game, command, settings)))
    files = tuple(sorted(kit_files, key=lambda file: file.name))
    return Kit(f"{game.info.name}-software", files, command)


def _parts_of(rules: str) -> Iterator[str]:
    """The parts of games that the rules import."""
    source = (_ROOT / rules).read_text(encoding="utf-8")
    for name in _GAME_PARTS:
        if re.search(
            rf"^from contest\.games(?:\.{name} import| import {name}$)", source, re.MULTILINE
        ):
            yield f"contest/games/{name}.py"


def _first_command(kit: Sequence[KitFile]) -> str:
    """The referee with two of the sample programs, in languages that most computers have."""
    programs = [file.name for file in kit if file.name.startswith("programs/")]
    programs.sort(
        key=lambda name: (not name.endswith(".py"), not name.endswith(".sh"), len(name), name)
    )
    return " ".join(("python3 referee.py", *programs[:2]))


def home_file(name: str) -> bytes:
    """A file that only the kits have."""
    return (_ROOT / _KIT / name).read_bytes()


def with_values(text: str, values: Mapping[str, str]) -> bytes:
    """The text of such a file with these values in place of its marks, one after the other."""
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text.encode()


def _contest_facts(game: Game, settings: Settings) -> bytes:
    """What the referee must know of the contest. No secret is among it."""
    rules = {
        "module": type(game).__module__,
        "class": type(game).__name__,
        "parameters": game.parameters,
    }
    languages = settings.programs.all_languages
    facts = {
        "title": settings.contest.title,
        "rules": rules,
        "programs": settings.programs.model_dump(mode="json", include={"seconds", "memory_mb"}),
        "languages": [row.model_dump(mode="json", include=_AT_HOME) for row in languages],
    }
    return (json.dumps(facts, indent=1) + "\n").encode()


# --- what programs read ---------------------------------------------------------------------------
def _states(game: Game) -> Iterator[KitFile]:
    """Games with moves by chance, as the program of the first seat reads them: a line for each
    question."""
    if not isinstance(game, TextGame):
        return
    for number, lines in enumerate(_sample_games(game), start=1):
        yield KitFile(f"states/game_{number}.txt", "".join(f"{line}\n" for line in lines).encode())


def _sample_games(game: TextGame[Any, Any]) -> list[list[str]]:
    played = [
        list(_questions(game, Seeds(seed_from(f"sample game {n}")))) for n in range(CANDIDATES)
    ]
    return sorted(played, key=lambda lines: len(set(lines)), reverse=True)[:SAMPLE_GAMES]


def _questions(rules: TextGame[Any, Any], seeds: Seeds) -> Iterator[str]:
    info = rules.info
    seats = min(max(info.min_seats, SAMPLE_SEATS), info.max_seats)
    names = ["you", *(f"opponent_{seat}" for seat in range(1, seats))]
    game = rules.for_players(names, partial(seeds.below, "game"))
    position, turn = game.start(seats), 0
    while to_move := game.players_to_move(position):
        if 0 in to_move:
            yield " ".join(map(str, game.question(position, 0, info.protocols[0])))
        moves = {}
        for seat in sorted(to_move):
            allowed = game.sample_moves(position, seat)
            moves[seat] = allowed[seeds.below(f"{turn}/{seat}", len(allowed))]
        position, turn = game.apply(position, moves), turn + 1
    if message := game.game_over_message(position, 0):
        yield " ".join(map(str, message))


# --- images ---------------------------------------------------------------------------------------
def _image_templates(game: Game, settings: Settings) -> Iterator[KitFile]:
    """A folder for each language, with a program that plays; nothing if the contest takes no
    images."""
    if not settings.programs.takes_images:
        return
    folder = _ROOT / _KIT / "images"
    for language in sorted(language_folder.name for language_folder in folder.iterdir()):
        for source in (folder / language, folder / language / game.info.name):
            for file in source.iterdir() if source.is_dir() else ():
                if file.is_file():
                    yield KitFile(f"images/{language}/{file.name}", file.read_bytes())


def _arguments(game: TextGame[Any, Any]) -> str:
    """Arguments of a program, as they are typed."""
    return " ".join(map(shlex.quote, _sample_games(game)[0][-1].split()))


# --- README ---------------------------------------------------------------------------------------
def _readme(game: Game, command: str, settings: Settings) -> bytes:
    programs = settings.programs
    has_images = programs.takes_images
    parts = [game.info.play.name]
    if isinstance(game, TextGame):
        is_in_lines = game.info.protocols[0] is TextProtocol.STDIO
        parts += ["lines" if is_in_lines else "arguments", *(["images"] if has_images else [])]
    text = "".join(home_file(f"readme/{part}").decode() for part in parts)
    title = f"{settings.contest.title}: the software"
    counted = programs.counted_languages
    values = {
        "@CLOCK@": home_file(f"readme/clock_{'fuel' if counted else 'cpu'}").decode().rstrip(),
        "@LANGUAGES@": ", ".join(counted),
        "@FUEL@": f"{programs.fuel:,}",
        "@GAME_FUEL@": f"{programs.game_fuel:,}",
        "@TITLE@: the software\n@LINE@": f"{title}\n{'=' * len(title)}",
        "@COMMAND@": command,
        "@IMAGES@": _IMAGES_LINE if has_images else "",
        "@SECONDS@": f"{programs.seconds:g}",
        "@QUESTION@": _arguments(game) if has_images and isinstance(game, TextGame) else "",
    }
    return with_values(text, values)
