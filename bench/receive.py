"""`knobeln receive`, which a mail system starts for each letter: with `knobeln serve` at work, and alone.

The limit is a bare Python that writes and syncs the letter, and the peer Postfix's own way in for a letter
from a program, its `sendmail` command. Postfix needs root, and is left out otherwise. Processor time is that
of the started command; what `serve` does with the letter is measured by bench/letters_in.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from bench import postfix
from bench.servers import DISK, free_port, running
from bench.timing import Spent, spent
from contest.clock import SystemClock
from contest.config.sections import Contest, Mail
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import LetterState
from contest.store import letters
from knobeln.context import ContestContext, create_contest

RUNS = 20
MAX_SECONDS = 0.25
LETTER = "From: team@club.example\nTo: knobeln@contest.example\nSubject: please compile\n\n"
_BARE = """
import os, sys
descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL)
os.write(descriptor, sys.stdin.buffer.read())
os.fsync(descriptor)
"""

Way = Callable[[bytes], object]


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=DISK)))
        served, alone = (_contest(folder / name) for name in ("served", "alone"))
        serve = [sys.executable, "-m", "knobeln", "serve", "-C", str(served.path)]
        stack.enter_context(running(serve, served.settings.mail.listen_port))
        ways: dict[str, Way] = {
            "with serve": lambda raw: _receive(served, raw),
            "alone": lambda raw: _receive(alone, raw),
            "a bare Python": lambda raw: _run([sys.executable, "-c", _BARE, str(_new(folder))], raw),
        }
        if postfix.is_here():
            queue = stack.enter_context(postfix.folder())
            sendmail = _sendmail(queue)
            ways["Postfix's sendmail"] = lambda raw: _run(sendmail, raw)
        runs: dict[str, list[Spent]] = {name: [] for name in ways}
        for number in range(RUNS):
            for name, way in ways.items():
                raw = f"{LETTER}{name} {number}\n".encode()
                runs[name].append(spent(lambda way=way, raw=raw: way(raw)))  # type: ignore[misc]
        if postfix.is_here():
            assert len(list((queue / "queue" / "maildrop").iterdir())) == RUNS
        for contest in (served, alone):
            with contest.store.read() as tx:
                assert sum(letters.count_by_state(tx).values()) == RUNS
                assert contest is served or letters.count_by_state(tx) == {LetterState.HANDLED: RUNS}
            contest.store.close()
    print(f"`knobeln receive`, one letter (medians of {RUNS}; at most {MAX_SECONDS:g} s of processor time)")
    for name, taken in runs.items():
        seconds, cpu = (median(getattr(run, what) for run in taken) for what in Spent._fields)
        print(f"  {name:<20} {seconds:.3f} s, {cpu:.3f} s of processor time")


def _contest(path: Path) -> ContestContext:
    settings = Settings(
        contest=Contest(address="knobeln@contest.example"),
        dates=usual_dates(SystemClock().now()),
        mail=Mail(listen_port=free_port()),
    )
    return create_contest(path, settings)


def _receive(contest: ContestContext, raw: bytes) -> None:
    _run([sys.executable, "-m", "knobeln", "receive", "-C", str(contest.path)], raw)


def _run(command: list[str], raw: bytes) -> None:
    subprocess.run(command, input=raw, check=True, capture_output=True)


def _new(folder: Path) -> Path:
    """The name of a new file."""
    return folder / f"{len(os.listdir(folder))}"


def _sendmail(folder: Path) -> list[str]:
    """The command, for an instance of its own that does not run: the letter waits in its queue."""
    postfix.command(folder, "", "")
    return ["sendmail", "-C", str(folder / "etc"), "-f", "team@club.example", "knobeln@contest.example"]


if __name__ == "__main__":
    main()
