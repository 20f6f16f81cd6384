"""`knobeln run` as a process of its own, and what it leaves behind."""

import mailbox
import re
import sys
import time
from collections import Counter
from datetime import datetime
from hashlib import sha256
from typing import Any

from knobeln.context import ContestContext
from tests.support.contest_field import settings
from tests.support.processes import Process, start

PATIENCE = 300.0  # seconds, on a computer that does much else
SMALL = settings(group_min=4, group_max=8, final_size=8)


def run(folder: ContestContext) -> Process:
    command = [sys.executable, "-m", "knobeln", "run", "--now", "-C", str(folder.path)]
    return start(command, folder.path.parent / "log")


def finish(process: Process, patience: float = PATIENCE) -> int:
    end = time.monotonic() + patience
    while (code := process.poll()) is None:
        assert time.monotonic() < end, "the run takes too long"
        time.sleep(0.01)
    return code


def without_times(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The dump without the clock: which times, the Date of mails, receipts of entries with other
    times, and what the Maildirs said."""
    names = {
        digest: sha256(_without_proof(content)).hexdigest() for digest, content in rows["contents"]
    }
    return {
        table: [tuple(_timeless(names.get(str(value), value)) for value in row) for row in found]
        for table, found in rows.items()
    }


_PROOF = re.compile(rb"(receipt\.tlog-proof.*?\r\n\r\n).*?(?=\r\n--)", re.DOTALL)
_BOUNDARY = re.compile(rb"=_[0-9a-f]{32}")


def _without_proof(content: bytes) -> bytes:
    return _BOUNDARY.sub(b"", _PROOF.sub(rb"\1", content))


def _timeless(value: Any) -> Any:
    if isinstance(value, datetime):
        return "a time"
    if isinstance(value, str) and value.startswith(("kept as ", "was kept before")):
        return "kept"
    if isinstance(value, bytes) and value.startswith(b"From: "):
        head = re.sub(rb"(X-Knobeln-Receipt: \d+)(?:(?:\r\n)? \S+)*", rb"\1", value)
        return tuple(line for line in head.split(b"\r\n") if not line.startswith(b"Date: "))
    return _without_proof(value) if isinstance(value, bytes) else value


def delivered(folder: ContestContext) -> Counter[tuple[str, str]]:
    boxes = (folder.path / "mail").iterdir()
    return Counter(
        (box.name, str(mail["Message-ID"])) for box in boxes for mail in mailbox.Maildir(box)
    )
