"""The server of `knobeln demo` ends with it, and the demo waits as long as something moves."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from contest.errors import GiveUp
from contest.subprocesses.child_process import start
from knobeln.contest_day import demonstration
from knobeln.contest_day.demonstration import Demonstration
from tests.support.servers import wait_for


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_server_ends_with_the_demo_whatever_ends_it(tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "contest"
    demo = start([sys.executable, "-m", "knobeln", "demo", str(folder), "--teams", "5"], tmp_path / "log")
    log = folder / "serve.log"
    wait_for(lambda: log.exists() and " listening " in log.read_text())
    (server,) = Path(f"/proc/{demo.pid}/task/{demo.pid}/children").read_text().split()[:1]
    assert b"serve" in Path(f"/proc/{server}/cmdline").read_bytes()
    os.kill(demo.pid, number)
    wait_for(lambda: demo.poll() is not None)
    wait_for(lambda: _is_gone(server))


def _is_gone(pid: str) -> bool:
    try:
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True


def test_the_demo_gives_up_only_if_nothing_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr(
        demonstration, "time", SimpleNamespace(monotonic=lambda: 50.0 * next(clock), sleep=lambda _: None)
    )
    demo: Any = Demonstration(Any, [], lambda *_: nullcontext(print), print)  # type: ignore[arg-type]
    demo._server = SimpleNamespace(poll=lambda: None)
    slow: Iterator[int] = iter(range(40))
    demo._wait(lambda: next(slow), 39, "teams register")  # 2,000 seconds in all
    with pytest.raises(GiveUp, match="teams register: no progress for 120 seconds"):
        demo._wait(lambda: 3, 5, "teams register")
