"""The programs of a finished contest with the kit, in one file, so that readers can play against
them at home."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from contest.config.settings import Settings
from contest.games.registry import game_of
from knobellib.kit_archives import Kit, KitFile
from knobellib.kits import kit_of
from knobellib.python_kit import home_file, with_values

FOLDER = "beat"
MAX_PROGRAM_BYTES = 500_000  # of one; larger ones, such as container images, are left out
MAX_BYTES = 20_000_000  # of all programs; the largest of more are left out

_DRAWS = {
    True: """The draws are those of the contest: a game is played again throw by
throw, and if yours takes part, the other has the luck that it had.
Add --moves to see every throw.
""",
    False: """The draws follow from the name of the game, and are not those of the
contest. So a game of programs that leave nothing to chance is the same.
""",
}


@dataclass(frozen=True)
class BeatGame:
    """A game of two that can be played again. `lost`: the seat of who lost it, or of the second."""

    name: str
    players: tuple[str, ...]
    round: int
    attempt: int
    lost: int


def beat_kit(
    settings: Settings,
    programs: Mapping[str, Mapping[str, bytes]],
    games: Sequence[BeatGame],
    seed: str,
) -> Kit | None:
    """The kit with these programs, files by team, and the games between them; None if no game is
    left. The contest's game must have a kit.

    `seed`: of the contest, in hex.
    """
    playing = {name for game in games for name in game.players}
    small = _that_fit({name: files for name, files in programs.items() if name in playing})
    playable = [game for game in games if small.keys() >= set(game.players)]
    if not playable:
        return None
    is_in_c = game_of(settings.game, settings.programs).info.play.is_in_c
    kit_files = [
        KitFile("beat.py", home_file("beat.py"), is_program=True),
        KitFile("README", _readme(settings, is_in_c=is_in_c)),
        KitFile("games.json", _facts(playable, seed, is_in_c=is_in_c)),
        *(
            KitFile(f"kit/{file.name}", file.data, is_program=file.is_program)
            for file in kit_of(settings).files
        ),
        *(
            KitFile(f"programs/{name}/{file}", data)
            for name, files in small.items()
            for file, data in files.items()
        ),
    ]
    ordered = tuple(sorted(kit_files, key=lambda file: file.name))
    return Kit(FOLDER, ordered, f"python3 beat.py {playable[0].name}")


def _that_fit(programs: Mapping[str, Mapping[str, bytes]]) -> dict[str, Mapping[str, bytes]]:
    """The programs that have room in the file, the smallest first."""
    sizes = {name: sum(map(len, files.values())) for name, files in programs.items()}
    names = sorted(programs, key=lambda name: (sizes[name], name))
    totals = accumulate(sizes[name] for name in names)
    return {
        name: programs[name]
        for name, total in zip(names, totals, strict=True)
        if sizes[name] <= MAX_PROGRAM_BYTES and total <= MAX_BYTES
    }


def _readme(settings: Settings, *, is_in_c: bool) -> bytes:
    values = {
        "@TITLE@": settings.contest.title,
        "@OWN@": "mine.c " if is_in_c else "mine.py",
        "@DRAWS@": _DRAWS[is_in_c],
    }
    return with_values(home_file("readme/beat").decode(), values)


def _facts(games: Sequence[BeatGame], seed: str, *, is_in_c: bool) -> bytes:
    by_name = {
        game.name: {
            "players": game.players,
            "round": game.round,
            "attempt": game.attempt,
            "lost": game.lost,
        }
        for game in games
    }
    facts = {"is_in_c": is_in_c, "seed": seed, "games": by_name}
    return (json.dumps(facts, indent=1) + "\n").encode()
