"""Whole texts that are compared with files, byte for byte."""

from __future__ import annotations

import csv
import os
from pathlib import Path

from contest.model import Outgoing

GOLDEN = Path(__file__).parents[1] / "reports_tests" / "golden"


def whole_mail(mail: Outgoing) -> str:
    """What its reader sees, with the tables that are attached."""
    attached = "".join(f"Attachment: {each.name}\n" for each in mail.attachments)
    tables = "".join(
        f"\n{each.data.decode()}" for each in mail.attachments if each.media_type == "text/csv"
    ).replace("\r", "")
    return f"To: {mail.to}\nSubject: {mail.subject}\n{attached}\n{mail.lead}{mail.body}{tables}"


def csv_rows(mail: Outgoing) -> list[dict[str, str]]:
    """The rows of the attached table."""
    (table,) = mail.attachments
    return list(csv.DictReader(table.data.decode().splitlines()))


def compare(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("KNOBELN_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    assert text.encode() == path.read_bytes(), f"{path.name} looks different"
