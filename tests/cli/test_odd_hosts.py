"""What commands say on a host that does not reach itself, or has no room, and what an interrupted
demonstration leaves."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.command_line import knobeln
from tests.support.servers import wait_for

ADVICE = "as root: ip link set lo up"
KNOBELN = (sys.executable, "-m", "knobeln")
WITHOUT_LOOPBACK = ("unshare", "--map-root-user", "--net")
SMALL = (
    'mount -t tmpfs -o size=5M none "$TMPDIR" && "$@" && exit; code=$?; ls "$TMPDIR"; exit $code'
)
WITH_LITTLE_ROOM = ("unshare", "--map-root-user", "--mount", "sh", "-c", SMALL, "sh")


def said(*command: str | Path, temporary: Path) -> tuple[int, str]:
    """The exit code, and all that the command printed."""
    ended = subprocess.run(
        command,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    return ended.returncode, ended.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    knobeln("init", "--beacon", "none", tmp_path / "contest")
    return tmp_path / "contest"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("demo",), 1),
        (("doctor", "-C"), 1),
        (("serve", "-C"), 75),
    ],
)
def test_a_host_that_does_not_reach_itself_is_told_how_it_does(
    command: Sequence[str], code: int, folder: Path, tmp_path: Path
) -> None:
    words = (*command, folder) if "-C" in command else command
    ended, text = said(*WITHOUT_LOOPBACK, *KNOBELN, *words, temporary=tmp_path)
    assert (ended, ADVICE in text) == (code, True), text


@pytest.mark.slow
def test_a_demonstration_without_room_says_how_much_it_needs_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    code, text = said(*WITH_LITTLE_ROOM, *KNOBELN, "demo", "--teams", "5", temporary=tmp_path)
    assert code == 1
    place = f"only 5 MB are free at {tmp_path}, and a contest needs 500"
    assert text.endswith(f"disk: {place}; make room, or name a folder elsewhere\n"), text


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demonstration_takes_its_temporary_folder_away(
    stop: signal.Signals, tmp_path: Path
) -> None:
    text = interrupted([], stop, tmp_path)
    assert "teams take part" in text
    assert list(tmp_path.glob("knobeln-demo-*")) == []


@pytest.mark.slow
def test_an_interrupted_demonstration_names_the_folder_that_was_wanted(tmp_path: Path) -> None:
    wanted = tmp_path / "wanted"
    text = interrupted([str(wanted)], signal.SIGINT, tmp_path)
    assert f"Interrupted. What was played so far is in {wanted}." in text
    assert (wanted / "contest.toml").exists()


def interrupted(words: Sequence[str], stop: signal.Signals, temporary: Path) -> str:
    """What a demonstration prints that is stopped when its server is at work."""
    printed = temporary / "printed"
    with (
        printed.open("w") as output,
        subprocess.Popen(
            # A shell lets what it starts in the background ignore ^C, and that is inherited.
            ["env", "--default-signal=INT", *KNOBELN, "demo", "--teams", "5", *words],
            env={**os.environ, "TMPDIR": str(temporary)},
            stdout=output,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        wait_for(lambda: any(temporary.glob("*/serve.log")), "the server of the demonstration")
        process.send_signal(stop)
        assert process.wait(60) == 128 + stop, printed.read_text()
    return printed.read_text()
