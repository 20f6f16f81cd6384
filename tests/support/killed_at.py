"""Runs `knobeln` and kills it, as `kill -9` does, the first time it gets to one step: of a letter's
way, or of `knobeln teams tell`.

    python killed_at.py STEP MARK serve -C DIR

The file MARK is made just before, so that a second start lives on. With ON_ANOTHER_COMPUTER in the
environment, the other processes cannot see that this one is dead.
"""

import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Step: (module, function or class.method, when).
STEPS = {
    "before the letter is added": ("store.letters", "add_all", "before"),
    "the letter is added, not committed": ("store.letters", "add_all", "after"),
    "the letter is committed, nobody is told": ("mailserver.intake.accept", "accept_all", "after"),
    "before the letter is begun": ("knobeln.letter_service", "LetterService._begin", "before"),
    "the letter is begun, not committed": ("store.begun", "begin", "after"),
    "the letter is begun": ("knobeln.letter_service", "LetterService._begin", "after"),
    "the letter is read": ("knobeln.letter_service", "LetterService._read", "after"),
    "the program is queued, not committed": ("store.submissions", "add", "after"),
    "the entry is in the ledger, not committed": ("store.ledger", "append", "after"),
    "before the letter is marked": ("store.letters", "finish", "before"),
    "the letter is marked, not committed": ("store.letters", "finish", "after"),
    "the letter's effect is committed": (
        "knobeln.letter_service",
        "LetterService._handle",
        "after",
    ),
    "the program is claimed, not committed": ("store.claims", "Claims.take", "after"),
    "before the compiler": ("compiler.toolchain", "Toolchain.compile", "before"),
    "after the compiler": ("compiler.service", "CompileService._keep", "before"),
    "before the report is queued": ("store.outbox", "put", "before"),
    "the report is queued, not committed": ("store.outbox", "put", "after"),
    "sending the report is begun, not committed": ("store.outbox", "begin", "after"),
    "sending the report is begun": ("store.outbox", "with_bytes", "after"),
    "before the report's file is whole": ("os", "fsync", "before"),
    "the report's file is whole": ("os", "fsync", "after"),
    "before the report is marked": ("store.outbox", "mark", "before"),
    "the report is marked, not committed": ("store.outbox", "mark", "after"),
    "before the mailbox gives the letter": ("mailserver.intake.imap", "Mailbox._fetched", "before"),
    "the mailbox has given the letter": ("mailserver.intake.imap", "Mailbox._fetched", "after"),
    "before the letter is put away": ("mailserver.intake.imap", "Mailbox._put_away", "before"),
    "the letter is put away": ("mailserver.intake.imap", "Mailbox._put_away", "after"),
    "the letter is copied": ("imapclient", "IMAPClient.copy", "after"),
    "the letter is flagged": ("imapclient", "IMAPClient.add_flags", "after"),
    "the letter is expunged": ("imapclient", "IMAPClient.expunge", "after"),
    "the letter is handed over": ("knobeln.server.gateway", "Gateway._take_named", "before"),
    "the letter handed over is added": ("store.letters", "add", "after"),
    "the letter handed over is committed": ("mailserver.intake.accept", "accept", "after"),
}

TELL_STEPS = {
    "the words are queued, not committed": ("store.outbox", "put_all", "after"),
    "the words are committed, nobody was told so": (
        "knobeln.cli.dry_run",
        "print_outcome",
        "before",
    ),
}


def arm(step: str, mark: Path, replace: Callable[[Any, str, Any], None] = setattr) -> None:
    module, path, when = (STEPS | TELL_STEPS)[step]
    owner: Any = importlib.import_module(module)
    *names, last = path.split(".")
    for name in names:
        owner = getattr(owner, name)
    replace(owner, last, deadly(getattr(owner, last), when, mark))


def deadly(function: Callable[..., Any], when: str, mark: Path) -> Callable[..., Any]:
    def replacement(*arguments: Any, **named: Any) -> Any:
        if when == "before":
            die_once(mark)
        result = function(*arguments, **named)
        die_once(mark)
        return result

    return replacement


def die_once(mark: Path) -> None:
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ in ("__main__", "__mp_main__"):  # the latter: in the listener's process
    arm(sys.argv[1], Path(sys.argv[2]))
    if "ON_ANOTHER_COMPUTER" in os.environ:
        from knobeln import services

        services._boot = lambda: "of another computer"

if __name__ == "__main__":
    from knobeln.cli import main

    main(sys.argv[3:])
