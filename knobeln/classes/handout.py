"""The page for the first lesson: a student who has nothing else can follow it."""

from __future__ import annotations

from html import escape

from contest.games.registry import game_of
from contest.language import speaking
from contest.mail.form import blank, is_in_c, short_preferences
from contest.store import class_people
from knobellib.samples import samples
from knobeln.context import ContestContext

_IN_C = """\
#if 0
It throws a number by chance, from 1 to 12288.
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
    name, program = _program(contest)
    with speaking(language):
        rendered = contest.templates.render(
            "handout",
            by_name=by_name,
            invited=invited,
            program_name=name,
            program=program.rstrip("\n"),
            **_letter(contest),
        )
    return f"{rendered.subject}\n{'=' * len(rendered.subject)}\n\n{rendered.body.lstrip()}"


def first_letter(contest: ContestContext, *, by_name: bool) -> str:
    """What each person of the class writes first, in the contest's language."""
    return contest.templates.part("_first_letter", by_name=by_name, **_letter(contest))


def _letter(contest: ContestContext) -> dict[str, object]:
    form = blank(contest.settings)
    codes = ",".join(short_preferences(contest.settings))
    lines = form.text.replace("mail-preference:", f"mail-preference: {codes}")
    return {"form": lines, "word": contest.settings.teams.word}


def _program(contest: ContestContext) -> tuple[str, str]:
    """A first program, with the name of its file."""
    if is_in_c(contest.settings):
        return "first.c", _IN_C
    game = game_of(contest.settings.game, contest.settings.programs).info
    shipped = sorted(samples(game.name).items(), key=lambda sample: len(sample[1]))
    for suffix in _SUFFIXES:
        for name, data in shipped:
            if name.endswith(suffix):
                return name, data.decode()
    return "", ""


def as_page(text: str, title: str, language: str) -> str:
    """The text as a page that a browser shows and prints."""
    return f"""\
<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<style>pre {{ max-width: 76ch; margin: 2em auto; font-size: 1.1em; white-space: pre-wrap }}
@media print {{ pre {{ font-size: 10pt; margin: 0 }} }}</style>
</head>
<body>
<main><pre>{escape(text)}</pre></main>
</body>
</html>
"""
