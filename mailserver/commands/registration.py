"""`registration for KNOBELN`: reads the form, applies the rules of acceptance, answers
(K25-K42)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from contest.language import gettext
from contest.ledger.receipts import Effect
from contest.mail.form import Form, blank, record_text, sample
from contest.model import (
    LetterQuestion,
    Registration,
    Scope,
    Team,
    TeamState,
)
from contest.schema.sections import Window
from mailserver import welcome
from mailserver.attachments import rules
from mailserver.command import CONFIRM_REGISTRATION, Arguments, Command, LetterContext
from mailserver.decision import Answer, Decision, Entry, Hear, Question, Register
from mailserver.limits import (
    HOUR,
    LIFTED_BY_INVITATION,
    LIFTED_BY_REPLY,
    Doubt,
    Limit,
    doubt,
)
from mailserver.problem import Problem
from mailserver.reading import addresses
from mailserver.reading.form_of_letter import read_form
from mailserver.reading.registration_form import FormResult
from mailserver.reading.team_names import unique_name
from mailserver.team_secret import digest, new_string
from mailserver.write import counted
from store import (
    Transaction,
    answers,
    ledger,
    teams,
)

MAX_TOLD_PROBLEMS = 3  # the form that comes back is what matters


def _register(context: LetterContext, _arguments: Arguments) -> Decision:
    if welcomed := _registered_before(context):
        return welcomed
    dates, phase = context.settings.dates, context.phase
    window = dates.registration(phase, context.stored.received_at)
    if window is not Window.OPEN:
        return _refuse(context, window)
    if context.letter.problems:
        unread = tuple(
            Problem(gettext("Your letter could not be read: %(text)s.", text=text))
            for text in context.letter.problems
        )
        return _refuse(context, "problems", problems=unread)
    reading = context.said_as(FormResult)
    if reading.registration is None:
        return _refuse_form(context, reading)
    earlier = teams.by_address(context.tx, reading.registration.address)
    reason = _reason_against(context, reading.registration, earlier)
    return (
        _refuse(context, reason)
        if reason
        else _take(context, reading.registration, reading, earlier)
    )


COMMAND = Command(
    "registration",
    _register,
    lambda settings: (
        f"registration for {settings.contest.subject_word}",
        "registration",
        "register",
    ),
    read_letter=read_form,
    answers={
        "registration_refused": Limit.TELL,
        "registration_accepted": Limit.WAIT,
        "registration_pending": Limit.WAIT,
        "welcome_files": Limit.NONE,
    },
    sample_body=lambda settings, part: sample(settings).text,
)


def _registered_before(context: LetterContext) -> Decision | None:
    """Welcome the team that this letter has registered before, and that answered its welcome now.

    None: the letter is no such one.
    """
    if not context.proof.is_confirmed:
        return None
    team = teams.registered_by(context.tx, context.stored.id)
    if team is None:
        return None
    note = f"{team.name} has answered its welcome"
    if team.is_proved:
        return Decision(note)
    return refuse_without_place(context, team) or welcome_back(context, team, note)


def _refuse_form(context: LetterContext, reading: FormResult) -> Decision:
    """The form is wrong. If a right one could not be accepted either, we say so now."""
    earlier = teams.by_address(context.tx, reading.form.address) if reading.form else None
    known = earlier is not None and earlier.is_registered and not _gives_way(earlier)
    if not known and _is_full(context):
        return _refuse(context, "full")
    taken = Problem(
        gettext(
            "There is already a team with this mail-address, and the address identifies the team."
        )
    )
    problems = (*((taken,) if known else ()), *reading.problems)
    return _refuse(context, "problems", problems=problems, form=reading.form)


def _is_full(context: LetterContext) -> bool:
    """Return whether teams from which something was heard have taken all places: forged forms take
    none."""
    return teams.count(context.tx) >= context.settings.teams.max_teams


def _gives_way(team: Team) -> bool:
    """Return whether the team may be a stranger's, who wrote somebody else's address into a
    form."""
    return team.is_registered and not team.is_proved


def _reason_against(
    context: LetterContext, registration: Registration, earlier: Team | None
) -> str:
    """Return why a well-formed registration cannot be taken; "" = it can. The template has words
    for each.

    `earlier`: the team that has its address.
    """
    rules = context.settings.teams
    if earlier is not None and earlier.is_registered and not _gives_way(earlier):
        return "duplicate"
    if _is_full(context):
        return "full"
    most = rules.max_per_organization
    if most and teams.count_organization(context.tx, registration.organization) >= most:
        return "organization"
    if rules.shared_people == "refuse" and _shared_people(context.tx, registration):
        return "shared people"
    return ""


def _refuse(
    context: LetterContext,
    reason: str,
    *,
    to: str = "",
    problems: tuple[Problem, ...] = (),
    form: Form | None = None,
) -> Decision:
    """Answer why there is no registration. `form`: what the team wrote, None = nothing of one."""
    empty = replace(
        blank(context.settings),
        address=context.writer,
        preferences=sample(context.settings).preferences,
    )
    text = (form or empty).text
    return Decision(
        f"registration refused: {reason}",
        Answer(
            "registration_refused",
            to or context.writer,
            {
                "reason": reason,
                "problems": problems[:MAX_TOLD_PROBLEMS],
                "repairs": "; ".join(context.letter.body.repairs),  # mistakes may come from them
                "more": max(0, len(problems) - MAX_TOLD_PROBLEMS),
                "form": text,
                "is_blank": form is None,
            },
            whole=f"---\n{text}\n---",
        ),
    )


def _doubt(context: LetterContext, wanted: Registration, earlier: Team | None) -> Doubt | None:
    """Return why the form may be a stranger's, so that its address has to confirm it.

    `earlier`: the team that has its address.
    """
    has_withdrawn = earlier is not None and not earlier.is_registered
    mailbox = addresses.mailbox_of(wanted.address)
    form = counted(context, CONFIRM_REGISTRATION, wanted.address)
    scopes = (Scope.MAILBOX, Scope.DOMAIN, *((Scope.NETWORK,) if context.network else ()))
    forms = answers.count_letters(context.tx, form, scopes, _FORM_ANSWERS, HOUR)
    unproved = teams.unproved_addresses(context.tx)
    lifted = LIFTED_BY_INVITATION if context.is_invited(wanted.address) else frozenset()
    return doubt(
        context.settings.registration.confirm,
        is_senders=mailbox == addresses.mailbox_of(context.letter.sender or ""),
        is_checked=bool(context.settings.mail.authserv_id),
        authenticity=context.proof.authenticity,
        forms_in_an_hour=max(forms) + 1,
        is_second=mailbox in map(addresses.mailbox_of, unproved),
        is_crowded=len(unproved) >= context.settings.teams.max_teams,
        returns=has_withdrawn and mailbox not in context.proof.mailboxes,
        lifted=LIFTED_BY_REPLY if wanted.address.casefold() in context.proof.readers else lifted,
    )


_FORM_ANSWERS = (CONFIRM_REGISTRATION, "registration_accepted", "registration_pending")


def register_by_name(
    context: LetterContext, wanted: Registration, *, flags: tuple[str, ...] = (), is_sure: bool
) -> Decision:
    """Register from a letter that is no form. With `flags` the organizer decides, who reads them.

    `is_sure`: the letter shows that its writer belongs to the contest, so nothing is asked back.
    """
    if welcomed := _registered_before(context):
        return welcomed
    window = context.settings.dates.registration(context.phase, context.stored.received_at)
    if window is not Window.OPEN:
        return _refuse(context, window)
    earlier = teams.by_address(context.tx, wanted.address)
    reading = FormResult(wanted, (), (), None)
    if reason := _reason_against(context, wanted, earlier):
        return _refuse(context, reason)
    take = _accept if is_sure else _take
    return take(context, wanted, reading, earlier, flags)


def _take(
    context: LetterContext,
    wanted: Registration,
    reading: FormResult,
    earlier: Team | None,
    flags: tuple[str, ...] = (),
) -> Decision:
    """Accept the registration, or ask its address for a reply first."""
    reason = None if context.proof.is_confirmed else _doubt(context, wanted, earlier)
    if reason is None:
        return _accept(context, wanted, reading, earlier, flags)
    return Decision(
        f"registration of {wanted.team_name} is doubtful: {reason}",
        Question(CONFIRM_REGISTRATION, wanted.address, wanted.team_name, reason),
    )


def _accept(
    context: LetterContext,
    wanted: Registration,
    reading: FormResult,
    earlier: Team | None,
    flags: tuple[str, ...] = (),
) -> Decision:
    """`earlier`: the team that comes back with this form, or gives way to it. `flags`: what the
    organizer has to decide on."""
    waits = context.settings.teams.approval == "organizer" or bool(flags)
    name = _free_name(context, wanted.team_name, earlier)
    registration = replace(wanted, team_name=name)
    string = new_string()
    remarks = (*context.letter.body.repairs, *reading.remarks)
    note, effect = f"registered {name}", Effect.REGISTRATION_ACCEPTED
    answer = partial(_accepted, context, string, remarks)
    if waits:
        note = f"registration of {name} waits for the organizer"
        effect = Effect.REGISTRATION_WAITS
        answer = partial(_pending, remarks)
    form = Register(
        registration,
        requested_name=wanted.team_name,
        state=TeamState.PENDING if waits else TeamState.ACTIVE,
        digest=digest(string),
        flags=(*flags, *_shared_people(context.tx, registration)),
        is_proved=context.is_proved(wanted.address),
        earlier=earlier,
        answer=answer,
    )
    entries = [Entry(effect, name)]
    if earlier and earlier.is_registered:  # it gives way
        entries.insert(0, Entry(Effect.WITHDRAWN, earlier.name))
    return Decision(note, changes=(form,), entries=tuple(entries))


def _free_name(context: LetterContext, wanted: str, earlier: Team | None) -> str:
    """Return the wanted name, changed if another team than the earlier one has it."""
    own = earlier.name.casefold() if earlier else None
    return unique_name(
        wanted, lambda name: name.casefold() != own and teams.has_name_like(context.tx, name)
    )


def _pending(remarks: tuple[str, ...], team: Team) -> Answer:
    """Return the answer to a team that waits for the organizer, who may yet take it out: so it is
    no mail of the team. Its string is another one when it is accepted."""
    facts = {"team": team, "record": record_text(team.registration), "remarks": remarks}
    return Answer("registration_pending", team.address, facts)


def _accepted(context: LetterContext, string: str, remarks: tuple[str, ...], team: Team) -> Answer:
    """Return the answer to a team that takes part. If the letter is not shown to come from the
    team's address, it is short, and asks for a reply."""
    is_short = not team.is_proved
    attachments = welcome.files(context.tx, context.settings, context.stored.received_at)
    facts = welcome.facts(context.tx, team, string, context.settings)
    for_programs = welcome.for_programs(facts, context.settings, is_short=is_short)
    return Answer(
        "registration_accepted",
        team.address,
        {
            "remarks": remarks,
            "is_short": is_short,
            "is_brief": is_short and bool(for_programs),
            "names": tuple(file.name for file in attachments),
            **facts,
        },
        of_team=team,
        attachments=for_programs if is_short else (*attachments, *for_programs),
        confirms=LetterQuestion(context.stored.id, team.address) if is_short else None,
    )


def refuse_without_place(context: LetterContext, team: Team) -> Decision | None:
    """Refuse the letter of a team that nothing was heard from before, if no place is left."""
    return _refuse(context, "full", to=team.address) if _is_full(context) else None


def welcome_back(context: LetterContext, team: Team, note: str) -> Decision:
    """Give a team that has just shown that somebody reads its address a place, the library, the
    rules."""
    attachments = welcome.files(context.tx, context.settings, context.stored.received_at)
    facts = {
        "team": team,
        "names": tuple(file.name for file in attachments),
        "has_rules": bool(rules(context.settings.game.name)),
        "ledger_key": str(ledger.public_key(context.tx)),
    }
    mail = Answer(
        "welcome_files",
        team.address,
        facts,
        of_team=team,
        attachments=attachments,
        is_notice=True,
    )
    return Decision(note, changes=(Hear(team),), before=(mail,))


def _shared_people(tx: Transaction, registration: Registration) -> tuple[str, ...]:
    """Remarks for the organizer: members whose names are in another team as well (K36)."""
    found = teams.memberships(tx, (member.name for member in registration.members))
    return tuple(f"{name} is also a member of {team}" for name, team in found)
