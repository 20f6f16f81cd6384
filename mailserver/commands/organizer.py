"""`organizer ...`: the organizer's own commands by mail, each confirmed by a token.

The subject of a letter names an action. The line `<<FROM>> organizer string`, with the string of
`knobeln letters organizer-string`, proves its writer. Nothing happens yet: a mail with a token goes
to the organizer's address, and to no other. Its answer (`confirm TOKEN`, from that address, in
time, once) carries the action out. So neither the string nor the address alone is enough, and a
forged sender gets nothing.

Anybody else gets the same help as for an unknown subject; the journal tells the organizer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from contest.config.settings import Settings
from contest.errors import GiveUp, NotFound, NotNow
from contest.language import gettext, ngettext, noted
from contest.model import OrganizerRequest, Phase, Team, TeamState
from mailserver.command import Arguments, Command, LetterContext
from mailserver.commands.help import Brought, ask_or_help, read_brought
from mailserver.decision import Answer, Decision, Log, OrderRun, OrganizerDecision
from mailserver.limits import Limit
from mailserver.organizer_actions import Message, OrganizerActions, read_date
from mailserver.reading.letter import Letter, arguments_after, clean_subject
from mailserver.team_secret import (
    FromLine,
    digest,
    find_from_line,
    matches,
    without_strings,
)
from store import contest_state, decisions, letters, outbox, submissions, teams

NAME = "organizer"  # in the subject and after <<FROM>>
ANSWERS = {"organizer_answer": Limit.DROP}
_REASON = "reason:"
_SUBJECT = "subject:"
MAX_TOKEN_HOURS = 2
_TOKEN = re.compile(r"(?<![a-z0-9-])[a-z0-9]{4}(?:-[a-z0-9]{4}){4}(?![a-z0-9-])")
CONFIRM_WORDS = ("confirm", "please confirm", "bestätigen", "bitte bestätigen")
"""How the subjects of our questions begin, in every language of the mails; a token is behind."""


@dataclass(frozen=True)
class OrganizersWords:
    """What the organizer writes in a letter, whatever action its subject names.

    `reason`: after `reason:`; `text`: below the `<<FROM>>` line; `has_string`: a string is in that
    text.
    """

    reason: str
    text: str
    has_string: bool
    brought: Brought  # for the answer to anybody else


def _read_words(letter: Letter, settings: Settings) -> OrganizersWords:
    lines = (line.strip() for line in letter.body.lines)
    reasons = (line[len(_REASON) :].strip() for line in lines if line.lower().startswith(_REASON))
    from_line = find_from_line(letter.body.lines)
    below = letter.form_lines[from_line.line_number :] if isinstance(from_line, FromLine) else ()
    text = "\n".join(below).strip()
    return OrganizersWords(
        reason=next(reasons, ""),
        text=text,
        has_string=without_strings(text) != text,
        brought=read_brought(letter, settings),
    )


def read_request(context: LetterContext, arguments: Arguments) -> OrganizerRequest:
    """Return what a letter with these arguments in its subject asks for. Raises NotFound or
    GiveUp."""
    if not arguments or arguments[0] not in ACTIONS:
        known = ", ".join(f"`{NAME} {action.subject}`" for action in ACTIONS.values())
        raise NotFound(f"the subject names no action that I know; the actions are {known}")
    words = context.said_as(OrganizersWords)
    request = OrganizerRequest(arguments[0], arguments[1:], "")
    if request.name == TELL:
        request = replace(request, message=_written_message(words))
    elif request.name == BEACON:
        request = replace(request, arguments=(" ".join(request.arguments) or words.text,))
    else:
        request = replace(request, reason=words.reason)
    ACTIONS[request.name].check(context, request)
    return request


def _written_message(words: OrganizersWords) -> tuple[str, str]:
    """Subject and text below the `<<FROM>>` line. Raises GiveUp with the right form."""
    subject, _, text = words.text.partition("\n")
    if (
        not subject.lower().startswith(_SUBJECT)
        or not subject[len(_SUBJECT) :].strip()
        or not text.strip()
    ):
        raise GiveUp(
            "below the <<FROM>> line there must be a line like `subject: the final starts later`,"
            " and then the text for the teams"
        )
    if words.has_string:
        raise GiveUp("the text has an authentification string in it, which nobody else may read")
    return subject[len(_SUBJECT) :].strip(), text.strip()


# --- the actions ----------------------------------------------------------------------------------
@dataclass(frozen=True)
class Action:
    """Something to ask for. `check` raises GiveUp if it cannot be done; `do` decides what follows.

    `preview` shows what would go out.
    """

    subject: str  # after `organizer`
    meaning: str  # a part of a sentence
    check: Callable[[LetterContext, OrganizerRequest], object]
    do: Callable[[LetterContext, OrganizerRequest], OrganizerDecision]
    preview: Callable[[LetterContext, OrganizerRequest], str] = lambda _context, _request: ""


def _actions(context: LetterContext) -> OrganizerActions:
    return OrganizerActions(context.tx, context.settings, context.now, _actor(context))


def _actor(context: LetterContext) -> str:
    return f"mail: {context.settings.contest.organizer_address}"


def _line_about(context: LetterContext, request: OrganizerRequest, text: str) -> Log:
    """Return a line in the log on what was asked for."""
    whom = " ".join(request.arguments)
    return Log(request.name, text, _actor(context), whom, request.reason)


def _no_arguments(_context: LetterContext, request: OrganizerRequest) -> None:
    if request.arguments:
        raise GiveUp(f"after `{NAME} {request.name}` there must be nothing else in the subject")


def _check_run(context: LetterContext, request: OrganizerRequest) -> None:
    _no_arguments(context, request)
    if contest_state.state(context.tx).phase is Phase.FINISHED:
        raise NotNow("the contest is finished")
    if not submissions.count_with_program(context.tx):
        raise NotNow("no team has a program that was accepted: there is nobody to play")


def _run(context: LetterContext, request: OrganizerRequest) -> OrganizerDecision:
    _check_run(context, request)
    return OrganizerDecision(
        gettext(
            "The run starts within a second, or goes on. `organizer status` says how far it is."
        ),
        (OrderRun(), _line_about(context, request, "the contest is to be run")),
    )


def _new_date(_context: LetterContext, request: OrganizerRequest) -> Mapping[str, datetime]:
    if len(request.arguments) < 2:
        raise GiveUp("the subject must be like `organizer move contest_starts 1994-05-15 12:00`")
    name, when = read_date(request.arguments[0], " ".join(request.arguments[1:]).upper())
    return {name: when}


def _move(context: LetterContext, request: OrganizerRequest) -> OrganizerDecision:
    written = decisions.written_dates(context.tx, context.settings.dates, context.settings.season)
    return _actions(context).move_dates(written, _new_date(context, request), request.reason)


def _message(request: OrganizerRequest) -> Message:
    """Raises GiveUp if the subject of the letter does not say which teams are to be told."""
    subject, text = request.message
    match request.arguments:
        case () | ("all",):
            return Message(subject, text)
        case ("round", number) if number.isascii() and number.isdigit():
            return Message(subject, text, round=int(number))
        case ("without", "program"):
            return Message(subject, text, without_program=True)
    raise GiveUp(
        "the subject must be `organizer tell all`, `organizer tell round 2` or `organizer tell"
        " without program`"
    )


def _preview_of_message(context: LetterContext, request: OrganizerRequest) -> str:
    message = _message(request)
    readers = _actions(context).readers_of(message)
    to = ngettext("%(num)s team gets", "%(num)s teams get", len(readers))
    return gettext(
        "%(to)s this text, with the subject `%(subject)s`:\n\n%(message)s",
        to=to,
        subject=message.subject,
        message=message.text,
    )


def _status(context: LetterContext, _request: OrganizerRequest) -> OrganizerDecision:
    state, pause = contest_state.state(context.tx), decisions.paused(context.tx)
    mails = ", ".join(
        f"{count} {state}" for state, count in outbox.count_by_state(context.tx).items()
    )
    pending = teams.count_pending(context.tx)
    waiting = ", ".join(
        f"{count} {state}" for state, count in letters.count_by_state(context.tx).items()
    )
    lines = [
        f"phase: {state.phase}" + (f", paused: {pause.reason}" if pause else ""),
        (
            f"teams: {teams.count(context.tx)}, with a program"
            f" {submissions.count_with_program(context.tx)}"
        ),
        *(
            [gettext("registrations that wait for your decision: %(pending)s", pending=pending)]
            if pending
            else []
        ),
        f"letters: {waiting or 'none'}",
        gettext("mails: %(value)s", value=mails or "none")
        + (gettext(", reports are held") if decisions.reports_held(context.tx) else ""),
        *(
            f"{line.at:%Y-%m-%d %H:%M} {line.area}: {line.text}"
            for line in contest_state.log(context.tx, 5)
        ),
    ]
    return OrganizerDecision("\n".join(line.split("\n")[0] for line in lines))


def _because(request: OrganizerRequest) -> str:
    return request.reason or "by the organizer's letter"


def _check_number(context: LetterContext, request: OrganizerRequest) -> None:
    """Raises GiveUp or NotNow if the contest waits for no number, or for another one."""
    _actions(context).awaited_draw().read("".join(request.arguments))


def _pending(context: LetterContext, request: OrganizerRequest) -> Team:
    """Return the team that is named and waits. Raises GiveUp or NotNow if there is none."""
    if len(request.arguments) != 1:
        raise GiveUp(f"after `{NAME} {request.name}` there must be the name of one team")
    team = teams.named(context.tx, request.arguments[0])
    if team.state is not TeamState.PENDING:
        raise NotNow(f"{team.name} does not wait for a decision: it is {team.state}")
    return team


BEACON, STATUS, TELL = "beacon", "status", "tell"
ACTIONS: Mapping[str, Action] = {
    "run": Action("run", noted("the contest is started, or goes on"), _check_run, _run),
    "pause": Action(
        "pause",
        noted("nothing new is played until you let it go on"),
        _no_arguments,
        lambda context, request: _actions(context).pause(_because(request)),
    ),
    "resume": Action(
        "resume",
        noted("the contest goes on"),
        _no_arguments,
        lambda context, request: _actions(context).resume(request.reason),
    ),
    "hold": Action(
        "hold",
        noted("the reports of the contest day are kept back"),
        _no_arguments,
        lambda context, request: _actions(context).hold(_because(request)),
    ),
    "release": Action(
        "release",
        noted("the reports that were kept back go out"),
        _no_arguments,
        lambda context, request: _actions(context).release(request.reason),
    ),
    "move": Action(
        "move DATE TIME",
        noted("the date is moved, and all registered teams are told"),
        _new_date,
        _move,
    ),
    BEACON: Action(
        "beacon",
        noted("this public number makes the contest's seed, and nobody can change it afterwards"),
        _check_number,
        lambda context, request: _actions(context).hand_in_number(
            "".join(request.arguments), "by the organizer's letter"
        ),
    ),
    TELL: Action(
        "tell all|round NUMBER|without program",
        noted("these teams get your own words"),
        lambda context, request: _actions(context).readers_of(_message(request)),
        lambda context, request: _actions(context).tell(_message(request)),
        _preview_of_message,
    ),
    "accept": Action(
        "accept TEAM",
        noted("this team, which waits for you, takes part"),
        _pending,
        lambda context, request: _actions(context).accept(
            _pending(context, request), request.reason
        ),
    ),
    "reject": Action(
        "reject TEAM",
        noted("this team, which waits for you, does not take part, and is told why"),
        _pending,
        lambda context, request: _actions(context).reject(
            _pending(context, request), _because(request)
        ),
    ),
    STATUS: Action(STATUS, noted("tells where the contest is"), _no_arguments, _status),
}


# --- answers --------------------------------------------------------------------------------------
def reply(context: LetterContext, what: str, text: str, *, done: bool, journal: str) -> Decision:
    """Answer to the organizer's address, whoever wrote."""
    to = context.settings.contest.organizer_address
    return Decision(
        journal,
        Answer(
            "organizer_answer",
            to,
            {"what": what, "text": text, "done": done},
        ),
    )


def refuse(context: LetterContext, what: str, why: str) -> Decision:
    """Tell the organizer that nothing was done, and why."""
    text = why[:1].upper() + why[1:] + "."
    return reply(context, what, text, done=False, journal=f"not done for the organizer: {why}")


def answer_stranger(context: LetterContext, what: str, brought: Brought) -> Decision:
    """Answer as to any unknown subject, so that strangers learn nothing; the journal has a line on
    it."""
    words = tuple(clean_subject(context.letter.subject).split())
    decision = ask_or_help(context, words, brought)
    return replace(
        decision,
        note=f"{what}; {decision.note}",
        changes=(Log(NAME, f"{what} (letter {context.stored.id})"),),
    )


# --- the commands ---------------------------------------------------------------------------------
def _ask_or_answer(context: LetterContext, arguments: Arguments) -> Decision:
    """The arguments are those of the action, in small letters."""
    line = context.from_line
    named = line if isinstance(line, FromLine) and line.team == NAME else None
    # The strings are compared in any case, so that an answer takes the same time.
    if (
        not matches(named.string if named else "", decisions.organizer_digest(context.tx))
        or named is None
    ):
        why = "somebody wrote an `organizer` letter without the right string"
        return answer_stranger(context, why, context.said_as(OrganizersWords).brought)
    try:
        request = read_request(context, arguments)
    except GiveUp as error:
        return refuse(context, " ".join(arguments), str(error))
    action = ACTIONS[request.name]
    if request.name == STATUS:
        text = action.do(context, request).sentence
        return reply(context, STATUS, text, done=True, journal="status for the organizer")
    return Decision(
        f"the organizer is asked to confirm: {request.text}",
        Answer(
            "organizer_confirm",
            context.settings.contest.organizer_address,
            {
                "request": request.text,
                "effect": action.meaning,
                "preview": action.preview(context, request),
                "reason": request.reason,
                "hours": MAX_TOKEN_HOURS,
            },
            confirms=request,
        ),
        changes=(_line_about(context, request, f"{request.text}: is to be confirmed"),),
    )


def _confirm(context: LetterContext, arguments: Arguments) -> Decision:
    """The argument is the token, which is used up at once, whatever follows."""
    known, sender = context.settings.contest.organizer_address.casefold(), context.letter.sender
    if sender is None or not sender.casefold() == context.writer.casefold() == known:
        why = "a confirmation came from an address that is not the organizer's"
        return answer_stranger(context, why, context.said_as(Brought))
    age = timedelta(hours=MAX_TOKEN_HOURS)
    request = decisions.take_confirmation(context.tx, digest(arguments[0]), context.now, age)
    if not isinstance(request, OrganizerRequest):
        why = gettext(
            "the token is not one that I wait for: it was used, is older than %(hours)s hours, or "
            "was never given out. Please send the letter with your string again",
            hours=MAX_TOKEN_HOURS,
        )
        return refuse(context, CONFIRM.name, why)
    try:
        decision = ACTIONS[request.name].do(context, request)
    except GiveUp as error:
        return refuse(context, request.text, str(error))
    journal = f"the organizer confirmed: {request.text}"
    answer = reply(context, request.text, decision.sentence, done=True, journal=journal)
    return replace(answer, changes=decision.changes)


def _token_in(subject: str, _settings: Settings) -> Arguments | None:
    """Return what stands between the word and the token says what is asked; it may be cut, changed
    or left out."""
    plain = re.sub(r"(?<=[a-z0-9]) ?- ?(?=[a-z0-9])", "-", subject.casefold())
    is_question = plain.startswith(CONFIRM_WORDS) or _TOKEN.fullmatch(plain)
    found = _TOKEN.findall(plain) if is_question else []
    return (found[-1],) if found else None


COMMAND = Command(
    NAME,
    _ask_or_answer,
    reads=lambda subject, settings: arguments_after(subject.casefold(), NAME),
    read_letter=_read_words,
    answers=dict(**ANSWERS, organizer_confirm=Limit.NONE),
)
CONFIRM = Command("confirm", _confirm, reads=_token_in, read_letter=read_brought, answers=ANSWERS)
