"""Stands in for the server's module of this name: at home all sentences of the rules are
English."""

from __future__ import annotations

from collections.abc import Sequence


def gettext(message: str, /, **values: object) -> str:
    return message % values


def ngettext(one: str, many: str, num: int, /, **values: object) -> str:
    return (one if num == 1 else many) % {"num": number(num), **values}


def noted(message: str) -> str:
    return message


def noted_plural(one: str, many: str) -> tuple[str, str]:
    return one, many


def number(value: int) -> str:
    return f"{value:,}"


def decimal(text: str) -> str:
    return text


def listed(names: Sequence[str]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last
