"""Whole texts that are compared with files, byte for byte."""

import os
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "reports_tests" / "golden"


def compare(name: str, text: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("KNOBELN_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    assert text.encode() == path.read_bytes(), f"{path.name} looks different"
