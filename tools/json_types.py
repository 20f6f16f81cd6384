"""Describe the JSON that a type becomes, for the reference."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from pydantic.fields import FieldInfo

_WORDS = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true or false",
    NoneType: "null",
    datetime: "time",
}


def alternatives(of: Any) -> tuple[Any, ...]:
    """Return the types of which a value is one."""
    return get_args(of) if get_origin(of) in (UnionType, typing.Union) else (of,)


def json_text(of: Any, indent: str = "") -> str:
    """Describe the JSON of a type: its keys, with a word for each value. A path or an enumeration is text."""
    if keys := _keys(of):
        inner = indent + "  "
        lines = (f'{inner}"{name}": {json_text(each, inner)}' for name, each in keys.items())
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    origin, arguments = get_origin(of), get_args(of)
    if origin is None:
        return _WORDS.get(of, "text")
    if origin is typing.Annotated:
        return json_text(arguments[0], indent)
    parts = [json_text(each, indent) for each in arguments if each is not Ellipsis]
    if origin in (UnionType, typing.Union):
        return " or ".join(parts)
    if origin is Mapping:
        return f"{{{parts[0]}: {parts[1]}, ...}}"
    is_record = origin is tuple and Ellipsis not in arguments
    return f"[{', '.join(parts)}]" if is_record else f"[{parts[0]}, ...]"


def records(of: Any) -> Mapping[Any, str]:
    """Return the records within a type, each with the first key above it; "" for the outermost."""
    found: dict[Any, str] = {}

    def look(each: Any, below: str) -> None:
        for argument in get_args(each):
            look(argument, below)
        if (keys := _keys(each)) and each not in found:
            found[each] = below
            for key, value in keys.items():
                look(value, key)

    look(of, "")
    return found


def _keys(of: Any) -> Mapping[str, Any]:
    """Return the fields of a record and their types; {} for other types."""
    if not is_dataclass(of):
        return {}
    hints = get_type_hints(of, include_extras=True)
    return {each.name: hints[each.name] for each in fields(of) if not _is_left_out(hints[each.name])}


def _is_left_out(of: Any) -> bool:
    return any(isinstance(each, FieldInfo) and each.exclude for each in getattr(of, "__metadata__", ()))
