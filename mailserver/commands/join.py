"""`join NAME`: a person of a class that is open by names registers with one letter.

The list has names alone. Who has one of them, and the word told in the lesson if there is one, is
registered. A near name is asked back, and all else waits for the organizer.
"""

from __future__ import annotations

from dataclasses import dataclass

from contest.config.settings import Settings
from contest.language import gettext
from contest.mail.form import ORGANIZATION, blank, field_names, short_preferences
from contest.model import Member, Registration
from mailserver.command import Arguments, Command, LetterContext
from mailserver.commands import registration
from mailserver.decision import Answer, Decision
from mailserver.limits import Limit
from mailserver.reading import class_names
from mailserver.reading.class_names import MAX_NAME_CHARACTERS
from mailserver.reading.letter import Letter, arguments_after
from store import class_people, teams

SUBJECT = "join"
_SUBJECTS = (SUBJECT, "mitmachen")
_MAX_LINES = 20  # of the text, in which the word is looked for


@dataclass(frozen=True)
class JoinLetter:
    """What the text says: its first line, which is the name if the subject has none, and whether
    the word told in the lesson is in it."""

    first_line: str
    has_word: bool


def read(letter: Letter, settings: Settings) -> JoinLetter:
    """Read the first lines of the text."""
    lines = [line.strip() for line in letter.body.lines[:_MAX_LINES]]
    own = [line for line in lines if line and not line.startswith(">")]
    word = settings.teams.word.casefold()
    text = "\n".join((letter.subject, *own)).casefold()
    return JoinLetter(own[0][:MAX_NAME_CHARACTERS] if own else "", bool(word) and word in text)


def _join(context: LetterContext, arguments: Arguments) -> Decision:
    said = context.said_as(JoinLetter)
    word = context.settings.teams.word
    without_word = [each for each in arguments if each.casefold() != word.casefold()]
    name = " ".join(without_word)[:MAX_NAME_CHARACTERS] or said.first_line
    names = [person.name for person in class_people.everybody(context.tx)]
    if not names or context.letter.sender is None:
        return _answer(context, "no class")
    if word and not said.has_word:
        return _answer(context, "word", name=name)
    found = class_names.find(name, names)
    if not found.same and not name.strip():
        return _answer(context, "no name")
    if found.near and not context.proof.is_confirmed:
        return _answer(context, "near", name=name, near=found.near)
    listed = found.same[0] if found.same else name
    number = names.index(listed) + 1 if found.same else len(names) + 1
    return registration.register_by_name(
        context,
        _registration(context, listed, number),
        flags=_flags(context, found.same),
        is_sure=said.has_word,
    )


def _flags(context: LetterContext, same: tuple[str, ...]) -> tuple[str, ...]:
    """Return what the organizer has to decide on; () if nothing."""
    if not same:
        return ("is not in the class list",)
    if len(same) > 1:
        return ("has a name that several people of the class list have",)
    return ("has a name that another address has taken",) if _is_taken(context, same[0]) else ()


def _is_taken(context: LetterContext, name: str) -> bool:
    """Return whether somebody else has the name, also one who has not been heard from."""
    own = context.writer.casefold()
    others = (team for team in teams.all_teams(context.tx) if team.address.casefold() != own)
    return any(
        member.name.casefold() == name.casefold()
        for team in others
        if team.is_registered
        for member in team.registration.members
    )


def _registration(context: LetterContext, name: str, number: int) -> Registration:
    settings = context.settings
    asks = ORGANIZATION in field_names(settings.teams)
    return Registration(
        context.writer,
        short_preferences(settings),
        f"team_{number}",
        gettext("class") if asks else "",
        (Member(name, None, "", ""),),
    )


def _answer(
    context: LetterContext, reason: str, *, name: str = "", near: tuple[str, ...] = ()
) -> Decision:
    return Decision(
        f"registration refused: {reason}",
        Answer(
            "join_refused",
            context.writer,
            {
                "reason": reason,
                "name": name,
                "near": near,
                "form": blank(context.settings).text,
            },
        ),
    )


COMMAND = Command(
    SUBJECT,
    _join,
    reads=lambda subject, settings: arguments_after(subject.replace(":", " "), *_SUBJECTS),
    read_letter=read,
    answers={"join_refused": Limit.TELL, **registration.COMMAND.answers},
)
