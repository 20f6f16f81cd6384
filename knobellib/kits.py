"""The software kits: KNOBELN's own (K22, K23, K24), and which one the teams of a contest get.

KNOBELN's has the library, a referee in C, the formatter of protocols, the example and six house
strategies. A team writes and tries its strategy with it at home.
"""

from __future__ import annotations

from importlib.resources import files

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.knobeln import Rules, rules_of
from contest.games.registry import game_of
from knobellib.kit_archives import Kit, KitFile
from knobellib.ledger_programs import ledger_programs
from knobellib.python_kit import python_kit

FOLDER = "knobelnsoftware"

STRATEGIES = ("dice_cup", "grim", "leapfrog", "myopic", "patient_cooperator", "planner")
_PROGRAMS = ("example", *STRATEGIES)
_REFEREE = ("knobeln.c", "player.c", "player.h", "seeds.c", "seeds.h")


def knobeln_kit(rules: Rules) -> Kit:
    """The kit for a contest with these rules, its files sorted by name."""
    library, software = files("knobellib"), files("knobellib").joinpath("software")
    kit_files = [
        KitFile(name, software.joinpath(name).read_bytes()) for name in ("README", *_REFEREE)
    ]
    kit_files += [
        KitFile(name, library.joinpath(name).read_bytes())
        for name in ("example.c", "knobellib.c", "knobellib.h")
    ]
    kit_files += [
        KitFile(f"{name}.c", library.joinpath("strategies", f"{name}.c").read_bytes())
        for name in STRATEGIES
    ]
    makefile = (
        software.joinpath("Makefile").read_text().replace("@STRATEGIES@", " ".join(_PROGRAMS))
    )
    kit_files += [
        KitFile("Makefile", makefile.encode()),
        KitFile("protocolfmt", software.joinpath("protocolfmt.py").read_bytes(), is_program=True),
        KitFile(
            "protocolfmt.pl", software.joinpath("protocolfmt.pl").read_bytes(), is_program=True
        ),
        *ledger_programs(),
        KitFile("rules.h", _rules_header(rules).encode()),
    ]
    return Kit(FOLDER, tuple(sorted(kit_files, key=lambda file: file.name)), "make")


def _rules_header(rules: Rules) -> str:
    """The rules of the contest as a C header for the referee."""
    return (
        "/* rules.h - the contest's: throws are in A..B, series have at least K throws, a game has"
        f" L. */\n#define RULE_A {rules.a}\n#define RULE_B {rules.b}\n#define RULE_K"
        f" {rules.k}\n#define RULE_L {rules.L}\n"
    )


def kit_of(settings: Settings) -> Kit:
    """The kit for a contest with these settings. Raises GiveUp if its game has none."""
    info = game_of(settings.game, settings.programs).info
    if not info.has_kit:
        raise GiveUp(f"{info.title} has no kit; `knobeln games` lists its sample programs")
    return knobeln_kit(rules_of(settings.game)) if info.play.is_in_c else python_kit(settings)
