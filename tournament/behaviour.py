"""Behaviour twins: programs that make the same throws against fixed probes, whatever their texts are.

A probe is an opponent whose throws follow from its random numbers alone (probe.c), so it is the same for
every program. Each program gets the same random numbers, too: programs that draw them in the same way stay
twins. The digest over all throws of a game is then a digest of the program's throws, and equal digests make
twins without a comparison of pairs. Nobody plays more probes than it takes to tell it from all others.

Programs of text games are not compared: they may answer differently another time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import pairwise

from contest.games.knobeln import Rules
from contest.interfaces.protocols import Runner
from contest.model import GameJob
from contest.seeds import Seeds, seed_from
from tournament.referee import carry_out

PROBES = 64
_STAGES = (2, 8, PROBES)  # most programs are alone after the first two probes
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
    groups: Sequence[Sequence[str]] = [sorted(set(images))]
    for played, stage in pairwise((0, *_STAGES)):
        streams = [
            tuple(_SEEDS.stream(f"{n}/{who}") for who in ("program", "probe")) for n in range(played, stage)
        ]
        left = [image for group in groups for image in group]
        jobs = [GameJob((image, probe), each) for image in left for each in streams]
        # What a program did in a game: its throws, and how it ended.
        done = ((each.digest, each.turns, each.seats[0].verdict) for each in carry_out(jobs, runner))
        found = {image: tuple([next(done) for _ in streams]) for image in left}
        groups = [alike for group in groups for alike in together({image: found[image] for image in group})]
    return tuple(map(tuple, groups))


def together(courses: Mapping[str, Hashable]) -> tuple[tuple[str, ...], ...]:
    """Those of the images that do the same, together; none that is alone."""
    groups: defaultdict[Hashable, list[str]] = defaultdict(list)
    for image, course in courses.items():
        groups[course].append(image)
    return tuple(tuple(images) for images in groups.values() if len(images) > 1)
