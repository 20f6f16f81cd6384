"""Programs on a team's own computer: found, built and started, without a sandbox and its limits.

Runs in the software kit, beside the server's own files, on Python's standard library alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import site
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn, cast

from contest.errors import GiveUp
from contest.programs.start import NoStart, Start, find_start, in_place
from contest.util.program_files import (
    command_words,
    is_safe_path,
    placeholder_values,
    suffix_of,
)
from contest.util.sanitize import sanitize
from sandbox.limits import WORK, Limits
from sandbox.process import SandboxedProcess
from sandbox.program_folder import Needs, ProgramFolder
from sandbox.running import CommandEnd, Ending, RunningSandbox, open_pipe

if TYPE_CHECKING:
    from contest.schema.languages import Language
    from sandbox.sandbox import Sandbox

DESCRIPTION = "description.txt"
BUILD_SECONDS = 60


# --- the command line -----------------------------------------------------------------------------
Lines = Callable[[Mapping[str, Any], Sequence[str], str], Iterator[str]]
"""Tells about a game: of the facts in contest.json, the programs, and the seed."""


def referee(description: str, lines: Lines, *, with_seed: bool) -> None:
    """Print the lines that tell about a game. Exit code 0: it was played; 2: there was none."""
    parser = argparse.ArgumentParser(prog="referee.py", description=description)
    parser.add_argument(
        "programs", metavar="PROGRAM", nargs="+", help="a file, or a folder with its files"
    )
    if with_seed:
        parser.add_argument("--seed", help="any text; the same seed gives the same game")
    words = parser.parse_args()
    seed = getattr(words, "seed", None) or os.urandom(8).hex()
    try:
        for line in lines(_contest(), words.programs, seed):
            print(line, flush=True)
    except GiveUp as error:
        _no_game(str(error))
    except OSError as error:
        _no_game(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror))
    except KeyboardInterrupt:
        sys.exit("referee.py: broken off")
    if with_seed:
        print(f"--seed {seed} plays this game again.")


def _no_game(why: str) -> NoReturn:
    print(f"referee.py: {why}", file=sys.stderr)
    sys.exit(2)


def _contest() -> Mapping[str, Any]:
    path = Path(sys.argv[0]).resolve().parent / "contest.json"
    try:
        return cast(Mapping[str, Any], json.loads(path.read_text(encoding="utf-8")))
    except ValueError as error:
        raise GiveUp(f"{path} is damaged: {error}. Unpack the kit again") from None


# --- programs -------------------------------------------------------------------------------------
def program_folder(
    program: str,
    contest: Mapping[str, Any],
    *,
    only: str = "",
    called: str = "",
    function: str = "",
    beside: Callable[[Mapping[str, bytes]], Mapping[str, bytes]] = lambda files: files,
) -> ProgramFolder:
    """Read and build a program. `only`: the one language that it may have; `called` and `function`:
    as in `find_start`; `beside`: adds what it may import. Raises GiveUp with why not."""
    rows = (SimpleNamespace(**row) for row in contest["languages"])
    languages = cast("list[Language]", [row for row in rows if only in ("", row.name)])
    files = files_of(program)
    strange = [name for name in (Path(full_path(program)).name, *files) if not is_safe_path(name)]
    if strange:
        raise GiveUp(
            f'the file name "{sanitize(strange[0])}" cannot be used; take letters, digits, dots,'
            " hyphens and underscores, as in program_3.py"
        )
    if not any(suffix_of(name) in language.suffixes for name in files for language in languages):
        known = ", ".join(f"{row.name} (.{', .'.join(row.suffixes)})" for row in languages)
        raise GiveUp(
            f"{program} is no program; the suffix of a program's name tells its language: {known}"
        )
    try:
        start = find_start(files, languages, called=called, function=function)
    except NoStart as why:
        raise GiveUp(f"{program}: {why}") from None
    memory_mb = contest["programs"]["memory_mb"] or start.language.memory_mb
    return _built(*in_place(beside(files), start), memory_mb)


def full_path(program: str) -> str:
    """The path with a proper last name, which names the program: `.` becomes the folder's name."""
    return str(Path(program).resolve())


def files_of(program: str) -> dict[str, bytes]:
    """The files of a program: one, or those of a folder but for the description, which is for
    people."""
    path = Path(program)
    if path.is_dir():
        inside = sorted(file for file in path.rglob("*") if file.is_file())
        names = {file.relative_to(path).as_posix(): file for file in inside}
        return {name: file.read_bytes() for name, file in names.items() if not _is_left_out(name)}
    if not path.is_file():
        raise GiveUp(f"there is no file {path}")
    return {path.name: path.read_bytes()}


def _is_left_out(name: str) -> bool:
    """Whether it is the description, or what editors and systems put beside a program."""
    return name.lower() == DESCRIPTION or any(
        part.startswith(".") or part == "__pycache__" for part in name.split("/")
    )


def _built(files: Mapping[str, bytes], start: Start[Language], memory_mb: int) -> ProgramFolder:
    name, language = start.program, start.language
    tool = shutil.which(language.tool)
    if tool is None:
        raise GiveUp(f"{name} needs {language.tool}, which is not installed here")
    home = Path(tool).resolve().parent.parent
    values = placeholder_values(
        tool,
        home,
        program=name,
        result=language.result,
        memory_mb=memory_mb,
        start_class=start.name,
    )
    environment = {
        variable: value.format(**values) for variable, value in language.environment.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        for file, data in files.items():
            Path(folder, file).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, file).write_bytes(data)
        words = command_words(language.build, values, files, language.suffixes)
        _build(words, name, folder, environment)
        if language.result:  # the sources are not needed any more
            others = {
                path: data
                for path, data in files.items()
                if suffix_of(path) not in language.suffixes
            }
            files = {**others, language.result: Path(folder, language.result).read_bytes()}
    command = tuple(command_words(language.run, values))
    return ProgramFolder(language.name, name, files, command, Needs(0, environment=environment))


def _build(command: list[str], name: str, folder: str, environment: Mapping[str, str]) -> None:
    if not command:
        return
    try:
        done = subprocess.run(  # noqa: S603 - the team's own program, on its own computer
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=BUILD_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GiveUp(
            f"{name}: {Path(command[0]).name} takes more than {BUILD_SECONDS} s for it"
        ) from None
    if done.returncode:
        messages = sanitize(done.stdout.decode(errors="replace")).strip()
        raise GiveUp(f"{name} cannot be built; {Path(command[0]).name} says:\n{messages}")


# --- processes ------------------------------------------------------------------------------------
class HomeSandbox:
    """Starts programs as ordinary processes, each in a new folder of its own; nothing locks them
    up."""

    has_process_tree = False

    def open(
        self,
        command: Sequence[str],
        *,
        files: Mapping[str, bytes],
        environment: Mapping[str, str],
        folders: Iterable[str] = (),
        has_terminals: bool = True,
        limits: Limits,
    ) -> SandboxedProcess:
        """Start the command, to talk to it; see `Sandbox.open`. Raises GiveUp if it cannot be
        started."""
        folder = Path(tempfile.mkdtemp(prefix="referee-"))
        places = {path: folder / path.lstrip("/") for path in files}
        work = folder / WORK.lstrip("/")
        work.mkdir()
        for path, data in files.items():
            places[path].parent.mkdir(parents=True, exist_ok=True)
            places[path].write_bytes(data)
            places[path].chmod(0o555)  # C programs run it, and nothing may change it
        own = {
            "PATH": os.environ.get("PATH", os.defpath),
            "LC_ALL": "C",
            "HOME": str(work),
            "TMPDIR": str(work),
            "PYTHONUSERBASE": site.getuserbase(),  # the team's own packages
        }
        words = [str(places.get(word, word)) for word in command]
        read_end, write_end = os.pipe()
        try:
            running = _HomeProcess(words, folder, work, {**own, **environment}, read_end)
        except OSError as error:
            os.close(write_end)
            shutil.rmtree(folder, ignore_errors=True)
            raise GiveUp(f"{command[0]} cannot be started: {error.strerror}") from None
        finally:
            os.close(read_end)
        return SandboxedProcess(running, write_end, limits.output_bytes)


def home_sandbox() -> Sandbox:
    """What players start their programs in."""
    return cast("Sandbox", HomeSandbox())


class _HomeProcess(RunningSandbox):
    """A process in a process group of its own."""

    def __init__(
        self,
        command: list[str],
        folder: Path,
        work: Path,
        environment: Mapping[str, str],
        stdin: int,
    ) -> None:
        with ExitStack() as ours, ExitStack() as theirs:
            stdout, their_stdout = open_pipe(ours, theirs)
            stderr, their_stderr = open_pipe(ours, theirs)
            process = subprocess.Popen(  # noqa: S603 - the same
                command,
                cwd=work,
                env=environment,
                stdin=stdin,
                stdout=their_stdout,
                stderr=their_stderr,
                start_new_session=True,
            )
            ours.callback(shutil.rmtree, folder, ignore_errors=True)
            super().__init__(process, stdout, stderr, ours.pop_all())

    def end(self) -> CommandEnd | None:
        ended_by_itself = self._process.poll() is not None
        # PermissionError: macOS, if all have ended
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        if not ended_by_itself:
            return None
        return CommandEnd(Ending.SIGNAL, -code) if code < 0 else CommandEnd(Ending.EXIT, code)

    def classify_start_failure(self, stderr: bytes) -> Ending:
        return Ending.NOT_STARTED
