"""How costs grow with the number of letters and of teams: time, memory and the size of the database.

It takes minutes, so `make bench` leaves it out: `python -m bench.growth`.
"""

from __future__ import annotations

import logging
import multiprocessing
import resource
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from bench.contest_day import house_programs, play_day
from bench.servers import DISK
from bench.timing import Spent, spent
from contest.clock import SystemClock
from contest.config.sections import Contest, Mail, Registration, Teams
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.log import log
from contest.model import IncomingLetter
from contest.store import letters, teams
from knobeln.context import ContestContext, create_contest
from knobeln.services import Services
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW, add_team, make_contest, settings

TEAMS = (41, 1_000, 10_000)
LETTERS = (1_000, 10_000)
MEASURED = 100  # letters of each kind
ROBOT = "knobeln@contest.example"
FORM = """mail-address: ADDRESS
mail-preference: RSM
team-name: NAME
Organization: Club, Eggland
team-members:
  Joe NAME, 45, programmer,
  much experience
"""
KINDS = {
    "help": "please\n",
    "please compile": "int main() { return 0; }\n" * 40,
    "registration for KNOBELN": FORM,
}


class Grown(NamedTuple):
    """What one size costs. `peak_memory`: of the process; sizes in bytes."""

    times: dict[str, Spent]
    database: int
    peak_memory: int


def main() -> None:
    for count in LETTERS:
        _print(f"{count:6} letters handled", _alone(_with_letters, count))
    for count in TEAMS:
        _print(f"{count:6} teams, a letter", _alone(_with_teams, count))
    for count in TEAMS:
        _print(f"{count:6} teams, the contest day", _alone(_with_day, count))


def _alone(measure: Callable[[int], Grown], count: int) -> Grown:
    """Measure in a process of its own, whose memory is that of nothing else."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(measure, count).result()


def _print(title: str, grown: Grown) -> None:
    database, memory = grown.database / 1e6, grown.peak_memory / 1e6
    print(f"{title}: database {database:,.1f} MB, peak memory {memory:,.0f} MB", flush=True)
    for what, taken in grown.times.items():
        print(
            f"  {what:<26} {taken.seconds:10.4f} s, {taken.cpu_seconds:10.4f} s of processor time", flush=True
        )


def _with_letters(count: int) -> Grown:
    """Handle so many letters of all kinds, and then measure each kind."""
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        contest = _contest(Path(folder))
        services = Services(contest)
        each = count // len(KINDS)
        for kind in KINDS:
            _bring(contest, kind, "before", each)
            services.handle_letters()
        return _grown(contest, _letter_times(contest, services))


def _with_teams(count: int) -> Grown:
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        contest = _contest(Path(folder))
        with contest.store.write() as tx:
            for number in range(count):
                add_team(tx, f"team_{number:05}", "RSM")
        taken = _letter_times(contest, Services(contest))
        with contest.store.read() as tx:
            assert teams.count(tx) == count + MEASURED + 1, "a registration was refused"
        return _grown(contest, taken)


def _with_day(count: int) -> Grown:
    log.least = logging.WARNING
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        contest = make_contest(Path(folder) / "contest", count, house_programs(), settings(workers=0))
        contest = replace(contest, clock=FixedClock(NOW))
        return _grown(contest, {"all games and mails": spent(lambda: play_day(contest))})


def _letter_times(contest: ContestContext, services: Services) -> dict[str, Spent]:
    times = {}
    for kind in KINDS:
        _bring(contest, kind, "first", 1)  # for what is made once
        services.handle_letters()
        _bring(contest, kind, "measured", MEASURED)
        taken = spent(services.handle_letters)
        times[kind] = Spent(*(value / MEASURED for value in taken))
    return times


def _bring(contest: ContestContext, kind: str, batch: str, count: int) -> None:
    now = contest.clock.now()
    arrivals = [_letter(kind, f"{batch}.{kind.partition(' ')[0]}.{number}") for number in range(count)]
    with contest.store.write() as tx:
        letters.add_all(tx, arrivals, "smtp", now)


def _letter(kind: str, name: str) -> IncomingLetter:
    sender = f"{name}@club.example"
    head = f"From: {sender}\r\nTo: {ROBOT}\r\nSubject: {kind}\r\nMessage-ID: <{name}@club.example>\r\n\r\n"
    body = KINDS[kind].replace("ADDRESS", sender).replace("NAME", name.replace(".", "_"))
    return IncomingLetter((head + body).encode(), sender, (ROBOT,), "")


def _contest(folder: Path) -> ContestContext:
    log.least = logging.WARNING
    now = SystemClock().now()
    chosen = Settings(
        contest=Contest(address=ROBOT),
        dates=usual_dates(now - timedelta(days=1)),
        mail=Mail(answers_per_hour=100_000),
        registration=Registration(confirm="never"),
        teams=Teams(max_teams=2 * max(TEAMS)),
    )
    return create_contest(folder / "contest", chosen)


def _grown(contest: ContestContext, times: dict[str, Spent]) -> Grown:
    contest.store.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1_024
    return Grown(times, (contest.path / "contest.db").stat().st_size, peak)


if __name__ == "__main__":
    main()
