"""Hog: a pair's win rate by our engine and by the same recursion in memoised Python; and a complete contest.

Pairs are measured in processor time, so that other work on the host does not count.
"""

from __future__ import annotations

import random
import time
from statistics import median

from bench.timing import children_seconds
from contest.games.hog import MAX_DICE, SCORES, HogEntry, all_pairs
from contest.games.hog_recursion import win_rate
from contest.subprocesses.hog_solver import solver_binary, win_rates

RUNS = 5
PAIRS = 400
GOAL = 120
FIELD = 60
LARGE_FIELD = 400


def main() -> None:
    solver_binary()
    report_pair(50, with_python=True)
    report_pair(GOAL, with_python=True)
    report_pair(SCORES)
    report_contest()


def report_pair(goal: int, with_python: bool = False) -> None:
    """Print the median milliseconds per pair, without the time that an engine needs for a single pair."""
    entries = field(2, goal)
    pairs = PAIRS * 50 // goal
    times = [seconds(entries, 1 + pairs) - seconds(entries, 1) for _ in range(RUNS)]
    ours = median(times) / pairs * 1e3
    print(f"a pair of Hog strategies, goals {goal}: {ours:.3f} ms", end="")
    print(f"   memoised Python {python_ms(entries, ours):s}" if with_python else "")


def field(size: int, goal: int) -> list[HogEntry]:
    """Make strategies that roll any number of dice at any scores, which is the worst case for caches."""
    chooser = random.Random(size)  # noqa: S311 - a repeatable field, no secret
    dice = range(MAX_DICE + 1)
    return [HogEntry(bytes(chooser.choices(dice, k=SCORES * SCORES)), goal) for _ in range(size)]


def seconds(entries: list[HogEntry], pairs: int) -> float:
    """Return the engine's processor time."""
    before = children_seconds()
    win_rates(entries, [(0, 1)] * pairs)
    return children_seconds() - before


def python_ms(entries: list[HogEntry], ours: float) -> str:
    """Time the straightforward solution, and check that its result is the same."""
    started = time.process_time()
    rate = win_rate(entries[0], entries[1])
    taken = (time.process_time() - started) * 1e3
    assert abs(rate - win_rates(entries, [(0, 1)])[0]) < 1e-12, "the two play different games"
    return f"{taken:.0f} ms   ratio {taken / ours:,.0f}"


def report_contest() -> None:
    entries, pairs = field(FIELD, GOAL), all_pairs(FIELD)
    before, started = children_seconds(), time.perf_counter()
    win_rates(entries, pairs, workers=0)
    taken, worked = time.perf_counter() - started, children_seconds() - before
    times = len(all_pairs(LARGE_FIELD)) / len(pairs)
    print(f"all {len(pairs)} pairs of {FIELD}, goals {GOAL}, on all cores: {taken:.2f} s", end="")
    print(f"   at this speed, {LARGE_FIELD} entries take {times * taken:.0f} s", end="")
    print(f" ({times * worked:.0f} s of processor time: half of that on 2 cores that do nothing else)")


if __name__ == "__main__":
    main()
