"""Letters in and mails out: knobeln beside Postfix.

Postfix's `smtp-source` sends letters over 20 connections, and one at a time with a connection for each. Both
servers say 250 only when the letter would survive a power cut; they are separate processes on the same disk.
`knobeln serve` also answers each letter meanwhile, and delivers the answer. Postfix only keeps letters: it
runs without its queue manager, as an instance of its own, which needs root. Each server gets one letter
before, which starts processes and loads modules. Mails go to Postfix's `smtp-sink`. Postfix takes them with
its delivery switched off, and starts anew, which counts.
"""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from bench import Spent, compare, cpu_seconds_of, spent
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import LetterState, OutboxState, Outgoing
from contest.schema.sections import Contest, DeliveryKind, Mail, Registration
from contest.store import letters, outbox
from contest.util.clock import SystemClock
from knobeln.context import ContestContext, create_contest
from knobeln.services import deliver_all
from mailserver.delivery.transports import transport_of
from tests.support.servers import POSTFIX_INSTANCE, free_port, greets, wait_for

DISK = "/var/tmp"  # noqa: S108 - unlike /tmp never in memory
RUNS = 3
RECEIVES = 20
LETTER_BYTES = 4_000
LOADS = (
    ("over 20 connections", 1_000, ("-s", "20", "-d")),
    ("one at a time, a connection each", 300, ("-s", "1")),
)
MAILS, RECIPIENTS = 500, 20
TO = [f"team_{number}@teams.example" for number in range(RECIPIENTS)]
ROBOT, TEAM = "knobeln@contest.example", "team@club.example"
_SOURCE, _SINK = "/usr/sbin/smtp-source", "/usr/sbin/smtp-sink"  # they come with Postfix
_KNOBELN = (sys.executable, "-m", "knobeln")
_BARE = """import os, sys
with open(sys.argv[1], "xb", 0) as file:
    file.write(sys.stdin.buffer.read())
    os.fsync(file)"""


# --- letters -----------------------------------------------------------------------------------------------
def letters_in() -> None:
    if not _has_postfix("letters accepted"):
        return
    for title, count, options in LOADS:
        answered: list[Spent] = []
        ours, postfix = partial(_into_ours, count, options, answered), partial(_into_postfix, count, options)
        compare(f"a letter accepted, {title}", RUNS, {"ours": ours, "Postfix": postfix}, count)
        compare("the same until it is answered", RUNS, {"ours": partial(answered.pop, 0)}, count)


def _into_ours(count: int, options: tuple[str, ...], answered: list[Spent]) -> Spent:
    """Until the last 250; and, added to `answered`, until the last answer."""
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        contest = _contest(Path(folder) / "contest", answers_per_hour=count + 1)
        command = [*_KNOBELN, "serve", "-C", str(contest.path)]
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
    with _postfix_folder() as folder:
        port = free_port()
        main, listener = "relay_domains = contest.example\n", f"127.0.0.1:{port} inet n - n - - smtpd\n"
        taken, _ = _taken(_postfix(folder, main, listener), port, count, options, lambda _: None)
        assert sum(file.is_file() for file in (folder / "queue" / "incoming").rglob("*")) == count + 1
    return taken


def _taken(
    command: list[str], port: int, count: int, options: tuple[str, ...], finish: Callable[[int], None]
) -> tuple[Spent, Spent]:
    """What the server spends until the last 250, and until `finish`, which gets the count of all letters."""
    with running(command, port) as server:
        _send(port, 1)
        finish(1)
        cpu, begin = cpu_seconds_of(server), time.perf_counter()
        _send(port, count, *options)
        taken = Spent(time.perf_counter() - begin, cpu_seconds_of(server) - cpu)
        finish(count + 1)
        return taken, Spent(time.perf_counter() - begin, cpu_seconds_of(server) - cpu)


def _send(port: int, count: int, *options: str, sender: str = TEAM, to: str = ROBOT) -> None:
    words = (*options, "-m", str(count), "-l", str(LETTER_BYTES), "-S", "please compile")
    subprocess.run([_SOURCE, *words, "-f", sender, "-t", to, f"127.0.0.1:{port}"], check=True)


def _contest(path: Path, **mail: object) -> ContestContext:
    settings = Settings(
        contest=Contest(address=ROBOT),
        dates=usual_dates(SystemClock().now()),
        mail=Mail.model_validate({"listen": f"127.0.0.1:{free_port()}", **mail}),
        registration=Registration(confirm="never"),  # or else few of so many letters are answered
    )
    return create_contest(path, settings)


# --- knobeln receive ---------------------------------------------------------------------------------------
def receive() -> None:
    """What a mail system starts for each letter, beside a bare Python that writes and syncs the letter."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=DISK)))
        served, alone = (_contest(folder / name) for name in ("served", "alone"))
        serve = [*_KNOBELN, "serve", "-C", str(served.path)]
        stack.enter_context(running(serve, served.settings.mail.listen_port))

        def run(*command: str) -> Spent:
            raw = f"From: {TEAM}\nTo: {ROBOT}\nSubject: help\n\n{time.time_ns()}\n".encode()
            return spent(lambda: subprocess.run(command, input=raw, check=True, capture_output=True))

        def bare() -> Spent:
            return run(sys.executable, "-c", _BARE, str(folder / str(time.time_ns())))

        for title, contest in (("`serve` at work", served), ("alone", alone)):
            ours = partial(run, *_KNOBELN, "receive", "-C", str(contest.path))
            compare(f"`knobeln receive`, {title}", RECEIVES, {"ours": ours, "a bare Python": bare})
        _wait_until_handled(alone, RECEIVES)
        for contest in (served, alone):
            contest.store.close()


# --- mails -------------------------------------------------------------------------------------------------
def mails_out() -> None:
    if _has_postfix("mails to a relay"):
        ways = {"ours": _ours_out, "Postfix, its start included,": _postfix_out}
        sunk = {name: partial(_to_sink, deliver) for name, deliver in ways.items()}
        compare("a mail to an SMTP relay", RUNS, sunk, MAILS)


def _to_sink(deliver: Callable[[int], Spent]) -> Spent:
    port = free_port()
    with running([_SINK, "-u", "nobody", f"127.0.0.1:{port}", "100"], port):
        return deliver(port)


def _ours_out(sink: int) -> Spent:
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        way = {"delivery": DeliveryKind.SMTP, "smarthost": f"127.0.0.1:{sink}"}
        contest = _contest(Path(folder) / "contest", **way)
        body = f"{'x' * 72}\n" * (LETTER_BYTES // 73)
        mails = [Outgoing(str(n), "bench", TO[n % RECIPIENTS], f"mail {n}", body) for n in range(MAILS)]
        with contest.store.write() as tx:
            outbox.put_all(tx, mails, contest.settings, datetime.now(UTC))
        transport = transport_of(contest.settings, contest.path)
        taken = spent(lambda: deliver_all(contest, transport))
        with contest.store.read() as tx:
            assert outbox.count_by_state(tx) == {OutboxState.SENT: MAILS}
        contest.store.close()
    return taken


def _postfix_out(sink: int) -> Spent:
    with _postfix_folder() as folder:
        port = free_port()
        main = f"relayhost = [127.0.0.1]:{sink}\nsmtp_dns_support_level = disabled\n"
        listener = f"127.0.0.1:{port} inet n - n - - smtpd\n"
        delivery = "qmgr unix n - n 300 1 qmgr\nsmtp unix - - n - - smtp\n"
        with running(_postfix(folder, main, listener), port):
            for to in TO:
                _send(port, MAILS // RECIPIENTS, "-s", "5", "-d", sender=ROBOT, to=to)
        begin = time.perf_counter()
        with running(_postfix(folder, main, listener + delivery), port) as server:
            queues = [folder / "queue" / name for name in ("incoming", "active")]
            wait_for(lambda: not any(file.is_file() for queue in queues for file in queue.rglob("*")))
            seconds = time.perf_counter() - begin
            assert (folder / "postfix.log").read_text().count("status=sent") == MAILS
            return Spent(seconds, cpu_seconds_of(server))


# --- servers -----------------------------------------------------------------------------------------------
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


def _has_postfix(stage: str) -> bool:
    if found := os.getuid() == 0 and _MASTER.exists():
        return found
    print(f"| {stage} | left out: needs root and Postfix | | |")
    return False


@contextmanager
def _postfix_folder() -> Iterator[Path]:
    """A folder for the settings, the queue and the data of an instance."""
    with tempfile.TemporaryDirectory(dir=DISK) as made:
        path = Path(made)
        path.chmod(0o755)
        for name in ("etc", "queue", "data"):
            (path / name).mkdir()
        os.chown(path / "data", pwd.getpwnam("postfix").pw_uid, -1)
        yield path


def _postfix(path: Path, main: str, master: str) -> list[str]:
    """Write the settings with these lines of main.cf and master.cf; the command that starts the instance."""
    etc = path / "etc"
    (etc / "main.cf").write_text(POSTFIX_INSTANCE.format(d=path) + _MAIN_CF + main)
    (etc / "master.cf").write_text(_MASTER_CF + master)
    for file in etc.iterdir():  # it waits until its files are not too new
        os.utime(file, (time.time() - 60,) * 2)
    subprocess.run(["postfix", "-c", str(etc), "check"], check=True, capture_output=True)
    return ["env", f"MAIL_CONFIG={etc}", str(_MASTER), "-s", "-c", str(etc)]
