"""Letters in, and mails out: knobeln beside Postfix.

Postfix's `smtp-source` sends letters over 20 connections, and one at a time with a connection for
each. Both servers say 250 only when the letter would survive a power cut; they are separate
processes on the same disk. `knobeln serve` also answers each letter meanwhile, and delivers the
answer. Postfix only keeps letters: it runs without its queue manager, as an instance of its own,
which needs root. Each server gets one letter before, which starts processes and loads modules.

Mails go out to Postfix's `smtp-sink`, one after the other in one conversation. Ours come from the
outbox, and each is committed before it is sent and afterwards. `smtp-source` notes nothing.
"""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench import Bench, Spent, cpu_seconds_of, spent
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import LetterState, OutboxState, Outgoing
from contest.schema.sections import Contest, DeliveryKind, Mail, Registration
from contest.util.clock import SystemClock
from knobeln.context import ContestContext, create_contest
from knobeln.services import deliver_all
from mailserver.delivery.transports import transport_of
from store import letters, outbox
from tests.support.servers import configuration, free_port, greets, wait_for

DISK = "/var/tmp"  # noqa: S108 - unlike /tmp never in memory
RUNS = 3
LETTER_BYTES = 4_000
MAILS = 500
LOADS = (
    ("over 20 connections", 1_000, ("-s", "20", "-d")),
    ("one at a time, a connection each", 300, ("-s", "1")),
)
ROBOT, TEAM = "knobeln@contest.example", "team@club.example"
_SOURCE, _SINK = "/usr/sbin/smtp-source", "/usr/sbin/smtp-sink"  # they come with Postfix


# --- letters --------------------------------------------------------------------------------------
def letters_in(bench: Bench) -> None:
    if os.getuid() != 0 or not _MASTER.exists():
        print("| letters accepted | left out: needs root and Postfix | | |")
        return
    for title, usual, options in LOADS:
        count = usual // 10 if bench.is_quick else usual
        answered: list[Spent] = []
        ours, postfix = (
            partial(_into_ours, count, options, answered),
            partial(_into_postfix, count, options),
        )
        bench.compare(
            f"a letter accepted, {title}", RUNS, {"ours": ours, "Postfix": postfix}, count
        )
        bench.compare(
            "the same until it is answered", RUNS, {"ours": partial(answered.pop, 0)}, count
        )


def _into_ours(count: int, options: tuple[str, ...], answered: list[Spent]) -> Spent:
    """Until the last 250; and, added to `answered`, until the last answer."""
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        settings = Settings(
            contest=Contest(address=ROBOT),
            dates=usual_dates(SystemClock().now()),
            mail=Mail(listen=f"127.0.0.1:{free_port()}", answers_per_hour=count + 1),
            # or else few of so many letters are answered
            registration=Registration(confirm="never"),
        )
        contest = create_contest(Path(folder) / "contest", settings)
        command = [sys.executable, "-m", "knobeln", "serve", "-C", str(contest.path)]
        port, finish = contest.settings.mail.listen_port, partial(_wait_until_handled, contest)
        taken, until = _taken(command, port, count, options, finish)
        answered.append(until)
        contest.store.close()
    return taken


def _wait_until_handled(contest: ContestContext, number: int) -> None:
    def handled() -> int:
        with contest.store.read() as tx:
            return letters.count_by_state(tx).get(LetterState.HANDLED, 0)

    wait_for(lambda: handled() == number, "an answer")


def _into_postfix(count: int, options: tuple[str, ...]) -> Spent:
    """Until Postfix says 250 to the last letter; each letter is then a synced file in its queue."""
    with tempfile.TemporaryDirectory(dir=DISK) as disk_folder:
        folder, port = Path(disk_folder), free_port()
        taken, _ = _taken(_postfix(folder, port), port, count, options, lambda _: None)
        assert (
            sum(file.is_file() for file in (folder / "queue" / "incoming").rglob("*")) == count + 1
        )
    return taken


def _taken(
    command: list[str],
    port: int,
    count: int,
    options: tuple[str, ...],
    finish: Callable[[int], None],
) -> tuple[Spent, Spent]:
    """What the server spends until the last 250, and until `finish`, which gets the count of all
    letters."""
    with running(command, port) as server:
        _send(port, 1)
        finish(1)
        cpu, begin = cpu_seconds_of(server), time.perf_counter()
        _send(port, count, *options)
        taken = Spent(time.perf_counter() - begin, cpu_seconds_of(server) - cpu)
        finish(count + 1)
        return taken, Spent(time.perf_counter() - begin, cpu_seconds_of(server) - cpu)


def _send(port: int, count: int, *options: str) -> None:
    words = (*options, "-m", str(count), "-l", str(LETTER_BYTES), "-S", "please compile")
    subprocess.run([_SOURCE, *words, "-f", TEAM, "-t", ROBOT, f"127.0.0.1:{port}"], check=True)


# --- mails ----------------------------------------------------------------------------------------
def mails_out(bench: Bench) -> None:
    if not Path(_SINK).exists():
        print("| mails sent | left out: needs Postfix | | |")
        return
    port = free_port()
    as_nobody = ("-u", "nobody") if os.getuid() == 0 else ()
    with running([_SINK, *as_nobody, f"127.0.0.1:{port}", "100"], port):
        peer = partial(spent, partial(_send, port, MAILS, "-s", "1", "-d"))
        ways = {"ours": partial(_from_our_outbox, port), "smtp-source": peer}
        bench.compare("a mail sent and recorded", RUNS, ways, MAILS)


def _from_our_outbox(port: int) -> Spent:
    mails = [
        Outgoing(f"key/{n}", "GRR", TEAM, "ranking", "x" * 70 + "\n" * 60) for n in range(MAILS)
    ]
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        settings = Settings(
            contest=Contest(address=ROBOT),
            dates=usual_dates(SystemClock().now()),
            mail=Mail(delivery=DeliveryKind.SMTP, smarthost=f"127.0.0.1:{port}"),
        )
        contest = create_contest(Path(folder) / "contest", settings)
        with contest.store.write() as tx:
            outbox.put_all(tx, mails, settings, contest.clock.now())
        taken = spent(lambda: deliver_all(contest, transport_of(settings, contest.path)))
        with contest.store.read() as tx:
            assert outbox.count_by_state(tx) == {OutboxState.SENT: MAILS}
        contest.store.close()
    return taken


# --- servers --------------------------------------------------------------------------------------
@contextmanager
def running(command: list[str], port: int) -> Iterator[int]:
    """Start the server, and wait until it answers at this port; the id of its process."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: greets(port, b"220"), "the server's start")
        yield process.pid
    finally:
        process.terminate()
        process.wait(60.0)


_MASTER = Path("/usr/lib/postfix/sbin/master")
_MAIN_CF = """
relay_domains = contest.example
smtpd_relay_restrictions = permit_mynetworks, reject
smtpd_peername_lookup = no
smtpd_client_connection_count_limit = 0
alias_maps =
alias_database =
in_flow_delay = 0
"""
_MASTER_CF = """
cleanup   unix n - n - 0 cleanup
rewrite   unix - - n - - trivial-rewrite
bounce    unix - - n - 0 bounce
defer     unix - - n - 0 bounce
proxymap  unix - - n - - proxymap
anvil     unix - - n - 1 anvil
postlog   unix-dgram n - n - 1 postlogd
"""


def _postfix(path: Path, port: int) -> list[str]:
    """Make an instance of Postfix in this folder that listens at this port; the command that starts
    it."""
    path.chmod(0o755)
    for name in ("etc", "queue", "data"):
        (path / name).mkdir()
    os.chown(path / "data", pwd.getpwnam("postfix").pw_uid, -1)
    etc = path / "etc"
    (etc / "main.cf").write_text(configuration("postfix_instance.cf", d=path) + _MAIN_CF)
    (etc / "master.cf").write_text(f"127.0.0.1:{port} inet n - n - - smtpd\n{_MASTER_CF}")
    for file in etc.iterdir():  # it waits until its files are not too new
        os.utime(file, (time.time() - 60,) * 2)
    subprocess.run(["postfix", "-c", str(etc), "check"], check=True, capture_output=True)
    return ["env", f"MAIL_CONFIG={etc}", str(_MASTER), "-s", "-c", str(etc)]
