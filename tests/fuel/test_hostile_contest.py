"""Programs that ask the host for impossible things, or reply in our place, play in a contest all
the same."""

from pathlib import Path

import pytest

from contest.model import Verdict
from knobellib.samples import samples
from store import Store, results, url_of
from store.results import Games
from tests.support.archives import DRAW_BELIEVED, knobeln
from tests.support.counted_programs import counted_contest, needs_engine

pytestmark = [needs_engine, pytest.mark.slow]

HEAD = b"""#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wasi/api.h>
static char rest[70000];
int main(int count, char **words)
{
    __wasi_size_t size;
"""
C_PROGRAMS = {
    "sleeps_twice": (
        """
        __wasi_subscription_t alarm = {.u = {__WASI_EVENTTYPE_CLOCK,
        {.clock = {.timeout = ~0ull}}}};
        __wasi_event_t event;
        __wasi_poll_oneoff(&alarm, &event, 1, &size);
        __wasi_poll_oneoff(&alarm, &event, 1, &size);"""
    ),
    "writes_beyond": (
        """
        __wasi_ciovec_t from = {(uint8_t *) 0xffffff00, sizeof rest};
        __wasi_fd_write(1, &from, 1, &size);"""
    ),
    "recurses": "return main(count, words) + rest[count];",
    "answers_binary": "memset(rest, 0xff, 900); rest[899] = 10; write(1, rest, 900);",
    "answers_endlessly": "for (;;) write(1, rest, sizeof rest);",
}
"""What else a program may ask is in test_hostile_guests.py."""


def test_hostile_programs_in_c(tmp_path: Path) -> None:
    honest = {
        name: samples("cooperation")[name] for name in ("pavlov.c", "grudger.pl", "tit_for_tat.py")
    }
    hostile = {
        f"{name}.c": HEAD + code.encode() + b'\n    puts("C");\n    return 0;\n}\n'
        for name, code in C_PROGRAMS.items()
    }
    whole = counted_contest(tmp_path, "cooperation", {**honest, **hostile}, games=1)
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
    friends = [match.sides for match in matches if names.issuperset(match.players)]
    assert len(friends) == 3
    # They cooperate as long as the other does.
    assert all(one.points == other.points > 0 for (_, one), (_, other) in friends)
