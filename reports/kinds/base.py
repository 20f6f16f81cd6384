"""What a report is, and the events of the contest day that reports are about.

What is the same for all recipients is rendered once for each group or round; the mails share the text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from functools import cached_property
from typing import ClassVar, Generic, Self, TypeVar

from contest.config.settings import Settings
from contest.games.base import FaultRule, GameInfo
from contest.language import by_language, gettext, in_language, noted, translated
from contest.ledger.entry_list import EntryList
from contest.model import (
    Attachment,
    Certainty,
    EvolutionOutcome,
    GroupOutcome,
    GroupPlan,
    Outgoing,
    RoundOutcome,
    Standing,
    Team,
)
from contest.protocols import Rendered, Renderer, to_team
from contest.seeds import ContestSeed
from reports import results, scores, summary
from reports.used import used_in


# --- events ------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Event(ABC):
    """Something that happened on the contest day. `teams`: all participants by name."""

    title: ClassVar[str]  # in the reference
    moment: ClassVar[str]  # in the announcement, to a team
    settings: Settings
    templates: Renderer
    game: GameInfo
    teams: Mapping[str, Team]

    @property
    @abstractmethod
    def key(self) -> str:
        """How the keys of the mails about it begin."""

    def told_in(self, language: str) -> Self:
        """The event for the mails of one language, because it keeps sentences that it has made."""
        return self._told.setdefault(language, replace(self))

    @cached_property
    def _told(self) -> dict[str, Self]:
        return {}

    @property
    def round(self) -> int | None:
        """The round that it belongs to."""
        return None

    @property
    def concerned(self) -> Sequence[Team]:
        """The members of the group, or the teams that leave the contest."""
        return ()

    @property
    def registered(self) -> Sequence[Team]:
        """The participants, and the teams that take no part because they have no program."""
        return tuple(self.teams.values())


@dataclass(frozen=True)
class ContestStarted(Event):
    """`seed`: its value is told only with the results; `sealed`: the list of entries that it depends on."""

    title = "contest started"
    moment = noted("when the contest starts")
    seed: ContestSeed
    sealed: EntryList

    @property
    def facts(self) -> Mapping[str, object]:
        """The facts of the template `_sealed`, and how many teams take part."""
        root = self.seed.entries_root
        return {
            "seed_commitment": self.seed.commitment,
            "entries_root": None if root is None else root.hex(),
            "number_of_teams": len(self.teams),
        }

    @property
    def key(self) -> str:
        return "contest"


@dataclass(frozen=True)
class GroupStarted(Event):
    """`out`: members that were taken out of the contest before; the group plays no games with them."""

    title = "group started"
    moment = noted("when your group starts")
    plan: GroupPlan
    out: AbstractSet[str]
    is_final: bool

    @property
    def key(self) -> str:
        return f"round/{self.plan.round}/group/{self.plan.number}"

    @property
    def round(self) -> int:
        return self.plan.round

    @property
    def concerned(self) -> Sequence[Team]:
        return [self.teams[name] for name in self.plan.members]


@dataclass(frozen=True)
class GroupFinished(Event):
    """A group has finished. What many of its mails need is computed once."""

    title = "group finished"
    moment = noted("when your group is finished")
    outcome: GroupOutcome
    is_final: bool

    @property
    def key(self) -> str:
        return f"round/{self.plan.round}/group/{self.plan.number}"

    @property
    def round(self) -> int:
        return self.plan.round

    @property
    def concerned(self) -> Sequence[Team]:
        """Nobody if nothing was played, as in a bye."""
        return [self.teams[name] for name in self.plan.members] if self.plan.pairings else ()

    @property
    def plan(self) -> GroupPlan:
        return self.outcome.plan

    @cached_property
    def shape(self) -> scores.Shape:
        return scores.shape_of(self.plan, self.game)

    @cached_property
    def own_games(self) -> Mapping[str, results.OwnGames]:
        return results.own_games(self.outcome)

    @cached_property
    def melees(self) -> tuple[tuple[scores.MeleePlace, ...], ...]:
        return scores.melees(self.outcome, self.game.max_turns)

    @cached_property
    def facts(self) -> Mapping[str, object]:
        """What templates about the complete group need."""
        return {
            "plan": self.plan,
            "is_final": self.is_final,
            "shape": self.shape,
            "standings": self.outcome.standings,
            "places": self.melees[0] if len(self.melees) == 1 else (),
            "failures": results.failures(self.outcome),
        }

    def facts_of(self, name: str) -> Mapping[str, object]:
        """What templates about one member's games need."""
        own = self.own_games[name]
        replays = self.game.fault_rule is FaultRule.REPLAY
        return {
            "team": name,
            "plan": self.plan,
            "is_final": self.is_final,
            "shape": self.shape,
            "is_played": bool(own.matches),
            "gone": self.gone,
            "games": own.lines,
            "scores": scores.scores(own),
            "melees": self.melees,
            "standing": next(s for s in self.outcome.standings if s.entry == name),
            "failures": own.failures if replays else results.alike(own.failures),
            "used": used_in(own.matches, name),
        }

    @cached_property
    def gone(self) -> str:
        return results.gone(self.outcome.standings)


@dataclass(frozen=True)
class RoundPlayed(Event):
    """The last round of `history` has been played; `ranking` is the contest's, () before its end.

    `evolution` comes with the final.
    """

    title = "round played"
    moment = noted("when a round is finished")
    history: Sequence[RoundOutcome]
    ranking: Sequence[Standing]
    evolution: EvolutionOutcome | None

    @property
    def key(self) -> str:
        return f"round/{self.round}"

    @property
    def round(self) -> int:
        return self.history[-1].plan.number

    @property
    def concerned(self) -> Sequence[Team]:
        return summary.leaving(self.history, self.teams)


@dataclass(frozen=True)
class RoundFinished(Event):
    """The summary of a round is due, which may have waited for the organizer's words.

    `words` are the organizer's own, "" = none. Evolution and score matrix (CSV) come with the final; seed and
    certainty with the contest's end. `without_program`: teams that take no part. `observers`: the addresses
    of no team that get the summary.
    """

    title = "round finished"
    moment = noted("when a round is finished")
    history: Sequence[RoundOutcome]
    ranking: Sequence[Standing]
    words: str
    evolution: EvolutionOutcome | None
    seed: ContestSeed | None
    certainty: Certainty | None
    scores: str
    without_program: Sequence[Team]
    observers: Sequence[str]

    @property
    def key(self) -> str:
        return f"round/{self.round}"

    @property
    def round(self) -> int:
        return self.history[-1].plan.number

    @property
    def registered(self) -> Sequence[Team]:
        return (*self.teams.values(), *self.without_program)


# --- reports -----------------------------------------------------------------------------------------------
class Audience(StrEnum):
    """Who can get a report; of these the teams get it that have asked for it."""

    REGISTERED = "all registered teams: the eliminated, the disqualified, and those without a program too"
    EVERYBODY = "all participants of the contest, the eliminated and disqualified too"
    GROUP = "the members of the group, the disqualified too"
    LEAVING = "those whose contest is over with the round: at its end, in a knock-out when they are out"


class Disclosed(Enum):
    """What a report tells; the pages of a contest tell everybody what its reports tell."""

    TEAMS = "who takes part"
    RANKINGS = "the rankings"
    GAMES = "the points of all games"
    OWN_RESULT = "a team's own place"
    OWN_GAMES = "the points of a team's own games"
    OWN_MOVES = "the moves of a team's own games"
    BRACKET = "the bracket"
    MATCHES = "who met whom: together with everybody's own games, these are all games of a knock-out"
    WORDS = "the organizer's words"


E = TypeVar("E", bound=Event)


class Report(ABC, Generic[E]):
    """A report that teams ask for by its code in their mail-preference.

    A report of another package is an object of such a class behind an entry point of the group
    `knobeln.reports`.
    """

    code: str  # capital letters
    meaning: str  # what the form says; %(turn_word)s stands for what the game calls a turn
    when: type[E]
    to_whom: Audience
    contained_in: str | None = None  # the report that makes this one superfluous
    discloses: frozenset[Disclosed] = frozenset()
    needs_moves: bool = False  # of the team's games
    moment: str = ""  # when a team gets it, if that is not the event's moment
    template: str = ""  # its text; "" = the file `<code>.txt.j2` in reports/templates

    @property
    def name(self) -> str:
        return self.code

    @property
    def template_name(self) -> str:
        return self.code.lower()

    @property
    def announced_moment(self) -> str:
        """When a team gets it, in the words of the announcement."""
        return self.moment or self.when.moment

    def meaning_for(self, turn_word: str) -> str:
        """What the form says, in the language of this moment, where turns of the game are called so."""
        return gettext(self.meaning, turn_word=translated(turn_word))

    @abstractmethod
    def write(self, event: E, wanting: Sequence[Team]) -> Iterable[Outgoing]:
        """The mails about this event to the teams that want them."""

    def is_wanted_by(self, team: Team) -> bool:
        """Whether the team asked for this report and does not get it inside another one (K95)."""
        chosen = team.registration.preferences
        return self.code in chosen and self.contained_in not in chosen

    def wanting(self, event: E) -> tuple[Team, ...]:
        """The teams that get this report about the event, in their order."""
        asked: Collection[Team]
        match self.to_whom:
            case Audience.REGISTERED:
                asked = event.registered
            case Audience.EVERYBODY:
                asked = event.teams.values()
            case _:
                asked = event.concerned
        return tuple(team for team in asked if self.is_wanted_by(team))

    def due(self, event: E, offered: Collection[str]) -> Iterator[Outgoing]:
        """The mails about this event; none if the contest does not offer the report."""
        wanting = self.wanting(event) if self.code in offered else ()
        for language, readers in by_language(wanting, event.settings.contest.language):
            yield from in_language(language, self._written(event.told_in(language), readers))

    def _written(self, event: E, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        """As `write`, which may make its mails when it is called; this does so when they are asked for."""
        yield from self.write(event, wanting)

    def same_mail(self, event: Event, wanting: Sequence[Team], **facts: object) -> Iterator[Outgoing]:
        """The same mail to each of these teams, rendered once."""
        rendered = event.templates.render(self.template_name, **facts)
        return (mail_to(team, event, self.code, rendered) for team in wanting)

    def own_mail(
        self, event: Event, team: Team, facts: Mapping[str, object], attachments: tuple[Attachment, ...] = ()
    ) -> Outgoing:
        """A mail to this team alone."""
        rendered = event.templates.render(self.template_name, **facts, attachments=attachments)
        return mail_to(team, event, self.code, rendered, attachments)


def mail_to(
    team: Team, event: Event, kind: str, rendered: Rendered, attachments: tuple[Attachment, ...] = ()
) -> Outgoing:
    """A mail of this kind about the event."""
    key = f"{event.key}/{kind.replace(' ', '-')}/{team.name}"
    return replace(
        to_team(team, key, kind, rendered), attachments=attachments, broadcast=True, round=event.round
    )
