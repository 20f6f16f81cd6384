"""The house strategies against each other: they keep the rules, they differ, and cooperation shows."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, combinations_with_replacement
from statistics import mean

import pytest

from compiler.build import BuildResult
from contest.model import GameResult
from sandbox.vm.image import Image

Game = tuple[str, str, int]  # two programs by name, and a number to tell their games apart
Images = dict[str, Image]
Play = Callable[..., dict[Game, GameResult]]

SEEDS = range(3)
INSTRUCTIONS = 10_000_000  # nobody of the house thinks longer about a game, so that a rehearsal stays quick

# Programs that no sensible team would send, to surprise the house: what `next` makes of the numbers so far.
SURPRISES = {
    "always_the_smallest": "1", "always_the_largest": "12288", "always_two": "2",
    "largest_after_smallest": "throws % 8 == 7 ? 12288 : 1",
    "smallest_after_largest": "throws / 8 % 2 ? 12288 : 1", "tiny": "next_random (1, 3)",
    "anything": "next_random (1, 12288)", "extremes": "corner[next_random (0, 8)]", "copier": "yours",
    "doubler": "2 * yours", "halver": "yours / 2",
}  # fmt: skip
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

COOPERATORS = ("leapfrog", "turn_taker", "firm_but_fair", "grim", "schoolmaster", "diplomat")
RANDOMISERS = ("dice_cup", "log_dice", "high_roller", "drifter", "three_doors", "equilibrist")


@pytest.fixture(scope="module")
def round_robin(house_images: Images, play_games: Play) -> dict[Game, GameResult]:
    pairs = combinations_with_replacement(sorted(house_images), 2)
    return play_games(house_images, ((first, second, seed) for first, second in pairs for seed in SEEDS))


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


def test_nobody_fails_in_a_round_robin_with_self_games(round_robin: dict[Game, GameResult]) -> None:
    assert failures(round_robin) == {}


@pytest.mark.parametrize("surprise", SURPRISES)
def test_nobody_fails_against_a_strange_one(surprise, surprised_images, house_images, play_games) -> None:
    games = [(name, surprise, seed) for name in house_images for seed in range(4)]
    assert failures(play_games(surprised_images, games)) == {}


def test_nobody_thinks_too_long(round_robin: dict[Game, GameResult]) -> None:
    assert max(seat.instructions for result in round_robin.values() for seat in result.seats) < INSTRUCTIONS


# --- all of them differ -------------------------------------------------------------------------------------
OPPONENTS = ("dice_cup", "leapfrog", "myopic", "staircase", "squatter", "metronome")
HALVES = (range(0, 6, 2), range(1, 6, 2))  # seeds
Profile = Sequence[Counter[tuple[int, int, int, bool]]]  # one per opponent


def situation(mine: int, last: int, yours: int) -> tuple[int, int, int, bool]:
    """A throw: its size, its direction, and where it is from the opponent's last number."""
    size = mine // 1024 if mine >= 4096 else -mine.bit_length()
    return size, (mine > last) - (mine < last), (mine > yours) - (mine < yours), 2 * mine < yours


def counted(games: Iterable[GameResult]) -> Counter[tuple[int, int, int, bool]]:
    found: Counter[tuple[int, int, int, bool]] = Counter()
    for game in games:
        before = (0, 0)
        for throw in game.moves or ():
            found[situation(throw[0], *before)] += 1
            before = throw
    return found


def distance(one: Profile, other: Profile) -> float:
    """0: the same throws in the same situations; 1: nothing in common. Both have equally many throws."""
    return sum((a - b).total() for a, b in zip(one, other, strict=True)) / sum(a.total() for a in one)


@pytest.mark.slow
def test_any_two_strategies_differ_by_more_than_chance(house_images: Images, play_games: Play) -> None:
    names = sorted(house_images)
    seeds = sorted({*HALVES[0], *HALVES[1]})
    chosen = [(name, opponent, seed) for name in names for opponent in OPPONENTS for seed in seeds]
    games = play_games(house_images, chosen, protocol=True)
    halves = {
        (name, half): [counted(games[name, other, seed] for seed in HALVES[half]) for other in OPPONENTS]
        for name in names
        for half in (0, 1)
    }
    chance = {name: distance(halves[name, 0], halves[name, 1]) for name in names}
    whole = {n: [a + b for a, b in zip(halves[n, 0], halves[n, 1], strict=True)] for n in names}
    differences = {(a, b): distance(whole[a], whole[b]) for a, b in combinations(names, 2)}
    too_similar = {
        pair: difference
        for pair, difference in differences.items()
        if difference < 0.15 or difference < mean(chance[name] for name in pair)
    }
    assert too_similar == {}


# --- cooperation shows --------------------------------------------------------------------------------------
def sides(names: Sequence[str], results: dict[Game, GameResult]) -> list[tuple[int, int]]:
    """The points of all games within these."""
    return [
        (result.seats[0].points, result.seats[1].points)
        for (first, second, _), result in results.items()
        if first in names and second in names
    ]


def test_cooperators_and_the_poorer_of_them_get_more_than_randomisers_do(round_robin) -> None:
    friends, strangers = sides(COOPERATORS, round_robin), sides(RANDOMISERS, round_robin)
    assert mean(map(sum, friends)) / 2 > mean(map(sum, strangers)) / 2 + 300
    assert mean(map(min, friends)) > mean(map(min, strangers)) + 500


def test_success_is_spread_over_the_field(round_robin: dict[Game, GameResult]) -> None:
    """Nobody gets everything or nothing: the ranking has something to tell."""
    points: dict[str, list[int]] = {}
    for (first, second, _), result in round_robin.items():
        points.setdefault(first, []).append(result.seats[0].points)
        points.setdefault(second, []).append(result.seats[1].points)
    averages = sorted(mean(own) for own in points.values())
    assert averages[0] > 3_000
    assert averages[-1] < 9_000
    assert averages[-1] > 1.5 * averages[0]
