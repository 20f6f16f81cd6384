"""The texts for a public posting that `announce` and `results --announce` print."""

from __future__ import annotations

from dataclasses import dataclass

import click


@dataclass(frozen=True)
class Announcement:
    """A text for a public posting."""

    subject: str
    body: str


def show_announcement(text: Announcement) -> None:
    click.echo(f"Subject: {text.subject}\n\n{text.body}", nl=False)
