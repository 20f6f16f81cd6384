"""Clones and rings that are planted among 200 programs are found, and next to nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import pytest

from compiler.build import build
from compiler.likeness import alike_texts
from compiler.toolchain import Toolchain
from contest.config.sections import Programs, Tournament
from contest.formats.round_robin import RoundRobin
from contest.games.base import FaultRule
from contest.games.knobeln import Knobeln, Rules
from contest.model import Match
from contest.seeds import Seeds, seed_from
from knobellib.kit import knobeln_kit
from sandbox.vm.image import Image
from tests.support.planted_field import PlantedField, honest_program, planted_field
from tournament import referee
from tournament.behaviour import probe_source, twins_against_probes
from tournament.mutual_points import rings
from tournament.runners.machine import MachineRunner

RULES = Rules(L=120)  # short games, because there are 60,000
HONEST = 150
_toolchain = cache(Toolchain)


def compiled(source: str) -> Image:
    result = build(source, Programs(description="none"), _toolchain())
    assert result.image is not None, result.report.messages
    return result.image


@pytest.fixture(scope="module")
def honest() -> Sequence[str]:
    return tuple(map(honest_program, range(HONEST)))


_images: dict[str, Image] = {}


def images_of(field: PlantedField) -> Mapping[str, Image]:
    new = [source for source in field.programs.values() if source not in _images]
    with ThreadPoolExecutor(4) as pool:
        _images.update(zip(new, pool.map(compiled, new), strict=True))
    return {name: _images[source] for name, source in field.programs.items()}


def behaviour_pairs(images: Mapping[str, Image]) -> set[frozenset[str]]:
    probe = compiled(probe_source(RULES))
    names = {image.digest: name for name, image in images.items()}
    assert len(names) == len(images)  # no two are the same code: a clone is another text
    runner = MachineRunner({each.digest: each for each in (probe, *images.values())}, RULES, 10**9, 2)
    groups = twins_against_probes(names, probe.digest, runner)
    return {frozenset(names[digest] for digest in group) for group in groups}


def text_pairs(field: PlantedField) -> set[frozenset[str]]:
    base = [{file.name: file.data.decode()} for file in knobeln_kit(RULES).files]
    texts = {name: {"program.c": source} for name, source in field.programs.items()}
    return {frozenset((pair.one, pair.other)) for pair in alike_texts(texts, base)}


def all_games(images: Mapping[str, Image], seeds: Seeds) -> Sequence[Match]:
    """A round robin of all programs, played by the referee on the contest machine."""
    chosen = RoundRobin(Tournament(format="round-robin", self_play=False), Knobeln(RULES).info)
    plan = chosen.plan(tuple(images), (), seeds)
    assert plan is not None
    (group,) = plan.groups
    return referee.play_group(
        group,
        images={name: image.digest for name, image in images.items()},
        seeds=seeds,
        runner=MachineRunner({image.digest: image for image in images.values()}, RULES, 10**9, 2),
        protocols_for=frozenset(),
        standings=partial(chosen.standings, group, plan.final),
        fault_rule=FaultRule.REPLAY,
    ).matches


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_all_clones_and_rings_are_found_and_at_most_one_other_pair(seed: int, honest: Sequence[str]) -> None:
    field = planted_field(seed, honest)
    images = images_of(field)
    behaviour, texts = behaviour_pairs(images), text_pairs(field)
    matches = all_games(images, Seeds(seed_from(f"planted/{seed}")))
    found = {frozenset(ring.members) for ring in rings(matches)}
    assert len(field.programs) == 200
    assert len(field.clones) == 20
    assert len(field.rings) == 5
    assert field.rewritten <= behaviour
    assert field.simple in behaviour  # of little interest, and the command says so, but not hidden
    assert field.clones <= texts
    assert field.rings <= found
    among_members = {pair for pair in texts if any(pair <= ring for ring in field.rings)}
    others = (behaviour | texts | found) - field.clones - {field.simple} - field.rings - among_members
    assert len(others) <= 1, others
