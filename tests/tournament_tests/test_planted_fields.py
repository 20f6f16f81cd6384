"""Clones that are planted among 200 programs are found, and next to nothing else."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from compiler.build import build
from compiler.likeness import alike_texts
from compiler.toolchain import Toolchain
from contest.games.knobeln import Rules
from contest.schema.sections import Programs
from knobellib.kits import knobeln_kit
from sandbox.vm.image import Image
from tests.support.planted_field import PlantedField, honest_program, planted_field
from tournament.behaviour import probe_source, twins_against_probes
from tournament.runners.machine import MachineRunner

RULES = Rules(L=120)  # short games are enough to tell them apart
HONEST = 160
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.night) for n in (2, 3))])
def test_all_clones_are_found_and_at_most_one_other_pair(seed: int, honest: Sequence[str]) -> None:
    field = planted_field(seed, honest)
    images = images_of(field)
    behaviour, texts = behaviour_pairs(images), text_pairs(field)
    assert len(field.programs) == 200
    assert len(field.clones) == 20
    assert field.rewritten <= behaviour
    assert field.simple in behaviour  # of little interest, and the command says so, but not hidden
    assert field.clones <= texts
    others = (behaviour | texts) - field.clones - {field.simple}
    assert len(others) <= 1, others
