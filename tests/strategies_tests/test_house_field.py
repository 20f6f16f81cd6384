"""The house strategies against each other: they keep the rules."""

from collections.abc import Callable
from itertools import combinations_with_replacement

import pytest

from compiler.build import BuildResult
from contest.model import GameResult
from sandbox.vm.image import Image

Game = tuple[str, str, int]  # two programs by name, and a number to tell their games apart
Images = dict[str, Image]
Play = Callable[..., dict[Game, GameResult]]

SEEDS = range(3)
# nobody of the house thinks longer about a game, so that a rehearsal stays quick
INSTRUCTIONS = 10_000_000

# Programs that no sensible team would send, to surprise the house: what `next` makes of the numbers
# so far.
SURPRISES = {
    "always_the_smallest": "1",
    "smallest_after_largest": "throws / 8 % 2 ? 12288 : 1",
    "extremes": "corner[next_random (0, 8)]",
    "doubler": "2 * yours",
}
SURPRISE = """
#if 0
{description}
#endif
int init_random (), next_random (), make_throw ();
int corner[9] = {{ 1, 2, 3, 6143, 6144, 8191, 8192, 12287, 12288 }};
int main ()
{{
  int throws, next, mine = 0, yours = 1, length = 0;
  init_random ();
  for (throws = 0;; throws++) {{
    next = {next};
    next = next < 1 ? 1 : next > 12288 ? 12288 : next;
    next = next < mine && length < 8 ? mine : next;
    length = next < mine ? 1 : length + 1;
    mine = next;
    yours = make_throw (mine);
  }}
}}
"""


@pytest.fixture(scope="module")
def round_robin(house_images: Images, play_games: Play) -> dict[Game, GameResult]:
    pairs = combinations_with_replacement(sorted(house_images), 2)
    return play_games(
        house_images, ((first, second, seed) for first, second in pairs for seed in SEEDS)
    )


@pytest.fixture(scope="module")
def surprised_images(house_images: Images, compile_program: Callable[[str], BuildResult]) -> Images:
    prose = "This program is there to surprise other ones.\n" * 15
    built = {
        name: compile_program(SURPRISE.format(description=prose, next=code))
        for name, code in SURPRISES.items()
    }
    return house_images | {name: b.image for name, b in built.items() if b.image}


def failures(results: dict[Game, GameResult]) -> dict[Game, list[str]]:
    return {
        game: [seat.fault.reason for seat in result.seats if seat.fault]
        for game, result in results.items()
        if not result.is_flawless
    }


@pytest.mark.slow
def test_nobody_fails_in_a_round_robin_with_self_games(round_robin: dict[Game, GameResult]) -> None:
    assert failures(round_robin) == {}


@pytest.mark.slow
@pytest.mark.parametrize("surprise", SURPRISES)
def test_nobody_fails_against_a_strange_one(
    surprise: str, surprised_images: Images, house_images: dict[str, Image], play_games
) -> None:
    games = [(name, surprise, seed) for name in house_images for seed in range(4)]
    assert failures(play_games(surprised_images, games)) == {}


@pytest.mark.slow
def test_nobody_thinks_too_long(round_robin: dict[Game, GameResult]) -> None:
    assert (
        max(seat.instructions for result in round_robin.values() for seat in result.seats)
        < INSTRUCTIONS
    )
