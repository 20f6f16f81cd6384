"""What goes to the teams with an answer: the library's source (K22)."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from knobeln.model import Attachment


@cache
def library() -> Attachment:
    """knobellib.c as an attachment."""
    data = files("knobellib").joinpath("knobellib.c").read_bytes()
    return Attachment("knobellib.c", "text/x-csrc", data)
