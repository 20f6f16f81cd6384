"""Unpack an image into a folder that can be the root of a sandbox, by `skopeo` and `umoci`.

Each of the two runs in a sandbox of its own that can write one folder, `work`, and has no network
unless it fetches an image. A loop beside them ends all of them when that folder has become too
large, so even an image that fills a disk is only refused.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
import shutil
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from contest.errors import ToolMissing, TryAgain
from contest.util.folders import make_folder
from contest.util.log import log
from contest.util.sanitize import sanitize
from sandbox.bubblewrap import PATH
from sandbox.budget import unlimited
from sandbox.images.oci_image import (
    ROOT,
    SETTINGS,
    OciImage,
    Refused,
    Run,
    open_root,
    quoted,
    read_configuration,
)
from sandbox.limits import MB, WORK, Limits, check_reachable
from sandbox.process import ExitStatus
from sandbox.running import Ending
from sandbox.sandbox import Sandbox

ARCHIVE_BYTES = 512 * MB
UNPACKED_BYTES = 1_024 * MB
KEPT_BYTES = 10 * 1_024 * MB
"""Of all unpacked images in the cache; those used longest ago are removed beyond it."""
MAX_FILES = 200_000  # folders and links, too; each name of a file counts
MAX_DEPTH = 128
COVERED = ("dev", "proc", "tmp")  # folders that the sandbox mounts its own over

_UNFINISHED = ".fresh-"
_WORK, _READY = "work", "ready"
_NAME = re.compile(r"[a-z0-9][A-Za-z0-9._/:@-]{0,254}")
_TAG = re.compile(r"(?::[A-Za-z0-9._-]+)?(?:@sha256:[0-9a-f]+)?$")
_HOW_TO_SEND = (
    "send what `podman save` or `docker save` writes (one .tar file, gzipped if you like)"
)
_TOO_LARGE = (
    f"it is too large: unpacked it has more than {UNPACKED_BYTES:,} bytes, or {MAX_FILES:,} files"
    " and links"
)
_MAX_MESSAGE_CHARACTERS = 200
_START_SECONDS = 0.5  # until then a command that cannot be started has failed
_LIMITS = Limits(
    cpu_seconds=120,
    wall_seconds=600.0,
    reserved_bytes=4_096 * MB,  # both programs are written in Go
    file_bytes=UNPACKED_BYTES,
    processes=128,
)
_ENVIRONMENT = {"GOMAXPROCS": "2", "XDG_DATA_HOME": "/nowhere"}  # skopeo keeps no notes for later
# A registry has no such image for us. All else may be better tomorrow. The specification of
# registries has a code and a sentence for each error, and skopeo hands on what the registry said:
# one of both, or the status.
_NO_SUCH_MANIFEST = 2  # the exit code of skopeo 1.18; 1.9 has only words
_NO_IMAGE = re.compile(
    r"\b(unauthorized|authentication required|denied|name unknown|name not known|name invalid"
    r"|manifest unknown|manifest invalid|blob unknown|no image found)\b"
    r"|status ?code\b.*\b40[134]\b",
    re.IGNORECASE,
)
_OUR_DISK = re.compile("no space left|quota exceeded|input/output error", re.IGNORECASE)
# What a registry is asked with: as the user who runs the contest has set it up.
_NETWORK_FOLDERS = (
    "/etc/ssl",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/containers",
)
_USER_FILES = (".docker/config.json", ".config/containers/registries.conf")
_PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy")

_SKOPEO = "skopeo --insecure-policy --tmpdir ."
# The room is for everything at once: the archive, plain and gzipped, its layers, and their files.
_BEGIN = f"""
set -e
require_few() {{
    [ "$(find . -printf x 2>/dev/null | wc -c)" -lt {MAX_FILES} ] || kill -KILL -1
}}
while sleep 0.5; do
    [ "$(du -sk . 2>/dev/null | cut -f1)" -lt {3 * UNPACKED_BYTES // 1_024} ] || kill -KILL -1
    require_few
done &
"""
_READ = f"""
gzip -dcf > plain
tar -tf plain > names
if grep -Eqx '(\\./)?oci-layout' names; then
    mkdir in
    tar -xf plain -C in
    source=oci:in
elif grep -Eqx '(\\./)?manifest\\.json' names; then
    source=docker-archive:plain
else
    echo 'it is no image: it has neither a file manifest.json nor oci-layout' >&2
    exit 1
fi
{_SKOPEO} copy --quiet "$source" oci:oci:image
"""
_FETCH = f'{_SKOPEO} copy --quiet "docker://$1" oci:oci:image'
# Where the C library needs /proc for what `chmod -R` asks, as on Linux before 6.6, that command
# does nothing and says nothing. Each folder is opened before find looks into it.
_OPEN_FOLDERS = "-type d ! -perm -700 -execdir chmod u+rwx {} \\;"
_UNPACK = f"""
umoci --log=error raw unpack --rootless --image oci:image {ROOT}
require_few
find {ROOT} {_OPEN_FOLDERS}
find {ROOT} ! -type l -exec chmod u=rwX,go=rX,a-st {{}} +
if [ -n "$(find {ROOT} -mindepth {MAX_DEPTH} -print -quit)" ]; then
    echo 'its folders are more than {MAX_DEPTH} deep' >&2
    exit 1
fi
find {ROOT} ! -type f ! -type d ! -type l -delete
for name in {" ".join(COVERED)}; do
    rm -rf {ROOT}/$name
    mkdir -m 755 {ROOT}/$name
done
du -sb {ROOT} | cut -f1
{_SKOPEO} inspect --raw --config oci:oci:image
"""


def unpack(archive: bytes, sandbox: Sandbox, cache: Path) -> OciImage:
    """Unpack the image in an archive into the cache. Raises Refused.

    An image that is in the cache already is not unpacked again. If the process is killed, nothing
    is left that looks like an image. To make room, the images that were used longest ago and that
    nobody holds are removed. Raises TryAgain if the cache cannot be written, ToolMissing if a
    program does not work.
    """
    if len(archive) > ARCHIVE_BYTES:
        raise Refused(f"it has {len(archive):,} bytes; at most {ARCHIVE_BYTES:,} are taken")
    read = partial(_run, _READ, sandbox, stdin=archive)
    return _kept(hashlib.sha256(archive).hexdigest(), "", read, sandbox, cache)


def fetch(name: str, sandbox: Sandbox, cache: Path, digest: str = "") -> OciImage:
    """Unpack the image that a registry has under this name, or under this name once had, with this
    digest.

    The rest is as for `unpack`. Raises ToolMissing, too, if the registry cannot be asked now.
    """
    digest = digest or _manifest_digest(name, sandbox)
    get = partial(_run, _FETCH, sandbox, name=f"{_TAG.sub('', name)}@sha256:{digest}")
    return _kept(digest, name, get, sandbox, cache)


def check_registry(name: str, sandbox: Sandbox) -> None:
    """Ask the registry for the image of this name. Raises ToolMissing if it cannot be asked now."""
    with suppress(Refused):
        _manifest_digest(name, sandbox)


def _manifest_digest(name: str, sandbox: Sandbox) -> str:
    """Return the sha256, in hex, of the manifest that a registry has under this name now. Raises
    Refused."""
    if not _NAME.fullmatch(name):
        raise Refused(
            f"{quoted(name)} is no name of an image; one is e.g. registry.example/team/player:2"
        )
    raw = _run(f'{_SKOPEO} inspect --raw "docker://$1"', sandbox, name=name)
    return hashlib.sha256(raw).hexdigest()


def require_tools() -> None:
    """Raises ToolMissing, with the packages to install, if a program is missing."""
    missing = " ".join(tool for tool in ("skopeo", "umoci") if not shutil.which(tool, path=PATH))
    if missing:
        raise ToolMissing(f"images need programs that are missing: `apt install {missing}`")


def _kept(
    digest: str, name: str, make: Callable[[Path], object], sandbox: Sandbox, cache: Path
) -> OciImage:
    """Return the image of this digest, from the cache, or unpacked after `make` put it into a
    folder `oci`."""
    if known := _known(digest, cache):
        return known
    require_tools()
    try:
        make_folder(cache, 0o755)
        check_reachable(cache, sandbox.user, "images")
        with _fresh_folder(digest, cache, sandbox) as fresh:
            if known := _known(digest, cache):  # another process was quicker, and may be using it
                return known
            make(fresh / _WORK)
            size, _, configuration = _run(_UNPACK, sandbox, fresh / _WORK).partition(b"\n")
            image = OciImage(digest, name, read_configuration(configuration), cache, int(size))
            if image.unpacked_bytes > UNPACKED_BYTES:
                raise Refused(_TOO_LARGE)
            (fresh / _WORK / ROOT).rename(fresh / _READY / ROOT)
            _check_start(fresh / _READY / ROOT, image, sandbox)
            (fresh / _READY / SETTINGS).write_bytes(image.to_bytes())
            os.sync()  # after a power cut, empty files in an image would look like the team's fault
            with _locked(cache / ".lock"):
                _make_room(cache, KEPT_BYTES - image.unpacked_bytes)
                if image.folder.exists():  # damaged
                    _put_away(image.folder)
                (fresh / _READY).rename(image.folder)
            return image
    except OSError as error:
        raise TryAgain(f"the image could not be unpacked into {cache}: {error}") from error


def _known(digest: str, cache: Path) -> OciImage | None:
    try:
        return OciImage.from_bytes((cache / digest / SETTINGS).read_bytes(), cache)
    except (OSError, ValueError):
        return None


@contextmanager
def _fresh_folder(digest: str, cache: Path, sandbox: Sandbox) -> Iterator[Path]:
    """Make a folder for this image in the cache, with one for the user of sandboxes and one for the
    result. Nobody else unpacks this image meanwhile; others are not held up.

    It is removed at the end, with what was put away. What killed processes have left is removed
    first.
    """
    _remove_unfinished(cache, sandbox)
    fresh = cache / f"{_UNFINISHED}{digest}"
    with ExitStack() as stack:
        stack.callback(_remove_unfinished, cache, sandbox)
        while True:
            fresh.mkdir(exist_ok=True)
            with suppress(FileNotFoundError), ExitStack() as held:  # who had it has removed it
                held.enter_context(_held(fresh))
                if not any(fresh.iterdir()):
                    stack.push(held.pop_all())
                    break
                _remove(fresh, sandbox)  # who had it was killed
                if fresh.exists():
                    raise TryAgain(f"{fresh} cannot be removed: remove it yourself")
        stack.callback(_remove, fresh, sandbox)
        for folder, mode in ((fresh, 0o755), (fresh / _WORK, 0o700), (fresh / _READY, 0o755)):
            folder.mkdir(exist_ok=True)
            folder.chmod(mode)
        if sandbox.user is not None:
            os.chown(fresh / _WORK, sandbox.user, sandbox.user)
        yield fresh


def _remove_unfinished(cache: Path, sandbox: Sandbox) -> None:
    """Remove what nobody works at."""
    for left in cache.glob(f"{_UNFINISHED}*"):
        with suppress(BlockingIOError, FileNotFoundError), _held(left, fcntl.LOCK_NB):
            _remove(left, sandbox)


@contextmanager
def _held(folder: Path, how: int = 0) -> Iterator[None]:
    """Lock a folder that is there. Raises FileNotFoundError, or BlockingIOError with LOCK_NB."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | how)
        if not os.path.samestat(os.fstat(descriptor), folder.stat()):
            raise FileNotFoundError(folder)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    with file.open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _remove(unfinished: Path, sandbox: Sandbox) -> None:
    """Remove what is unfinished or put away. What cannot be removed stays, and is in no other
    image's way.

    Files of images are removed from within a sandbox, where neither their depth nor their modes can
    stop or mislead us.
    """
    clear = f"find . -mindepth 1 {_OPEN_FOLDERS}; find . -mindepth 1 -delete"
    # no sandbox enters a folder that was not opened for it: nothing is in it
    with suppress(ToolMissing), unlimited():
        sandbox.run(["/bin/sh", "-c", clear], work=unfinished, limits=_LIMITS)
    try:
        shutil.rmtree(unfinished)
    except OSError as error:
        log.warning("an image's files cannot be removed", folder=str(unfinished), reason=str(error))


def _put_away(folder: Path) -> None:
    """Rename it, in one step so that nobody finds half of it; `_remove_unfinished` removes it."""
    folder.rename(folder.with_name(f"{_UNFINISHED}{secrets.token_hex(8)}"))


def _run(
    script: str, sandbox: Sandbox, work: Path | None = None, *, stdin: bytes = b"", name: str = ""
) -> bytes:
    """Return what the script prints. `stdin`: an archive. With a `name` it asks the network for
    that image.

    Raises Refused if the image is at fault; ToolMissing if we are, or the network.
    """
    result = sandbox.run(
        ["/bin/sh", "-c", _BEGIN + script, "sh", name],
        files=_own_logins() if name else {},
        environment={**_ENVIRONMENT, **(_own_proxies() if name else {})},
        stdin=stdin,
        folders=[folder for folder in _NETWORK_FOLDERS if Path(folder).exists()] if name else [],
        work=work,
        has_network=bool(name),
        limits=_LIMITS,
    )
    if result.succeeded:
        return result.stdout
    raise _failure(result, name)


def _own_logins() -> Mapping[str, bytes]:
    """Our user's files with logins of registries, by their paths in the sandbox."""
    paths = {f"{WORK}/{file}": Path.home() / file for file in _USER_FILES}
    return {inside: path.read_bytes() for inside, path in paths.items() if path.is_file()}


def _own_proxies() -> Mapping[str, str]:
    return {variable: os.environ[variable] for variable in _PROXIES if variable in os.environ}


def _failure(result: ExitStatus, name: str) -> Refused | ToolMissing:
    """Who is to blame that the script failed: the image, or we and the network."""
    message = _message(result.stderr)
    if result.ending is Ending.WALL_LIMIT or _OUR_DISK.search(message):
        return ToolMissing(f"an image could not be unpacked: {result.ending}, {message}")
    if result.ending in (Ending.CPU_LIMIT, Ending.MEMORY_LIMIT, Ending.OUTPUT_LIMIT):
        return Refused(f"it cannot be unpacked within our limits: {result.ending}")
    if result.code in (signal.SIGKILL, signal.SIGXFSZ) or message.endswith("file too large"):
        return Refused(_TOO_LARGE)
    if not name:
        return Refused(f"{message}; {_HOW_TO_SEND}")
    if result.code != _NO_SUCH_MANIFEST and not _NO_IMAGE.search(message):
        return ToolMissing(f"the image {name} cannot be fetched now: {message}")
    return Refused(f"no registry gives us {name}: {message}")


def _message(stderr: bytes) -> str:
    """Return what a program said went wrong, on one line, without what surrounds it in a log."""
    lines = [line.strip() for line in stderr.decode(errors="replace").splitlines() if line.strip()]
    fatal = [
        line
        for line in lines
        if line.startswith("⨯") or (_is_logged(line) and " level=fatal" in line)
    ]
    text = (fatal or lines or ["it says nothing"])[0]
    said = text.rpartition(' msg="')[2]
    if _is_logged(text) and len(said) < len(text) and said.endswith('"'):
        text = said.removesuffix('"')
    text = text.removeprefix("⨯").replace('\\"', '"').strip()
    return sanitize(text, one_line=True, max_length=_MAX_MESSAGE_CHARACTERS)


def _is_logged(line: str) -> bool:
    """Return whether skopeo or umoci wrote it into its log."""
    return line.startswith("time=")


def _check_start(root: Path, image: OciImage, sandbox: Sandbox) -> None:
    """Start it once. Raises Refused, so that a missing command does not fail on contest day."""
    try:
        ending = _start(root, image.run, sandbox)
    except ToolMissing as missing:
        if "Can't chdir" in str(missing):
            raise Refused(
                f"its working folder {quoted(image.run.folder)} is not in the image"
            ) from None
        _start(root, replace(image.run, environment={}, folder="/"), sandbox)
        raise Refused(
            "it does not start with its variables and its working folder"
            f" {quoted(image.run.folder)}"
        ) from None
    if ending is Ending.NOT_STARTED:
        raise Refused(
            f"its command {quoted(image.run.command_line(())[0])} is not a program in the image"
        )


def _start(root: Path, run: Run, sandbox: Sandbox) -> Ending | None:
    """Return how it ended, if it did so soon. Raises ToolMissing if there is no sandbox for it."""
    with open_root(root, run, sandbox, (), cpu_seconds=1, answer_bytes=MB) as process:
        answer = process.finish(_START_SECONDS)
    return answer.exit_status.ending if answer.exit_status else None


def _make_room(cache: Path, max_bytes: int) -> None:
    """Remove the images that were used longest ago, until the others take at most `max_bytes`.

    Images that somebody holds stay.
    """
    marks = sorted(
        cache.glob(f"*/{SETTINGS}"), key=lambda mark: mark.stat().st_mtime_ns, reverse=True
    )
    used = 0
    for mark in marks:
        image = _known(mark.parent.name, cache)
        if image is not None:
            used += image.unpacked_bytes
            if used <= max_bytes:
                continue
        with mark.open("rb") as held, suppress(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _put_away(mark.parent)
