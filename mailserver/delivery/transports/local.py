"""What all transports have in common, and the one without SMTP: a Maildir for each recipient."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import time
from pathlib import Path
from typing import Protocol

from contest.errors import DeliveryDeferred
from contest.util.folders import make_folder, sync_folder


class RelayUnreachable(DeliveryDeferred):
    """The relay is away, or does not want us: it is no use to try the next mail at once."""


class LimitReached(RelayUnreachable):
    """The relay takes no more mails of ours for now, whomever they are for."""


class RelayHungUp(RelayUnreachable):
    """The relay ended the conversation over this mail, or did not answer: either may be to blame.
    What becomes of the next mail, on a fresh connection, shows which."""


class Transport(Protocol):
    """Takes mails. `batch`: how many may be marked as sent together; more than one only where a
    mail that is sent again arrives once."""

    batch: int

    def send(self, sender: str, to: str, raw: bytes) -> str:
        """Returns the reply to the mail. `sender` is the envelope's: bounces go there.

        Raises DeliveryDeferred (again later) or DeliveryRefused (never).
        """

    def close(self) -> None:
        """Close connections; a later `send` opens them again."""

    def another(self) -> Transport | None:
        """Return the same way out with connections of its own, for the mails behind one that takes
        long; None where no mail does."""


_MAX_FOLDER_CHARACTERS = 200


class MaildirTransport:
    """The Maildirs below `root`."""

    batch = 20

    def __init__(self, root: Path) -> None:
        self._root = root
        self._kept: dict[Path, tuple[object, set[str]]] = {}

    def another(self) -> None:
        """A disk takes no mail longer than another."""

    def send(self, _sender: str, to: str, raw: bytes) -> str:
        """Write the complete mail or nothing, and only once, even if we are killed before we note
        it."""
        folder = self._root / folder_name(to)
        text = raw.replace(b"\r\n", b"\n")
        digest = hashlib.sha256(text).hexdigest()[:32]
        try:
            _make(folder)
            state, kept = self._kept.get(folder, (None, set()))
            if state != _state(folder):  # somebody else has changed it
                names = (name for box in _BOXES for name in os.listdir(folder / box))
                kept = {found[1] for name in names if (found := _DIGEST.search(name))}
            response = (
                "was kept before" if digest in kept else f"kept as {_keep(folder, digest, text)}"
            )
            kept.add(digest)
            self._kept[folder] = (_state(folder), kept)
        except OSError as error:
            raise RelayUnreachable(f"cannot write to {self._root}: {error}") from error
        return response

    def close(self) -> None:
        pass


_BOXES = ("new", "cur")
_DIGEST = re.compile(r"D([0-9a-f]{32})\.")


def _state(folder: Path) -> tuple[int, ...]:
    """Return a value that changes with any change of the mails in the Maildir."""
    return tuple(os.stat(folder / box).st_mtime_ns for box in _BOXES)


def _make(folder: Path) -> None:
    """Make and fsync the missing folders of the Maildir; we may have been killed between two of
    them."""
    missing = [folder / box for box in ("tmp", "new", "cur") if not (folder / box).is_dir()]
    for box in missing:
        make_folder(box)
    if missing:
        for changed in (folder, folder.parent, folder.parent.parent):
            sync_folder(changed)


def _keep(folder: Path, digest: str, text: bytes) -> str:
    """Write and sync the mail in tmp/, then move it to new/; its name, which sorts by time."""
    seconds, rest = divmod(time.time_ns(), 1_000_000_000)
    host = re.sub(r"[^A-Za-z0-9.-]", "_", socket.gethostname())
    name = f"{seconds}.M{rest // 1_000:06}D{digest}.{host}"
    draft = folder / "tmp" / name
    try:
        with open(draft, "xb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(folder / "new" / name)
        sync_folder(folder / "new")
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    return name


def folder_name(address: str) -> str:
    """Return the name of a recipient's folder: its address, with %XX for characters that file
    systems reject."""
    safe = re.sub(
        r"[^a-z0-9@._+-]|^\.",
        lambda m: "".join(f"%{b:02X}" for b in m[0].encode()),
        address.lower(),
    )
    return safe[:_MAX_FOLDER_CHARACTERS]
