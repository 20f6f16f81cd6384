"""What is wrong with an image, in words for the team that sent it."""

from __future__ import annotations

from dataclasses import dataclass

from contest.sanitize import printable

_SHOWN = 80  # characters of a foreign name

HOW_TO_SEND = "send what `podman save` or `docker save` writes (one .tar file, gzipped if you like)"


@dataclass(frozen=True)
class Problem:
    """Why an image was not taken, in a sentence with the limit or the right form."""

    text: str


class Refused(Exception):
    """Inside sandbox/oci only: its text becomes a Problem."""


def shown(foreign: bytes | str) -> str:
    """A stranger's name for a sentence: printable, on one line and shortened, in quotes."""
    text = foreign.decode(errors="replace") if isinstance(foreign, bytes) else foreign
    text = " ".join(printable(text).split())
    return f'"{text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."}"'
