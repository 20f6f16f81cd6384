"""Real mail servers for the tests: each a child process on loopback ports, with all its files in
one folder.

A computer that has not got one skips what needs it, and says so; with CI set in the environment
that is a failure. `tools/system-packages --for-tests` installs them.
"""

import getpass
import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from string import Template
from typing import NoReturn

import pytest

from tests.support.processes import UNTIL_WE_END

PATIENCE = 240.0
_UNPACKED = Path(__file__).parents[2] / "build" / "exim" / "usr" / "sbin"  # by tools/exim
_CONFIGURATIONS = Path(__file__).with_name("mail_servers")
_PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin:{_UNPACKED}"


def program(*names: str) -> str:
    """Where the first of these is; without any the test is skipped, or fails where CI is set."""
    found = next(filter(None, (shutil.which(name, path=_PLACES) for name in names)), None)
    return found or lacking(names[0])


def need_numpy() -> None:
    """NumPy of the system's Python, which programs may import; without it as `program`."""
    if not any(Path("/usr/lib").glob("python3*/*-packages/numpy")):
        lacking("NumPy (python3-numpy)")


def need_image_tools() -> None:
    """What unpacks container images; without it as `program`."""
    program("skopeo")
    program("umoci")


def lacking(name: str) -> NoReturn:
    text = f"{name} is not installed: run `tools/system-packages --for-tests`"
    if os.environ.get("CI"):
        pytest.fail(text)
    pytest.skip(text)


NOT_OURS = {rb"\Recent", rb"$HasAttachment", rb"$HasNoAttachment"}
"""Flags that a Dovecot gives to letters by itself, from 2.4 on all three."""

# of each process of the tests, below those that the system gives to whoever asks for any
_PORTS = 100
_FIRST_PORT = 10_000 + os.getpid() * _PORTS % 22_000
_asked = count()


def free_port() -> int:
    """A port that nobody has, and that nobody else is given before it is used."""
    while True:
        port = _FIRST_PORT + next(_asked) % _PORTS
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def wait_for(condition: Callable[[], object], what: str = "it", seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} takes too long"
        time.sleep(0.02)


def greets(port: int, word: bytes) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 2) as client:
            return client.recv(200).startswith(word)
    except OSError:
        return False


def configuration(*names: str, **values: object) -> str:
    """These files of `mail_servers`, with these values in their places."""
    text = "".join((_CONFIGURATIONS / name).read_text() for name in names)
    return Template(text).substitute(values)


@contextmanager
def world_readable_folder() -> Iterator[Path]:
    """pytest's own are for their owner only, and the servers have users of their own."""
    folder = Path(tempfile.mkdtemp(prefix="knobeln-servers-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Child:
    """A server that we started, and that is ended by its own process id."""

    process: subprocess.Popen[bytes]

    def _start(
        self,
        command: list[str],
        log: Path,
        environment: dict[str, str] | None = None,
        user: pwd.struct_passwd | None = None,
    ) -> None:
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [*UNTIL_WE_END, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                **({"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}),
            )

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


# --- Dovecot --------------------------------------------------------------------------------------


class Dovecot(Child):
    """IMAP and LMTP, 2.3 or 2.4. Everybody has a mailbox, with the password `secret`."""

    def __init__(
        self,
        folder: Path,
        *,
        certificate: Path | None = None,
        introspection_url: str = "",
        capabilities: str = "",
        prefix: str = "",
    ) -> None:
        """`certificate` with its key in one file; `capabilities`: those that are told, in place of
        its own; `prefix`: the namespace of all folders but INBOX."""
        self.folder = folder
        self._program = program("dovecot")
        self._certificate = certificate
        self._introspection_url = introspection_url
        self._capabilities = capabilities
        self._prefix = prefix
        self.imap, self.imaps, self.lmtp = free_port(), free_port(), free_port()
        for name in ("run", "state", "mail"):
            (folder / name).mkdir()
        self._configure()
        self.start()

    def start(self) -> None:
        config = str(self.folder / "dovecot.conf")
        self._start([self._program, "-F", "-c", config], self.folder / "stderr")
        wait_for(lambda: self._is_up() or self.process.poll() is not None, "Dovecot")
        assert self.process.poll() is None, self._said()

    def _is_up(self) -> bool:
        return greets(self.imap, b"* OK") and greets(self.lmtp, b"220")

    def _said(self) -> str:
        logs = (self.folder / name for name in ("stderr", "dovecot.log"))
        return "".join(log.read_text() for log in logs if log.exists())

    def maildir(self, user: str) -> Path:
        return self.folder / "mail" / user

    def number_anew(self, user: str) -> None:
        """Give the user's INBOX another UIDVALIDITY."""
        command = [
            "doveadm",
            "-c",
            str(self.folder / "dovecot.conf"),
            "mailbox",
            "update",
            "-u",
            user,
        ]
        number = str(int(time.time()) + 100_000)
        subprocess.run(
            [*command, "--uid-validity", number, "INBOX"], check=True, capture_output=True
        )

    def _configure(self) -> None:
        version = subprocess.run(
            [self._program, "--version"], capture_output=True, text=True, check=True
        )
        new = not version.stdout.startswith("2.3")
        root = os.getuid() == 0
        me, my_group = getpass.getuser(), grp.getgrgid(os.getgid()).gr_name
        # it refuses to deliver as root
        owner = pwd.getpwnam("nobody") if root else pwd.getpwuid(os.getuid())
        os.chown(self.folder / "mail", owner.pw_uid, owner.pw_gid)
        folder, url = self.folder, self._introspection_url
        (folder / "oauth2.ext").write_text(
            f"introspection_mode = post\nintrospection_url = {url}\nusername_attribute = email\n"
            "active_attribute = active\nactive_value = true\n"
        )
        names = (
            ("ssl_server_cert_file = ", "ssl_server_key_file = ")
            if new
            else ("ssl_cert = <", "ssl_key = <")
        )
        told = self._capabilities
        oauth = bearer = ""
        if url:
            oauth = configuration(f"dovecot_oauth_{24 if new else 23}.conf", d=folder, url=url)
            bearer = "xoauth2 = yes" if new else "xoauth2"
        (folder / "dovecot.conf").write_text(
            configuration(
                "dovecot.conf",
                "dovecot_24.conf" if new else "dovecot_23.conf",
                version="dovecot_config_version = 2.4.0\ndovecot_storage_version = 2.4.0"
                if new
                else "",
                d=folder,
                ssl="yes" if self._certificate else "no",
                certificate="\n".join(
                    f"{n}{self._certificate}" for n in names if self._certificate
                ),
                bearer=bearer,
                oauth=oauth,
                capability=f"imap_capability = {told}" if told else "",
                namespace=f"prefix = {self._prefix}\n  separator = {self._prefix[-1]}"
                if self._prefix
                else "",
                internal_user="dovecot" if root else me,
                internal_group="dovecot" if root else my_group,
                login_user="dovenull" if root else me,
                lmtp_user="root" if root else me,
                uid=owner.pw_uid,
                gid=owner.pw_gid,
                imap=self.imap,
                imaps=self.imaps,
                lmtp=self.lmtp,
            )
        )


# --- a wire that can be cut -----------------------------------------------------------------------
class Wire:
    """A port that leads to another one. It can be cut, or fall silent; its connections are
    counted."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        self.connections = 0
        self.silent = False
        self._ends: list[socket.socket] = []
        self._spawn(self._listen)

    def cut(self) -> None:
        """All connections that there are."""
        ends, self._ends = self._ends, []
        for end in ends:
            _shut(end)

    def close(self) -> None:
        _shut(self._door)
        self.cut()

    def _spawn(self, work: Callable[..., None], *arguments: object) -> None:
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                near, _ = self._door.accept()
            except OSError:
                return
            self.connections += 1
            try:
                far = socket.create_connection(("127.0.0.1", self._target), 5)
            except OSError:
                _shut(near)
                continue
            far.settimeout(None)
            self._ends += [near, far]
            self._spawn(self._carry, near, far)
            self._spawn(self._carry, far, near)

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if not self.silent:
                    target.sendall(data)
        _shut(source)
        _shut(target)


def _shut(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


# --- relays ---------------------------------------------------------------------------------------


def postfix_in(folder: Path, smtp: int, main: str, master: str) -> tuple[list[str], dict[str, str]]:
    """Write the files of a Postfix that listens at `smtp`; the command that starts it, and its
    environment."""
    owner = pwd.getpwnam("postfix")
    for name in ("etc", "queue", "data"):
        (folder / name).mkdir()
    os.chown(folder / "data", owner.pw_uid, owner.pw_gid)
    files = ("postfix_instance.cf", "postfix_main.cf")
    (folder / "etc" / "main.cf").write_text(configuration(*files, d=folder, main=main))
    master_cf = configuration("postfix_master.cf", smtp=smtp, master=master)
    (folder / "etc" / "master.cf").write_text(master_cf)
    long_ago = time.time() - 60  # Postfix waits until its files are not too new
    for path in (folder / "etc").iterdir():
        os.utime(path, (long_ago, long_ago))
    etc = str(folder / "etc")
    subprocess.run([program("postfix"), "-c", etc, "check"], check=True, capture_output=True)
    return ["/usr/lib/postfix/sbin/master", "-s", "-c", etc], {**os.environ, "MAIL_CONFIG": etc}


class Postfix(Child):
    """A relay that listens at `smtp`; needs root. `main` and `master` are lines for its two
    files."""

    def __init__(self, folder: Path, main: str, master: str = "") -> None:
        program("postfix")
        self.folder = folder
        self.smtp = free_port()
        command, environment = postfix_in(folder, self.smtp, main, master)
        self._start(command, folder / "stdout", environment)
        wait_for(lambda: greets(self.smtp, b"220"), "Postfix")

    def log(self) -> str:
        path = self.folder / "postfix.log"
        return path.read_text() if path.exists() else ""


class Exim(Child):
    """A relay that listens at `smtp`. `transport` is where letters for the contest go.

    It runs as an ordinary user: as whoever runs the tests, or as its own user where that is root.
    """

    def __init__(self, folder: Path, transport: str) -> None:
        # A copy, as that user may not see the folder of the project.
        self._program = shutil.copy(program("exim4"), folder / "exim4")
        self.folder = folder
        self.smtp = free_port()
        user = pwd.getpwnam("Debian-exim") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        os.chown(folder, user.pw_uid, user.pw_gid)
        config = folder / "exim.conf"
        config.write_text(
            configuration(
                "exim.conf",
                exim=self._program,
                d=folder,
                smtp=self.smtp,
                user=user.pw_name,
                group=grp.getgrgid(user.pw_gid).gr_name,
                transport=transport,
            )
        )
        command = [str(self._program), "-C", str(config), "-bdf", "-q2s"]
        self._start(command, folder / "stdout", user=user if os.getuid() == 0 else None)
        wait_for(lambda: greets(self.smtp, b"220"), "Exim")

    def log(self) -> str:
        path = self.folder / "mainlog"
        return path.read_text() if path.exists() else ""
