"""Letters: `knobeln serve` against Postfix, and against plain aiosmtpd with fsync.

Postfix's `smtp-source` sends them over 20 connections, and one at a time with a connection for each. All
three servers say 250 only when the letter would survive a power cut. They are separate processes on the same
disk, and take turns. `knobeln serve` also reads each letter meanwhile, answers it and delivers the answer
into a Maildir. The peers do nothing else: Postfix runs without its queue manager, so accepted letters stay in
its queue. Postfix needs root, and is left out otherwise.

Each server gets one letter before: the first one after a start takes `knobeln serve` a hundred milliseconds,
most of them for modules and templates, and makes Postfix start processes.

Processor time is that of the server with all its processes, per letter; for `knobeln serve` until the last
letter is handled.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench import postfix
from bench.servers import DISK, SMTP_SOURCE, free_port, running
from bench.timing import cpu_seconds_of
from contest.clock import SystemClock
from contest.config.sections import Contest, Mail, Registration
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import LetterState
from contest.store import letters
from knobeln.context import create_contest

RUNS = 3
LETTER_BYTES = 4_000
OURS = "knobeln serve"
ROBOT = "knobeln@contest.example"
_PEER = """
import asyncio, os, sys, uuid
from pathlib import Path
from aiosmtpd.smtp import SMTP

folder = Path(sys.argv[2])

class Keep:
    async def handle_DATA(self, server, session, envelope):
        name = uuid.uuid4().hex
        descriptor = os.open(folder / f"{name}.part", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(descriptor, envelope.original_content)
        os.fsync(descriptor)
        os.close(descriptor)
        os.rename(folder / f"{name}.part", folder / name)
        return "250 OK"

async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(Keep(), loop=loop), "127.0.0.1", int(sys.argv[1]))
    await server.serve_forever()

asyncio.run(main())
"""

_MAIN_CF = "relay_domains = contest.example\n"
_MASTER_CF = "127.0.0.1:{port} inet n - n - - smtpd\n"


class Load(NamedTuple):
    """How the letters come. `options`: of smtp-source."""

    title: str
    letters: int
    options: tuple[str, ...]


LOADS = (
    Load("1,000 letters over 20 connections", 1_000, ("-s", "20", "-d")),
    Load("300 letters, one at a time, a connection each", 300, ("-s", "1")),
)


class Taken(NamedTuple):
    """One run. `handled_seconds`: until the last letter was answered; None for servers that answer none."""

    seconds: float
    cpu_seconds: float
    handled_seconds: float | None = None


def main() -> None:
    if SMTP_SOURCE is None:
        print("letters: left out, as there is no `smtp-source`; it comes with Postfix")
        return
    servers: dict[str, Callable[[Load], Taken]] = {OURS: _ours, "aiosmtpd with fsync": _plain}
    if postfix.is_here():
        servers["Postfix"] = _postfix
    for load in LOADS:
        runs: dict[str, list[Taken]] = {name: [] for name in servers}
        for _run in range(RUNS):  # they take turns, so that noise meets all
            for name, measure in servers.items():
                runs[name].append(measure(load))
        _print(load, runs)


def _print(load: Load, runs: dict[str, list[Taken]]) -> None:
    print(f"{load.title}, all durable (medians of {RUNS} runs)")
    ours = median(run.seconds for run in runs[OURS])
    for name, taken in runs.items():
        seconds = median(run.seconds for run in taken)
        cpu = median(run.cpu_seconds for run in taken) / load.letters * 1_000
        ratio = "" if name == OURS else f"   ratio {seconds / ours:.2f}"
        print(f"  {name:<20} {load.letters / seconds:>7,.0f}/s, {cpu:.2f} ms of a core each{ratio}")
    handled = median(run.handled_seconds or 0.0 for run in runs[OURS])
    print(f"  all answered by {OURS} after {handled:.1f} s, {load.letters / handled:,.0f}/s")


def _ours(load: Load) -> Taken:
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        path, port = Path(folder) / "contest", free_port()
        settings = Settings(
            contest=Contest(address=ROBOT),
            dates=usual_dates(SystemClock().now()),
            mail=Mail(listen_port=port, answers_per_hour=load.letters + 1),
            registration=Registration(confirm="never"),  # or else few of so many letters are answered
        )
        contest = create_contest(path, settings)

        def finish(count: int) -> None:
            counts: dict[LetterState, int] = {}
            while counts.get(LetterState.HANDLED) != count:
                time.sleep(0.05)
                with contest.store.read() as tx:
                    counts = letters.count_by_state(tx)

        taken = _taken([sys.executable, "-m", "knobeln", "serve", "-C", str(path)], port, load, finish)
        contest.store.close()
    return taken


def _plain(load: Load) -> Taken:
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        port = free_port()
        taken = _taken([sys.executable, "-c", _PEER, str(port), folder], port, load)
        assert len(list(Path(folder).iterdir())) == load.letters + 1
    return taken


def _postfix(load: Load) -> Taken:
    """Measure until Postfix says 250 to the last letter; each letter is then a synced file in its queue."""
    with postfix.folder() as folder:
        port = free_port()
        command = postfix.command(folder, _MAIN_CF, _MASTER_CF.format(port=port))
        taken = _taken(command, port, load)
        kept = sum(file.is_file() for file in (folder / "queue" / "incoming").rglob("*"))
        assert kept == load.letters + 1, kept
    return taken


def _taken(command: list[str], port: int, load: Load, finish: Callable[[int], object] | None = None) -> Taken:
    """Start the server, send it the letters, and wait for `finish`, which gets the count of all letters."""
    with running(command, port) as server:
        _send(port, 1)
        if finish:
            finish(1)
        cpu, begin = cpu_seconds_of(server), time.perf_counter()
        _send(port, load.letters, *load.options)
        seconds = time.perf_counter() - begin
        if finish:
            finish(load.letters + 1)
        handled = time.perf_counter() - begin if finish else None
        return Taken(seconds, cpu_seconds_of(server) - cpu, handled)


def _send(port: int, count: int, *options: str) -> None:
    assert SMTP_SOURCE is not None
    letters_of = ("-m", str(count), "-l", str(LETTER_BYTES), "-S", "please compile")
    addresses = ("-f", "team@club.example", "-t", ROBOT)
    subprocess.run([SMTP_SOURCE, *options, *letters_of, *addresses, f"127.0.0.1:{port}"], check=True)


if __name__ == "__main__":
    main()
