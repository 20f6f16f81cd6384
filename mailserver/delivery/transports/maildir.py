"""A Maildir for each recipient: for rehearsals, and where a local server reads them."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import time
from pathlib import Path

from contest.util.folders import make_folder, sync_folder
from mailserver.delivery.transports.base import RelayUnreachable

_MAX_FOLDER_CHARACTERS = 200


class MaildirTransport:
    """The Maildirs below `root`."""

    connections = 1

    def __init__(self, root: Path) -> None:
        self._root = root

    def send(self, _sender: str, to: str, raw: bytes) -> str:
        """Write the complete mail or nothing, and only once, even if we are killed before we note it."""
        folder = self._root / folder_name(to)
        text = raw.replace(b"\r\n", b"\n")
        digest = hashlib.sha256(text).hexdigest()[:32]
        try:
            _make(folder)
            if any(True for box in ("new", "cur") for _ in (folder / box).glob(f"*D{digest}.*")):
                return "was kept before"
            return f"kept as {_keep(folder, digest, text)}"
        except OSError as error:
            raise RelayUnreachable(f"cannot write to {self._root}: {error}") from error

    def close(self) -> None:
        pass


def _make(folder: Path) -> None:
    """Make and fsync the missing folders of the Maildir; we may have been killed between two of them."""
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
    """A recipient's folder: its address, with everything that a file system might mind as %XX."""
    safe = re.sub(
        r"[^a-z0-9@._+-]|^\.", lambda m: "".join(f"%{b:02X}" for b in m[0].encode()), address.lower()
    )
    return safe[:_MAX_FOLDER_CHARACTERS]
