#!/usr/bin/env python3
"""Plays a game of the contest again, or a program of yours in the place of its loser.

    python3 beat.py GAME [PROGRAM] [--moves]

GAME is the name of a game, as its page has it; PROGRAM a file, or a folder with its files.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
KIT, PROGRAMS, BUILT = HERE / "kit", HERE / "programs", HERE / "built"
SHOWN = 20  # games that are listed
# As the kit's Makefile builds programs; the kit's README says why.
SAME = [
    "-std=gnu89",
    "-O2",
    "-w",
    "-fno-builtin",
    "-funsigned-char",
    "-fwrapv",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-fno-common",
]


class NoGame(Exception):
    """There is no game; the words say why."""


def main(words: Sequence[str]) -> int:
    """Return the exit code: that of the referee; 2 = there was no game."""
    facts = json.loads((HERE / "games.json").read_text(encoding="utf-8"))
    games = facts["games"]
    name, *own = [word for word in words if word != "--moves"] or [""]
    if name not in games or len(own) > 1:
        tell_games(name, games)
        return 2
    game = games[name]
    paths = [PROGRAMS / player for player in game["players"]]
    if own:
        paths[game["lost"]] = Path(own[0]).resolve()
    try:
        if own and not Path(own[0]).exists():
            raise NoGame(f"there is no {own[0]}")
        if own:
            print(f"{own[0]} plays in the place of {game['players'][game['lost']]}.", flush=True)
        if facts["is_in_c"]:
            return play_throws(facts["seed"], game, paths, with_moves="--moves" in words)
        return play_moves(name, paths)
    except NoGame as why:
        print(f"beat.py: {why}", file=sys.stderr)
        return 2


def tell_games(name: str, games: Sequence[str]) -> None:
    """Tell what this does, and which games there are. `name`: of the one that was asked for."""
    if name and name not in games:
        print(f"There is no game {name} here: programs that are too large were left out.\n")
    print(f"{(__doc__ or '').strip()}\n\nGames, all of them in games.json:\n")
    print("".join(f"    {each}\n" for each in list(games)[:SHOWN]), end="")


def run(*command: object, output: int | None = None, stdin: bytes | None = None) -> Any:
    """Run this program to its end."""
    words = [str(word) for word in command]
    return subprocess.run(words, stdout=output, input=stdin, check=False)  # noqa: S603


def play_moves(name: str, paths: Sequence[Path]) -> int:
    """Play by the kit's referee, which prints every move. Its draws follow from the game's name."""
    done = run(sys.executable, KIT / "referee.py", *paths, "--seed", name)
    return int(done.returncode)


# --- KNOBELN --------------------------------------------------------------------------------------
def play_throws(
    seed: str, game: Mapping[str, Any], paths: Sequence[Path], *, with_moves: bool
) -> int:
    """Play by the kit's referee, with the draws of the contest.

    They follow from its seed and the players' names, so a program has the name of the player in
    whose place it is.
    """
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise NoGame("there is no C compiler; gcc is needed")
    BUILT.mkdir(exist_ok=True)
    referee = BUILT / "referee"
    if not referee.exists():
        sources = [KIT / name for name in ("knobeln.c", "player.c", "seeds.c")]
        must(run(compiler, "-O2", "-o", referee, *sources))
    programs = [build(compiler, paths[seat], seat, game["players"][seat]) for seat in (0, 1)]
    place = ["-c", seed, "-r", game["round"], "-n", game["attempt"]]
    played = run(referee, *place, *programs, output=subprocess.PIPE)
    if with_moves:
        run(sys.executable, KIT / "protocolfmt", stdin=played.stdout)
    return int(played.returncode)


def build(compiler: str, path: Path, seat: int, player: str) -> Path:
    """Compile the program under the name of this player."""
    source = next(iter(sorted(path.glob("*.c"))), path) if path.is_dir() else path
    folder = BUILT / f"seat{seat}"
    folder.mkdir(exist_ok=True)
    code = folder / "program.o"
    must(run(compiler, *SAME, "-c", "-o", code, source))
    # Only main is left visible: a function of the program's own may be called read.
    if sys.platform.startswith("linux"):
        must(run("objcopy", "--keep-global-symbol=main", code))
    must(run(compiler, *SAME, "-o", folder / player, code, KIT / "knobellib.c"))
    return folder / player


def must(done: Any) -> None:
    """Go on only if this ended well."""
    if done.returncode:
        raise NoGame("it could not be compiled")


if __name__ == "__main__":
    if os.name != "posix":
        sys.exit("beat.py works on Linux and macOS; on Windows in the Windows Subsystem for Linux.")
    sys.exit(main(sys.argv[1:]))
