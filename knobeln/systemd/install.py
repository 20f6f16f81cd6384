"""Make a host ready for contests as services: user, folders, units, the command `knobeln`.

Each step looks at what is there, so everything can be repeated.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from contest.config.load import FILE_NAME
from contest.config.remains import remains
from contest.errors import GiveUp, ToolMissing
from contest.subprocesses import child_process
from knobeln.privileges import USUAL_USER, User, program_closed_to

PROGRAM = Path("/opt/knobeln/bin/knobeln")  # as the units name it
HOME = Path("/var/lib/knobeln")
PASSWORDS = Path("/etc/knobeln")

_UNITS = sorted(Path(__file__).parent.glob("knobeln*@.*"))
# an administrator's changes are in /etc/systemd
_UNIT_FOLDER = Path("/usr/local/lib/systemd/system")
_COMMAND = Path("/usr/local/bin/knobeln")
_SYSUSERS_LINE = f'u {USUAL_USER} - "KNOBELN contests" {HOME}'
_SECONDS = 300.0


Step = tuple[str, Callable[[], object]]
"""What is done, in words, and the function that does it."""


def install(root: Path, contests: Sequence[str]) -> Iterator[Step]:
    """Yield what is still to do in the system below `root`. Carry out each step before asking for
    the next.

    Raises GiveUp if the service's user could not start this program.
    """
    program = PROGRAM if _is_foreign(root) else _own_program(contests)
    if _user_and_group(root) is None:
        make_user = ("systemd-sysusers", f"--root={root.resolve()}", "--inline", _SYSUSERS_LINE)
        yield f"make the system user {USUAL_USER}", partial(_run, *make_user)
    for folder in (HOME, *(HOME / name for name in contests)):
        if not _below(root, folder).is_dir():
            yield f"make the folder {folder}", partial(_make_folder, root, folder)
    if not _below(root, PASSWORDS).is_dir():
        make = partial(_below(root, PASSWORDS).mkdir, mode=0o700, parents=True)
        yield f"make the folder {PASSWORDS}", make
    for source in _UNITS:
        unit, file = _UNIT_FOLDER / source.name, _below(root, _UNIT_FOLDER / source.name)
        text = source.read_text(encoding="utf-8").replace(str(PROGRAM), str(program))
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            yield f"write {unit}", partial(_write, file, text)
    link = _below(root, _COMMAND)
    if link.readlink() != program if link.is_symlink() else not link.exists():
        yield f"let {_COMMAND} lead to {program}", partial(_link, link, program)
    if _has_running_systemd(root):
        yield "tell systemd of the units", partial(_systemctl, "daemon-reload")
        yield (
            "restart the contests that run",
            partial(_systemctl, "try-restart", "knobeln@*.service"),
        )


def next_commands(root: Path, contest: str) -> Iterable[str]:
    """What is left to do for a contest whose folder is made; nothing if a contest is there, or
    was."""
    settings = HOME / contest / FILE_NAME
    if _below(root, settings).exists() or remains(_below(root, HOME / contest)):
        return ()
    return (
        f"sudo -u {USUAL_USER} knobeln init {HOME / contest}",
        f"sudo -u {USUAL_USER} editor {settings}",
        f"systemctl enable --now knobeln@{contest} knobeln-backup@{contest}.timer",
    )


def _own_program(contests: Sequence[str]) -> Path:
    """The path of this program. Raises GiveUp if not everybody may start it."""
    somebody = User(USUAL_USER, -1, -1, (), HOME)
    if closed := program_closed_to(somebody):
        raise GiveUp(
            f"only {closed.owner()} may enter {closed}, where this program is. Install it for all"
            f" users:\n    python3 -m venv {PROGRAM.parents[1]}\n    {PROGRAM.with_name('pip')}"
            f" install WHEEL\n    {' '.join((str(PROGRAM), 'install-service', *contests))}"
        )
    return Path(sys.prefix) / "bin" / "knobeln"


def _is_foreign(root: Path) -> bool:
    """Whether `root` is not the root of the running system."""
    return root.resolve() != Path("/")


def _has_running_systemd(root: Path) -> bool:
    return not _is_foreign(root) and Path("/run/systemd/system").is_dir()


def _below(root: Path, path: Path) -> Path:
    return root / path.relative_to("/")


def _user_and_group(root: Path) -> tuple[int, int] | None:
    """The numbers of the user and its group in the system below `root`; None if there is no such
    user."""
    file = root / "etc/passwd"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    fields = (line.split(":") for line in lines)
    return next(((int(row[2]), int(row[3])) for row in fields if row[0] == USUAL_USER), None)


def _make_folder(root: Path, folder: Path) -> None:
    path = _below(root, folder)
    path.mkdir(parents=True)
    path.chmod(0o755 if folder == HOME else 0o700)
    if owner := _user_and_group(root):
        os.chown(path, *owner)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o644)


def _link(link: Path, target: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def _systemctl(*words: str) -> None:
    _run("systemctl", *words)


def _run(*command: str) -> None:
    try:
        result = child_process.run(command, b"", _SECONDS)
    except FileNotFoundError:
        raise ToolMissing(f"there is no {command[0]}: this command needs systemd") from None
    if result.code != 0:
        raise GiveUp(
            f"`{' '.join(command)}` failed: {result.stderr.decode(errors='replace').strip()}"
        )
