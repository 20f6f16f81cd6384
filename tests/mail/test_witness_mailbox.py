"""A witness whose mailbox is a real one: Postfix and Dovecot carry what `serve` asks and what is
answered."""

import email
import email.policy
import imaplib
import smtplib
import subprocess
import sys
from contextlib import ExitStack
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.model import LetterState
from contest.schema.sections import Contest, DeliveryKind, Mail, Tournament, Witness
from contest.util.clock import SystemClock
from knobeln.context import create_contest
from store import ledger, letters
from tests.support.kit_programs import receipts_of_kit
from tests.support.mail_world import BELIEVED
from tests.support.processes import start
from tests.support.servers import Dovecot, Postfix, free_port, wait_for, world_readable_folder

ROBOT, WITNESS = "knobeln@contest.example", "witness@example.org"
MAIN = """
transport_maps = inline:{{
  {{ {robot} = smtp:[127.0.0.1]:{port} }}, {{ example.org = lmtp:[127.0.0.1]:{lmtp} }} }}
relay_domains = example.org
"""


@pytest.mark.slow
@pytest.mark.needs_root
def test_a_witness_signs_the_deadline_from_its_mailbox() -> None:
    """Programs are no longer taken a few seconds after the server starts; it asks within a
    minute."""
    with world_readable_folder() as place, ExitStack() as servers:
        for name in ("home", "dovecot", "postfix"):
            (place / name).mkdir()
        receipts_of_kit(place / "home")
        port, dovecot = free_port(), Dovecot(place / "dovecot")
        servers.callback(dovecot.stop)
        postfix = Postfix(place / "postfix", MAIN.format(robot=ROBOT, port=port, lmtp=dovecot.lmtp))
        servers.callback(postfix.stop)
        key = witness(place / "home", "new", WITNESS).strip()
        now = SystemClock().now().replace(microsecond=0)
        dates = usual_dates(now).model_copy(
            update={
                "registration_closes": now + timedelta(seconds=1),
                "compilation_closes": now + timedelta(seconds=2),
                "contest_starts": now + timedelta(hours=1),
            }
        )
        settings = Settings(
            contest=Contest(address=ROBOT, organizer_address="organizer@example.org"),
            dates=dates,
            mail=Mail(
                listen=f"127.0.0.1:{port}",
                delivery=DeliveryKind.SMTP,
                smarthost=f"127.0.0.1:{postfix.smtp}",
                security="none",
            ),
            registration=BELIEVED,
            tournament=Tournament(witnesses=(Witness(key=key, address=WITNESS),)),
        )
        contest = create_contest(place / "contest", settings)
        servers.callback(contest.store.close)
        command = [sys.executable, "-m", "knobeln", "serve", "-C", str(contest.path)]
        servers.callback(start(command, place / "log").terminate)

        asked = newest_in(dovecot, "cosign")
        (place / "home" / "mail.eml").write_bytes(asked)
        line = witness(place / "home", "mail.eml")
        mail = email.message_from_bytes(asked, policy=email.policy.default)
        reply = EmailMessage()
        reply["From"], reply["To"], reply["Message-ID"] = (
            WITNESS,
            mail["Reply-To"],
            "<1@example.org>",
        )
        reply["Subject"], reply["In-Reply-To"] = f"Re: {mail['Subject']}", mail["Message-ID"]
        reply.set_content(f"{line}\n-- \nThe witness\n")
        with smtplib.SMTP("127.0.0.1", postfix.smtp, timeout=10) as client:
            client.send_message(reply)
        assert b"has signed the ledger of" in newest_in(dovecot, "signature")
        with contest.store.read() as tx:
            ((number, owner, signature),) = ledger.cosignatures_asked(tx)
            assert (str(owner), len(signature or b"")) == (key, 72)
            assert number <= ledger.count(tx)
            assert letters.count_by_state(tx) == {LetterState.HANDLED: 1}


def witness(home: Path, *arguments: str) -> str:
    command = [sys.executable, "witness.py", *arguments]
    return subprocess.run(command, cwd=home, capture_output=True, text=True, check=True).stdout


def newest_in(dovecot: Dovecot, subject: str) -> bytes:
    """The mail with this word in its subject in the witness's mailbox, as soon as it is there."""
    found: list[bytes] = []

    def is_there() -> bool:
        with imaplib.IMAP4("127.0.0.1", dovecot.imap, timeout=20) as client:
            client.login(WITNESS, "secret")
            client.select()
            _, numbers = client.search(None, "SUBJECT", subject)
            for number in numbers[0].split():
                _, data = client.fetch(number, "(RFC822)")
                found.append(data[0][1])  # type: ignore[index,arg-type]
        return bool(found)

    wait_for(is_there, f"the mail about {subject}", 150)
    return found[-1]
