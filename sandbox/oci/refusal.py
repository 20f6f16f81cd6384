"""Why an image is refused, in a sentence for the team that sent it."""

from __future__ import annotations

from dataclasses import dataclass

from contest.sanitize import sanitize

_MAX_QUOTE_CHARS = 80

HOW_TO_SEND = "send what `podman save` or `docker save` writes (one .tar file, gzipped if you like)"


@dataclass(frozen=True)
class ImageProblem:
    """Why an image is refused: a sentence that names the limit or the right form."""

    text: str


class Refused(Exception):
    """Raised within sandbox/oci only; its text becomes an ImageProblem."""


def quoted(foreign: bytes | str) -> str:
    """Quote a foreign name for a sentence: sanitized, on one line, shortened."""
    text = foreign.decode(errors="replace") if isinstance(foreign, bytes) else foreign
    return f'"{sanitize(text, one_line=True, max_length=_MAX_QUOTE_CHARS)}"'
