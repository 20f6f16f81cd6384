"""The server of `knobeln demo`: it ends with the demo, and works in any folder."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from shutil import which
from types import SimpleNamespace
from typing import Any

import pytest

from contest.config.settings import Settings
from contest.errors import GiveUp
from contest.games.registry import game_plugins
from contest.subprocesses.child_process import own_command, run
from knobeln import presets
from knobeln.day import demonstration
from knobeln.day.demonstration import Demonstration, demo_settings, what_is_shorter
from tests.support.desk import DESCRIPTION
from tests.support.processes import is_running, start
from tests.support.servers import wait_for


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_server_ends_with_the_demo_whatever_ends_it(
    tmp_path: Path, number: signal.Signals
) -> None:
    folder = tmp_path / "contest"
    demo = start(
        [sys.executable, "-m", "knobeln", "demo", str(folder), "--teams", "5"], tmp_path / "log"
    )
    log = folder / "serve.log"
    wait_for(lambda: log.exists() and " listening " in log.read_text())
    (server,) = Path(f"/proc/{demo.pid}/task/{demo.pid}/children").read_text().split()[:1]
    assert b"-P\0-m\0knobeln\0serve" in Path(f"/proc/{server}/cmdline").read_bytes()
    os.kill(demo.pid, number)
    wait_for(lambda: demo.poll() is not None)
    wait_for(lambda: not is_running(int(server)))


@pytest.mark.slow
def test_the_server_ends_with_a_demo_that_is_ended_while_it_starts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "setpriv"
    slow.parent.mkdir()
    begun, server = tmp_path / "begun", tmp_path / "server"
    slow.write_text(
        f"#!/bin/sh\necho $$ > {server}; mv {server} {begun}; sleep 2; exec {which('setpriv')}"
        ' "$@"\n'
    )
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    demo = start(own_command("demo", str(tmp_path / "contest"), "--teams", "5"), tmp_path / "log")
    wait_for(begun.exists)
    pid = begun.read_text().strip()
    try:
        assert demo.terminate() == 128 + signal.SIGTERM
        time.sleep(2.5)
        assert not is_running(int(pid))
    finally:
        if is_running(int(pid)):
            os.kill(int(pid), signal.SIGTERM)


@pytest.mark.slow
def test_a_file_in_the_current_folder_takes_the_place_of_no_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library of ours imports `cmd`, and somebody's file of that name may be in /tmp."""
    (tmp_path / "cmd.py").write_text("raise ValueError('a stray file')")
    named = "/* <<FROM>> the_team its_string */\n"
    (tmp_path / "mine.c").write_text(DESCRIPTION + named + "main () { for (;;) make_throw (1); }")
    monkeypatch.chdir(tmp_path)
    checked = run(own_command("check", "mine.c"), b"", 60)
    assert (checked.code, checked.stderr) == (0, b"")


@pytest.mark.parametrize("game", game_plugins())
def test_the_demo_of_every_game_has_valid_settings_and_tells_what_is_shorter(game: str) -> None:
    settings = demo_settings(game)
    assert Settings.model_validate(settings.model_dump()) == settings
    said = what_is_shorter(game)
    for section, values in presets.demo(game).settings.items():
        for name, value in values.items():
            assert getattr(getattr(settings, section), name) == value
            assert f"{section}.{name} = {value} (usually " in said
    assert bool(said) == bool(presets.demo(game).settings)


@pytest.mark.slow
def test_a_quiet_demo_prints_its_folder_alone(tmp_path: Path) -> None:
    ended = run(
        own_command("demo", str(tmp_path / "contest"), "--game", "hog", "--teams", "5", "-q"),
        b"",
        120,
    )
    assert (ended.code, ended.stdout.decode()) == (0, f"{tmp_path / 'contest'}\n")


def test_the_demo_gives_up_only_if_nothing_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr(
        demonstration,
        "time",
        SimpleNamespace(monotonic=lambda: 50.0 * next(clock), sleep=lambda _: None),
    )
    demo: Any = Demonstration(Any, [], lambda *_: nullcontext(print), print)
    demo._server = SimpleNamespace(poll=lambda: None)
    slow: Iterator[int] = iter(range(40))
    demo._wait(lambda: next(slow), 39, "teams register")  # 2,000 seconds in all
    with pytest.raises(GiveUp, match="teams register: no progress for 120 seconds"):
        demo._wait(lambda: 3, 5, "teams register")
