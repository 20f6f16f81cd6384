"""Contests of the other games in their arenas: real programs in the jail."""

from collections.abc import Mapping, Sequence
from functools import cache

import pytest

from compiler.languages import Problem, build
from contest.config.settings import Settings, game_settings
from contest.config.template import usual_dates
from contest.games.hog import MAX_DICE, SCORES, WIN_RATE_UNIT, HogEntry
from contest.model import GameJob, GameResult, Missing, Verdict
from contest.schema.sections import Programs, Tournament
from contest.seeds import Seeds
from contest.util.clock import SystemClock
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox
from tournament.runners import open_runner

SEEDS = Seeds(bytes(range(32)))

COUNTING = """
import sys
games = 0
for line in sys.stdin:
    word = line.split()[0]
    games += word == "newgame"
    if word != "gameover":
        print(games, 0, 0, 0, 0, 0, 0, 0, 0, flush=True)
"""
CRASHING = "import sys\nprint('my last words', file=sys.stderr)\nsys.exit(3)\n"
ALWAYS_C = "print('C')\n"
FIRST_OPEN = """
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]

def get_move(T, state):
    forced, squares = state[1], state[2:]
    for square, mark in enumerate(squares):
        board = squares[square // 9 * 9 : square // 9 * 9 + 9]
        won = any(board[a] == board[b] == board[c] != "0" for a, b, c in LINES)
        if mark == "0" and not won and forced in (str(square // 9), "9"):
            return square
"""


@cache
def bundle(source: str) -> ProgramFolder:
    made = build({"program.py": source.encode()}, Sandbox())
    assert not isinstance(made, Problem), made
    return made


def settings(name: str, workers: int = 0, **programs: float) -> Settings:
    return Settings(
        dates=usual_dates(SystemClock().now()),
        game=game_settings({"name": name}),
        programs=Programs.model_validate(programs),
        tournament=Tournament(self_play=False, workers=workers),
        evolution={"enabled": False},
    )


def job(*players: tuple[str, str], number: int = 0, protocol: bool = False) -> GameJob:
    names = tuple(name for name, _ in players)
    streams = tuple(SEEDS.stream(f"{names}/{number}/{seat}") for seat in range(len(players)))
    return GameJob(tuple(bundle(source).digest for _, source in players), streams, protocol, names)


def play(jobs: Sequence[GameJob], chosen: Settings, *sources: str) -> Sequence[GameResult]:
    images: Mapping[str, bytes] = {bundle(s).digest: bundle(s).to_bytes() for s in sources}
    with open_runner(images, chosen, SEEDS) as runner:
        return runner(jobs)


def test_a_program_lives_through_all_its_games_in_one_process_and_knows_it() -> None:
    """B13: one execution plays many games against each of the others."""
    a, b, c = (("a", COUNTING), ("b", COUNTING), ("c", COUNTING))
    jobs = [job(*pair, protocol=True) for pair in ((a, b), (a, b), (a, c), (b, c))]
    results = play(jobs, settings("bid-tac-toe"), COUNTING)
    bids = [
        [int(str(move).split()[0]) for move in result.moves[0]]
        for result in results
        if result.moves
    ]
    assert bids == [[1, 1], [2, 2], [3, 1], [3, 2]]


def test_a_program_that_plays_itself_does_so_in_two_processes() -> None:
    twice = job(("a", COUNTING), ("a", COUNTING), protocol=True)
    (result,) = play([twice], settings("bid-tac-toe"), COUNTING)
    assert result.is_flawless
    assert result.moves[0] == ("1 0 0 0 0 0 0 0 0",) * 2


def test_a_crash_costs_the_game_and_is_told_with_what_the_program_said() -> None:
    a, b = ("a", COUNTING), ("b", CRASHING)
    first, second = play([job(a, b), job(a, b)], settings("bid-tac-toe"), COUNTING, CRASHING)
    for result in (first, second):
        assert [seat.points for seat in result.seats] == [2, 0]
        assert [seat.verdict for seat in result.seats] == [Verdict.OK, Verdict.CRASH]
        fault = result.seats[1].fault
        assert fault.stderr_tail == "my last words"
        assert "exit" in fault.reason or "ended" in fault.reason


@pytest.mark.slow
def test_the_secret_number_of_rounds_is_the_same_in_every_game() -> None:
    """C1; 13 rounds would be seen by who betrays in the 14th."""
    a, b, c = (("a", ALWAYS_C), ("b", ALWAYS_C), ("c", ALWAYS_C))
    results = play([job(a, b), job(a, c), job(b, c)], settings("cooperation"), ALWAYS_C)
    rounds = {result.turns for result in results}
    assert len(rounds) == 1
    assert rounds <= set(range(10, 16))
    assert {seat.points for result in results for seat in result.seats} == {2 * rounds.pop()}


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_workers() -> None:
    game, sources = "ultimate-tic-tac-toe", (FIRST_OPEN, CRASHING)
    a, b = (("a", sources[0]), ("b", sources[1]))
    jobs = [
        job(*pair, number=n, protocol=True)
        for n, pair in enumerate(((a, b), (b, a), (a, a), (b, b)))
    ]
    alone = play(jobs, settings(game, workers=1), *sources)
    assert play(jobs, settings(game, workers=2), *sources) == alone


def test_faults_become_random_moves_with_a_penalty_for_each() -> None:
    """U8, U9: the game goes on, and each of its own streams gives it other moves."""
    a, b = (("a", FIRST_OPEN), ("b", CRASHING))
    first, second = play(
        [job(a, b, protocol=True), job(a, b, number=1, protocol=True)],
        settings("ultimate-tic-tac-toe"),
        FIRST_OPEN,
        CRASHING,
    )
    for result in (first, second):
        assert result.seats[0].faults == 0
        assert result.seats[1].faults == sum(
            isinstance(turn[1], Missing) for turn in result.moves or ()
        )
        assert result.seats[1].faults > 5
        assert result.seats[1].points <= 100 - result.seats[1].faults
    assert first.digest != second.digest


def test_hog_is_computed_and_not_played() -> None:
    entries = [
        HogEntry(bytes([dice]) * SCORES**2, goal)
        for dice, goal in ((4, 60), (MAX_DICE, 60), (4, 60))
    ]
    raw = {str(number): entry.to_bytes() for number, entry in enumerate(entries)}
    jobs = [GameJob(pair, (bytes(16),) * 2) for pair in (("0", "1"), ("1", "0"), ("0", "2"))]
    with open_runner(raw, settings("hog"), SEEDS) as runner:
        better, worse, equal = runner(jobs)
    assert better.seats[0].points > WIN_RATE_UNIT // 2
    assert better.seats == worse.seats[::-1]
    assert {seat.points for seat in equal.seats} == {WIN_RATE_UNIT // 2}
    assert all(
        sum(seat.points for seat in result.seats) == WIN_RATE_UNIT for result in (better, worse)
    )


def test_who_watches_is_told_of_every_win_rate() -> None:
    told: list[int] = []
    raw = {str(dice): HogEntry(bytes([dice]) * SCORES**2, 20).to_bytes() for dice in range(6)}
    pairs = [(str(first), str(second)) for first in range(6) for second in range(first)]
    with open_runner(raw, settings("hog", 2), SEEDS, told.append) as runner:
        runner([GameJob(pair, (bytes(16),) * 2) for pair in pairs])
    assert sum(told) == len(pairs)
    assert len(told) > 2
