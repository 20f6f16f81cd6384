"""What a player promises from one move and one game to the next."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox import process
from sandbox.players import AnswerFault, AnswerFaultKind, Player
from sandbox.players.table import Domain, tabulate
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox
from tests.support.counting_game import Counting
from tournament.text_referee import play_game

COUNTS = """
import sys
count = 0
for line in sys.stdin:
    count += 1
    if line == "crash\\n":
        sys.exit("so it is")
    print(count)
"""


FORGER = r"""
import os
def get_move(n):
    for descriptor in range(3, 50):
        try: os.write(descriptor, b'{"answer": "\ud800"}' + bytes([10]))
        except OSError: continue
    return n
"""


@pytest.fixture
def counter(player: Callable[..., Player], build_text: Callable[..., ProgramFolder]):
    return player("lines", build_text("counts.py", COUNTS))


def test_a_crashed_process_is_at_fault_for_the_rest_of_its_game_and_new_in_the_next(
    counter: Player,
) -> None:
    counter.begin()
    assert counter.move(("next",)) == "1"
    crashed = counter.move(("crash",))
    assert crashed == AnswerFault(
        AnswerFaultKind.CRASH, "the program ended with exit code 1 instead of answering", "so it is"
    )
    assert counter.move(("next",)).kind is AnswerFaultKind.CRASH
    counter.begin()
    assert counter.move(("next",)) == "1"


def test_a_process_that_made_no_sense_is_new_in_the_next_game(counter: Player) -> None:
    counter.begin()
    assert counter.move(("next",)) == "1"
    counter.misunderstood()
    assert isinstance(counter.move(("next",)), AnswerFault)
    counter.begin()
    assert counter.move(("next",)) == "1"


QUIET = "while read -r line; do case $line in gameover) ;; *) echo $line;; esac; done"
ANSWERS_TOO_MUCH = """
import sys, time
for line in sys.stdin:
    if line == "gameover\\n":
        time.sleep(0.02)
        print("good", flush=True)
        print("bye", flush=True)
    else:
        print(line.strip(), flush=True)
"""


def test_what_is_written_after_a_game_shifts_no_answer_of_the_next(
    player: Callable[..., Player], build_text: Callable[..., ProgramFolder]
) -> None:
    one = player("lines", build_text("polite.py", ANSWERS_TOO_MUCH))
    for number in ("1", "2", "3"):
        one.begin()
        assert one.move((number,)) == number
        one.tell(("gameover",))
        assert one.unasked_lines() == 2
    assert one.unasked_lines() == 0


MOMENT_SECONDS = 4.0  # in which a busy host has let the talker work for 0.02 s
ANSWERS_LATER_ENDS = """
import sys, time
games = 0
for line in sys.stdin:
    if line == "gameover\\n":
        games += 1
        if games > 1:
            end = time.process_time() + 0.02
            while time.process_time() < end: pass
            print("good", flush=True)
    else:
        print(line.strip(), flush=True)
"""


def test_who_was_quiet_is_waited_for_until_it_sleeps(
    player: Callable[..., Player],
    build_text: Callable[..., ProgramFolder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "_MOMENT_SECONDS", MOMENT_SECONDS)
    quiet = player("lines", build_text("quiet.sh", QUIET))
    talker = player("lines", build_text("talker.py", ANSWERS_LATER_ENDS))
    for game in range(3):
        for one in (quiet, talker):
            one.begin()
            assert one.move((str(game),)) == str(game)
            one.tell(("gameover",))
            began = time.monotonic()
            assert one.unasked_lines() == (one is talker and game > 0)
            group = one._process._sandbox._group
            # otherwise nobody knows whether it sleeps
            if one is quiet and group and group.can_pause:
                assert time.monotonic() - began < MOMENT_SECONDS


def test_lines_that_are_written_ahead_count_until_the_game_is_over(
    player: Callable[..., Player], build_text: Callable[..., ProgramFolder]
) -> None:
    one = player("lines", build_text("ahead.sh", r"read line; printf '1\n2\n3\n'; cat >/dev/null"))
    one.begin()
    assert [one.move(("next",)), one.move(("next",))] == ["1", "2"]
    assert one.unasked_lines() == 1


def test_a_late_process_does_not_answer_the_next_game_with_the_old_answer(
    player: Callable[..., Player], build_text: Callable[..., ProgramFolder]
) -> None:
    wait = "n=0; while [ $n -lt 300000 ]; do n=$((n+1)); done"
    slow = f"read line; {wait}; echo first; read line; echo second"
    one = player("lines", build_text("slow.sh", slow), 0.05)
    one.begin()
    assert one.move(("next",)).kind is AnswerFaultKind.LATE
    one.seconds = 20.0
    one.begin()
    assert one.move(("next",)) == "first"
    assert one.move(("next",)) == "second"


def test_words_arrive_as_they_are(
    player: Callable[..., Player], build_text: Callable[..., ProgramFolder]
) -> None:
    words = ("[C,B]", "$(id)", "'; exit", "*", 5, 2.5, "")
    shows = player("arguments", build_text("shows.py", "import sys; print(sys.argv[1:])"))
    assert shows.move(words) == str([str(word) for word in words])
    assert shows.move(()) == "[]"


def test_a_function_gets_its_parameters_with_their_types(
    player: Callable[..., Player], build_text: Callable[..., ProgramFolder]
) -> None:
    text = (
        "def get_move(*words): return words == (5.0, '1' * 83, 3) and type(words[0]) is float and 3"
    )
    assert player("function", build_text("f.py", text)).move((5.0, "1" * 83, 3)) == "3"


def test_an_exception_is_told_with_its_traceback(
    player: Callable[..., Player], build_text: Callable[..., ProgramFolder]
) -> None:
    fault = player("function", build_text("raises.py", "def get_move(n):\n    return {}[n]")).move(
        (5,)
    )
    assert fault.sentence == "get_move: KeyError: 5"
    assert 'raises.py", line 2' in fault.stderr_tail


def test_a_file_that_cannot_be_imported_is_tried_once_a_game(
    player: Callable[..., Player], build_text: Callable[..., ProgramFolder]
) -> None:
    one = player("function", build_text("broken.py", "import sys; sys.exit('no')"))
    one.begin()
    first = one.move((1,))
    assert isinstance(first, AnswerFault)
    assert one.move((1,)) is first
    one.begin()
    assert one.move((1,)) == first


def test_what_cannot_be_written_down_does_not_get_out(
    player: Callable[..., Player], build_text: Callable[..., ProgramFolder]
) -> None:
    fault = player("function", build_text("forger.py", FORGER)).move((5,))
    assert fault.kind is AnswerFaultKind.UNREADABLE
    assert fault.sentence == "the program disturbed the calling of its function"


@pytest.fixture
def tabulated(build_text: Callable[..., ProgramFolder], sandbox: Sandbox):
    return lambda text, *domain: tabulate(
        build_text("f.py", text), "f", Domain(*domain), sandbox, 20
    )


def test_a_table_holds_the_results_row_by_row_and_takes_seconds_at_hogs_size(
    tabulated: Callable[..., bytes | AnswerFault],
) -> None:
    table = tabulated("def f(a, b): return (10 * a + b) % 100", 3, 4, 0, 99)
    assert table == bytes([0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23])
    table = tabulated(
        "def f(score, opponent_score): return (score + opponent_score) % 11", 300, 300, 0, 10
    )
    assert (len(table), table[299 * 300 + 298]) == (90_000, 597 % 11)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def f(a, b): return a == 3", "f gave False (bool) for (0, 0); an int in 0..10 is needed"),
        ("def f(a, b): return a", "f gave 11 (int) for (11, 0); an int in 0..10 is needed"),
        (
            "x = []\ndef f(a, b):\n    x.append(1)\n    return len(x) == 2 and 1 or 0",
            "f(0, 1) gave 1 once and 0 another time; it must depend on its two parameters alone",
        ),
    ],
)
def test_what_is_wrong_with_a_function_is_told_with_the_place(
    text: str, sentence: str, tabulated: Callable[..., bytes | AnswerFault]
) -> None:
    assert tabulated(text, 20, 20, 0, 10).sentence == sentence


WORKS = """
import time
def work(seconds):
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        pass
work({})
def f(a, b):
    if a == b == 0:
        work({})
    return a + b
"""


@pytest.mark.slow
def test_the_import_counts_within_the_time_of_the_table(
    build_text: Callable[..., ProgramFolder], sandbox: Sandbox
) -> None:
    """In all it may take longer than the 10 s that an import has elsewhere."""
    patient = build_text("f.py", WORKS.format(11, 1))
    assert tabulate(patient, "f", Domain(2, 2, 0, 10), sandbox, 20) == bytes([0, 1, 1, 2])
    both = build_text("f.py", WORKS.format(1.5, 1.5))
    assert tabulate(both, "f", Domain(2, 2, 0, 10), sandbox, 2).kind is AnswerFaultKind.LATE


def test_programs_of_different_dialogues_play_one_game(
    player: Callable[..., Player],
    build_file: Callable[[str | Path], ProgramFolder],
    counting: type[Counting],
) -> None:
    seats = [
        player("lines", build_file("lines/plays/adder.c")),
        player("arguments", build_file("arguments/plays/adder.pl")),
        player("function", build_file("function/plays/adder.py")),
    ]
    for _ in range(2):
        result = play_game(counting(), seats, draw=lambda n: 0)
        assert (result.points, list(result.faults)) == ((3, 3, 3), [])
