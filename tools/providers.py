"""Writes the table of providers into docs/providers.md: `python tools/providers.py`."""

from __future__ import annotations

from pathlib import Path

from mailserver.providers.table import Provider, providers

PAGE = Path(__file__).parents[1] / "docs" / "providers.md"
_BEGIN, _END = "<!-- made by tools/providers.py -->\n", "<!-- end -->\n"
_WORDS = {True: "yes", False: "no", None: "tried"}


def with_table(page: str) -> str:
    """The page with the table as the data have it."""
    before, _, rest = page.partition(_BEGIN)
    after = rest.partition(_END)[2]
    head = "| | takes | `+` addresses | mails at most | copies in Sent |\n|---|---|---|---|---|\n"
    return before + _BEGIN + head + "".join(map(_row, providers())) + _END + after


def _row(provider: Provider) -> str:
    limits = ", ".join(provider.limits) or "not published"
    sent = "yes" if provider.sent else ""
    plus = _WORDS[provider.plus]
    return f"| {provider.name} | {provider.login} | {plus} | {limits} | {sent} |\n"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
