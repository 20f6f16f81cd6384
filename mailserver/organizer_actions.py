"""The organizer's actions on a contest, from the command line or by letter: what each changes, and
whether it can be done.

`mailserver/write_action.py` writes it in one transaction, with its mails and its line in the
journal. Nothing here plays or compiles: a run in another process sees the change in its next
transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

from pydantic import ValidationError

from contest.config.settings import Settings
from contest.errors import GiveUp, NotFound, NotNow
from contest.games.registry import game_of
from contest.interfaces.protocols import key_of
from contest.language import gettext, ngettext, noted
from contest.ledger.receipts import Effect
from contest.mail.form import Form
from contest.model import (
    BanKind,
    GroupPlan,
    OutboxState,
    Participation,
    Phase,
    Rerun,
    Team,
    TeamState,
)
from contest.public_number.beacon import BeaconKind
from contest.public_number.draw import Draw, draw_awaited
from contest.schema.sections import DATE_WORDS, Dates, Section
from contest.util.clock import TIME_FORMAT
from contest.util.plurals import did_you_mean, plural
from contest.util.wrong_values import words_of
from mailserver.decision import (
    Accept,
    BuildAgain,
    ChangeTime,
    Forget,
    Forgive,
    HoldReports,
    Invite,
    LiftBan,
    Log,
    MoveDates,
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
    Tell,
)
from store import (
    Transaction,
    contest_state,
    decisions,
    engine_failures,
    outbox,
    participation,
    results,
    submissions,
    teams,
)

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
    """Actions on the contest as this transaction finds it. `actor` names the organizer in the
    journal.

    Each only decides: it returns what follows. It raises NotNow if the contest is in another phase
    or there is nothing to do, NotFound for an unknown team, round or date.
    """

    tx: Transaction
    settings: Settings
    now: datetime
    actor: str

    # --- the run ----------------------------------------------------------------------------------
    def pause(self, reason: str) -> OrganizerDecision:
        self._must_not_be_over()
        pause = decisions.paused(self.tx)
        if pause is not None and pause.until is None:
            raise NotNow(
                f"the contest is paused already, since {pause.since:{TIME_FORMAT}}: {pause.reason}"
            )
        return OrganizerDecision(
            gettext("The contest is paused. Groups that are being played are finished first."),
            (
                PauseContest(reason),
                self._line("pause", "the contest is paused", reason=reason),
            ),
        )

    def resume(self, reason: str = "") -> OrganizerDecision:
        self._must_not_be_over()
        if decisions.paused(self.tx) is None:
            raise NotNow("the contest is not paused")
        return OrganizerDecision(
            gettext("The contest goes on."),
            (
                ResumeContest(),
                self._line("resume", "the contest goes on", reason=reason),
            ),
        )

    def _must_not_be_over(self) -> None:
        if contest_state.state(self.tx).phase is Phase.FINISHED:
            raise NotNow(
                "the contest is finished, so there is no contest day that could rest or go on"
            )

    def rerun(self, number: int, group: int | None, reason: str) -> OrganizerDecision:
        """Order a round, or one group, to be played again from the same seeds; draw later rounds
        anew."""
        phase = contest_state.state(self.tx).phase
        if phase is Phase.OPEN:
            raise NotNow("the contest has not started, so there is nothing to play again")
        drawn = results.drawn_round(self.tx, number)
        groups = drawn.plan.groups
        if group is not None and group not in {plan.number for plan in groups}:
            raise NotFound(f"there is no group {group} in round {number}; it has {len(groups)}")
        later = [other for other in results.all_rounds(self.tx) if other.plan.number > number]
        only = group if len(groups) > 1 else None
        rerun = Rerun(0, self.now, number, only, reason)
        finished = [outcome for outcome in drawn.groups if only in (None, outcome.plan.number)]
        former = len(finished) + sum(len(other.groups) for other in later)
        readers = self._members(plan for plan in groups if later or group in (None, plan.number))
        facts = {"later": bool(later), "is_over": phase is Phase.FINISHED}
        text = f"{rerun.what} is played again; {_told(readers)}"
        return OrganizerDecision(
            gettext(
                "%(what)s is played again by the next `knobeln run`, or the one at work. %(kept)s",
                what=rerun.what.capitalize(),
                kept=ngettext(
                    "%(num)s finished group is kept for the pages.",
                    "%(num)s finished groups are kept for the pages.",
                    former,
                ),
            ),
            (
                PlayAgain(rerun, readers, facts),
                Record(Effect.PLAYED_AGAIN),
                Forgive(self._programs_of(readers)),
                self._line("rerun", text, whom=rerun.what, reason=reason),
            ),
        )

    def _members(self, groups: Iterable[GroupPlan]) -> tuple[Team, ...]:
        """Return the teams of these groups, in the order of the list of entries."""
        names = {name for group in groups for name in group.members}
        playing = submissions.participants(self.tx)
        return tuple(team for name, team in playing.items() if name in names)

    def change_time(self, seconds: float, reason: str) -> OrganizerDecision:
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
        out, playing = decisions.all_bans(self.tx), submissions.participants(self.tx)
        readers = tuple(team for name, team in playing.items() if name not in out)
        facts = {"before": before, "after": after, "reason": reason}
        text = f"time for a move: {after:g} s instead of {before:g} s"
        return OrganizerDecision(
            gettext(
                "From the next group on, a program has %(after)s s for a move instead of"
                " %(before)s s. Groups that have begun keep the old time. %(told)s.",
                after=format(after, "g"),
                before=format(before, "g"),
                told=_told(readers),
            ),
            (
                ChangeTime(before, after),
                Record(Effect.TIME_CHANGED),
                Tell(f"time/{self.now.isoformat()}", "time_changed", readers, facts),
                self._line("seconds", text, reason=reason),
            ),
        )

    # --- the public number ------------------------------------------------------------------------
    def hand_in_number(self, text: str, source: str) -> OrganizerDecision:
        """Read the public number in the text, and make the contest's seed of it.

        `source`: where it comes from, for the journal. Raises GiveUp with the right form.
        """
        draw = self.awaited_draw()
        if self.now < draw.at:
            raise NotNow(
                f"the public number is drawn at {draw.at:{TIME_FORMAT}}, so this cannot be it"
            )
        number = draw.read(text)
        is_hex = draw.beacon.kind is BeaconKind.DRAND
        shown = number.value.hex() if is_hex else number.value.decode()
        return OrganizerDecision(
            gettext(
                "The public number is %(shown)s. The contest goes on by itself, or with the next"
                " `knobeln run`.",
                shown=shown,
            ),
            (
                SetNumber(number),
                Record(Effect.NUMBER_DRAWN, digest=hashlib.sha256(number.value).hexdigest()),
                self._line("number", f"the public number is {shown}", reason=source),
            ),
        )

    def awaited_draw(self) -> Draw:
        """Return the draw whose number is missing. Raises NotNow if the contest does not wait for
        one."""
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
    def take_out(self, name: str, kind: BanKind, reason: str) -> OrganizerDecision:
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
        return OrganizerDecision(
            gettext(
                "%(name)s is %(kind)s, and told so. %(after_ban)s",
                name=name,
                kind=kind,
                after_ban=gettext(_AFTER_BAN[phase]),
            ),
            (
                TakeOut(team, kind, reason, phase),
                Record(Effect.TAKEN_OUT, name),
                self._line(_COMMANDS[kind], f"{name} was {kind}", whom=name, reason=reason),
            ),
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

    def reinstate(self, name: str, reason: str) -> OrganizerDecision:
        """Let a team in again that was taken out, or let its program be asked that was set
        aside."""
        team = teams.named(self.tx, name)
        program, ban = self._reinstate_program(team, reason), decisions.ban_of(self.tx, team.id)
        if ban is None and not program.sentence:
            raise NotNow(
                f"{name} is neither disqualified nor dropped, and no program of it is set aside"
            )
        if ban is None:
            return program
        phase = contest_state.state(self.tx).phase
        plays = phase is Phase.OPEN or name in submissions.participants(self.tx)
        takes_part = participation.without_ban(self.tx, team.id)
        own = replace(submissions.program_of(self.tx, team.id), participation=takes_part)
        facts = {"team": team, "reason": reason, "phase": str(phase), "plays": plays, "own": own}
        return OrganizerDecision(
            gettext(
                "%(name)s is reinstated, and told so. %(after_lift)s",
                name=name,
                after_lift=_after_lift(phase, takes_part, plays=plays),
            ),
            (
                *program.changes,
                LiftBan(ban),
                Record(Effect.REINSTATED, name),
                Tell(f"ban/{ban.id}/lifted", "reinstated", (team,), facts),
                self._line("reinstate", f"{name} was reinstated", whom=name, reason=reason),
            ),
        )

    def _reinstate_program(self, team: Team, reason: str) -> OrganizerDecision:
        """Return what follows for the team's program; without a sentence nothing, as none is set
        aside."""
        name, programs = team.name, self._programs_of([team])
        is_accepted = not programs.isdisjoint(engine_failures.aside(self.tx))
        waits = submissions.is_set_aside(self.tx, team.id)
        if not is_accepted and not waits:
            return OrganizerDecision("", (Forgive(programs),))
        text = f"the program of {name} plays again"
        changes = (
            Forgive(programs),
            BuildAgain(team),
            Record(Effect.PROGRAM_REINSTATED, name),
            self._line("reinstate", text, whom=name, reason=reason),
        )
        if not is_accepted:
            sentence = gettext(
                "The program of %(name)s is in the queue again, and is compiled.", name=name
            )
            return OrganizerDecision(sentence, changes)
        event = f"aside/{self.now.isoformat()}/lifted"
        facts = {"team": team, "reason": reason}
        return OrganizerDecision(
            gettext(
                "The program of %(name)s is asked for moves again, and its team is told. Where a"
                " group was finished without it, `knobeln run rerun` plays that again.",
                name=name,
            ),
            (*changes, Tell(event, "program_reinstated", (team,), facts)),
        )

    def _programs_of(self, owners: Iterable[Team]) -> frozenset[str]:
        """Return the digests of the programs that play for these teams."""
        ids = {team.id for team in owners}
        owned = submissions.owned(self.tx)
        return frozenset(digest for team_id, digest in owned if team_id in ids)

    def forget(self, name: str, reason: str) -> OrganizerDecision:
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
        changes: list[OrganizerChange] = [Forget(team)]
        if team.is_registered and state.number < self.settings.season.tournaments:
            # or else the next list would lack a team that has not gone
            changes.append(Record(Effect.WITHDRAWN, name))
        text = f"the people of {name} were forgotten"
        return OrganizerDecision(
            gettext(
                "The people of %(name)s are forgotten. Delete the backups that name them; a"
                " published archive, and mails that others have, name them still.",
                name=name,
            ),
            (*changes, self._line("forget", text, whom=name, reason=reason)),
        )

    def accept(self, team: Team, reason: str = "") -> OrganizerDecision:
        """Take a team in that waited, has withdrawn or was not heard from."""
        return OrganizerDecision(
            gettext("%(team)s takes part; the answer is in the outbox.", team=team.name),
            (
                Accept(team),
                self._line("accept", f"{team.name} was accepted", whom=team.name, reason=reason),
            ),
        )

    def reject(self, team: Team, reason: str) -> OrganizerDecision:
        """Reject a registration that waited."""
        return OrganizerDecision(
            gettext("%(team)s does not take part; the answer is in the outbox.", team=team.name),
            (
                Reject(team, reason),
                self._line("reject", f"{team.name} was rejected", whom=team.name, reason=reason),
            ),
        )

    # --- reports ----------------------------------------------------------------------------------
    def hold(self, reason: str) -> OrganizerDecision:
        """Hold the reports of the contest day, queued and future."""
        since = decisions.reports_held(self.tx)
        if since is not None:
            raise NotNow(f"the reports are held already, since {since:{TIME_FORMAT}}")
        waiting = outbox.count_reports(self.tx, OutboxState.READY)
        text = f"reports are held; {waiting} waited"
        return OrganizerDecision(
            gettext(
                "The reports of the contest day are kept back until `knobeln mail release`;"
                " %(held)s waited.",
                held=waiting,
            ),
            (HoldReports(), self._line("hold", text, reason=reason)),
        )

    def release(self, reason: str = "") -> OrganizerDecision:
        """Release the held reports; future reports go out as usual."""
        held = outbox.count_reports(self.tx, OutboxState.HELD)
        if decisions.reports_held(self.tx) is None and not held:
            raise NotNow("no reports are held")
        sentence = gettext("Nothing was held; future reports go out as usual.")
        if held:
            sentence = gettext(
                "%(released)s out now; future reports go out as usual.",
                released=ngettext("%(num)s report goes", "%(num)s reports go", held),
            )
        text = f"{plural(held, 'report was', 'reports were')} released"
        return OrganizerDecision(
            sentence, (ReleaseReports(), self._line("release", text, reason=reason))
        )

    # --- dates ------------------------------------------------------------------------------------
    def move_dates(
        self, written: Dates, moved: Mapping[str, datetime], reason: str
    ) -> OrganizerDecision:
        """Move dates, and tell all registered teams (K101). `written` are those of contest.toml."""
        before = decisions.dates_now(self.tx, written, self.settings.season)
        moved = {name: date for name, date in moved.items() if getattr(before, name) != date}
        if not moved:
            raise NotNow("these dates are so already")
        self._must_be_movable(moved)
        after = _changed(before, moved, "move the other date, too, in the same command")
        readers = tuple(self._registered())
        lines = [
            self._line(
                "dates",
                f"{DATE_WORDS[name]}: moved from {getattr(before, name):{TIME_FORMAT}} to"
                f" {date:{TIME_FORMAT}}",
                whom=name,
                reason=reason,
            )
            for name, date in moved.items()
        ]
        dates = "; ".join(
            f"{readable_name(name)}: {date:{TIME_FORMAT}}" for name, date in moved.items()
        )
        return OrganizerDecision(
            f"{dates}. {_told(readers)}.",
            # the mails' calendar says by the journal how often the dates were moved
            (*lines, MoveDates(moved, written, before, after, reason, readers)),
        )

    def _must_be_movable(self, moved: Mapping[str, datetime]) -> None:
        phase = contest_state.state(self.tx).phase
        if phase is Phase.FINISHED:
            raise NotNow("the contest is finished; its dates are past")
        if phase is Phase.RUNNING and set(moved) != {"results_published"}:
            raise NotNow(
                "the contest has started", hint="only results_published can still be moved"
            )

    # --- the organizer's own words ----------------------------------------------------------------
    def tell(self, message: Message) -> OrganizerDecision:
        """Send the message, but not to teams that got the same words before, perhaps by a command
        that seemed to fail."""
        readers = self.readers_of(message)
        words = hashlib.sha256(f"{message.subject}\n{message.text}".encode()).hexdigest()[:16]
        event = f"tell/{words}"
        told = outbox.known(self.tx, [key_of(event, team) for team in readers])
        new = tuple(team for team in readers if key_of(event, team) not in told)
        if not new:
            raise NotNow(
                f"{plural(len(readers), 'team has', 'teams have')} got these words before, and"
                " there is nobody else",
                hint="to say them again, change a word",
            )
        text = f"{plural(len(new), 'team is', 'teams are')} told: {message.subject}"
        return OrganizerDecision(
            ngettext("%(num)s team is told.", "%(num)s teams are told.", len(new)),
            (
                Tell(event, "organizer_words", new, {"message": message}),
                self._line("tell", text, whom=message.readers),
            ),
        )

    def readers_of(self, message: Message) -> list[Team]:
        """Who gets the message. Raises NotNow if there is nobody, GiveUp if it says nothing."""
        if not message.subject.strip() or not message.text.strip():
            raise GiveUp("a message needs a subject and a text")
        if message.round is not None:
            plan = results.drawn_round(self.tx, message.round).plan
            playing = submissions.participants(self.tx)
            readers = [playing[name] for name in plan.members]
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
    ) -> OrganizerDecision:
        """Send each of these forms to its address, unless that is registered or was invited before.

        `others`: the addresses of people who are in a team of somebody else's form; they are told
        whose. `again`: also to those who were invited before, at most once a day.
        """
        closes = self.settings.dates.registration_closes
        if contest_state.state(self.tx).phase is not Phase.OPEN or self.now >= closes:
            raise NotNow(f"registration closed at {closes:{TIME_FORMAT}}, so nobody can be invited")
        time = f"/{self.now:%Y-%m-%d}" if again else ""
        invitations = self._new(
            self._invitation(form, time) for form in forms if not self._is_registered(form.address)
        )
        to_others = self._new(
            self._word_of_group(address, form, time)
            for address, form in (others or {}).items()
            if not self._is_registered(form.address)
        )
        invited, told = len(invitations), len(to_others)
        changes: tuple[OrganizerChange, ...] = (*invitations, *to_others)
        if invited:
            text = f"{plural(invited, 'invitation was', 'invitations were')} sent"
            changes += (self._line("invite", text),)
        words = [plural(invited, "invitation goes out.", "invitations go out.")]
        if told:
            who = plural(told, "other member", "other members")
            words.append(f"{who} of groups {'hears' if told == 1 else 'hear'} who has the form.")
        if before := len(forms) - invited:
            when = "today" if again else "before (`--again` sends the form once more)"
            addresses = plural(before, "address was", "addresses were")
            words.append(f"{addresses} registered, or invited {when}.")
        return OrganizerDecision(" ".join(words), changes)

    def _new(self, mails: Iterable[Invite]) -> tuple[Invite, ...]:
        """Return the mails that nobody got yet."""
        by_key = {mail.key: mail for mail in mails}
        known = outbox.known(self.tx, tuple(by_key))
        return tuple(mail for key, mail in by_key.items() if key not in known)

    def _is_registered(self, address: str) -> bool:
        team = teams.by_address(self.tx, address)
        return team is not None and team.is_registered

    def _invitation(self, form: Form, time: str) -> Invite:
        is_open = self.settings.dates.registration_opens <= self.now
        facts = {"form": form.text, "is_open": is_open}
        return Invite(f"invitation/{form.address}{time}", "invitation", form.address, facts)

    def _word_of_group(self, address: str, form: Form, time: str) -> Invite:
        """Tell a member of a group who has its form."""
        key = f"invitation_of_group/{address}/{form.address}{time}"
        return Invite(key, "invitation_of_group", address, {"form": form})

    # --- for all of them --------------------------------------------------------------------------
    def _registered(self) -> list[Team]:
        """Return the teams that take part, or wait to be accepted."""
        out = decisions.all_bans(self.tx)
        wanted = (TeamState.ACTIVE, TeamState.PENDING)
        return [t for t in teams.all_teams(self.tx) if t.state in wanted and t.name not in out]

    def _line(self, what: str, text: str, *, whom: str = "", reason: str = "") -> Log:
        """Return a line in the journal."""
        return Log(what, text, self.actor, whom, reason)


_COMMANDS = {BanKind.DISQUALIFIED: "disqualify", BanKind.DROPPED: "drop"}


def _after_lift(phase: Phase, takes_part: Participation, *, plays: bool) -> str:
    if phase is Phase.OPEN and takes_part is not Participation.ACTIVE:
        return gettext("But it takes no part: it is %(participation)s.", participation=takes_part)
    if phase is Phase.OPEN:
        return gettext("It takes part as before.")
    if not plays:
        return gettext("But the contest started without it, so it has no program in it.")
    return gettext(
        "It plays in its groups that have not finished. Where one was finished without it, `knobeln"
        " run rerun` plays that again."
    )


def read_date(name: str, when: str) -> tuple[str, datetime]:
    """Return a date by its name in contest.toml, and a time. Raises NotFound or GiveUp with the
    right form."""
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
    """Return the section with these values. Raises GiveUp if they cannot be."""
    try:
        return type(section).model_validate({**section.model_dump(), **changes})
    except ValidationError as error:
        reasons = "; ".join(map(words_of, error.errors()))
        raise GiveUp(f"that cannot be: {reasons}", hint=hint) from None


def _told(readers: Sequence[Team]) -> str:
    return ngettext("%(num)s team is told", "%(num)s teams are told", len(readers))


def readable_name(name: str) -> str:
    """Return the name of a date in contest.toml, as mails say it."""
    return name.replace("_", " ")
