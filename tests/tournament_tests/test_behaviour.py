"""Which programs do the same in every game."""

from collections.abc import Callable

import pytest

from contest.config.settings import Settings
from contest.games.hog import MAX_DICE, SCORES, HogEntry
from contest.games.knobeln import Rules
from contest.model import GameJob
from contest.seeds import Seeds
from knobeln import presets
from sandbox.vm.image import Image
from tests.support.contest_field import NOW, settings
from tests.support.machine_programs import compiled
from tournament.behaviour import PROBES, probe_source
from tournament.runners import runner_of
from tournament.runners.machine import MachineRunner

COPYCAT = "main () { int t = 5; init_random (); for (;;) t = make_throw (t); }"
GROWING = "main () { int t = 5; init_random (); for (;;) { make_throw (t); t += t < 12000; } }"


def built(source: str) -> tuple[str, bytes]:
    image: Image = compiled(source)
    return image.digest, image.to_bytes()


def twins(*sources: str, chosen: Settings | None = None) -> set[frozenset[str]]:
    digests = {built(source)[0]: source for source in sources}
    images = dict(map(built, sources))
    found = runner_of(chosen or settings()).behaviour_twins(images, chosen or settings(), built)
    return {frozenset(digests[digest] for digest in group) for group in found}


def test_the_same_throws_make_twins_and_other_texts_do_not_matter() -> None:
    other = "int n; main () { init_random (); n = 5; do make_throw (n); while (n += n < 12000); }"
    assert twins(GROWING, other, COPYCAT) == {frozenset((GROWING, other))}


def test_a_program_that_differs_at_the_end_of_the_game_alone_is_no_twin() -> None:
    late = GROWING.replace("t = 5", "t = 5, n = 0").replace(
        "t < 12000", "t < 12000; t += ++n == 999"
    )
    assert twins(GROWING, late) == set()


def test_twins_may_draw_their_throws_by_lot() -> None:
    lots = (
        "main () { int t = 1; init_random (); for (;;) { t += next_random (0, 9); make_throw"
        " (t); } }"
    )
    same = "int s = 1; main () { init_random (); while (1) make_throw (s += next_random (0, 9)); }"
    other = "int s = 1; main () { init_random (); while (1) make_throw (s += next_random (0, 8)); }"
    assert twins(lots, same, other) == {frozenset((lots, same))}


@pytest.mark.parametrize("rules", [Rules(), Rules(a=3, b=40, k=2, L=50), Rules(a=7, b=7, k=1, L=9)])
def test_the_probe_keeps_the_rules_of_every_contest(rules: Rules) -> None:
    probe = compiled(probe_source(rules))
    seeds = Seeds(bytes(32))
    jobs = [
        GameJob((probe.digest,) * 2, (seeds.stream(f"{number}/0"), seeds.stream(f"{number}/1")))
        for number in range(PROBES)
    ]
    results = MachineRunner({probe.digest: probe}, rules, 10**8, 2).play(jobs)
    assert all(result.is_flawless for result in results)
    if rules.a < rules.b:
        assert len({result.digest for result in results}) == PROBES


def test_tables_are_compared_and_programs_that_talk_are_not() -> None:
    hog = presets.settings("hog", NOW)
    table: Callable[[int], bytes] = lambda dice: bytes([dice]) * SCORES**2  # noqa: E731
    images = {
        "a": HogEntry(table(4), 100).to_bytes(),
        "b": HogEntry(table(4), 90).to_bytes(),
        "c": HogEntry(table(MAX_DICE), 90).to_bytes(),
    }
    assert runner_of(hog).behaviour_twins(images, hog, built) == (("a", "b"),)
    talking = presets.settings("cooperation", NOW)
    assert runner_of(talking).behaviour_twins({}, talking, built) is None
