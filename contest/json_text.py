"""JSON as the database has it."""

from __future__ import annotations

from pydantic_core import to_json


def json_text(value: object) -> str:
    """Five times as fast as json.dumps; a large contest stores two values for each of its games."""
    return to_json(value).decode()
