"""Writes down what the organizer decides: what changes, the ledger's entries, the mails and the
lines of the journal. All is one transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from contest.interfaces.protocols import to_all, to_team
from contest.language import speaking
from contest.ledger.receipts import Effect, LedgerEntry, Receipt
from contest.mail import knobeln_json
from contest.model import Outgoing, Team, TeamState
from contest.model.mail_records import DatesRecord, QuotedWords
from mailserver import welcome
from mailserver.command import Desk
from mailserver.decision import (
    Accept,
    BuildAgain,
    ChangeTime,
    ContestChange,
    Forget,
    Forgive,
    HoldReports,
    Invite,
    LiftBan,
    Log,
    MoveDates,
    OrderRun,
    OrganizerChange,
    OrganizerDecision,
    PauseContest,
    PlayAgain,
    Record,
    Reject,
    ReleaseReports,
    ResumeContest,
    SetNumber,
    TakeOut,
    TeamChange,
    Tell,
)
from mailserver.organizer_actions import OrganizerActions, readable_name
from mailserver.team_secret import digest, new_string
from store import (
    contest_state,
    decisions,
    engine_failures,
    ledger,
    letters,
    outbox,
    results,
    submissions,
    teams,
)
from store.forget import forget_people


def act(desk: Desk, actor: str, decide: Callable[[OrganizerActions], OrganizerDecision]) -> str:
    """Decide as the organizer, and write what follows. Returns the sentence that says so.

    `actor`: who the organizer is, for the journal.
    """
    decision = decide(OrganizerActions(desk.tx, desk.settings, desk.now, actor))
    for change in decision.changes:
        write_change(desk, change)
    return decision.sentence


def write_change(desk: Desk, change: OrganizerChange) -> None:
    """Write what changes, or what others learn of it."""
    match change:
        case Tell(event, template, readers, facts):
            _tell(desk, event, template, readers, facts)
        case Invite():
            _invite(desk, change)
        case Record(effect, team, digest_of_it):
            ledger.append(desk.tx, LedgerEntry(effect, team, desk.now, digest=digest_of_it))
        case Log():
            write_log(desk, change)
        case TakeOut() | LiftBan() | Forgive() | BuildAgain() | Forget() | Accept() | Reject():
            _change_team(desk, change)
        case _:
            _change_contest(desk, change)


def write_log(desk: Desk, line: Log) -> None:
    """Add the line to the log."""
    contest_state.note(
        desk.tx,
        line.area,
        line.text,
        desk.now,
        actor=line.actor,
        whom=line.whom,
        reason=line.reason,
    )


def _tell(
    desk: Desk, event: str, template: str, readers: Iterable[Team], facts: Mapping[str, object]
) -> None:
    """Queue the same mail to each of these teams, but not to those that have it."""
    mails = to_all(readers, event, template, desk.settings, desk.renderer, **facts)
    outbox.put_all(desk.tx, mails, desk.settings, desk.now)


def _invite(desk: Desk, change: Invite) -> None:
    rendered = desk.renderer.render(change.template, **change.facts)
    mail = Outgoing(change.key, change.template, change.address, rendered.subject, rendered.body)
    outbox.put(desk.tx, mail, desk.settings, desk.now)


# --- the contest ----------------------------------------------------------------------------------
def _change_contest(desk: Desk, change: ContestChange) -> None:
    tx, now = desk.tx, desk.now
    match change:
        case OrderRun():
            decisions.order_run(tx, now)
        case PauseContest(reason):
            decisions.resume(tx)  # a pause that ends by itself becomes one that does not
            decisions.pause(tx, reason, now)
        case ResumeContest():
            decisions.resume(tx)
        case PlayAgain():
            _play_again(desk, change)
        case ChangeTime(before, after):
            decisions.change_time(tx, before, after, now)
        case SetNumber(number):
            contest_state.set_number(tx, number)
        case HoldReports():
            decisions.hold_reports(tx, now)
            outbox.hold(tx, reports=True)
        case ReleaseReports():
            decisions.hold_reports(tx, None)
            outbox.release(tx, now, reports=True)
        case MoveDates():
            _move_dates(desk, change)


def _play_again(desk: Desk, change: PlayAgain) -> None:
    """The reports of the former results that are still held never go out."""
    tx = desk.tx
    released = {
        log.number: log.reported_at for log in outbox.released_rounds(tx) if log.reported_at
    }
    rerun = results.order_rerun(tx, change.rerun, released)
    outbox.drop_held_reports(tx, rerun.round, rerun.group)
    contest_state.reopen(tx)
    facts = {"rerun": rerun, **change.facts}
    _tell(desk, f"rerun/{rerun.id}", "played_again", change.readers, facts)


def _move_dates(desk: Desk, change: MoveDates) -> None:
    """The mails have the dates for a calendar and for programs, and the receipt of the new
    settings."""
    tx, settings, now = desk.tx, desk.settings, desk.now
    for name, date in change.moved.items():
        decisions.move_date(tx, name, getattr(change.written, name), date, settings.season)
    new = settings.model_copy(update={"dates": change.after})
    changes = [
        (readable_name(name), getattr(change.before, name), date)
        for name, date in change.moved.items()
    ]
    mails = to_all(
        change.readers,
        f"dates/{now.isoformat()}",
        "dates_moved",
        settings,
        desk.renderer,
        ledger.note_settings(tx, new, now),
        changes=changes,
        reason=change.reason,
        settings=new,
    )
    mails = decisions.with_calendar(tx, mails, new, now)
    quoted = knobeln_json.quoted(QuotedWords, settings, words=change.reason)
    record = DatesRecord(dates=dict(change.after), quoted=quoted)
    mails = knobeln_json.with_file(mails, change.readers, settings, lambda: record)
    outbox.put_all(tx, mails, settings, now)


# --- a team ---------------------------------------------------------------------------------------
def _change_team(desk: Desk, change: TeamChange) -> None:
    tx = desk.tx
    match change:
        case TakeOut():
            _take_out(desk, change)
        case LiftBan(ban):
            decisions.lift(tx, ban.id, desk.now)
        case Forgive(programs):
            engine_failures.forgive(tx, programs)
        case BuildAgain(team):
            submissions.retry(tx, team.id)
        case Forget(team):
            contest = desk.settings.contest
            forget_people(tx, team, (contest.address, contest.organizer_address))
        case Accept(team):
            _accept(desk, team)
        case Reject():
            _reject(desk, change)


def _take_out(desk: Desk, change: TakeOut) -> None:
    team, reason = change.team, change.reason
    ban = decisions.ban(desk.tx, team.id, change.kind, reason, desk.now)
    facts = {"team": team, "reason": reason, "phase": str(change.phase)}
    _tell(desk, f"ban/{ban.id}", str(change.kind), [team], facts)


def _accept(desk: Desk, team: Team) -> None:
    """The organizer knows who the team is, and its mail has all files."""
    tx, settings, now = desk.tx, desk.settings, desk.now
    string = new_string()
    teams.set_state(tx, team.id, TeamState.ACTIVE)
    teams.set_auth_digest(tx, team.id, digest(string))
    teams.set_proved(tx, team.id)
    facts = welcome.facts(tx, team, string, settings)
    with speaking(team.language or settings.contest.language):
        rendered = desk.renderer.render(
            "registration_accepted", remarks=(), is_short=False, is_brief=False, **facts
        )
        files = welcome.files(tx, settings, now)
    key = _key(team, f"accepted/{digest(string)[:12]}")
    mail = replace(
        to_team(team, key, "registration_accepted", rendered),
        attachments=(*files, *welcome.for_programs(facts, settings)),
        receipt=_receipt(desk, Effect.REGISTRATION_ACCEPTED, team),
    )
    outbox.put(tx, mail, settings, now)


def _reject(desk: Desk, change: Reject) -> None:
    """Its name and address are free again. A team that had withdrawn and wanted to come back stays
    withdrawn."""
    tx, team = desk.tx, change.team
    receipt = _receipt(desk, Effect.REGISTRATION_REJECTED, team)
    if outbox.has_mail_of(tx, team.id):
        teams.set_state(tx, team.id, TeamState.WITHDRAWN)
    else:
        teams.remove(tx, team.id)
    with speaking(team.language or desk.settings.contest.language):
        rendered = desk.renderer.render("registration_rejected", team=team, words=change.reason)
    mail = Outgoing(
        key=_key(team, "rejected"),
        kind="registration_rejected",
        to=team.address,
        subject=rendered.subject,
        body=rendered.body,
        language=team.language,
        receipt=receipt,
    )
    outbox.put(tx, mail, desk.settings, desk.now)


def _receipt(desk: Desk, effect: Effect, team: Team) -> Receipt:
    """Append the organizer's decision about the team's form to the ledger."""
    form = letters.that_registered(desk.tx, team.id)
    return ledger.append(desk.tx, LedgerEntry(effect, team.name, desk.now, form))


def _key(team: Team, what: str) -> str:
    """With the time of registration, because the database may give a removed team's number
    again."""
    return f"team/{team.id}/{team.registered_at.isoformat()}/{what}"
