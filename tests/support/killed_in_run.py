"""Plays a contest again and again, and kills it each time, as `kill -9` does, at another point of
the day.

    python -m tests.support.killed_in_run MASTER WORK FIRST EVERY

If KNOBELN_DATABASE names the database of MASTER, each contest has a copy of it, see `database_for`.
MASTER is a contest that waits to be started. WORK/whole is played without being disturbed, and
every point that the run passes is noted in WORK/points, one a line. For one in EVERY of them, from
FIRST on, MASTER is copied to WORK/<number of the line, from 0>, `knobeln run` is started there and
killed at the point, and is then started once more.

Every run but that of WORK/whole is a process of its own. It was forked from this one, so that it
need not import, compile and compute again what the run of WORK/whole has, where that has no effect.
"""

import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

import mailserver.delivery.transports.local
import tournament.certainty
import tournament.day
import tournament.field
from knobeln.cli import main
from store import outbox
from store.session import Store, Transaction
from tests.support import shared_work
from tests.support.postgresql import copy_of, url_of

# Where a run passes besides the borders of its transactions: (owner, function).
PLACES: tuple[tuple[Any, str], ...] = (
    (outbox, "put_all"),
    (outbox, "keep_all"),
    (tournament.field.referee, "play_group"),
    (tournament.day, "evolve"),
    (tournament.day, "certainty"),
    (mailserver.delivery.transports.local.MaildirTransport, "send"),
)
Pass = Callable[[str], None]


def arm(patch: pytest.MonkeyPatch, passed: Pass) -> None:
    """`passed` is called with the name of each point that the run of this process comes to."""
    for owner, name in PLACES:
        patch.setattr(owner, name, watched(getattr(owner, name), passed))
    write = Store.write

    @contextmanager
    def watched_write(self: Store) -> Iterator[Transaction]:
        who = sys._getframe(2).f_code.co_qualname  # below us: contextlib, and then who writes
        passed(f"before {who}")
        with write(self) as tx:
            yield tx
            passed(f"{who}, not committed")
        passed(f"{who}, committed")

    patch.setattr(Store, "write", watched_write)


def watched(function: Callable[..., Any], passed: Pass) -> Callable[..., Any]:
    @wraps(function)
    def replacement(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        passed(f"after {function.__qualname__}")
        return result

    return replacement


def database_for(folder: Path) -> dict[str, str]:
    """The variable that names the database of this folder of WORK; none if it is in the folder."""
    master = os.environ.get("KNOBELN_DATABASE")
    name = f"{make_url(master).database}_{folder.name}" if master else ""
    return {"KNOBELN_DATABASE": url_of(master, name)} if master else {}


def copy(master: Path, folder: Path) -> None:
    shutil.copytree(master, folder)
    for url in database_for(folder).values():
        copy_of(os.environ["KNOBELN_DATABASE"], str(make_url(url).database))


def run(folder: Path, passed: Pass | None) -> int:
    """`knobeln run`; its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        for name, url in database_for(folder).items():
            patch.setenv(name, url)
        if passed:
            arm(patch, passed)
        with pytest.raises(SystemExit) as ended:
            main(["run", "--now", "-C", str(folder)])
    return ended.value.code if isinstance(ended.value.code, int) else 0


def play(folder: Path, passed: Pass | None) -> int:
    """`run` in a process of its own; its exit code, negative for a signal."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    code = 70
    try:
        code = run(folder, passed)
    finally:
        sys.stdout.flush()
        os._exit(code)


def numbered(passed: Pass) -> Pass:
    """Counts how often each point was passed: `what/3`."""
    times: Counter[str] = Counter()

    def count(what: str) -> None:
        times[what] += 1
        passed(f"{what}/{times[what]}")

    return count


def noting(file: Path) -> Pass:
    def note(point: str) -> None:
        with file.open("a") as lines:
            lines.write(point + "\n")

    return numbered(note)


def deadly(chosen: str) -> Pass:
    def die(point: str) -> None:
        if point == chosen:
            os.kill(os.getpid(), signal.SIGKILL)

    return numbered(die)


def expect(code: int, wanted: int, what: str) -> None:
    if code != wanted:
        raise SystemExit(f"{what}: ended with {code}, not {wanted}")


def walk(master: Path, work: Path, first: int, every: int) -> None:
    shared_work.share_compiled_templates()
    shared_work.share_compiled_statements_and_wait_for_no_disk()
    shared_work.share_steps_of_the_compiler()
    copy(master, work / "whole")
    expect(run(work / "whole", noting(work / "points")), 0, "undisturbed")
    for number, point in list(enumerate((work / "points").read_text().splitlines()))[first::every]:
        folder = work / str(number)
        copy(master, folder)
        expect(play(folder, deadly(point)), -signal.SIGKILL, point)
        expect(play(folder, None), 0, f"after {point}")


if __name__ == "__main__":
    # More contests with other random numbers take seconds each time.
    tournament.certainty.MAX_CONTESTS = 2
    walk(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
