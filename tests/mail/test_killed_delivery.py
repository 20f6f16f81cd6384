"""The process that delivers is killed just when the relay has taken a mail."""

import os
import signal
import sys
from collections import Counter
from email import message_from_bytes
from pathlib import Path

import pytest

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import OutboxState, Outgoing
from contest.schema.sections import Contest, DeliveryKind, Mail
from contest.util.clock import SystemClock
from knobeln.context import ContestContext, create_contest
from store import outbox
from tests.support.contest_runs import finish
from tests.support.processes import Process, start
from tests.support.relays import KillsSender, relay


def flush(folder: ContestContext, *, held_until: Path | None = None) -> Process:
    """`knobeln mail flush`; with `held_until` not before that file is there."""
    command = [sys.executable, "-m", "knobeln", "mail", "flush", "-C", str(folder.path)]
    wait = f"while [ ! -e '{held_until}' ]; do sleep 0.02; done; exec \"$@\""
    return start(["sh", "-c", wait, "sh", *command] if held_until else command, folder.path / "log")


@pytest.mark.slow
def test_killed_after_the_relay_took_a_mail_only_that_one_is_sent_twice(tmp_path: Path) -> None:
    sink = KillsSender()
    with relay(sink) as port:
        mail = Mail(delivery=DeliveryKind.SMTP, smarthost=f"127.0.0.1:{port}")
        contest = Contest(address="knobeln@contest.example")
        dates = usual_dates(SystemClock().now())
        folder = create_contest(
            tmp_path / "contest", Settings(contest=contest, dates=dates, mail=mail)
        )
        with folder.store.write() as tx:
            for number in range(3):
                to = f"joe{number}@a.example"
                outgoing = Outgoing(f"key/{number}", "GRR", to, "ranking", f"Hello {number}\n")
                outbox.put(tx, outgoing, folder.settings, folder.clock.now())
        process = flush(folder, held_until=tmp_path / "go")
        sink.victim = process.pid
        (tmp_path / "go").touch()
        assert finish(process) == -signal.SIGKILL

        sink.victim = None
        assert finish(flush(folder)) == os.EX_OK
    with folder.store.read() as tx:
        assert outbox.count_by_state(tx) == {OutboxState.SENT: 3}
    ids = Counter((to, message_from_bytes(raw)["Message-ID"]) for _, to, raw in sink.taken)
    assert sorted(ids.values()) == [1, 1, 2]
