"""The engine as a process: how it is built, locked, fed, watched, replayed and ended."""

import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from contest.errors import EngineFailed, ToolMissing
from contest.games.knobeln import Rules
from contest.model import GameJob, Verdict
from contest.subprocesses.c_programs import c_compiler, c_program
from contest.subprocesses.engine_connection import EngineConnection
from contest.subprocesses.engine_pool import chunks
from contest.util.folders import scratch_folder
from sandbox.vm import engine_binary
from sandbox.vm.image import Image
from tests.support.machine_programs import EXAMPLE, ROOT, assembled, compiled, stream, throwing
from tournament.runners.knobeln_batch import Batch
from tournament.runners.machine import KNOBELN_SOURCES, MachineRunner, knobeln_engine

RULES = Rules(L=50)
FUEL = 1_000_000
HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def images() -> dict[str, Image]:
    programs = [compiled(EXAMPLE.read_text()), throwing([7] * 50), throwing([1, 2, 3])]
    return {image.digest: image for image in programs}


@pytest.fixture(scope="module")
def jobs(images: dict[str, Image]) -> list[GameJob]:
    pairs = [(a, b) for a in images for b in images for _ in range(4)]
    return [
        GameJob(pair, (stream(f"{n}/0"), stream(f"{n}/1")), protocol=n % 3 == 0)
        for n, pair in enumerate(pairs)
    ]


def _script(folder: Path, text: str) -> Path:
    path = folder / "engine"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def _runner(images: dict[str, Image], program: Path, workers: int = 1) -> MachineRunner:
    runner = MachineRunner(images, RULES, FUEL, workers)
    runner._program = program
    return runner


# --- results ---
def test_results_do_not_depend_on_the_number_of_workers(
    images: dict[str, Image], jobs: list[GameJob]
) -> None:
    results = [
        list(MachineRunner(images, RULES, FUEL, workers).play(jobs)) for workers in (0, 1, 2, 5)
    ]
    assert results[1:] == results[:-1]
    assert len(results[0]) == len(jobs)


def test_a_game_is_the_same_in_any_company(images: dict[str, Image], jobs: list[GameJob]) -> None:
    runner = MachineRunner(images, RULES, FUEL)
    together = list(runner.play(jobs))
    assert list(runner.play(jobs[::-1])) == together[::-1]
    assert [runner.play([job])[0] for job in jobs[:5]] == together[:5]


@pytest.mark.parametrize(("games", "workers"), [(0, 2), (1, 2), (9, 2), (100_000, 2)])
def test_chunks_hold_every_job_once_and_in_order(games: int, workers: int) -> None:
    jobs = list(range(games))
    parts = list(chunks(jobs, workers))
    assert [job for part in parts for job in part] == jobs
    assert all(0 < len(part) <= 2_000 for part in parts)


# --- an engine that fails ---
@pytest.mark.parametrize("accident", ["kill -9 $$", "echo nonsense; cat > /dev/null"])
def test_games_of_an_engine_that_failed_are_played_again(
    images: dict[str, Image], jobs: list[GameJob], tmp_path: Path, accident: str
) -> None:
    real = knobeln_engine()
    program = _script(
        tmp_path,
        f"mkdir {tmp_path}/1 2>/dev/null && {{ {accident}; exit 0; }}\n"
        f"mkdir {tmp_path}/2 2>/dev/null && {{ {accident}; exit 0; }}\nexec {real}",
    )
    expected = MachineRunner(images, RULES, FUEL).play(jobs)
    assert _runner(images, program, workers=2).play(jobs) == expected
    assert (tmp_path / "2").exists()


def test_an_engine_that_is_killed_in_the_middle_of_a_game_charges_nobody(tmp_path: Path) -> None:
    fuel = 300_000_000  # for a second or so, in which it is killed
    endless, patient = assembled([0x0000006F]), throwing([7] * 50)
    program = _script(tmp_path, f"echo $$ >> {tmp_path}/pids; exec {knobeln_engine()}")
    runner = MachineRunner(
        {endless.digest: endless, patient.digest: patient}, RULES, fuel, translated=False
    )
    runner._program = program
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(
            runner.play, [GameJob((endless.digest, patient.digest), (bytes(16),) * 2)]
        )
        wait_for(lambda: (tmp_path / "pids").exists() and (tmp_path / "pids").read_text().split())
        (first,) = (int(pid) for pid in (tmp_path / "pids").read_text().split())
        wait_for(lambda: "Seccomp:\t2" in Path(f"/proc/{first}/status").read_text())
        os.kill(first, signal.SIGKILL)
        (result,) = playing.result()
    assert len((tmp_path / "pids").read_text().split()) == 2
    assert [seat.verdict for seat in result.seats] == [Verdict.TIME, Verdict.OK]
    assert result.seats[0].instructions == fuel


def test_an_engine_that_always_fails_is_our_failure(
    images: dict[str, Image], jobs: list[GameJob], tmp_path: Path
) -> None:
    program = _script(tmp_path, f"echo x >> {tmp_path}/attempts; echo broken >&2; exit 2")
    with pytest.raises(EngineFailed, match=r"4 times running: ended with 2 'broken"):
        _runner(images, program).play(jobs[:1])
    assert (tmp_path / "attempts").read_text() == "x\n" * 4


def test_an_engine_that_hangs_is_ended(
    images: dict[str, Image], jobs: list[GameJob], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournament.runners.machine.wall_limit", lambda _batch, _games: 0.1)
    program = _script(tmp_path, f"echo $$ >> {tmp_path}/pids; exec sleep 1000")
    with pytest.raises(EngineFailed, match="no answer within"):
        _runner(images, program, workers=2).play(jobs)
    assert not _alive(tmp_path / "pids")


def _alive(pids: Path) -> list[str]:
    return [pid for pid in pids.read_text().split() if Path(f"/proc/{pid}").exists()]


# A shell starts what runs in its background with SIGINT ignored, and so may whoever starts these
# tests.
INTERRUPTED = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from pathlib import Path
sys.path[:0] = [{root!r}]
from tests.support.machine_programs import throwing
from contest.games.knobeln import Rules
from contest.model import GameJob, Verdict
from contest.util.folders import scratch_folder
from tournament.runners.machine import MachineRunner
image = throwing([1])
runner = MachineRunner({{image.digest: image}}, Rules(), 1000, 2)
runner._program = Path({program!r})
runner.play([GameJob((image.digest,) * 2, (bytes(16), bytes(16)))] * 8)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_engine_outlives_an_interrupt(tmp_path: Path, number: signal.Signals) -> None:
    # SIGKILL: the real engine asks the kernel to be ended with its parent; an endless program keeps
    # it busy.
    waiting = _script(tmp_path, f"echo $$ >> {tmp_path}/pids; exec sleep 1000")
    program = waiting if number is signal.SIGINT else _script_spinning(tmp_path)
    text = INTERRUPTED.format(root=str(ROOT), program=str(program))
    child = subprocess.Popen([sys.executable, "-c", text], stderr=subprocess.DEVNULL)
    wait_for(
        lambda: (tmp_path / "pids").exists() and len((tmp_path / "pids").read_text().split()) >= 2
    )
    time.sleep(0.1)
    child.send_signal(number)
    child.wait(120)
    wait_for(lambda: not _alive(tmp_path / "pids"))


def _script_spinning(folder: Path) -> Path:
    """The real engine, on a batch that takes for ever."""
    (folder / "spin").mkdir()
    endless = assembled([0x0000006F])
    job = GameJob((endless.digest,) * 2, (bytes(16), bytes(16)))
    batch = Batch(Rules(), 2**60, {endless.digest: endless})
    (folder / "order").write_bytes(batch.header() + batch.chunk([job]))
    real = knobeln_engine()
    return _script(folder / "spin", f"echo $$ >> {folder}/pids; exec {real} < {folder}/order")


def wait_for(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


# --- a batch that is malformed, an answer that is ---
def _good_order(images: dict[str, Image], jobs: list[GameJob]) -> bytes:
    batch = Batch(RULES, FUEL, {digest: images[digest] for digest in jobs[0].images})
    return batch.header() + batch.chunk(jobs[:1])


def _with_number(order: bytes, at: int, number: int) -> bytes:
    return order[:at] + struct.pack("<I", number) + order[at + 4 :]


MALFORMED = {
    "cut": (lambda order: order[:-1], "ends too early"),
    "no batch": (lambda order: _with_number(order, 0, 7), "no batch"),
    "a = 0": (lambda order: _with_number(order, 16, 0), "rules are impossible"),
    "L huge": (lambda order: _with_number(order, 28, 2**32 - 1), "limits are impossible"),
    "images": (lambda order: _with_number(order, 4, 2**32 - 1), "too large"),
    "fuel": (lambda order: _with_number(order, 12, 2**31), "limits are impossible"),
    "entry": (lambda order: _with_number(order, 32, 4), "entry"),
    "code size": (lambda order: _with_number(order, 36, 2**32 - 4), "code has an impossible size"),
    "data size": (lambda order: _with_number(order, 40, 2**31), "data is larger"),
    "static size": (
        lambda order: _with_number(order, 44, 2**20),
        "static data has an impossible size",
    ),
    "path size": (
        lambda order: _with_number(order, 48, 2**31),
        "path of a translation is too long",
    ),
    "games": (lambda order: _with_number(order, len(order) - 48, 2**32 - 1), "chunk is too large"),
    "image number": (
        lambda order: _with_number(order, len(order) - 44, 2),
        "image that is not there",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_batch_is_refused_with_a_sentence(
    images: dict[str, Image], jobs: list[GameJob], name: str
) -> None:
    spoil, sentence = MALFORMED[name]
    program = knobeln_engine()
    done = subprocess.run(
        [program], input=spoil(_good_order(images, jobs)), capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert sentence in done.stderr.decode()


def _answer(batch: Batch, jobs: list[GameJob]) -> bytes:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([knobeln_engine()], bufsize=0, **pipes) as process:
        answer = EngineConnection(process, batch.header()).ask(batch.chunk(jobs), 20)
        process.kill()
    return answer


@pytest.mark.parametrize("at", [8, 12, 24, 28])
def test_an_answer_that_contradicts_itself_is_nonsense(
    images: dict[str, Image], jobs: list[GameJob], at: int
) -> None:
    batch = Batch(RULES, FUEL, images)
    raw = _answer(batch, jobs[:2])
    assert len(batch.results(jobs[:2], raw)) == 2
    with pytest.raises(ValueError, match=r"more |contradicts|not a valid"):
        batch.results(jobs[:2], _with_number(raw, at, 2**31 + 5))


# --- the lock ---
@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lock")
    shutil.copy(HERE / "lock_probe.c", folder)
    for name in ("lock.c", "lock.h"):
        shutil.copy(engine_binary.SOURCES / name, folder)
    return c_program(folder, engine_binary.FLAGS, folder)


def test_a_locked_process_can_still_write_and_end(locked: Path) -> None:
    assert subprocess.run([locked, "nothing"], capture_output=True, check=True).stdout == b"alive"


@pytest.mark.parametrize("attempt", ["open", "fork", "mprotect", "getpid", "other architecture"])
def test_a_locked_process_is_killed_for_any_other_system_call(locked: Path, attempt: str) -> None:
    done = subprocess.run([locked, attempt], capture_output=True, check=False)
    if attempt == "other architecture" and os.uname().machine != "x86_64":
        pytest.skip("only x86_64 has system calls of another architecture")
    assert (done.returncode, done.stdout) == (-signal.SIGSYS, b"")


def test_the_engine_locks_itself_up_before_it_plays(tmp_path: Path) -> None:
    pid = subprocess.Popen([_script_spinning(tmp_path)])
    try:
        wait_for(lambda: "Seccomp:\t2" in Path(f"/proc/{pid.pid}/status").read_text())
        assert "NoNewPrivs:\t1" in Path(f"/proc/{pid.pid}/status").read_text()
        assert "knobeln" in os.readlink(f"/proc/{pid.pid}/exe")
    finally:
        pid.kill()
        pid.wait()


# --- the build ---
def test_a_computer_without_a_compiler_is_told_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissing, match="no C compiler"):
        c_program(engine_binary.SOURCES, engine_binary.FLAGS, tmp_path)


def test_a_compiler_that_cannot_build_the_engine_is_quoted(tmp_path: Path) -> None:
    (tmp_path / "broken.c").write_text("#error the wrong computer\n")
    with pytest.raises(ToolMissing, match="the wrong computer"):
        c_program(tmp_path, engine_binary.FLAGS, tmp_path / "cache")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with the source of a program that returns 7, if nothing else is said."""
    text = "#ifndef VALUE\n#define VALUE 7\n#endif\nint main (void) { return VALUE; }\n"
    (tmp_path / "small.c").write_text(text)
    return tmp_path


def _returned(*programs: Path) -> list[int]:
    return [subprocess.run([path], check=False).returncode for path in programs]


def test_several_who_build_at_once_get_the_same_engine(small: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        paths = set(pool.map(lambda _: c_program(small, ("-O1",), small / "cache"), range(6)))
    assert {*(small / "cache").iterdir()} == paths
    assert _returned(*paths) == [7]


def test_other_sources_or_flags_are_another_engine(small: Path) -> None:
    one, two = (c_program(small, (f"-DVALUE={n}",), small / "cache") for n in (1, 2))
    (small / "small.c").write_text("int main (void) { return 5 + VALUE; }\n")
    assert _returned(one, two, c_program(small, ("-DVALUE=1",), small / "cache")) == [1, 2, 6]


POISON = "#!/bin/sh\necho poisoned\n"


def _as_another_user(path: Path) -> None:
    os.chown(path, 61_993, 61_993)


def _shut_again(path: Path) -> None:
    """Leave the file as another user could have left it while the folder was open."""
    path.write_text(POISON)
    path.chmod(0o755)


@pytest.mark.parametrize(
    "poison",
    [
        _shut_again,
        lambda path: (path.unlink(), path.symlink_to("/usr/bin/true")),
        lambda path: path.chmod(0o777),
        pytest.param(_as_another_user, marks=pytest.mark.needs_root),
    ],
)
def test_an_engine_that_somebody_could_have_changed_is_built_anew(
    poison: Callable[..., Any], small: Path
) -> None:
    path = c_program(small, ("-O1",), small / "cache")
    good = path.read_bytes()
    poison(path)
    again = c_program(small, ("-O1",), small / "cache")
    assert (again.read_bytes(), again.stat().st_uid) == (good, os.geteuid())
    assert again.stat().st_mode & 0o777 == 0o700
    assert _returned(again) == [7]


def test_what_killed_builders_left_is_swept_by_the_next(tmp_path: Path, small: Path) -> None:
    cache = tmp_path / "cache"
    holder = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from pathlib import Path; from contest.util.folders import scratch_folder\n"
        f"with scratch_folder(Path({str(tmp_path)!r})) as folder:\n"
        "    (folder / 'half').touch(); print(folder, flush=True); input()\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", holder], **pipes) as process:
        left = Path(process.stdout.readline().strip())
        with scratch_folder(tmp_path):
            assert (left / "half").exists()  # its maker is alive
        process.kill()
        process.wait()
    assert left.exists()
    cache.mkdir(mode=0o700)
    left.rename(cache / left.name)
    path = c_program(small, ("-O1",), cache)
    assert list(cache.iterdir()) == [path]


@pytest.mark.slow
def test_an_engine_that_was_cleaned_away_is_built_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert knobeln_engine() == knobeln_engine()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    engine_binary._kept_engine.cache_clear()
    knobeln_engine().unlink()
    assert knobeln_engine().is_file()


@pytest.mark.slow
def test_the_engines_sources_compile_without_a_warning(tmp_path: Path) -> None:
    folders = (engine_binary.SOURCES, KNOBELN_SOURCES)
    sources = [source for folder in folders for source in sorted(folder.glob("*.c"))]
    headers = [f"-I{folder}" for folder in folders]
    command = [c_compiler(), *engine_binary.FLAGS, *headers, "-Wall", "-Wextra", "-Werror", "-o"]
    done = subprocess.run(
        [*command, tmp_path / "engine", *sources], capture_output=True, check=False
    )
    assert done.stderr.decode() == ""
