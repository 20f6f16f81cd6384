"""`organizer ...`: the organizer's own commands by mail, each confirmed by a token that is mailed to him.

A letter names what is wanted in its subject, and proves its writer by the line `<<FROM>> organizer string`
with the string of `knobeln organizer-string`. Nothing happens yet: a mail with a token goes to the
organizer's address, and to no other, and its answer (`confirm TOKEN`, from that address, in time, once) does
what was asked for. So neither the string nor the address alone is enough, and a forged sender gets nothing.

Whoever is not the organizer gets the same help as anybody with an unknown subject; the journal tells the
organizer of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from contest.config.sections import Dates
from contest.config.settings import Settings
from contest.errors import ConfigError, GiveUp, NotFound, NotNow
from contest.model import Phase
from contest.organizer import OrganizerActions, read_date
from contest.store import contest_state, decisions, letters, outbox, submissions, teams
from contest.store.contest_state import note
from mailserver.commands import unknown
from mailserver.reading.subject import plain_subject
from mailserver.replies import Command, LetterContext
from mailserver.team_secret import FromLine, digest, find_from_line, matches, new_string

NAME = "organizer"  # as it stands in the subject and behind <<FROM>>
CONFIRM = "confirm"
PATIENCE = timedelta(hours=2)
REASON = "reason:"
_CONFIRMATION = re.compile(rf"{CONFIRM} [a-z0-9]{{4}}(-[a-z0-9]{{4}}){{4}}")


def recognises(subject: str, _settings: Settings) -> bool:
    return subject == NAME or subject.startswith(f"{NAME} ")


def recognises_confirmation(subject: str, _settings: Settings) -> bool:
    return _CONFIRMATION.fullmatch(subject) is not None


# --- the letter --------------------------------------------------------------------------------------------
def handle(context: LetterContext) -> str:
    if not _is_proved(context):
        return _stranger(context, "somebody wrote an `organizer` letter without the right string")
    words = plain_subject(context.letter.subject).split()[1:]
    try:
        order = _order(context, words)
    except GiveUp as error:
        return _refuse(context, " ".join(words), str(error))
    if order.name == "status":
        _reply(context, "status", _status(context), done=True)
        return "status sent to the organizer"
    token = new_string()
    decisions.ask_confirmation(context.tx, digest(token), order.as_json(), context.now)
    context.answer(
        "organizer_confirm",
        context.settings.contest.organizer_address,
        order=order.in_words(),
        effect=_LEVERS[order.name].meaning,
        reason=order.reason,
        token=token,
        hours=int(PATIENCE.total_seconds() // 3600),
        team_id=None,
    )
    _note(context, order, f"{order.in_words()}: is to be confirmed")
    return f"the organizer is asked to confirm: {order.in_words()}"


def _is_proved(context: LetterContext) -> bool:
    line = find_from_line(context.letter.body.lines)
    known = decisions.organizer_digest(context.tx)
    named = line if isinstance(line, FromLine) and line.team == NAME else None
    return matches(named.string if named else "", known) and named is not None


@dataclass(frozen=True)
class Order:
    """What the organizer asks for: a lever's name, its words, and why."""

    name: str
    words: tuple[str, ...]
    reason: str

    def in_words(self) -> str:
        return " ".join((self.name, *self.words))

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "words": list(self.words), "reason": self.reason}


def _order(context: LetterContext, words: list[str]) -> Order:
    """What the subject asks for. Raises NotFound or GiveUp with what there is."""
    there = ", ".join(f"`{NAME} {lever.form}`" for lever in _LEVERS.values())
    if not words or words[0] not in _LEVERS:
        raise NotFound(f"the subject names nothing that I know; there are {there}")
    lever = _LEVERS[words[0]]
    order = Order(words[0], tuple(words[1:]), _reason(context))
    lever.check(context, order)
    return order


def _reason(context: LetterContext) -> str:
    """What stands behind `reason:` in the letter."""
    lines = (line.strip() for line in context.letter.body.lines)
    return next((line[len(REASON) :].strip() for line in lines if line.lower().startswith(REASON)), "")


# --- the confirmation --------------------------------------------------------------------------------------
def confirm(context: LetterContext) -> str:
    if context.letter.sender is None or not _is_organizer(context, context.letter.sender, context.writer):
        return _stranger(context, "a confirmation came from an address that is not the organizer's")
    token = plain_subject(context.letter.subject).split()[1]
    found = decisions.take_confirmation(context.tx, digest(token), context.now, PATIENCE)
    if found is None:
        reason = (
            f"the token is not one that I wait for: it was used, is older than {PATIENCE.seconds // 3600} "
            "hours, or was never given out. Please send the letter with your string again"
        )
        return _refuse(context, CONFIRM, reason)
    order = Order(found["name"], tuple(found["words"]), found["reason"])
    try:
        done = _LEVERS[order.name].do(context, order)
    except ConfigError:
        raise  # a template is wrong, and half of it may be done: the letter is set aside, and all taken back
    except GiveUp as error:
        return _refuse(context, order.in_words(), str(error))
    _reply(context, order.in_words(), done, done=True)
    return f"the organizer confirmed: {order.in_words()}"


def _is_organizer(context: LetterContext, *addresses: str) -> bool:
    known = context.settings.contest.organizer_address.casefold()
    return all(address.casefold() == known for address in addresses)


# --- what can be asked for ---------------------------------------------------------------------------------
def _hand(context: LetterContext) -> OrganizerActions:
    actor = f"mail: {context.settings.contest.organizer_address}"
    return OrganizerActions(context.tx, context.settings, context.renderer, context.now, actor)


def _start(context: LetterContext, order: Order) -> str:
    _must_be_startable(context, order)
    decisions.order_run(context.tx, context.now)
    _note(context, order, "the contest is to be run")
    return "The run starts within a second, or goes on. `organizer status` says how far it is."


def _must_be_startable(context: LetterContext, order: Order) -> None:
    _no_words(context, order)
    if contest_state.state(context.tx).phase is Phase.FINISHED:
        raise NotNow("the contest is finished")
    if not submissions.count_with_program(context.tx):
        raise NotNow("no team has a program that was accepted: there is nobody to play")


def _moved(order: Order) -> dict[str, datetime]:
    if len(order.words) < 2:
        raise GiveUp("the subject must be like `organizer move contest_starts 1994-05-15 12:00`")
    name, when = read_date(order.words[0], " ".join(order.words[1:]).upper())
    return {name: when}


def _move(context: LetterContext, order: Order) -> str:
    return _hand(context).move_dates(_written(context), _moved(order), order.reason)


def _written(context: LetterContext) -> Dates:
    """The dates of contest.toml: those of now, with what was moved taken back."""
    now = context.settings.dates
    back = {
        name: written
        for name, (written, moved) in decisions.moved_dates(context.tx).items()
        if getattr(now, name) == moved
    }
    return now.model_copy(update=back)


def _no_words(_desk: LetterContext, order: Order) -> None:
    if order.words:
        raise GiveUp(f"behind `{NAME} {order.name}` there must be nothing else in the subject")


@dataclass(frozen=True)
class Lever:
    """What can be asked for: how its subject looks, what it means, what is wrong with it, and doing it."""

    form: str
    meaning: str
    check: Callable[[LetterContext, Order], object]
    do: Callable[[LetterContext, Order], str]


def _because(order: Order) -> str:
    return order.reason or "by the organizer's letter"


_LEVERS: Mapping[str, Lever] = {
    "run": Lever("run", "the contest is started, or goes on", _must_be_startable, _start),
    "pause": Lever(
        "pause",
        "nothing new is played until you let it go on",
        _no_words,
        lambda context, order: _hand(context).pause(_because(order)),
    ),
    "resume": Lever(
        "resume", "the contest goes on", _no_words, lambda context, order: _hand(context).resume(order.reason)
    ),
    "hold": Lever(
        "hold",
        "the reports of the contest day are kept back",
        _no_words,
        lambda context, order: _hand(context).hold(_because(order)),
    ),
    "release": Lever(
        "release",
        "the reports that were kept back go out",
        _no_words,
        lambda context, order: _hand(context).release(order.reason),
    ),
    "move": Lever(
        "move DATE TIME",
        "the date is moved, and all registered teams are told",
        lambda _desk, order: _moved(order),
        _move,
    ),
    "status": Lever(
        "status", "tells where the contest is", _no_words, lambda context, _order: _status(context)
    ),
}


def _status(context: LetterContext) -> str:
    state, pause = contest_state.state(context.tx), decisions.paused(context.tx)
    mails = ", ".join(f"{count} {state}" for state, count in outbox.count_by_state(context.tx).items())
    pending = teams.count_pending(context.tx)
    waiting = ", ".join(f"{count} {state}" for state, count in letters.count_by_state(context.tx).items())
    lines = [
        f"phase: {state.phase}" + (f", paused: {pause.reason}" if pause else ""),
        f"teams: {teams.count(context.tx)}, with a program {submissions.count_with_program(context.tx)}",
        *([f"registrations that wait for your word: {pending}"] if pending else []),
        f"letters: {waiting or 'none'}",
        f"mails: {mails or 'none'}" + (", reports are held" if decisions.reports_held(context.tx) else ""),
        *(f"{line.at:%Y-%m-%d %H:%M} {line.area}: {line.text}" for line in contest_state.log(context.tx, 5)),
    ]
    return "\n".join(line.split("\n")[0] for line in lines)


# --- answers -----------------------------------------------------------------------------------------------
def _reply(context: LetterContext, what: str, text: str, *, done: bool) -> bool:
    """To the organizer's address, whoever wrote."""
    to = context.settings.contest.organizer_address
    return context.answer("organizer_answer", to, what=what, text=text, done=done)


def _refuse(context: LetterContext, what: str, why: str) -> str:
    sent = _reply(context, what, why[:1].upper() + why[1:] + ".", done=False)
    return f"not done for the organizer: {why}" + ("" if sent else " (too many answers to this address)")


def _stranger(context: LetterContext, what: str) -> str:
    """As with any subject that means nothing, so that nothing is to be learned here."""
    note(context.tx, "organizer", f"{what} (letter {context.stored.id})", context.now)
    return f"{what}; {unknown.handle(context)}"


def _note(context: LetterContext, order: Order, text: str) -> None:
    actor = f"mail: {context.settings.contest.organizer_address}"
    note(
        context.tx,
        order.name,
        text,
        context.now,
        actor=actor,
        whom=" ".join(order.words),
        reason=order.reason,
    )


COMMAND = Command(NAME, recognises, handle)
CONFIRMATION = Command(CONFIRM, recognises_confirmation, confirm)
