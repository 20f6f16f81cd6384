"""KNOBELN's software kit: a team writes and tries its strategy with it at home (K22, K23, K24).

It has the library, a referee in C, the formatter of protocols, the example and six house strategies.
"""

from __future__ import annotations

from importlib.resources import files

from contest.games.knobeln import Rules
from knobellib.kit_archives import Kit, KitFile

FOLDER = "knobelnsoftware"

STRATEGIES = ("dice_cup", "grim", "leapfrog", "myopic", "patient_cooperator", "planner")
_PROGRAMS = ("example", *STRATEGIES)
_REFEREE = ("knobeln.c", "player.c", "player.h", "seeds.c", "seeds.h")


def knobeln_kit(rules: Rules) -> Kit:
    """The kit for a contest with these rules, its files sorted by name."""
    library, software = files("knobellib"), files("knobellib").joinpath("software")
    found = [KitFile(name, software.joinpath(name).read_bytes()) for name in ("README", *_REFEREE)]
    found += [
        KitFile(name, library.joinpath(name).read_bytes())
        for name in ("example.c", "knobellib.c", "knobellib.h")
    ]
    found += [
        KitFile(f"{name}.c", library.joinpath("strategies", f"{name}.c").read_bytes()) for name in STRATEGIES
    ]
    makefile = software.joinpath("Makefile").read_text().replace("@STRATEGIES@", " ".join(_PROGRAMS))
    found += [
        KitFile("Makefile", makefile.encode()),
        KitFile("protocolfmt", software.joinpath("protocolfmt.py").read_bytes(), is_program=True),
        KitFile("receipts", library.joinpath("receipts.py").read_bytes(), is_program=True),
        KitFile("rules.h", _rules_header(rules).encode()),
    ]
    return Kit(FOLDER, tuple(sorted(found, key=lambda file: file.name)), "make")


def _rules_header(rules: Rules) -> str:
    """The rules of the contest as a C header for the referee."""
    return (
        "/* rules.h - the contest's: throws are in A..B, series have at least K throws, a game has L. */\n"
        f"#define RULE_A {rules.a}\n"
        f"#define RULE_B {rules.b}\n"
        f"#define RULE_K {rules.k}\n"
        f"#define RULE_L {rules.L}\n"
    )
