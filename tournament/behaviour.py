"""Behaviour twins: programs that make the same throws against fixed probes, whatever their texts are.

A probe is an opponent whose throws follow from its random numbers alone (probe.c), so it is the same for
every program. Each program gets the same random numbers, too: programs that draw them in the same way stay
twins. The digest over all throws of a game is then a digest of the program's throws, and equal digests make
twins without a comparison of pairs. Nobody plays more probes than it takes to tell it from all others.

In a text game a probe makes one of the game's sample moves, by chance. There only programs whose time is
counted can be compared: all others may answer differently another time.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.resources import files
from typing import Any

from contest.games.base import TextGame
from contest.games.knobeln import Rules
from contest.model import GameJob, GameResult
from contest.protocols import Runner
from contest.seeds import Seeds, seed_from
from sandbox.players import AnswerFault, Player
from tournament.referee import carry_out
from tournament.text_referee import Turn, answered, drawer, move_text, program_seeds, steps

PROBES = 64
_STAGES = (2, 8, PROBES)  # most programs are alone after the first two probes
_TEXT_STAGES = (2, 16)  # games of programs that are asked for moves take longer
_SEEDS = Seeds(seed_from("probes"))  # the same in all contests


def probe_source(rules: Rules) -> str:
    """The program in C that plays all probes, for a contest with these rules."""
    numbers = {"A": rules.a, "B": rules.b, "K": rules.k}
    macros = "".join(f"#define RULE_{name} {number}\n" for name, number in numbers.items())
    return macros + files("tournament").joinpath("probe.c").read_text(encoding="utf-8")


def twins_against_probes(images: Iterable[str], probe: str, runner: Runner) -> tuple[tuple[str, ...], ...]:
    """Those of the images that make the same throws against all probes, together; none that is alone.

    `images`, `probe`: digests; the runner knows them all. Raises EngineFailed as the referee does.
    """
    groups: list[Sequence[str]] = [sorted(set(images))]
    played = 0
    for stage in _STAGES:
        alike = [group for group in groups if len(group) > 1]
        groups = _parted(alike, range(played, stage), probe, runner)
        played = stage
    return tuple(tuple(group) for group in groups if len(group) > 1)


def _parted(
    groups: Sequence[Sequence[str]], probes: range, probe: str, runner: Runner
) -> list[Sequence[str]]:
    """Part groups of programs that were alike so far by these probes."""
    jobs = [_job(image, probe, number) for group in groups for image in group for number in probes]
    results = iter(carry_out(jobs, runner))
    parted: defaultdict[tuple[int, tuple[object, ...]], list[str]] = defaultdict(list)
    for group_number, group in enumerate(groups):
        for image in group:
            course = tuple([_course(next(results)) for _ in probes])
            parted[group_number, course].append(image)
    return list(parted.values())


def _job(image: str, probe: str, number: int) -> GameJob:
    streams = (_SEEDS.stream(f"{number}/program"), _SEEDS.stream(f"{number}/probe"))
    return GameJob((image, probe), streams)


def _course(result: GameResult) -> tuple[object, ...]:
    """What a program did in a game: its throws, and how it ended."""
    return result.digest, result.turns, result.seats[0].verdict


def text_twins(
    images: Iterable[str], game: TextGame[Any, Any], open_player: Callable[[str], Player]
) -> tuple[tuple[str, ...], ...]:
    """Those of the images that answer alike against all probes, together; none that is alone.

    `open_player`: for an image whose time is counted. Raises EngineFailed or ToolMissing.
    """
    groups: list[Sequence[str]] = [sorted(set(images))]
    played = 0
    for stage in _TEXT_STAGES:
        parted: defaultdict[tuple[int, tuple[str, ...]], list[str]] = defaultdict(list)
        for number, group in enumerate(group for group in groups if len(group) > 1):
            for image in group:
                with closing(open_player(image)) as player:  # it may live through all probes of a stage
                    course = tuple([_text_course(game, player, probe) for probe in range(played, stage)])
                parted[number, course].append(image)
        groups, played = list(parted.values()), stage
    return tuple(tuple(group) for group in groups if len(group) > 1)


def _text_course(game: TextGame[Any, Any], player: Player, number: int) -> str:
    """What a program did in a game in which it has the first seat."""
    seats = game.info.min_seats
    rules = game.for_players([f"player_{seat}" for seat in range(seats)], partial(_SEEDS.below, "game"))
    stream = _SEEDS.stream(f"{number}/program")
    done: list[str] = []

    def turn(position: Any, to_move: frozenset[int]) -> Turn:
        moves: dict[int, Any] = {}
        faults: dict[int, AnswerFault] = {}
        for seat in sorted(to_move):
            if seat:
                allowed = rules.sample_moves(position, seat)
                name = f"{number}/probe/{seat}/{len(done)}"
                moves[seat] = allowed[_SEEDS.below(name, len(allowed))]
                continue
            answer = answered(rules, position, 0, player)
            if isinstance(answer, AnswerFault):
                faults[0] = answer
                done.append(f"fault {answer.kind}")
            else:
                moves[0] = answer
                done.append(move_text(answer))
        return Turn(moves, faults)

    player.begin(*program_seeds([stream]))
    position = rules.start(seats)
    for step in steps(rules, position, drawer([stream]), turn):
        position = step.position
    if message := rules.game_over_message(position, 0):
        player.tell(message)
    return "\n".join(done)


def equal_tables(tables: Mapping[str, bytes]) -> tuple[tuple[str, ...], ...]:
    """Those of the images whose tables are equal, together; a table is all that its strategy does."""
    by_table: defaultdict[bytes, list[str]] = defaultdict(list)
    for image, table in sorted(tables.items()):
        by_table[hashlib.sha256(table).digest()].append(image)
    return tuple(tuple(images) for images in by_table.values() if len(images) > 1)
