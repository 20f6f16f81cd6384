"""Many letters at once: `knobeln serve` against Postfix, and against plain aiosmtpd with fsync.

2,000 letters over 20 connections. All three say 250 only when the letter would survive a power cut. They are
separate processes on the same disk, and the same clients use them in turn. `knobeln serve` also reads each
letter and writes the answer meanwhile. The peers do nothing else: Postfix runs without its queue manager, so
accepted letters stay in its queue. Postfix needs root, and is left out otherwise.
"""

from __future__ import annotations

import os
import pwd
import shutil
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

from contest.clock import SystemClock
from contest.config.sections import Contest, Mail
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.store import Store, letters
from knobeln.context import create_contest

LETTERS = 2_000
CONNECTIONS = 20
RUNS = 3
OURS = "knobeln serve"
ROBOT = "knobeln@contest.example"
_DISK = "/var/tmp"  # noqa: S108 - unlike /tmp never in memory
_TIMEOUT_SECONDS = 30.0
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
_MAIN_CF = """
compatibility_level = 3.6
queue_directory = {d}/queue
data_directory = {d}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
meta_directory = /etc/postfix
shlib_directory = /usr/lib/postfix
mail_owner = postfix
setgid_group = postdrop
maillog_file = {d}/postfix.log
maillog_file_prefixes = {d}
myhostname = relay.club.example
inet_interfaces = loopback-only
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
relay_domains = contest.example
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_peername_lookup = no
smtpd_client_connection_count_limit = 0
alias_maps =
alias_database =
in_flow_delay = 0
"""
_MASTER_CF = """
127.0.0.1:{port} inet n - n - - smtpd
cleanup   unix n - n - 0 cleanup
rewrite   unix - - n - - trivial-rewrite
bounce    unix - - n - 0 bounce
defer     unix - - n - 0 bounce
proxymap  unix - - n - - proxymap
anvil     unix - - n - 1 anvil
postlog   unix-dgram n - n - 1 postlogd
"""
_MASTER = Path("/usr/lib/postfix/sbin/master")


def main() -> None:
    servers = {OURS: _ours, "aiosmtpd with fsync": _plain}
    if os.getuid() == 0 and _MASTER.exists():
        servers["Postfix"] = _postfix
    seconds: dict[str, list[float]] = {name: [] for name in servers}
    for _run in range(RUNS):  # they take turns, so that noise meets all
        for name, measure in servers.items():
            seconds[name].append(measure())
    rates = {name: LETTERS / median(found) for name, found in seconds.items()}
    print(f"{LETTERS:,} letters over {CONNECTIONS} connections, all durable (medians of {RUNS} runs)")
    for name, rate in rates.items():
        ratio = "" if name == OURS else f"   ratio {rates[OURS] / rate:.2f}"
        print(f"  {name:<20} {rate:>7,.0f}/s{ratio}")
    if "Postfix" not in servers:
        print("  Postfix was left out: it has to be installed, and started by root")


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


def _plain() -> float:
    with tempfile.TemporaryDirectory(dir=_DISK) as folder:
        port = _free_port()
        with _running([sys.executable, "-c", _PEER, str(port), folder], port):
            seconds = _seconds(port)
        assert len(list(Path(folder).iterdir())) == LETTERS
    return seconds


def _postfix() -> float:
    """Measure until Postfix says 250 to the last letter; each letter is then a synced file in its queue."""
    with tempfile.TemporaryDirectory(dir=_DISK) as made:
        folder, port = Path(made), _free_port()
        folder.chmod(0o755)
        for name in ("etc", "queue", "data"):
            (folder / name).mkdir()
        shutil.chown(folder / "data", pwd.getpwnam("postfix").pw_uid)
        (folder / "etc" / "main.cf").write_text(_MAIN_CF.format(d=folder))
        (folder / "etc" / "master.cf").write_text(_MASTER_CF.format(port=port))
        for file in (folder / "etc").iterdir():  # it waits until its files are not too new
            os.utime(file, (time.time() - 60,) * 2)
        etc = str(folder / "etc")
        subprocess.run(["postfix", "-c", etc, "check"], check=True, capture_output=True)
        command = ["env", f"MAIL_CONFIG={etc}", str(_MASTER), "-s", "-c", etc]
        with _running(command, port):
            seconds = _seconds(port)
        kept = sum(file.is_file() for file in (folder / "queue" / "incoming").rglob("*"))
        assert kept == LETTERS, kept
    return seconds


def _count(store: Store) -> int:
    with store.read() as tx:
        return sum(letters.count_by_state(tx).values())


def _seconds(port: int) -> float:
    """Return the seconds until the last letter is accepted."""
    share = LETTERS // CONNECTIONS
    with ThreadPoolExecutor(CONNECTIONS) as people:
        begin = time.perf_counter()
        list(people.map(lambda person: _send(port, person, share), range(CONNECTIONS)))
        return time.perf_counter() - begin


def _send(port: int, person: int, share: int) -> None:
    sender = f"team{person}@club.example"
    with smtplib.SMTP("127.0.0.1", port, timeout=_TIMEOUT_SECONDS) as client:
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
    end = time.monotonic() + _TIMEOUT_SECONDS
    try:
        while not _answers(port):
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.02)
        yield
    finally:
        process.terminate()
        process.wait(_TIMEOUT_SECONDS)


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
