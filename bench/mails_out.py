"""Mails: delivered by knobeln to an SMTP relay and into Maildirs, against Postfix's own delivery.

Both begin with a queue of mails that are due, and end when the last is delivered and noted as sent. The relay
is Postfix's `smtp-sink`; in Maildirs each mail is a synced file. Postfix first takes the mails with its
delivery switched off, and then starts anew, which counts. It delivers over many connections and by many
processes at once, knobeln over one. Postfix needs root, and is left out otherwise.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench import postfix
from bench.servers import DISK, SMTP_SINK, SMTP_SOURCE, free_port, running
from bench.timing import Spent, cpu_seconds_of, spent
from contest.config.sections import Contest, DeliveryKind, Mail
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import OutboxState, Outgoing
from contest.store import outbox
from knobeln.context import create_contest
from knobeln.services import deliver_all
from mailserver.delivery.transports import transport_of

RUNS = 3
MAILS = 500
RECIPIENTS = 20
MAIL_BYTES = 4_000
OURS = "knobeln"
_SENDER = "knobeln@contest.example"
_TIMEOUT_SECONDS = 60.0
_OUTPUT = "qmgr unix n - n 300 1 qmgr\nsmtp unix - - n - - smtp\nvirtual unix - n n - - virtual\n"
_TO_SINK = "relayhost = [127.0.0.1]:{port}\nsmtp_dns_support_level = disabled\n"
_TO_MAILDIRS = """
virtual_mailbox_domains = teams.example
virtual_mailbox_base = {d}/mail
virtual_mailbox_maps = regexp:{{ {{ /^(.*)@/ $1/ }} }}
virtual_uid_maps = static:{user}
virtual_gid_maps = static:{user}
virtual_minimum_uid = 1
"""


class Way(NamedTuple):
    """Where the mails go. `main`: Postfix's settings for that."""

    title: str
    kind: DeliveryKind
    main: str


WAYS = (
    Way("to an SMTP relay", DeliveryKind.SMTP, _TO_SINK),
    Way("into Maildirs", DeliveryKind.MAILDIR, _TO_MAILDIRS),
)


def main() -> None:
    if SMTP_SOURCE is None or SMTP_SINK is None:
        print("mails: left out, as there is no `smtp-sink`; it comes with Postfix")
        return
    for way in WAYS:
        systems: dict[str, Callable[[Way, int], Spent]] = {OURS: _ours}
        if postfix.is_here():
            systems["Postfix"] = _postfix
        runs: dict[str, list[Spent]] = {name: [] for name in systems}
        for _run in range(RUNS):
            for name, measure in systems.items():
                port = free_port()
                with running([SMTP_SINK, "-u", "nobody", f"127.0.0.1:{port}", "100"], port):
                    runs[name].append(measure(way, port))
        _print(way, runs)


def _print(way: Way, runs: dict[str, list[Spent]]) -> None:
    print(f"{MAILS} mails {way.title} (medians of {RUNS} runs)")
    ours = median(run.seconds for run in runs[OURS])
    for name, taken in runs.items():
        seconds = median(run.seconds for run in taken)
        cpu = median(run.cpu_seconds for run in taken) / MAILS * 1_000
        ratio = "" if name == OURS else f"   ratio {seconds / ours:.2f}"
        print(f"  {name:<8} {MAILS / seconds:>7,.0f}/s, {cpu:.2f} ms of a core each{ratio}")


def _ours(way: Way, sink: int) -> Spent:
    now = datetime.now(UTC)
    with tempfile.TemporaryDirectory(dir=DISK) as folder:
        settings = Settings(
            contest=Contest(address=_SENDER),
            dates=usual_dates(now),
            mail=Mail(delivery=way.kind, smarthost="127.0.0.1", smarthost_port=sink),
        )
        contest = create_contest(Path(folder) / "contest", settings)
        body = f"{'x' * 72}\n" * (MAIL_BYTES // 73)
        mails = [Outgoing(str(n), "bench", _recipient(n), f"mail {n}", body) for n in range(MAILS)]
        with contest.store.write() as tx:
            outbox.put_all(tx, mails, settings, now)
        transport = transport_of(settings, contest.path)
        taken = spent(lambda: deliver_all(contest, transport))
        with contest.store.read() as tx:
            assert outbox.count_by_state(tx) == {OutboxState.SENT: MAILS}
        contest.store.close()
    return taken


def _recipient(number: int) -> str:
    return f"team_{number % RECIPIENTS}@teams.example"


def _postfix(way: Way, sink: int) -> Spent:
    with postfix.folder() as folder:
        (folder / "mail").mkdir()
        os.chown(folder / "mail", postfix.user(), -1)
        port = free_port()
        main = way.main.format(d=folder, port=sink, user=postfix.user())
        listener = f"127.0.0.1:{port} inet n - n - - smtpd\n"
        with running(postfix.command(folder, main, listener), port):
            _fill(port)
        begin = time.perf_counter()
        with running(postfix.command(folder, main, listener + _OUTPUT), port) as server:
            while _queued(folder):
                assert time.perf_counter() - begin < _TIMEOUT_SECONDS, "Postfix does not deliver"
                time.sleep(0.01)
            seconds = time.perf_counter() - begin
            log = (folder / "postfix.log").read_text()
            assert log.count("status=sent") == MAILS, log[-2_000:]
            return Spent(seconds, cpu_seconds_of(server))


def _fill(port: int) -> None:
    """Give the mails to Postfix; smtp-source numbers the recipients."""
    assert SMTP_SOURCE is not None
    for number in range(RECIPIENTS):
        options = ("-s", "5", "-d", "-m", str(MAILS // RECIPIENTS), "-l", str(MAIL_BYTES))
        addresses = ("-f", _SENDER, "-t", _recipient(number))
        subprocess.run([SMTP_SOURCE, *options, *addresses, f"127.0.0.1:{port}"], check=True)


def _queued(folder: Path) -> bool:
    return any(
        file.is_file() for name in ("incoming", "active") for file in (folder / "queue" / name).rglob("*")
    )


if __name__ == "__main__":
    main()
