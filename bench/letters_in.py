"""Letters that come in all at once: `knobeln serve` against plain aiosmtpd that syncs a file per letter.

2,000 letters over 20 connections. Both say 250 only when the letter would survive a power cut; both are
processes of their own on the same disk, asked by the same clients. `knobeln serve` also reads each letter
and writes the answer meanwhile; the peer does nothing else.
"""

from __future__ import annotations

import smtplib
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from knobeln.cli.organize import create_contest
from knobeln.clock import SystemClock
from knobeln.config import Contest, Mail, Settings, usual_dates
from knobeln.store import Store, letters

LETTERS = 2_000
CONNECTIONS = 20
RUNS = 3
ROBOT = "knobeln@contest.example"
_DISK = "/var/tmp"  # noqa: S108 - unlike /tmp never in memory
_PATIENCE = 30.0
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


def main() -> None:
    ours, peers = [], []
    for _run in range(RUNS):  # they take turns, so that noise meets both
        ours.append(_ours())
        peers.append(_peers())
    mine, other = LETTERS / median(ours), LETTERS / median(peers)
    print(f"{LETTERS:,} letters over {CONNECTIONS} connections, all durable (medians of {RUNS} runs)")
    print(f"  knobeln serve {mine:,.0f}/s   aiosmtpd with fsync {other:,.0f}/s   ratio {mine / other:.2f}")


def _ours() -> float:
    with tempfile.TemporaryDirectory(dir=_DISK) as folder:
        path, port = Path(folder) / "contest", _free_port()
        mail = Mail(listen_port=port)
        settings = Settings(contest=Contest(address=ROBOT), dates=usual_dates(SystemClock().now()), mail=mail)
        contest = create_contest(path, settings)
        with _running([sys.executable, "-m", "knobeln", "serve", "-C", str(path)], port):
            seconds = _seconds(port)
        assert _count(contest.store) == LETTERS
        contest.store.close()
    return seconds


def _peers() -> float:
    with tempfile.TemporaryDirectory(dir=_DISK) as folder:
        port = _free_port()
        with _running([sys.executable, "-c", _PEER, str(port), folder], port):
            seconds = _seconds(port)
        assert len(list(Path(folder).iterdir())) == LETTERS
    return seconds


def _count(store: Store) -> int:
    with store.read() as tx:
        return sum(letters.count_by_state(tx).values())


def _seconds(port: int) -> float:
    """How long it takes until the last letter is taken."""
    share = LETTERS // CONNECTIONS
    with ThreadPoolExecutor(CONNECTIONS) as people:
        begin = time.perf_counter()
        list(people.map(lambda person: _send(port, person, share), range(CONNECTIONS)))
        return time.perf_counter() - begin


def _send(port: int, person: int, share: int) -> None:
    sender = f"team{person}@club.example"
    with smtplib.SMTP("127.0.0.1", port, timeout=_PATIENCE) as client:
        for number in range(share):
            client.sendmail(sender, [ROBOT], _letter(sender, number))


def _letter(sender: str, number: int) -> bytes:
    head = (
        f"From: {sender}\r\nTo: {ROBOT}\r\nSubject: please compile\r\nMessage-ID: <{number}.{sender}>\r\n\r\n"
    )
    return head.encode() + b"    if (mine > yours) make_throw(next_random(1, 12288));\r\n" * 100


@contextmanager
def _running(command: list[str], port: int) -> Iterator[None]:
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    end = time.monotonic() + _PATIENCE
    try:
        while not _answers(port):
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(_PATIENCE)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as client:
            return client.recv(100).startswith(b"220")
    except OSError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main()
