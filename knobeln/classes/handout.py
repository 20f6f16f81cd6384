"""The page for the first lesson: a student who has nothing else can follow it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import chain, groupby, starmap
from textwrap import dedent

from contest.games.registry import game_of
from contest.language import gettext, speaking
from contest.mail.form import blank, is_in_c, short_preferences
from knobellib.samples import samples
from knobeln.context import ContestContext
from store import class_people

_IN_C = """\
#if 0
%s
#endif

main ()
{
  for (;;)
    make_throw (next_random (1, 12288));
}
"""
_SUFFIXES = (".py", ".js", ".sh", ".c")  # of the samples of other games, the easiest first


def handout_of(contest: ContestContext, language: str) -> str:
    """The page as text, in this language."""
    with contest.store.read() as tx:
        people = class_people.everybody(tx)
    by_name = bool(people) and not all(person.address for person in people)
    invited = bool(people) and not by_name
    with speaking(language):
        name, program = _program(contest)
        rendered = contest.templates.render(
            "handout",
            by_name=by_name,
            invited=invited,
            program_name=name,
            program=program.rstrip("\n"),
            **_letter(contest),
        )
    return _titled(rendered.subject, rendered.body)


def board_of(contest: ContestContext) -> str:
    """What each person of a list of names writes first, as text for the board, in the contest's
    language."""
    with speaking(contest.settings.contest.language):
        body = contest.templates.part("_first_letter", by_name=True, **_letter(contest))
    return _titled(contest.settings.contest.title, body)


def _titled(title: str, body: str) -> str:
    return f"{title}\n{'=' * len(title)}\n\n{body.strip()}\n"


def _letter(contest: ContestContext) -> dict[str, object]:
    form = blank(contest.settings)
    codes = ",".join(short_preferences(contest.settings))
    lines = form.text.replace("mail-preference:", f"mail-preference: {codes}")
    return {"form": lines, "word": contest.settings.teams.word}


def _program(contest: ContestContext) -> tuple[str, str]:
    """A first program, with the name of its file."""
    if is_in_c(contest.settings):
        description = gettext("It throws a number by chance, from 1 to 12288.")
        return "first.c", _IN_C % description
    game = game_of(contest.settings.game, contest.settings.programs).info
    shipped = sorted(samples(game.name).items(), key=lambda sample: len(sample[1]))
    for suffix in _SUFFIXES:
        for name, data in shipped:
            if name.endswith(suffix):
                return name, data.decode()
    return "", ""


_PAGE = """\
<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
main {{ max-width: 42em; margin: 2em auto; padding: 0 1em; font: 1.1em/1.4 sans-serif }}
h1, h2 {{ line-height: 1.2 }}
pre {{ white-space: pre-wrap; padding-left: 1em; border-left: 0.2em solid }}
@page {{ size: A4; margin: 15mm }}
@media print {{
main {{ max-width: none; margin: 0; padding: 0; font-size: {print_points}pt }}
h1, h2, p, pre {{ margin: 0 0 0.6em; break-inside: avoid }}
pre {{ font-size: 0.9em }}
}}
</style>
</head>
<body>
<main>
{blocks}
</main>
</body>
</html>
"""


def as_page(text: str, title: str, language: str, *, print_points: int) -> str:
    """The text as a page that a browser shows, and prints in letters of this size."""
    paragraphs = re.split(r"\n{2,}", text.rstrip("\n"))
    parts = groupby(paragraphs, lambda lines: lines.startswith(" "))
    blocks = "\n".join(chain.from_iterable(starmap(_blocks, parts)))
    return _PAGE.format(
        language=language, title=escape(title), print_points=print_points, blocks=blocks
    )


def _blocks(is_copied: bool, paragraphs: Iterable[str]) -> Iterator[str]:
    """What is indented stays as it is; of the others those that are underlined are headings."""
    if is_copied:
        text = dedent("\n\n".join(paragraphs))
        yield f"<pre>{escape(text)}</pre>"
        return
    for lines in paragraphs:
        first, _, rest = lines.partition("\n")
        if rest and not rest.strip("="):
            yield f"<h1>{escape(first)}</h1>"
        elif rest and not rest.strip("-"):
            yield f"<h2>{escape(first)}</h2>"
        else:
            yield f"<p>{escape(lines)}</p>"
