"""Play a season of KNOBELN with nothing but a mailbox: register, send a program, read, send another
one.

    MAIL_PASSWORD=... python season_by_mail.py knobeln@contest.example me@mail.example
    smtp.mail.example
        imap.mail.example form.txt first.c second.c third.c

The form is that of the announcement, with `mail-preference: JSON`. The programs play one tournament
each; after that the one that came farthest plays again. The mailbox is for this program alone. With
`--plain` nothing is encrypted, and servers have ports: `localhost:8025`.

Nothing below "quoted" decides what happens here: it is what other people wrote.
"""

from __future__ import annotations

import argparse
import email
import email.policy
import imaplib
import json
import os
import smtplib
import time
from collections.abc import Iterator, Mapping
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


class Mailbox:
    """What we have: a way to send, and a place to read."""

    def __init__(self, words: argparse.Namespace) -> None:
        self.words, self.password = words, os.environ["MAIL_PASSWORD"]
        self.seen: set[str] = set()

    def send(self, subject: str, text: str) -> None:
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = self.words.user, self.words.robot, subject
        # the same words again are a new letter
        mail["Message-ID"], mail["Date"] = make_msgid(), localtime()
        mail.set_content(text)
        server = urlsplit(f"//{self.words.smtp}")
        if self.words.plain:
            with smtplib.SMTP(server.hostname or "", server.port or 25) as client:
                client.send_message(mail)
            return
        with smtplib.SMTP_SSL(server.hostname or "", server.port or 465) as client:
            client.login(self.words.user, self.password)
            client.send_message(mail)

    def records(self) -> Iterator[Mapping[str, Any]]:
        """What the contest tells, mail by mail, for ever. A mail may come twice, with one
        Message-ID."""
        server = urlsplit(f"//{self.words.imap}")
        kind = imaplib.IMAP4 if self.words.plain else imaplib.IMAP4_SSL
        while True:
            with kind(
                server.hostname or "", server.port or (143 if self.words.plain else 993)
            ) as client:
                client.login(self.words.user, self.password)
                client.select("INBOX")
                for number in client.search(None, "UNSEEN")[1][0].split():
                    ((_, raw), *_) = client.fetch(number, "(RFC822)")[1]
                    yield from self._read(
                        email.message_from_bytes(raw, policy=email.policy.default)
                    )
            time.sleep(self.words.pause)

    def _read(self, mail: EmailMessage) -> Iterator[Mapping[str, Any]]:
        if self.words.robot not in str(mail["From"]) or mail["Message-ID"] in self.seen:
            return
        self.seen.add(mail["Message-ID"])
        for part in mail.iter_attachments():
            if part.get_filename() == "knobeln.json":
                record = json.loads(part.get_content())
                if record["version"] == 1:
                    yield record


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    for name in ("robot", "user", "smtp", "imap"):
        parser.add_argument(name)
    parser.add_argument("form", type=Path)
    parser.add_argument("programs", type=Path, nargs="+")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument(
        "--pause", type=float, default=60, help="seconds between two looks at the mailbox"
    )
    words = parser.parse_args()
    mailbox = Mailbox(words)
    mailbox.send("registration for KNOBELN", words.form.read_text())

    left = list(words.programs)  # not yet played
    places: dict[Path, int] = {}  # the best place of each program
    now = left.pop(0)
    from_line = ""
    for record in mailbox.records():
        match record["kind"]:
            case "welcome":
                # The name is quoted, too: the contest may have changed the one that we asked for.
                name = record["quoted"]["teams"][record["team"]]
                from_line = f"/* <<FROM>> {name} {record['string']} */\n"
            case "compile report" if not record["accepted"] and left:
                now = left.pop(0)
            case "tournament":
                if record["place"]:
                    places[now] = min(record["place"], places.get(now, record["place"]))
                before = now
                now = left.pop(0) if left else min(places, key=places.__getitem__, default=now)
                if now == before:
                    continue  # it plays again by itself
            case "season":
                print(json.dumps({str(program): place for program, place in places.items()}))
                return
            case _:
                continue
        mailbox.send("please compile", from_line + now.read_text())


if __name__ == "__main__":
    main()
