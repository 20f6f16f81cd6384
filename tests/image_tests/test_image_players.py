"""Images from archives, asked for moves: what they can do and what they cannot."""

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from contest.errors import NotFound, ToolMissing
from contest.games.game import TextProtocol
from sandbox.images.oci_image import PROCESSES, OciImage
from sandbox.images.unpacking import unpack
from sandbox.players import AnswerFaultKind
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.sandbox import Sandbox
from tests.support.oci_images import Made, archive, folder, link, member, tar

SHORT, LONG = 0.25, 30.0  # seconds for a move: SHORT for players that should be late


@pytest.fixture
def player(unpacked: Callable[[dict[str, bytes]], OciImage], sandbox: Sandbox, program: bytes):
    """Make a player of an image that has player.c in it; its first word is the habit that it
    shows."""

    def make_one(seconds=LONG, **run):
        layer = [member("player", program), folder("etc"), folder("game")]
        made = Made([tar(layer)], {"Entrypoint": ["/player"], **run})
        return ArgumentsPlayer(unpacked(made.docker_files()), sandbox, seconds)

    return make_one


def test_an_image_is_given_its_arguments_as_they_are(
    player: Callable[..., ArgumentsPlayer],
) -> None:
    one = player()
    assert one.protocol is TextProtocol.ARGV
    assert one.move(("says", "[C,B]", "$(id)", "'; exit", "*", 5, "")) == "[C,B]|$(id)|'; exit|*|5|"


def test_arguments_stand_in_for_cmd_and_come_behind_it_where_there_is_no_entrypoint(
    player: Callable[..., ArgumentsPlayer],
) -> None:
    one = player(Entrypoint=["/player", "says"], Cmd=["no", "arguments"])
    assert one.move(("[C]", "[B]")) == "[C]|[B]"
    assert one.move(()) == "no|arguments"
    assert player(Entrypoint=None, Cmd=["/player", "says"]).move(("[C]", "[B]")) == "[C]|[B]"


def test_an_image_has_its_folder_and_variables_and_is_nobody(
    player: Callable[..., ArgumentsPlayer],
) -> None:
    one = player(WorkingDir="/game", Env=["COLOUR=red=blue", "PATH=/bin"])
    assert one.move(("tells",)) == "/game /tmp /tmp red=blue 65534 65534"


def test_a_command_is_found_by_the_path_of_the_image(
    unpacked: Callable[[dict[str, bytes]], OciImage], sandbox: Sandbox, program: bytes
) -> None:
    layer = [member("opt/game/player", program), link("bot", "opt/game")]
    run = {"Entrypoint": ["player", "says"], "Env": ["PATH=/bin:/bot"]}
    image = unpacked(Made([tar(layer)], run).oci_files())
    assert ArgumentsPlayer(image, sandbox, LONG).move(("x",)) == "x"


def test_an_image_can_write_in_tmp_alone(player: Callable[..., ArgumentsPlayer]) -> None:
    assert player().move(("writes",)) == "/tmp/x"  # noqa: S108 - in the image


def test_nothing_is_kept_from_one_move_to_the_next(player: Callable[..., ArgumentsPlayer]) -> None:
    one = player()
    assert [one.move(("remembers",)), one.move(("remembers",))] == ["new", "new"]


def test_an_image_has_no_network(player: Callable[..., ArgumentsPlayer]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert player().move(("connects", server.getsockname()[1])) == "alone"


@pytest.mark.parametrize(
    ("habit", "allowed"),
    [
        ("forks", range(1, PROCESSES)),
        ("reserves", range(1, 1_536)),  # MB of memory
        ("opens", range(1, 64)),
        ("fills", [4 * 1024 * 1024]),
    ],
)
def test_processes_memory_open_files_and_files_are_limited(
    habit: str, allowed: list[int] | range, player: Callable[..., ArgumentsPlayer]
) -> None:
    assert int(player().move((habit,))) in allowed


def test_an_image_cannot_reach_the_process_that_tells_how_it_ends(
    player: Callable[..., ArgumentsPlayer],
) -> None:
    assert player().move(("meddles",)) == "nothing"


FAULTS = {
    "sleeps": AnswerFaultKind.LATE,
    "loops": AnswerFaultKind.LATE,
    "floods": AnswerFaultKind.TOO_LONG,
    "silent": AnswerFaultKind.NO_ANSWER,
    "kills": AnswerFaultKind.CRASH,
    "pretends": AnswerFaultKind.CRASH,
}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("habit", FAULTS)
def test_a_bad_habit_is_a_fault_of_its_own(
    habit: str, player: Callable[..., ArgumentsPlayer]
) -> None:
    seconds = SHORT if FAULTS[habit] is AnswerFaultKind.LATE else LONG
    assert player(seconds).move((habit,)).kind is FAULTS[habit]


def test_a_flood_of_errors_is_no_fault(player: Callable[..., ArgumentsPlayer]) -> None:
    assert player().move(("floods its errors",)) == "C"


def test_a_child_that_is_left_behind_is_gone(player: Callable[..., ArgumentsPlayer]) -> None:
    before = set(filter(str.isdigit, os.listdir("/proc")))
    assert player().move(("leaves a child",)) == "done"
    here = set(filter(str.isdigit, os.listdir("/proc"))) - before
    assert not [pid for pid in here if "leaves a child" in command(pid)]


def command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_what_the_store_keeps_makes_the_same_image(
    player: Callable[..., ArgumentsPlayer], cache: Path
) -> None:
    image = player(Cmd=["c"]).program
    again = OciImage.from_bytes(image.to_bytes(), cache)
    assert again == image
    assert again.to_bytes() == image.to_bytes()


@pytest.mark.parametrize(
    "raw", [b"", b"{}", b"[]", b'{"digest": "a"}', b'{"digest": 5, "name": "", "run": {}}']
)
def test_other_bytes_are_no_image(raw: bytes, cache: Path) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any message
        OciImage.from_bytes(raw, cache)


def test_an_image_that_is_gone_is_not_its_teams_fault(
    player: Callable[..., ArgumentsPlayer], sandbox: Sandbox, tmp_path: Path
) -> None:
    image = OciImage.from_bytes(player().program.to_bytes(), tmp_path)
    with pytest.raises(NotFound, match="unpack it again"):
        ArgumentsPlayer(image, sandbox, LONG).move(())


@pytest.mark.needs_root  # to become somebody else
@pytest.mark.parametrize("cache", ["", "below"])
def test_a_cache_that_boxes_cannot_enter_is_not_its_teams_fault(
    cache: str, sandbox: Sandbox, new_cache: Path, program: bytes
) -> None:
    new_cache.chmod(0o700)
    made = Made([tar([member("player", program)])], {"Entrypoint": ["/player"]})
    with pytest.raises(ToolMissing, match=rf"cannot enter {new_cache}; `chmod o\+x {new_cache}`"):
        unpack(archive(made.docker_files()), sandbox, new_cache / cache)


def test_an_image_that_was_damaged_behind_our_back_is_not_its_teams_fault(
    player: Callable[..., ArgumentsPlayer],
) -> None:
    one = player(Env=["DAMAGED=1"])
    (one.program.folder / "root" / "proc").rmdir()
    with pytest.raises(ToolMissing, match="made no sandbox"):
        one.move(("says",))
