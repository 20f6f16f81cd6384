"""Behaviour twins: programs that make the same throws against fixed probes, whatever their texts
are.

A probe is an opponent whose throws follow from its random numbers alone (probe.c), so it is the
same for every program. Each program gets the same random numbers, too: programs that draw them in
the same way stay twins. The digest over all throws of a game is then a digest of the program's
throws, and equal digests make twins without a comparison of pairs. Nobody plays more probes than it
takes to tell it from all others.

In a text game a probe makes one of the game's sample moves, by chance. There only programs whose
time is counted can be compared: all others may answer differently another time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.resources import files
from itertools import chain, islice, pairwise
from typing import Any

from contest.games.game import TextGame
from contest.games.knobeln import Rules
from contest.interfaces.protocols import Runner
from contest.model import GameJob
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


def twins_against_probes(
    images: Iterable[str], probe: str, runner: Runner
) -> tuple[tuple[str, ...], ...]:
    """Those of the images that make the same throws against all probes, together; none that is
    alone.

    `images`, `probe`: digests; the runner knows them all. Raises EngineFailed as the referee does.
    """

    def courses(left: Sequence[str], probes: range) -> Iterator[Hashable]:
        streams = [
            (_SEEDS.stream(f"{number}/program"), _SEEDS.stream(f"{number}/probe"))
            for number in probes
        ]
        jobs = [GameJob((image, probe), stream) for image in left for stream in streams]
        # What a program did in a game: its throws, and how it ended.
        done = (
            (result.digest, result.turns, result.seats[0].verdict)
            for result in carry_out(jobs, runner)
        )
        return (tuple(islice(done, len(probes))) for _ in left)

    return _twins(images, _STAGES, courses)


def _twins(
    images: Iterable[str],
    stages: Sequence[int],
    courses: Callable[[Sequence[str], range], Iterator[Hashable]],
) -> tuple[tuple[str, ...], ...]:
    """Let the images play more and more probes, without those that already differ from all others.

    `courses`: what each of the images does against these probes.
    """
    groups: Sequence[Sequence[str]] = [sorted(set(images))]
    for played, stage in pairwise((0, *stages)):
        left = [image for group in groups for image in group]
        course_of = dict(zip(left, courses(left, range(played, stage)), strict=True))
        by_course = ({image: course_of[image] for image in group} for group in groups)
        groups = list(chain.from_iterable(map(together, by_course)))
    return tuple(map(tuple, groups))


def together(courses: Mapping[str, Hashable]) -> tuple[tuple[str, ...], ...]:
    """Those of the images that do the same, together; none that is alone."""
    groups: defaultdict[Hashable, list[str]] = defaultdict(list)
    for image, course in courses.items():
        groups[course].append(image)
    return tuple(tuple(images) for images in groups.values() if len(images) > 1)


def text_twins(
    images: Iterable[str], game: TextGame[Any, Any], open_player: Callable[[str], Player]
) -> tuple[tuple[str, ...], ...]:
    """Those of the images that answer alike against all probes, together; none that is alone.

    `open_player`: for an image whose time is counted. Raises EngineFailed or ToolMissing.
    """

    def course(image: str, probes: range) -> Hashable:
        with closing(open_player(image)) as player:  # it may live through all probes of a stage
            return tuple([_text_course(game, player, probe) for probe in probes])

    return _twins(
        images, _TEXT_STAGES, lambda left, probes: (course(image, probes) for image in left)
    )


def _text_course(game: TextGame[Any, Any], player: Player, number: int) -> str:
    """What a program did in a game in which it has the first seat."""
    seats = game.info.min_seats
    rules = game.for_players(
        [f"player_{seat}" for seat in range(seats)], partial(_SEEDS.below, "game")
    )
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
    for _, after in steps(rules, position, drawer([stream]), turn):
        position = after
    if message := rules.game_over_message(position, 0):
        player.tell(message)
    return "\n".join(done)
