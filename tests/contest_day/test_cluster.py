"""A contest day on several hosts, played by real workers that are killed, stopped and wrong."""

import os
import pickle
import re
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from compiler.builders.text import TextBuilder
from contest.model import GroupOutcome
from contest.schema.sections import Cluster as ClusterSettings
from contest.schema.sections import Mail
from knobellib.samples import samples
from knobeln import presets
from knobeln.archive.export import publish
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from store import contest_state
from store.tables import outbox
from tests.support.archives import without_key
from tests.support.contest_field import NOW, House, add_team_with_program, make_contest, settings
from tests.support.oci_images import Made, archive, cache_folder, member, static_player, tar
from tests.support.several_hosts import (
    ROOT,
    Cluster,
    Daemon,
    cluster,
    kill,
    make_key,
    working_processes,
)
from tournament.day import Spectator
from tournament.runners import open_runner

DESCRIPTION = "It plays as its first lines say.\n" * 6
GROUPS = {"group_min": 4, "group_max": 7, "final_size": 7}
TEAMS = 30


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory, house: House) -> bytes:
    """The archive of the contest as this computer plays it alone."""
    folder = tmp_path_factory.mktemp("alone")
    return played(make_contest(folder / "contest", TEAMS, house.first(6), settings(**GROUPS)))


def together(machines: Cluster, house: House) -> ContestContext:
    """The same contest, with this cluster."""
    there = ClusterSettings(scheduler=machines.url)
    chosen = settings(**GROUPS).model_copy(update={"cluster": there})
    return make_contest(machines.folder / "contest", TEAMS, house.first(6), chosen)


def played(folder: ContestContext, watching: Spectator | None = None) -> bytes:
    """Play the contest; return its archive."""
    contest_day(folder, watching).run()
    return archive_of(folder)


def archive_of(folder: ContestContext) -> bytes:
    """All files of the archive, but those with the contest's own key, and which mails went to
    whom."""
    target = folder.path.parent / "archive"
    publish(folder, target, early=True)
    files = b"".join(path.encode() + raw for path, raw in without_key(target))
    with folder.store.read() as tx:
        mails = sorted(tx.execute(select(outbox.c.key, outbox.c.to)).all())
    return files + repr(mails).encode()


def notes(folder: ContestContext) -> str:
    with folder.store.read() as tx:
        return "\n".join(line.text for line in contest_state.log(tx, 1_000, area="workers"))


def notes_of_the_same(machines: Cluster, house: House, alone: bytes) -> str:
    """What is noted of the workers, while the contest comes out as it does alone."""
    folder = together(machines, house)
    assert played(folder) == alone
    return notes(folder)


class Then(Spectator):
    """Does something when the first group has finished."""

    def __init__(self, action: Callable[[], object]) -> None:
        self.action: Callable[[], object] | None = action

    def group_finished(self, outcome: GroupOutcome) -> None:
        action, self.action = self.action, None
        if action:
            action()


@pytest.mark.slow
def test_workers_play_the_same_contest(machines: Cluster, house: House, alone: bytes) -> None:
    machines.start_worker(processes=2)
    told = notes_of_the_same(machines, house, alone)
    assert "has joined" in told
    assert "dismissed" not in told
    assert "done here" not in told


ACCIDENTS: dict[str, Callable[[Cluster, list[Daemon]], object]] = {
    "all workers are killed": lambda _, workers: [kill(worker) for worker in workers],
    "one worker is killed": lambda _, workers: kill(workers[0]),
    "one process of a worker is killed": lambda _, workers: os.kill(
        working_processes(workers[0])[0], signal.SIGKILL
    ),
    "one worker is stopped": lambda _, workers: kill(workers[0], signal.SIGSTOP),
    "the scheduler is killed": lambda machines, _: machines.daemons[0].process.kill(),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "accident",
    [pytest.param(x, marks=[] if x[:3] == "all" else pytest.mark.night) for x in ACCIDENTS],
)
def test_an_accident_costs_time_and_nothing_else(
    machines: Cluster, house: House, alone: bytes, accident: str
) -> None:
    workers = [machines.start_worker(), machines.start_worker()]
    folder = together(machines, house)
    try:
        assert played(folder, Then(lambda: ACCIDENTS[accident](machines, workers))) == alone
    finally:
        if accident == "one worker is stopped":
            kill(workers[0], signal.SIGCONT)


@pytest.mark.slow
def test_without_a_scheduler_this_computer_plays_alone(
    tmp_path: Path, house: House, alone: bytes
) -> None:
    assert "cannot be reached" in notes_of_the_same(Cluster(tmp_path), house, alone)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("another version", "its version of knobeln is 0.0.1, here it is"),
        ("other files", "its copy of knobeln is"),
    ],
)
def test_a_worker_that_plays_otherwise_gets_no_group(
    machines: Cluster, house: House, alone: bytes, fault: str, told: str
) -> None:
    machines.start_worker(fault=fault)
    noted = notes_of_the_same(machines, house, alone)
    assert told in noted
    assert "has joined" not in noted


@pytest.mark.slow
def test_a_worker_without_compiler_says_so(
    machines: Cluster, house: House, alone: bytes, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    machines.start_worker(PATH=str(tmp_path / "bin"), XDG_CACHE_HOME=str(tmp_path / "cache"))
    noted = notes_of_the_same(machines, house, alone)
    assert "is dismissed: it cannot play" in noted
    assert "has joined" not in noted


@pytest.mark.slow
@pytest.mark.night
def test_a_worker_without_bubblewrap_plays_without_native_code(
    machines: Cluster, house: House, alone: bytes, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    for tool in ("gcc", "cc", "as", "ld"):
        (tmp_path / "bin" / tool).symlink_to(f"/usr/bin/{tool}")
    machines.start_worker(PATH=str(tmp_path / "bin"), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert "has joined" in notes_of_the_same(machines, house, alone)


@pytest.mark.slow
def test_a_lie_is_found_and_the_liar_is_out(machines: Cluster, house: House, alone: bytes) -> None:
    machines.start_worker(fault="lies")
    told = notes_of_the_same(machines, house, alone)
    lie = r"it gave a wrong result for a game of team_\d+ and team_\d+: it would be another here"
    assert re.search(f"dismissed: {lie}", told)
    assert "before" not in told


@pytest.mark.slow
def test_a_later_lie_is_found_by_the_spot_check(
    machines: Cluster, house: House, monkeypatch: pytest.MonkeyPatch, alone: bytes
) -> None:
    monkeypatch.setattr("cluster.session.CHECK_EVERY", 1)
    monkeypatch.setattr("cluster.session.AHEAD", 0)  # one after the other, so the first is honest
    machines.start_worker(fault="lies later")
    assert "It did 1 other piece of work before" in notes_of_the_same(machines, house, alone)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["hangs", pytest.param("dies", marks=pytest.mark.night)])
def test_games_that_no_worker_finishes_are_played_here(
    machines: Cluster, house: House, alone: bytes, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cluster.session.MIN_SECONDS", 10.0)
    monkeypatch.setattr("cluster.session.GAME_SECONDS", 0.01)
    machines.start_worker(fault=fault)
    assert "no worker gave a result for a game of" in notes_of_the_same(machines, house, alone)


@pytest.mark.slow
def test_what_a_worker_sends_is_not_unpickled(
    machines: Cluster, house: House, alone: bytes, tmp_path: Path
) -> None:
    machines.start_worker(fault="sends a trap", TRAP=str(tmp_path / "sprung"))
    assert "no worker gave a result" in notes_of_the_same(machines, house, alone)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.slow
def test_only_hosts_with_the_key_are_let_in(machines: Cluster, tmp_path: Path) -> None:
    def knock(keys: Path | None) -> bytes:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        if keys:
            context.load_cert_chain(keys / "cert.pem", keys / "key.pem")
        with (
            socket.create_connection(("127.0.0.1", machines.port), 10) as raw,
            context.wrap_socket(raw) as connection,
        ):
            return connection.recv(1_000)

    assert knock(machines.settings)
    (tmp_path / "others").mkdir()
    make_key(tmp_path / "others")
    for keys in (None, tmp_path / "others"):
        with pytest.raises(ssl.SSLError):
            knock(keys)
    with socket.create_connection(("127.0.0.1", machines.port), 10) as plain:
        plain.sendall(b"let me in, without TLS, whoever you are; this is longer than a greeting")
        assert not answer_of(plain).strip(b"\x00\x01\x02\x03\x15\x16")


def answer_of(plain: socket.socket) -> bytes:
    try:
        return plain.recv(1_000)[:1]
    except ConnectionResetError:
        return b""


@pytest.mark.slow
def test_nothing_of_a_cluster_listens_to_strangers(machines: Cluster) -> None:
    """Every port of its processes speaks TLS, or is local and has no pages."""
    worker = machines.start_worker()
    pids = {machines.daemons[0].process.pid, worker.process.pid, *working_processes(worker)}
    listed = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True, check=True).stdout
    ours = [
        line.split()[3]
        for line in listed.splitlines()
        if any(f"pid={pid}," in line for pid in pids)
    ]
    assert len(ours) >= 4
    for address in ours:
        host, _, port = address.rpartition(":")
        assert host == "127.0.0.1", "these daemons were told to use this address only"
        with socket.create_connection((host, int(port)), 10) as plain:
            plain.sendall(b"GET /info/main/workers.html HTTP/1.0\r\n\r\n")
            with suppress(ConnectionResetError):
                assert b" 200 " not in plain.recv(10_000)


def test_without_dask_it_is_said_what_to_install(tmp_path: Path, house: House) -> None:
    (tmp_path / "distributed.py").write_text("raise ModuleNotFoundError(name='distributed')")
    there = ClusterSettings(scheduler="tls://127.0.0.1:1")
    chosen = settings().model_copy(update={"cluster": there})
    folder = make_contest(tmp_path / "contest", 4, house.first(2), chosen)
    command = [sys.executable, "-P", "-m", "knobeln", "run", "--now", "-C", str(folder.path)]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert "several hosts need the Python package distributed" in run.stderr
    assert "make setup-cluster" in run.stderr


@pytest.mark.slow
def test_no_password_travels(
    machines: Cluster, tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a worker is told has neither passwords nor paths of this host."""
    told: list[bytes] = []

    from cluster import session  # takes a second, which the quick tests need not wait for

    class Spy(session.Session):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            told.append(pickle.dumps(self._contest))
            raise KeyboardInterrupt

    monkeypatch.setattr(session, "Session", Spy)
    mail = Mail(listen="127.0.0.1:0", smarthost="mail.example", username="me", password="rosebud")
    there = ClusterSettings(scheduler=machines.url)
    chosen = settings().model_copy(update={"mail": mail, "cluster": there})
    folder = make_contest(tmp_path / "contest", 4, house.first(2), chosen)
    with pytest.raises(KeyboardInterrupt):
        contest_day(folder).run()
    assert b"mail.example" in told[0]
    assert b"rosebud" not in told[0]
    assert str(tmp_path).encode() not in told[0]


# --- games of programs that talk ------------------------------------------------------------------
def text_contest(folder: Path, there: ClusterSettings) -> ContestContext:
    """A contest whose programs use neither chance nor the clock, so that it is the same on every
    host."""
    chosen = presets.settings("cooperation", NOW).model_copy(
        update={"cluster": there, "mail": Mail(listen="127.0.0.1:0"), "dates": settings().dates}
    )
    builder, sent = TextBuilder(chosen, open_runner), samples("cooperation")
    names = ("always_cooperate.sh", "grudger.pl", "tit_for_tat.py", "two_tits.sh")
    built = {name: builder.build({name: sent[name]}, DESCRIPTION) for name in names}
    return make_contest(folder / "contest", 4, built, chosen)


@pytest.mark.slow
def test_programs_that_talk_play_on_several_computers(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    alone = played(text_contest(tmp_path / "alone", ClusterSettings()))
    with cluster(tmp_path) as machines:
        machines.start_worker(processes=2)
        folder = text_contest(tmp_path, ClusterSettings(scheduler=machines.url))
        assert played(folder) == alone
    told = notes(folder)
    assert "has joined" in told
    assert "dismissed" not in told
    assert "done here" not in told


@pytest.mark.slow
def test_a_worker_without_a_sandbox_plays_no_foreign_program(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for tool in ("gcc", "cc", "as", "ld"):
        (tmp_path / "bin" / tool).symlink_to(f"/usr/bin/{tool}")
    with cluster(tmp_path) as machines:
        machines.start_worker(PATH=str(tmp_path / "bin"))
        folder = text_contest(tmp_path, ClusterSettings(scheduler=machines.url))
        contest_day(folder).run()
    assert "is dismissed: it cannot play" in notes(folder)
    assert "bubblewrap" in notes(folder)
    assert "has joined" not in notes(folder)


@pytest.mark.slow
@pytest.mark.night
def test_a_worker_with_another_interpreter_is_refused(tmp_path: Path) -> None:
    with cluster(tmp_path) as machines:
        machines.start_worker(fault="other interpreters")
        folder = text_contest(tmp_path, ClusterSettings(scheduler=machines.url))
        contest_day(folder).run()
    assert re.search("is dismissed: .* its /usr/bin/.* is another, here it is", notes(folder))


@pytest.mark.slow
@pytest.mark.night
def test_a_container_image_goes_to_a_worker_that_lacks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer = tar([member("player", static_player(tmp_path))])
    packed = archive(Made([layer], {"Entrypoint": ["/player", "always"]}).docker_files())
    with cache_folder() as here, cache_folder() as there, cluster(tmp_path) as machines:
        monkeypatch.setenv("XDG_CACHE_HOME", str(here))
        machines.start_worker(XDG_CACHE_HOME=str(there))
        folder = text_contest(tmp_path, ClusterSettings(scheduler=machines.url))
        built = TextBuilder(folder.settings, open_runner).build({"player.tar": packed}, DESCRIPTION)
        assert built.image, built.report
        with folder.store.write() as tx:
            add_team_with_program(tx, "team_image", "RSM", built, packed, "player.tar")
        contest_day(folder).run()
        assert list(there.rglob("player"))
    assert "has joined" in notes(folder)
    assert "dismissed" not in notes(folder)
