"""The organizer's actions on a contest, from the command line or by letter.

Each is one transaction with the change, its mails and its line in the journal. Nothing here plays
or compiles: a run in another process sees the change in its next transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import ValidationError

from contest.config.settings import Settings
from contest.errors import GiveUp, NotFound, NotNow
from contest.games.registry import game_of
from contest.interfaces.protocols import Renderer, to_all
from contest.language import gettext, ngettext, noted
from contest.ledger.receipts import Effect, LedgerEntry
from contest.mail import knobeln_json
from contest.mail.form import Form
from contest.model import BanKind, Outgoing, Participation, Phase, Team, TeamState
from contest.model.mail_records import DatesRecord, QuotedWords
from contest.public_number.beacon import BeaconKind
from contest.public_number.draw import Draw, draw_awaited
from contest.schema.sections import DATE_WORDS, Dates, Section
from contest.util.clock import TIME_FORMAT
from contest.util.plurals import did_you_mean, plural
from contest.util.wrong_values import words_of
from store import (
    Transaction,
    contest_state,
    decisions,
    engine_failures,
    ledger,
    outbox,
    results,
    submissions,
    teams,
)
from store.contest_state import note
from store.forget import forget_people

S = TypeVar("S", bound=Section)

_AFTER_BAN = {
    Phase.OPEN: noted("It takes no part in the contest."),
    Phase.RUNNING: noted(
        "It plays no more games. A group that has not finished is played as if the team had been"
        " disqualified in it; one that has finished keeps its table, unless you say `knobeln run"
        " rerun`. `knobeln verify` will name this decision to everybody, when it was made, and what"
        " the contest would be without it."
    ),
    Phase.FINISHED: noted(
        "The results stay as they are, unless you say `knobeln run rerun ROUND`, which plays"
        " without the team. `knobeln verify` will name this decision to everybody, when it was"
        " made, and what the contest would be without it."
    ),
}


@dataclass(frozen=True)
class Message:
    """The organizer's own words. They go to all registered teams, to those of this round, or to
    those without an accepted program."""

    subject: str
    text: str
    round: int | None = None
    without_program: bool = False

    @property
    def readers(self) -> str:
        """Who gets it, as mails say."""
        if self.without_program:
            return gettext("the teams that have no accepted program")
        return (
            gettext("all registered teams")
            if self.round is None
            else gettext("the teams of round %(round)s", round=self.round)
        )


@dataclass(frozen=True)
class OrganizerActions:
    """Actions in one transaction. `actor` names the organizer in the journal.

    Each returns a sentence that says what follows. It raises NotNow if the contest is in another
    phase or there is nothing to do, NotFound for an unknown team, round or date.
    """

    tx: Transaction
    settings: Settings
    renderer: Renderer
    now: datetime
    actor: str

    # --- the run ----------------------------------------------------------------------------------
    def pause(self, reason: str) -> str:
        self._must_not_be_over()
        pause = decisions.paused(self.tx)
        if pause is not None and pause.until is None:
            raise NotNow(
                f"the contest is paused already, since {pause.since:{TIME_FORMAT}}: {pause.reason}"
            )
        decisions.resume(self.tx)  # a pause that ends by itself becomes one that does not
        decisions.pause(self.tx, reason, self.now)
        self._note("pause", "the contest is paused", reason=reason)
        return gettext("The contest is paused. Groups that are being played are finished first.")

    def resume(self, reason: str = "") -> str:
        self._must_not_be_over()
        if not decisions.resume(self.tx):
            raise NotNow("the contest is not paused")
        self._note("resume", "the contest goes on", reason=reason)
        return gettext("The contest goes on.")

    def _must_not_be_over(self) -> None:
        if contest_state.state(self.tx).phase is Phase.FINISHED:
            raise NotNow(
                "the contest is finished, so there is no contest day that could rest or go on"
            )

    def rerun(self, number: int, group: int | None, reason: str) -> str:
        """Order a round, or one group, to be played again from the same seeds; draw later rounds
        anew.

        Reports of the former results that are still held never go out.
        """
        phase = contest_state.state(self.tx).phase
        if phase is Phase.OPEN:
            raise NotNow("the contest has not started, so there is nothing to play again")
        plan = results.drawn_round(self.tx, number).plan
        later = [each for each in results.all_rounds(self.tx) if each.plan.number > number]
        concerned = [each for each in plan.groups if later or group in (None, each.number)]
        released = {
            log.number: log.reported_at
            for log in outbox.released_rounds(self.tx)
            if log.reported_at
        }
        rerun, former = results.order_rerun(self.tx, number, group, reason, self.now, released)
        outbox.drop_held_reports(self.tx, number, rerun.group)
        contest_state.reopen(self.tx)
        self._record(Effect.PLAYED_AGAIN)
        what = rerun.what
        playing = submissions.participants(self.tx)
        names = {name for each in concerned for name in each.members}
        readers = [playing[name] for name in playing if name in names]
        engine_failures.forgive(self.tx, self._programs_of(readers))
        facts = {"rerun": rerun, "later": bool(later), "is_over": phase is Phase.FINISHED}
        self._tell(f"rerun/{rerun.id}", "played_again", readers, **facts)
        self._note("rerun", f"{what} is played again; {_told(readers)}", whom=what, reason=reason)
        return gettext(
            "%(what)s is played again by the next `knobeln run`, or the one at work. %(kept)s",
            what=what.capitalize(),
            kept=ngettext(
                "%(num)s finished group is kept for the pages.",
                "%(num)s finished groups are kept for the pages.",
                len(former),
            ),
        )

    def change_time(self, seconds: float, reason: str) -> str:
        """Change the time for a move, from the next group on, and tell all teams that play
        (U13)."""
        info = game_of(self.settings.game, self.settings.programs).info
        if info.play.is_computed:
            raise GiveUp(f"{info.title} has no time for each move, so there is none to change")
        if contest_state.state(self.tx).phase is not Phase.RUNNING:
            raise NotNow(
                "the time for a move can be changed so only while the contest runs",
                hint="before its start, change `seconds` of [programs] in contest.toml",
            )
        programs = decisions.programs_now(self.tx, self.settings.programs)
        before, after = programs.seconds, _changed(programs, {"seconds": seconds}).seconds
        if after == before:
            raise NotNow(f"the time for a move is {before:g} s already")
        decisions.change_time(self.tx, before, after, self.now)
        self._record(Effect.TIME_CHANGED)
        out, playing = decisions.all_bans(self.tx), submissions.participants(self.tx)
        readers = [playing[name] for name in playing if name not in out]
        facts = {"before": before, "after": after, "reason": reason}
        self._tell(f"time/{self.now.isoformat()}", "time_changed", readers, **facts)
        self._note(
            "seconds", f"time for a move: {after:g} s instead of {before:g} s", reason=reason
        )
        return gettext(
            "From the next group on, a program has %(after)s s for a move instead of %(before)s s."
            " Groups that have begun keep the old time. %(told)s.",
            after=format(after, "g"),
            before=format(before, "g"),
            told=_told(readers),
        )

    # --- the public number ------------------------------------------------------------------------
    def hand_in_number(self, text: str, source: str) -> str:
        """Read the public number in the text, and make the contest's seed of it.

        `source`: where it comes from, for the journal. Raises GiveUp with the right form.
        """
        draw = self.awaited_draw()
        if self.now < draw.at:
            raise NotNow(
                f"the public number is drawn at {draw.at:{TIME_FORMAT}}, so this cannot be it"
            )
        number = draw.read(text)
        contest_state.set_number(self.tx, number)
        self._record(Effect.NUMBER_DRAWN, digest=hashlib.sha256(number.value).hexdigest())
        shown = (
            number.value.hex() if draw.beacon.kind is BeaconKind.DRAND else number.value.decode()
        )
        self._note("number", f"the public number is {shown}", reason=source)
        return gettext(
            "The public number is %(shown)s. The contest goes on by itself, or with the next"
            " `knobeln run`.",
            shown=shown,
        )

    def awaited_draw(self) -> Draw:
        """The draw whose number is missing. Raises NotNow if the contest does not wait for one."""
        starts = self.settings.dates.contest_starts
        draw = draw_awaited(self.settings.tournament.beacon, starts, contest_state.state(self.tx))
        if draw is None:
            raise NotNow(
                "the contest waits for no public number now",
                hint=(
                    "it does from its start until the number is known, if `tournament.beacon`"
                    " says so"
                ),
            )
        return draw

    # --- teams ------------------------------------------------------------------------------------
    def take_out(self, name: str, kind: BanKind, reason: str) -> str:
        """Disqualify a team, or drop it at its own request."""
        self._must_not_be_told()
        team, phase = teams.named(self.tx, name), contest_state.state(self.tx).phase
        known = decisions.ban_of(self.tx, team.id)
        if known is not None:
            raise NotNow(
                f"{name} is {known.kind} already, since {known.at:{TIME_FORMAT}}: {known.reason}"
            )
        if team.state is not TeamState.ACTIVE:
            raise NotNow(f"{name} takes no part anyway: it is {team.state}")
        made = decisions.ban(self.tx, team.id, kind, reason, self.now)
        self._record(Effect.TAKEN_OUT, name)
        self._tell(f"ban/{made.id}", str(kind), [team], team=team, reason=reason, phase=str(phase))
        self._note(_COMMANDS[kind], f"{name} was {kind}", whom=name, reason=reason)
        return gettext(
            "%(name)s is %(kind)s, and told so. %(after_ban)s",
            name=name,
            kind=kind,
            after_ban=gettext(_AFTER_BAN[phase]),
        )

    def _must_not_be_told(self) -> None:
        """Raises NotNow if the contest is finished, and none of its reports is held back."""
        is_over = contest_state.state(self.tx).phase is Phase.FINISHED
        if not is_over or outbox.rounds_with_held_reports(self.tx):
            return
        raise NotNow(
            "the contest's results are out",
            hint=(
                "if they cannot stand: `knobeln run rerun ROUND`, this command again, `knobeln run`"
            ),
        )

    def reinstate(self, name: str, reason: str) -> str:
        """Let a team in again that was taken out, or let its program be asked that was set
        aside."""
        team, phase = teams.named(self.tx, name), contest_state.state(self.tx).phase
        plays_again = self._reinstate_program(team, reason)
        ban = decisions.ban_of(self.tx, team.id)
        if ban is None and not plays_again:
            raise NotNow(
                f"{name} is neither disqualified nor dropped, and no program of it is set aside"
            )
        if ban is None:
            return plays_again
        decisions.lift(self.tx, ban.id, self.now)
        self._record(Effect.REINSTATED, name)
        plays = phase is Phase.OPEN or name in submissions.participants(self.tx)
        own = submissions.program_of(self.tx, team.id)
        facts = {"team": team, "reason": reason, "phase": str(phase), "plays": plays, "own": own}
        self._tell(f"ban/{ban.id}/lifted", "reinstated", [team], **facts)
        self._note("reinstate", f"{name} was reinstated", whom=name, reason=reason)
        return gettext(
            "%(name)s is reinstated, and told so. %(after_lift)s",
            name=name,
            after_lift=_after_lift(phase, own.participation, plays=plays),
        )

    def _reinstate_program(self, team: Team, reason: str) -> str:
        """What follows, in a sentence; "" if no program of the team is set aside."""
        is_accepted = engine_failures.forgive(self.tx, self._programs_of([team]))
        waiting = submissions.retry(self.tx, team.id)
        if not is_accepted and not waiting:
            return ""
        engine_failures.forgive_waiting(self.tx)
        self._record(Effect.PROGRAM_REINSTATED, team.name)
        self._note(
            "reinstate", f"the program of {team.name} plays again", whom=team.name, reason=reason
        )
        if not is_accepted:
            return gettext(
                "The program of %(name)s is in the queue again, and is compiled.", name=team.name
            )
        event = f"aside/{self.now.isoformat()}/lifted"
        self._tell(event, "program_reinstated", [team], team=team, reason=reason)
        return gettext(
            "The program of %(name)s is asked for moves again, and its team is told. Where a group"
            " was finished without it, `knobeln run rerun` plays that again.",
            name=team.name,
        )

    def _programs_of(self, owners: Iterable[Team]) -> set[str]:
        """The digests of the programs that play for these teams."""
        ids = {team.id for team in owners}
        return {digest for team_id, digest in submissions.owned(self.tx) if team_id in ids}

    def forget(self, name: str, reason: str) -> str:
        """Delete the names and addresses of a team's people, see `store.forget`."""
        team, state = teams.named(self.tx, name), contest_state.state(self.tx)
        phase = state.phase
        if phase is Phase.RUNNING or (
            phase is Phase.OPEN and team.state is not TeamState.WITHDRAWN
        ):
            raise NotNow(
                f"{name} still plays" if phase is Phase.OPEN else "the contest has not finished",
                hint="people are forgotten after the contest, or when their team has withdrawn",
            )
        own = self.settings.contest
        forget_people(self.tx, team, (own.address, own.organizer_address))
        if team.is_registered and state.number < self.settings.season.tournaments:
            # or else the next list would lack a team that has not gone
            self._record(Effect.WITHDRAWN, name)
        self._note("forget", f"the people of {name} were forgotten", whom=name, reason=reason)
        return gettext(
            "The people of %(name)s are forgotten. Delete the backups that name them; a published"
            " archive, and mails that others have, name them still.",
            name=name,
        )

    # --- reports ----------------------------------------------------------------------------------
    def hold(self, reason: str) -> str:
        """Hold the reports of the contest day, queued and future."""
        since = decisions.reports_held(self.tx)
        if since is not None:
            raise NotNow(f"the reports are held already, since {since:{TIME_FORMAT}}")
        decisions.hold_reports(self.tx, self.now)
        held = len(outbox.hold(self.tx, reports=True))
        self._note("hold", f"reports are held; {held} waited", reason=reason)
        return gettext(
            "The reports of the contest day are kept back until `knobeln mail release`; %(held)s"
            " waited.",
            held=held,
        )

    def release(self, reason: str = "") -> str:
        """Release the held reports; future reports go out as usual."""
        since = decisions.reports_held(self.tx)
        decisions.hold_reports(self.tx, None)
        released = len(outbox.release(self.tx, self.now, reports=True))
        if since is None and not released:
            raise NotNow("no reports are held")
        self._note(
            "release", f"{plural(released, 'report was', 'reports were')} released", reason=reason
        )
        if not released:
            return gettext("Nothing was held; future reports go out as usual.")
        return gettext(
            "%(released)s out now; future reports go out as usual.",
            released=ngettext("%(num)s report goes", "%(num)s reports go", released),
        )

    # --- dates ------------------------------------------------------------------------------------
    def move_dates(self, written: Dates, moved: Mapping[str, datetime], reason: str) -> str:
        """Move dates, and tell all registered teams (K101). `written` are those of contest.toml."""
        before = decisions.dates_now(self.tx, written, self.settings.season)
        moved = {name: at for name, at in moved.items() if getattr(before, name) != at}
        if not moved:
            raise NotNow("these dates are so already")
        self._must_be_movable(moved)
        after = _changed(before, moved, "move the other date, too, in the same command")
        for name, at in moved.items():
            decisions.move_date(self.tx, name, getattr(written, name), at, self.settings.season)
            was = getattr(before, name)
            text = f"{DATE_WORDS[name]}: moved from {was:{TIME_FORMAT}} to {at:{TIME_FORMAT}}"
            self._note("dates", text, whom=name, reason=reason)
        readers = self._registered()
        new = self.settings.model_copy(update={"dates": after})
        changes = [(_title(name), getattr(before, name), at) for name, at in moved.items()]
        facts = {"changes": changes, "reason": reason, "settings": new}
        event = f"dates/{self.now.isoformat()}"
        receipt = ledger.note_settings(self.tx, new, self.now)
        quoted = knobeln_json.quoted(QuotedWords, self.settings, words=reason)
        record = DatesRecord(dates=dict(after), quoted=quoted)
        mails = to_all(
            readers, event, "dates_moved", self.settings, self.renderer, receipt, **facts
        )
        mails = decisions.with_calendar(self.tx, mails, new, self.now)
        mails = knobeln_json.with_file(mails, readers, self.settings, lambda: record)
        outbox.put_all(self.tx, mails, self.settings, self.now)
        what = "; ".join(f"{_title(name)}: {at:{TIME_FORMAT}}" for name, at in moved.items())
        return f"{what}. {_told(readers)}."

    def _must_be_movable(self, moved: Mapping[str, datetime]) -> None:
        phase = contest_state.state(self.tx).phase
        if phase is Phase.FINISHED:
            raise NotNow("the contest is finished; its dates are past")
        if phase is Phase.RUNNING and set(moved) != {"results_published"}:
            raise NotNow(
                "the contest has started", hint="only results_published can still be moved"
            )

    # --- the organizer's own words ----------------------------------------------------------------
    def tell(self, message: Message) -> str:
        """Send the message, but not to teams that got the same words before, perhaps by a command
        that seemed to fail."""
        readers = self.readers_of(message)
        words = hashlib.sha256(f"{message.subject}\n{message.text}".encode()).hexdigest()[:16]
        told = self._tell(f"tell/{words}", "organizer_words", readers, message=message)
        if not told:
            raise NotNow(
                f"{plural(len(readers), 'team has', 'teams have')} got these words before, and"
                " there is nobody else",
                hint="to say them again, change a word",
            )
        text = f"{plural(told, 'team is', 'teams are')} told: {message.subject}"
        self._note("tell", text, whom=message.readers)
        return ngettext("%(num)s team is told.", "%(num)s teams are told.", told)

    def readers_of(self, message: Message) -> list[Team]:
        """Who gets the message. Raises NotNow if there is nobody, GiveUp if it says nothing."""
        if not message.subject.strip() or not message.text.strip():
            raise GiveUp("a message needs a subject and a text")
        if message.round is not None:
            plan = results.drawn_round(self.tx, message.round).plan
            playing = submissions.participants(self.tx)
            readers = [playing[name] for group in plan.groups for name in group.members]
        else:
            readers = self._registered()
        if message.without_program:
            readers = [
                team for team in readers if submissions.latest_good(self.tx, team.id) is None
            ]
        if not readers:
            raise NotNow(f"there is nobody to tell: no team is among {message.readers}")
        return readers

    def invite(
        self, forms: Sequence[Form], others: Mapping[str, Form] | None = None, *, again: bool
    ) -> str:
        """Send each of these forms to its address, unless that is registered or was invited before.

        `others`: the addresses of people who are in a team of somebody else's form; they are told
        whose. `again`: also to those who were invited before, at most once a day.
        """
        closes = self.settings.dates.registration_closes
        if contest_state.state(self.tx).phase is not Phase.OPEN or self.now >= closes:
            raise NotNow(f"registration closed at {closes:{TIME_FORMAT}}, so nobody can be invited")
        new = [form for form in forms if not self._is_registered(form.address)]
        time = f"/{self.now:%Y-%m-%d}" if again else ""
        invited = outbox.put_all(
            self.tx, (self._invitation(form, time) for form in new), self.settings, self.now
        )
        told = outbox.put_all(
            self.tx,
            (
                self._word_of_group(address, form, time)
                for address, form in (others or {}).items()
                if not self._is_registered(form.address)
            ),
            self.settings,
            self.now,
        )
        if invited:
            self._note("invite", f"{plural(invited, 'invitation was', 'invitations were')} sent")
        words = [plural(invited, "invitation goes out.", "invitations go out.")]
        if told:
            who = plural(told, "other member", "other members")
            words.append(f"{who} of groups {'hears' if told == 1 else 'hear'} who has the form.")
        if before := len(forms) - invited:
            when = "today" if again else "before (`--again` sends the form once more)"
            addresses = plural(before, "address was", "addresses were")
            words.append(f"{addresses} registered, or invited {when}.")
        return " ".join(words)

    def _is_registered(self, address: str) -> bool:
        team = teams.by_address(self.tx, address)
        return team is not None and team.is_registered

    def _invitation(self, form: Form, time: str) -> Outgoing:
        is_open = self.settings.dates.registration_opens <= self.now
        rendered = self.renderer.render("invitation", form=form.text, is_open=is_open)
        key = f"invitation/{form.address}{time}"
        return Outgoing(key, "invitation", form.address, rendered.subject, rendered.body)

    def _word_of_group(self, address: str, form: Form, time: str) -> Outgoing:
        """Tell a member of a group who has its form."""
        rendered = self.renderer.render("invitation_of_group", form=form)
        key = f"invitation_of_group/{address}/{form.address}{time}"
        return Outgoing(key, "invitation_of_group", address, rendered.subject, rendered.body)

    # --- for all of them --------------------------------------------------------------------------
    def _registered(self) -> list[Team]:
        """The teams that take part, or wait to be accepted."""
        out = decisions.all_bans(self.tx)
        wanted = (TeamState.ACTIVE, TeamState.PENDING)
        return [t for t in teams.all_teams(self.tx) if t.state in wanted and t.name not in out]

    def _tell(
        self,
        event: str,
        template: str,
        readers: list[Team],
        /,
        **facts: object,
    ) -> int:
        """The same mail to each of these teams. Returns how many did not have it yet."""
        mails = to_all(readers, event, template, self.settings, self.renderer, **facts)
        return outbox.put_all(self.tx, mails, self.settings, self.now)

    def _record(self, effect: Effect, team: str = "", digest: str = "") -> None:
        """Append the action to the ledger, so that nobody can hide it or date it back."""
        ledger.append(self.tx, LedgerEntry(effect, team, self.now, digest=digest))

    def _note(self, what: str, text: str, *, whom: str = "", reason: str = "") -> None:
        note(self.tx, what, text, self.now, actor=self.actor, whom=whom, reason=reason)


_COMMANDS = {BanKind.DISQUALIFIED: "disqualify", BanKind.DROPPED: "drop"}


def _after_lift(phase: Phase, participation: Participation, *, plays: bool) -> str:
    if phase is Phase.OPEN and participation is not Participation.ACTIVE:
        return gettext(
            "But it takes no part: it is %(participation)s.", participation=participation
        )
    if phase is Phase.OPEN:
        return gettext("It takes part as before.")
    if not plays:
        return gettext("But the contest started without it, so it has no program in it.")
    return gettext(
        "It plays in its groups that have not finished. Where one was finished without it, `knobeln"
        " run rerun` plays that again."
    )


def read_date(name: str, when: str) -> tuple[str, datetime]:
    """A date by its name in contest.toml, and a time. Raises NotFound or GiveUp with the right
    form."""
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    if plain not in Dates.model_fields:
        hint = (
            did_you_mean(plain, Dates.model_fields)
            or f"the dates are {', '.join(Dates.model_fields)}"
        )
        raise NotFound(f"there is no date {name!r}", hint=hint)
    return plain, read_time(when)


def read_time(when: str) -> datetime:
    """Universal Time. Raises GiveUp with the right form."""
    text = " ".join(when.strip().removesuffix("Z").removesuffix("UTC").removesuffix("UT").split())
    with suppress(ValueError):
        found = datetime.fromisoformat(text)
        if ":" in text and found.tzinfo is None:
            return found.replace(tzinfo=UTC)
    raise GiveUp(
        f"{when!r} is not a time", hint="write it like 1994-05-15T12:00, in Universal Time"
    )


def _changed(section: S, changes: Mapping[str, object], hint: str = "") -> S:
    """The section with these values. Raises GiveUp if they cannot be."""
    try:
        return type(section).model_validate({**section.model_dump(), **changes})
    except ValidationError as error:
        reasons = "; ".join(map(words_of, error.errors()))
        raise GiveUp(f"that cannot be: {reasons}", hint=hint) from None


def _told(readers: list[Team]) -> str:
    return ngettext("%(num)s team is told", "%(num)s teams are told", len(readers))


def _title(name: str) -> str:
    return name.replace("_", " ")
