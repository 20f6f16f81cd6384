"""Programs that ask the host for impossible things, or reply in our place, play in a contest all the same."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from contest.model import Match, Verdict
from contest.store import Store, results, url_of
from contest.store.results import Games
from knobellib.samples import samples
from tests.support.archives import DRAW_BELIEVED, knobeln
from tests.support.counted_programs import counted_contest, needs_engine

pytestmark = [needs_engine, pytest.mark.slow]

HEAD = b"""#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wasi/api.h>
static char rest[70000];
int main(int count, char **words)
{
    __wasi_subscription_t alarm = {0};
    __wasi_event_t event[4];
    __wasi_size_t size;
    __wasi_iovec_t into = {(uint8_t *) rest, sizeof rest};
    __wasi_ciovec_t from = {(uint8_t *) rest, sizeof rest};
    uint64_t at;
    (void) event, (void) size, (void) into, (void) from, (void) at, (void) alarm;
"""
C_PROGRAMS = {
    "sleeps_twice": """
        alarm.u.tag = __WASI_EVENTTYPE_CLOCK;
        alarm.u.u.clock.timeout = ~0ull;
        __wasi_poll_oneoff(&alarm, event, 1, &size);
        __wasi_poll_oneoff(&alarm, event, 1, &size);
        __wasi_clock_time_get(__WASI_CLOCKID_REALTIME, 0, &at);""",
    "polls_nothing": "__wasi_poll_oneoff(&alarm, event, 0, &size);",
    "polls_too_much": "__wasi_poll_oneoff((void *) rest, (void *) rest, 0xffffffff, &size);",
    "polls_beyond": "__wasi_poll_oneoff((void *) 0xfffffff0, event, 1, &size);",
    "unknown_alarm": "alarm.u.tag = 77; __wasi_poll_oneoff(&alarm, event, 1, &size);",
    "unknown_clock": "__wasi_clock_time_get(0xffffffff, ~0ull, &at);",
    "reads_beyond": "into.buf_len = 0xffffffff; __wasi_fd_read(0, &into, 1, &size);",
    "reads_many": "__wasi_fd_read(0, (void *) rest, 0x10000000, &size);",
    "writes_beyond": "from.buf = (uint8_t *) 0xffffff00; __wasi_fd_write(1, &from, 1, &size);",
    "writes_elsewhere": "for (at = 0; at < 70; at++) __wasi_fd_write(at, &from, 1, &size);",
    "seeks": "__wasi_fd_seek(0, INT64_MIN, 2, &at); __wasi_fd_seek(1, INT64_MAX, 1, &at);",
    "closes_all": "for (at = 0; at < 9; at++) __wasi_fd_close(at);",
    "random_beyond": "__wasi_random_get((uint8_t *) 0xffff0000, 0xffffffff);",
    "exits_oddly": "__wasi_proc_exit(0xdeadbeef);",
    "recurses": "return main(count, words) + rest[count];",
    "grows": "while (malloc(60000)) ; memset(words, 1, 5000000);",
    "answers_binary": "memset(rest, 0xff, 900); rest[899] = 10; write(1, rest, 900);",
    "answers_endlessly": "for (;;) write(1, rest, sizeof rest);",
}


def check(path: Path, game: str, honest: Mapping[str, bytes], hostile: Mapping[str, bytes]) -> list[Match]:
    """Play the day and verify its archive; the games of the honest among themselves."""
    whole = counted_contest(path, game, {**honest, **hostile}, games=1)
    verified = knobeln("verify", whole.archive)
    assert verified.exit_code == DRAW_BELIEVED, verified.output
    assert "played again: the same" in " ".join(verified.output.split())
    names = {file.partition(".")[0] for file in honest}
    with Store(url_of(whole.contest)).read() as tx:
        rounds = results.finished_rounds(tx, Games.WITH_MOVES)
    matches = [match for outcome in rounds for group in outcome.groups for match in group.matches]
    seats = [(name, seat.verdict) for match in matches for name, seat in match.sides]
    assert {verdict for name, verdict in seats if name in names} == {Verdict.OK}
    assert Verdict.ASIDE not in {verdict for _, verdict in seats}
    return [match for match in matches if names.issuperset(match.players)]


def test_hostile_programs_in_c(tmp_path: Path) -> None:
    names = ("pavlov.c", "grudger.pl", "tit_for_tat.py")
    honest = {name: samples("cooperation")[name] for name in names}
    hostile = {
        f"{name}.c": HEAD + code.encode() + b'\n    puts("C");\n    return 0;\n}\n'
        for name, code in C_PROGRAMS.items()
    }
    friends = check(tmp_path, "cooperation", honest, hostile)
    assert len(friends) == 3
    # They cooperate as long as the other does.
    assert all(seats[0][1].points == seats[1][1].points > 0 for seats in (match.sides for match in friends))
