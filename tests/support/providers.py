"""Real servers that behave as providers do, in a network of their own, with real names and ports.

A holder keeps a network and a file system in which only loopback is there, and /etc/resolv.conf
names our own name server. All servers, and `knobeln`, enter it. Only root can make it.

127.0.0.1 takes passwords: those of accounts, or of programs alone. 127.0.0.2 takes access tokens.
"""

import ctypes
import json
import os
import pwd
import smtplib
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import trustme
from imapclient import IMAPClient

from tests.support.servers import NOT_OURS, Child, configuration, postfix_in, program, wait_for

ROOT = Path(__file__).parents[2]
NAMES = (
    "imap.gmail.com",
    "smtp.gmail.com",
    "imap.gmx.net",
    "mail.gmx.net",
    "outlook.office365.com",
    "smtp.office365.com",
    "login.microsoftonline.com",
    "autoconfig.club.example",
    "club.example",
    "post.club.example",
    "imap.guessed.example",
    "mail.guessed.example",
    "localhost",
)
APP_USERS = ("robot", "teacher", "spring")  # at Gmail, where programs have a password of their own
APP_PASSWORD = "abcdefghijklmnop"
_WANTED = "Application-specific_password_required"  # a word, as its file has it
SECRET = "secret"
T = TypeVar("T")


class _Part(Child):
    """A server within that network."""

    def __init__(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
    ):
        self._start(list(command), log, dict(environment) if environment else None)


class Providers:
    """The servers, at work until `stop`. Every name has a mailbox, with the password `secret`."""

    def __init__(self, folder: Path, authority: trustme.CA) -> None:
        self.folder = folder
        folder.chmod(0o755)
        self._records: dict[str, dict[str, list[str]]] = {name: {} for name in NAMES}
        for name in ("outlook.office365.com", "smtp.office365.com"):
            self._records[name] = {"A": ["127.0.0.2"]}
        self._write_names()
        authority.cert_pem.write_to_path(str(folder / "authority.pem"))
        self._certify(authority)
        (folder / "resolv.conf").write_text("nameserver 127.0.0.1\n")
        self._parts: list[Child] = [self._holder()]
        self._enter = ["nsenter", "-t", str(self._parts[0].process.pid), "-n", "-m"]
        self._inside = ThreadPoolExecutor(1, initializer=self._join_network)
        self._run_server(
            [sys.executable, str(ROOT / "tests/support/web_of_providers.py"), str(folder)]
        )
        wait_for((folder / "is-up").exists, "the names")
        self._dovecot("passwords", "127.0.0.1", "plain login", _PASSWORDS)
        self._dovecot("tokens", "127.0.0.2", "xoauth2", _TOKENS)
        self._postfix()
        for address, port in (
            ("127.0.0.1", 143),
            ("127.0.0.2", 143),
            ("127.0.0.1", 587),
            ("127.0.0.2", 587),
        ):
            wait_for(lambda at=(address, port): self.inside(_greets, *at), f"port {port}")

    def stop(self) -> None:
        for part in reversed(self._parts):
            part.stop()
        self._inside.shutdown()

    # --- what tests use ---------------------------------------------------------------------------
    def inside(self, work: Callable[..., T], *arguments: Any) -> T:
        """What this function returns within the network."""
        return self._inside.submit(work, *arguments).result(60)

    def knobeln(
        self, *words: object, given: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Give a command of ours, with this on its standard input."""
        return subprocess.run(
            [*self._enter, sys.executable, "-m", "knobeln", *map(str, words)],
            input=given,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
            env=self._environment(environment),
        )

    def python(self, program: str) -> str:
        """What this program prints."""
        command = [*self._enter, sys.executable, "-c", program]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, env=self._environment({})
        ).stdout

    def start_knobeln(self, *words: object, **environment: str) -> Child:
        """Start a command of ours, such as `serve`."""
        command = [*self._enter, sys.executable, "-m", "knobeln", *map(str, words)]
        return self._keep(
            _Part(command, self.folder / "knobeln.log", self._environment(environment))
        )

    def name(self, name: str, **records: list[str]) -> None:
        """Give this name these records."""
        self._records[name] = records
        self._write_names()

    def page(self, url: str, text: str) -> None:
        """Put a file on the web."""
        scheme, _, place = url.partition("://")
        file = self.folder / "web" / scheme / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def mailbox(self, user: str, password: str = SECRET, folder: str = "INBOX") -> list[bytes]:
        """The letters in a folder of this user, whole."""
        return [letter for letter, _flags in self._look(user, password, folder)]

    def flags(self, user: str, password: str = SECRET, folder: str = "INBOX") -> list[set[bytes]]:
        """The flags of these letters, without those that say nothing of readers."""
        return [set(flags) - NOT_OURS for _letter, flags in self._look(user, password, folder)]

    def _look(self, user: str, password: str, folder: str) -> list[tuple[bytes, tuple[bytes, ...]]]:
        def read() -> list[tuple[bytes, tuple[bytes, ...]]]:
            with self._client(user, password) as client:
                client.select_folder(folder, readonly=True)
                found = client.fetch(client.search(), ["BODY.PEEK[]", "FLAGS"])
                return [(facts[b"BODY[]"], facts[b"FLAGS"]) for facts in found.values()]

        return self.inside(read)

    @contextmanager
    def _client(self, user: str, password: str) -> Iterator[IMAPClient]:
        domain = "@gmail.com" if password == APP_PASSWORD else ""
        with IMAPClient("127.0.0.1", 143, ssl=False, timeout=20) as client:
            client.login(f"{user}{domain}", password)
            yield client

    def folders(self, user: str, password: str = SECRET) -> dict[str, int]:
        """How many letters the folders of this user have that have any."""
        names = self.inside(self._folder_names, user, password)
        counts = {name: len(self.mailbox(user, password, name)) for name in names}
        return {name: count for name, count in counts.items() if count}

    def _folder_names(self, user: str, password: str) -> list[str]:
        with self._client(user, password) as client:
            return [str(name) for _flags, _delimiter, name in client.list_folders()]

    def put(self, user: str, letter: bytes, folder: str = "INBOX") -> None:
        """Put a letter into a folder of this user."""

        def put() -> None:
            with IMAPClient("127.0.0.1", 143, ssl=False, timeout=20) as client:
                client.login(user, SECRET)
                client.append(folder, letter)

        self.inside(put)

    def remove(self, user: str, folder: str) -> None:
        """Remove all letters from a folder of this user."""

        def remove() -> None:
            with self._client(user, SECRET) as client:
                client.select_folder(folder)
                client.delete_messages(client.search())
                client.expunge()

        self.inside(remove)

    def enter_code(self, person: str) -> None:
        """Let this person enter the code at the issuer."""
        (self.folder / "entered").write_text(person)

    def bring(self, sender: str, to: str, letter: str) -> None:
        """Send a letter to somebody, as another provider does."""

        def send() -> None:
            with smtplib.SMTP(
                "127.0.0.1", 25, local_hostname="other.example", timeout=20
            ) as client:
                client.sendmail(sender, [to], letter.encode())

        self.inside(send)

    # --- servers ----------------------------------------------------------------------------------
    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        ours = {"SSL_CERT_FILE": str(self.folder / "authority.pem"), "PYTHONPATH": str(ROOT)}
        return {**os.environ, **ours, **more}

    def _keep(self, part: Child) -> Child:
        self._parts.append(part)
        return part

    def _run_server(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> Child:
        return self._keep(_Part([*self._enter, *command], self.folder / "log", environment))

    def _certify(self, authority: trustme.CA) -> None:
        file = self.folder / "certificate.pem"
        file.unlink(missing_ok=True)
        authority.issue_cert(*NAMES).private_key_and_cert_chain_pem.write_to_path(str(file))
        file.chmod(0o644)

    def _write_names(self) -> None:
        draft = self.folder / "names.draft"
        draft.write_text(json.dumps(self._records))
        draft.replace(self.folder / "names.json")

    def _holder(self) -> Child:
        ready = self.folder / "ready"
        # a new network has room for ten lines of Postfix's log: then its parts wait for each other
        script = (
            "echo 512 > /proc/sys/net/unix/max_dgram_qlen && ip link set lo up"
            f" && mount --bind {self.folder}/resolv.conf /etc/resolv.conf"
            f" && touch {ready} && exec sleep infinity"
        )
        holder = _Part(["unshare", "--net", "--mount", "sh", "-c", script], self.folder / "log")
        wait_for(ready.exists, "a network of its own")
        return holder

    def _join_network(self) -> None:
        """Let this thread use the holder's network."""
        with open(f"/proc/{self._parts[0].process.pid}/ns/net") as network:
            if ctypes.CDLL(None, use_errno=True).setns(network.fileno(), 0):
                raise OSError(ctypes.get_errno(), "setns")

    def _dovecot(self, name: str, address: str, mechanisms: str, passdb: str) -> None:
        folder = self.folder / name
        for each in (folder, *(folder / part for part in ("run", "state", "mail"))):
            each.mkdir()
        nobody = pwd.getpwnam("nobody")
        os.chown(folder / "mail", nobody.pw_uid, nobody.pw_gid)
        (folder / "oauth2.ext").write_text(
            "introspection_mode = post\nintrospection_url = http://login.microsoftonline.com/introspect\n"
            "username_attribute = email\nactive_attribute = active\nactive_value = true\n"
        )
        people = [f"{name}@gmail.com" for name in APP_USERS]
        (folder / "apps").write_text(
            "".join(f"{person}:{{PLAIN}}{APP_PASSWORD}\n" for person in people)
        )
        (folder / "accounts").write_text(
            "".join(
                f"{person}:{{PLAIN}}secret::::::nologin=y reason={_WANTED}\n" for person in people
            )
        )
        settings = configuration(
            "provider_dovecot.conf",
            d=folder,
            address=address,
            mechanisms=mechanisms,
            certificate=self.folder / "certificate.pem",
            passdb=passdb.replace("${d}", str(folder)),
        )
        (folder / "dovecot.conf").write_text(settings)
        self._run_server([program("dovecot"), "-F", "-c", str(folder / "dovecot.conf")])

    def _postfix(self) -> None:
        folder = self.folder / "postfix"
        folder.mkdir()
        master = configuration(
            "provider_master.cf", passwords=self.folder / "passwords", tokens=self.folder / "tokens"
        )
        self._run_server(*postfix_in(folder, 2525, _MAIN.format(d=self.folder), master))


# Gmail sends all mails of an account under the envelope sender of that account.
_MAIN = r"""
transport_maps = inline:{{
  {{school.example = lmtp:inet:127.0.0.2:24}} {{gone.example = smtp:[127.0.0.1]:25}} }}
sender_canonical_maps = regexp:{{ {{ /^([a-z]+)\+.*(@gmail\.com)/ $${{1}}$${{2}} }} }}
sender_canonical_classes = envelope_sender
default_transport = lmtp:inet:127.0.0.1:24
relay_domains =
smtpd_relay_restrictions = permit_sasl_authenticated, permit_mynetworks, reject
smtpd_recipient_restrictions = permit_sasl_authenticated, reject
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_tls_cert_file = {d}/certificate.pem
smtpd_tls_key_file = {d}/certificate.pem
smtpd_tls_security_level = may
"""
_PASSWORDS = """
passdb {
  driver = passwd-file
  args = ${d}/apps
}
passdb {
  driver = passwd-file
  args = ${d}/accounts
}
passdb {
  driver = static
  args = password=secret
  username_filter = !*@gmail.com
}
"""
_TOKENS = """
passdb {
  driver = oauth2
  mechanisms = xoauth2
  args = ${d}/oauth2.ext
}
"""


def _greets(address: str, port: int) -> bool:
    try:
        with socket.create_connection((address, port), 20) as client:
            return client.recv(200).startswith((b"* OK", b"220"))
    except OSError:
        return False
