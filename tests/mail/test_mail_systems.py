"""Letters that real mail systems bring: Postfix where the tests run as root, Exim; and filters."""

import os
import pwd
import re
import shutil
import smtplib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.errors import StoreBusy
from contest.model import IncomingLetter
from contest.schema.sections import Contest, Mail
from contest.util.clock import SystemClock
from knobeln.context import ContestContext, create_contest
from mailserver.intake.accept import accept_all
from mailserver.intake.smtp import Listener
from store import Store, letters
from tests.support.mail_world import OPENS, make_settings
from tests.support.servers import Exim, Postfix, free_port, program, wait_for, world_readable_folder

ROOT = Path(__file__).parents[2]
ROBOT = "knobeln@contest.example"
JOE = "joe@club.example"
LETTER = (
    b"From: joe@club.example\r\nTo: knobeln@contest.example\r\nSubject: status\r\n\r\nHow is"
    b" it?\r\n"
)


@pytest.fixture
def place() -> Iterator[Path]:
    with world_readable_folder() as folder:
        yield folder


@contextmanager
def listening(
    store: Store, place: Path, **mail: object
) -> Iterator[tuple[Listener, list[Exception]]]:
    """Our listener, which fails as long as there are exceptions in the list."""
    failures: list[Exception] = []

    def keep(arrivals: Sequence[IncomingLetter]) -> None:
        if failures:
            raise failures[0]
        accept_all(store, arrivals, str(mail.get("listen_protocol", "smtp")), OPENS)

    listener = Listener(make_settings(mail=Mail(**mail)), keep, place)
    listener.start()
    yield listener, failures
    listener.stop()


@contextmanager
def postfix(place: Path, main: str, master: str = "") -> Iterator[Postfix]:
    (place / "postfix").mkdir()
    server = Postfix(place / "postfix", main, master)
    try:
        yield server
    except AssertionError as error:
        raise AssertionError(f"{error}\n{server.log()}") from error
    finally:
        server.stop()


def send(
    port: int, raw: bytes = LETTER, recipients: tuple[str, ...] = (ROBOT,), sender: str = JOE
) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=20) as client:
        client.sendmail(sender, recipients, raw)


def kept(store: Store) -> list[dict[str, object]]:
    with store.read() as tx:
        found = [(row, letters.get(tx, row.id)) for row in letters.listing(tx, None, 50)]
    return [{**vars(row), "letter": letter} for row, letter in found]


# --- Postfix --------------------------------------------------------------------------------------
@pytest.mark.needs_root  # as Postfix does
def test_postfix_brings_letters_encrypted_and_checks_the_certificate(
    store: Store, place: Path
) -> None:
    authority = trustme.CA()
    authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(
        place / "server.pem"
    )
    authority.cert_pem.write_to_path(place / "authority.pem")
    port = free_port()
    main = (
        f"transport_maps = inline:{{ contest.example=smtp:[localhost]:{port}"
        " }\nsmtp_tls_security_level = secure\nsmtp_tls_loglevel = 1\nsmtp_tls_CAfile ="
        f" {place}/authority.pem\n"
    )
    with (
        listening(store, place, listen=f"127.0.0.1:{port}", tls_certificate="server.pem"),
        postfix(place, main) as relay,
    ):
        send(relay.smtp)
        wait_for(lambda: "status=sent (250 2.0.0 OK, the letter is kept)" in relay.log())
        assert "Trusted TLS connection" in relay.log() or "Verified TLS connection" in relay.log()
    assert kept(store)[0]["sender"] == JOE


@pytest.mark.needs_root  # as Postfix does
@pytest.mark.parametrize("door", ["inet", "unix"])
def test_postfix_brings_letters_by_lmtp_and_hears_of_each_recipient(
    store: Store, place: Path, door: str
) -> None:
    port = free_port()
    where = f"inet:127.0.0.1:{port}" if door == "inet" else f"unix:{place}/door/lmtp"
    program("postfix")
    (place / "door").mkdir()
    shutil.chown(place / "door", group="postfix")
    (place / "door").chmod(0o2750)  # what is made in it belongs to the group
    settings = {"listen": f"127.0.0.1:{port}"} if door == "inet" else {"listen": "door/lmtp"}
    main = f"transport_maps = inline:{{ contest.example=lmtp:{where} }}"
    with listening(store, place, listen_protocol="lmtp", **settings), postfix(place, main) as relay:
        send(relay.smtp, recipients=(ROBOT, "prechelt@contest.example", "jane@contest.example"))
        wait_for(lambda: relay.log().count("status=sent") == 2)
        wait_for(lambda: re.search(r"to=<jane@contest.example>.*status=bounced", relay.log()))
    (row,) = kept(store)
    assert row["channel"] == "lmtp"
    assert row["letter"].recipients == (ROBOT, "prechelt@contest.example")


@pytest.mark.slow
@pytest.mark.needs_root  # as Postfix does
def test_postfix_keeps_a_letter_that_we_cannot_take_now_and_brings_it_again(
    store: Store, place: Path
) -> None:
    port = free_port()
    main = f"transport_maps = inline:{{ contest.example=smtp:[127.0.0.1]:{port} }}"
    with (
        listening(store, place, listen=f"127.0.0.1:{port}") as (_, failures),
        postfix(place, main) as relay,
    ):
        failures.append(StoreBusy("locked"))
        send(relay.smtp)
        wait_for(lambda: "status=deferred" in relay.log())
        assert "451 4.3.0" in relay.log()
        assert kept(store) == []
        failures.clear()
        wait_for(lambda: len(kept(store)) == 1)


# --- Exim -----------------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.night
def test_exim_brings_letters_also_after_we_could_not_take_them(store: Store, place: Path) -> None:
    port = free_port()
    (place / "exim").mkdir()
    transport = (
        f"  driver = smtp\n  hosts = 127.0.0.1\n  port = {port}\n  allow_localhost\n "
        " hosts_override\n"
    )
    with listening(store, place, listen=f"127.0.0.1:{port}") as (_, failures):
        failures.append(StoreBusy("locked"))
        relay = Exim(place / "exim", transport)
        try:
            send(relay.smtp)
            wait_for(lambda: "451 4.3.0" in relay.log())
            failures.clear()
            wait_for(lambda: len(kept(store)) == 1)
        finally:
            relay.stop()
    assert kept(store)[0]["sender"] == JOE


# --- swaks and mutt, as people try it -------------------------------------------------------------


def test_mutt_brings_a_letter_with_an_attachment(store: Store, place: Path) -> None:
    (place / "strategy.c").write_text("main() {}\n")
    with listening(store, place, listen="127.0.0.1:0") as (listener, _):
        url = f"set smtp_url=smtp://127.0.0.1:{listener.port}/ ssl_force_tls=no from={JOE} copy=no"
        done = subprocess.run(
            [
                program("mutt"),
                "-n",
                "-F",
                "/dev/null",
                "-e",
                url,
                "-s",
                "please compile",
                "-a",
                str(place / "strategy.c"),
                "--",
                ROBOT,
            ],
            input="Here it is.\n",
            env={**os.environ, "HOME": str(place)},
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    (row,) = kept(store)
    assert row["sender"] == JOE
    assert re.search(rb'filename="?strategy\.c"?', row["letter"].raw)


# --- the pipe, as mail systems and filters call it ------------------------------------------------
@pytest.fixture
def contest(place: Path) -> Iterator[ContestContext]:
    """A contest of a user who is not root, as mail systems insist."""
    now = SystemClock().now()
    folder = create_contest(
        place / "contest", Settings(contest=Contest(address=ROBOT), dates=usual_dates(now))
    )
    if os.getuid() == 0:
        owner = pwd.getpwnam("nobody")
        for path in (folder.path, *folder.path.rglob("*")):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    yield folder
    folder.store.close()


def receive(contest: ContestContext) -> str:
    """The command, as any user may give it: ours may lie in somebody's home."""
    paths = ":".join((str(ROOT), *(path for path in sys.path if path.endswith("site-packages"))))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{version}"):
        command = ["/usr/bin/env", f"PYTHONPATH={paths}", python, "-m", "knobeln"]
        if may_be_run(command):
            return f"{' '.join(command)} receive -C {contest.path}"
    pytest.skip(f"an unprivileged user can run neither {sys.executable} nor {version}")


def may_be_run(command: list[str]) -> bool:
    user = "nobody" if os.getuid() == 0 else None
    try:
        return (
            subprocess.run([*command, "--version"], user=user, check=False, cwd="/").returncode == 0
        )
    except OSError:
        return False


@contextmanager
def out_of_reach(contest: ContestContext) -> Iterator[None]:
    """The contest cannot be opened: `receive` says 75, try again."""
    elsewhere = contest.path.with_name("elsewhere")
    contest.path.rename(elsewhere)
    yield
    elsewhere.rename(contest.path)


@pytest.mark.slow
@pytest.mark.needs_root  # as Postfix does
def test_postfix_pipes_letters_with_their_envelope_and_waits_while_it_has_to(
    contest: ContestContext, place: Path
) -> None:
    master = (
        "knobeln unix - n n - 1 pipe\n  flags=R user=nobody null_sender=\n"
        f"  argv={receive(contest)} --sender=${{sender}} --recipient=${{recipient}}\n"
    )
    main = (
        "transport_maps = inline:{ contest.example=knobeln:"
        " }\nknobeln_destination_recipient_limit = 5"
    )
    with postfix(place, main, master) as relay:
        with out_of_reach(contest):
            send(relay.smtp, recipients=(ROBOT, "knobeln+7@contest.example"))
            wait_for(lambda: "status=deferred" in relay.log())
        wait_for(lambda: len(kept(contest.store)) == 1)
        send(relay.smtp, LETTER + b"y\r\n", sender="")
        wait_for(lambda: len(kept(contest.store)) == 2)
        send(relay.smtp, LETTER + b"0123456789\r\n" * 100_000)
        wait_for(lambda: "status=bounced" in relay.log())
    first, second = kept(contest.store)
    assert (first["sender"], first["channel"]) == (JOE, "pipe")
    assert set(first["letter"].recipients) == {ROBOT, "knobeln+7@contest.example"}
    assert (second["sender"], second["note"]) == ("", "a bounce (Return-Path <>)")


@pytest.mark.slow
@pytest.mark.needs_root  # as Postfix does
def test_postfix_follows_an_alias_or_forward_file_with_a_command(
    contest: ContestContext, place: Path
) -> None:
    main = (
        f'alias_maps = inline:{{ {{ robot = "|{receive(contest)}" }} }}\ndefault_privs = nobody\n'
    )
    with postfix(place, main) as relay:
        send(relay.smtp, recipients=("robot@local.example",))
        wait_for(lambda: len(kept(contest.store)) == 1)
    (row,) = kept(contest.store)
    assert (row["sender"], row["channel"]) == (JOE, "receive")
    assert row["letter"].recipients == ("robot@local.example",)
    assert not row["letter"].raw.startswith(b"From ")
