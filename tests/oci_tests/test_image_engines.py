"""Images by name, run by podman and docker, as far as they work here."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from contest.errors import ToolMissing
from sandbox.oci.engine import (
    DOCKER,
    PODMAN,
    PODMAN_RUNC,
    ContainerSandbox,
    Engine,
    find_engine,
    open_container,
)
from sandbox.oci.formats import this_architecture
from sandbox.oci.image import PROCESSES
from sandbox.oci.named import NamedImage, named_image
from sandbox.oci.refusal import ImageProblem
from sandbox.players import AnswerFault, AnswerFaultKind
from sandbox.players.arguments import ArgumentsPlayer
from sandbox.sandbox import Limits
from tests.support.oci_images import Made, archive, folder, member, tar

LONG = 60.0  # seconds for a move
MISSING = Engine(("no-such-engine",), (), "", ())
BROKEN = replace(PODMAN, command=("podman", "--runtime", "/bin/false"))


@pytest.fixture(scope="session", params=[[PODMAN, PODMAN_RUNC], [DOCKER]], ids=["podman", "docker"])
def engine(request):
    try:
        return find_engine(request.param)
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def load(engine):
    """Load an image into the engine, as if the organizer had pulled it; return its name."""
    names = []

    def load_one(made: Made) -> str:
        name = f"localhost/knobeln-test-{secrets.token_hex(6)}:1"
        done = engine.call("load", stdin=archive(made.docker_files(name)))
        assert done.returncode == 0, done.stderr
        names.append(name)
        return name

    yield load_one
    for name in names:
        engine.call("rmi", "--force", name)


@pytest.fixture
def image(engine, load, program):
    def make_one(*habit, **run) -> NamedImage:
        layer = [member("player", program), folder("etc"), folder("game")]
        name = load(Made([tar(layer)], {"Entrypoint": ["/player", *habit], **run}))
        found = named_image(name, engine)
        assert isinstance(found, NamedImage), found
        return found

    return make_one


@pytest.fixture
def player(image, sandbox):
    return lambda *habit, **run: ArgumentsPlayer(image(*habit, **run), sandbox, LONG)


def left(engine, pid=None):
    """Return our containers that still exist."""
    listed = engine.call("ps", "--all", "--filter", "label=knobeln", "--format", "{{.Names}}").stdout.decode()
    return [name for name in listed.split() if name.startswith(f"knobeln-{pid or os.getpid()}-")]


@pytest.mark.slow
@pytest.mark.containers
def test_an_image_by_name_is_asked_as_one_from_an_archive(player, engine):
    one = player("says", Cmd=["no", "arguments"])
    assert one.move(("[C,B]", "$(id)", "'; exit", "*", 5, "")) == "[C,B]|$(id)|'; exit|*|5|"
    assert one.move(()) == "no|arguments"
    assert left(engine) == []


@pytest.mark.containers
def test_it_has_its_folder_and_variables_and_is_nobody(player):
    one = player("tells", WorkingDir="/game", Env=["COLOUR=red=blue"])
    assert one.move(()) == "/game /tmp /tmp red=blue 65534 65534"


@pytest.mark.containers
@pytest.mark.slow
def test_it_cannot_write_keep_or_connect(player):
    allowed = {"/tmp/x", "/proc/self/oom_score_adj"}  # noqa: S108 - a container may make its own process easier to kill
    assert set(player("writes").move(()).split()) <= allowed
    assert [player("remembers").move(()) for _ in range(2)] == ["new", "new"]
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert player("connects").move((server.getsockname()[1],)) == "alone"


@pytest.mark.containers
@pytest.mark.slow
def test_it_has_the_limits_of_a_box(player):
    assert 0 < int(player("forks").move(())) < PROCESSES
    assert 0 < int(player("opens").move(())) < 64
    assert int(player("fills").move(())) == 4 * 1024 * 1024


@pytest.mark.containers
@pytest.mark.slow
def test_memory_is_limited_for_all_of_a_container(image, engine):
    limits = Limits(address_space_bytes=64 * 1024 * 1024)
    named = image("hoards")
    container = ContainerSandbox(engine, named.identity, named.run.command_line(()), {}, limits)
    with open_container(container, 1_000) as process:
        ended = process.finish(LONG).exit_status
    assert ended is not None
    assert ended.description == "was ended by signal 9 (SIGKILL)"


FAULTS = {
    "floods": AnswerFaultKind.TOO_LONG,
    "silent": AnswerFaultKind.NO_ANSWER,
    "pretends": AnswerFaultKind.CRASH,
}


@pytest.mark.containers
@pytest.mark.parametrize("habit", FAULTS)
def test_a_bad_habit_is_a_fault_and_leaves_no_container(habit, player, engine):
    answer = player(habit).move(())
    assert isinstance(answer, AnswerFault)
    assert answer.kind is FAULTS[habit]
    assert left(engine) == []


@pytest.mark.containers
@pytest.mark.slow
@pytest.mark.parametrize("habit", ["sleeps", "loops"])
def test_a_late_image_leaves_no_container(habit, image, sandbox, engine):
    named = replace(image(habit), start_seconds=8.0)
    answer = ArgumentsPlayer(named, sandbox, 0.5).move(())
    assert isinstance(answer, AnswerFault)
    assert answer.kind is AnswerFaultKind.LATE
    assert left(engine) == []


@pytest.mark.slow
@pytest.mark.containers
def test_a_command_that_cannot_be_started_is_its_teams_fault(load, engine, sandbox):
    name = load(Made([tar([folder("etc")])], {"Entrypoint": ["/nothing"]}))
    answer = ArgumentsPlayer(named_image(name, engine), sandbox, LONG).move(())
    assert isinstance(answer, AnswerFault)
    assert answer.sentence == "the program ended with exit code 127 instead of answering"
    assert left(engine) == []


@pytest.mark.containers
def test_an_image_that_was_removed_is_not_its_teams_fault(player, engine):
    one = player("says")
    engine.call("rmi", "--force", one.program.name)
    with pytest.raises(ToolMissing, match="does not have the image"):
        one.move(())
    assert left(engine) == []


@pytest.mark.containers
@pytest.mark.slow
def test_a_name_that_moves_on_leaves_the_player_as_it_was(image, engine, sandbox):
    first, second = image("says"), image("tells")
    engine.call("tag", second.identity, first.name)
    try:
        assert ArgumentsPlayer(first, sandbox, LONG).move(("x",)) == "x"
    finally:
        engine.call("rmi", "--force", first.identity)  # it no longer has a name


@pytest.mark.containers
def test_an_image_for_another_computer_is_refused(load, engine):
    other = "s390x" if this_architecture() != "s390x" else "amd64"
    name = load(Made([tar([member("player")])], {"Entrypoint": ["/player"]}, architecture=other))
    found = named_image(name, engine)
    assert isinstance(found, ImageProblem)
    assert f'the image is for "linux/{other}"' in found.text


@pytest.mark.containers
def test_an_image_without_a_command_is_refused(load, engine):
    found = named_image(load(Made([tar([member("player")])], {})), engine)
    assert isinstance(found, ImageProblem)
    assert "neither ENTRYPOINT nor CMD" in found.text


@pytest.mark.containers
def test_a_name_that_is_unknown_is_refused_and_nothing_is_fetched(engine):
    found = named_image("localhost/nobody/nothing:1", engine)
    assert isinstance(found, ImageProblem)
    assert f"`{engine.name} pull localhost/nobody/nothing:1` gets it" in found.text


@pytest.mark.parametrize("name", ["", "--privileged", "-v/:/host", "a b", "Image", "x" * 256, "a\n", "a;b"])
def test_what_is_no_name_is_not_handed_to_an_engine(name):
    assert isinstance(named_image(name, MISSING), ImageProblem)


@pytest.mark.containers
def test_what_the_store_keeps_makes_the_same_image(image, engine):
    named = image("says", Env=["A=b"])
    assert NamedImage.from_bytes(named.to_bytes(), engine) == named


@pytest.mark.containers
@pytest.mark.slow
def test_what_a_killed_server_left_running_is_swept(image, engine):
    named = image("sleeps")
    code = (
        "import sys, time; from sandbox.oci import engine, named; from sandbox.sandbox import Sandbox\n"
        "one = next(e for e in engine.ENGINES if ' '.join(e.command) == sys.argv[1])\n"
        "image = named.named_image(sys.argv[2], one)\n"
        "process = image.open(Sandbox(), cpu_seconds=9, answer_bytes=9)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, " ".join(engine.command), named.name]) as server:
        try:
            wait_for(lambda: left(engine, server.pid))
        finally:
            server.send_signal(signal.SIGKILL)
            server.wait()
        engine.sweep()  # unless another process has done so
        assert left(engine, server.pid) == []


def wait_for(condition):
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.containers
@pytest.mark.slow
def test_an_engine_that_fails_is_not_its_teams_fault(image, engine, sandbox):
    if engine.name != "podman":
        pytest.skip("the broken engine is a podman")
    broken = replace(image("says"), engine=BROKEN)
    with pytest.raises(ToolMissing, match="podman does not work any more"):
        ArgumentsPlayer(broken, sandbox, LONG).move(())
    assert left(engine) == []


def test_without_an_engine_it_is_told_what_is_missing():
    with pytest.raises(ToolMissing, match=r"need podman or docker \(no-such-engine: not installed\)"):
        find_engine([MISSING])
