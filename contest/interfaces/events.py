"""What happens on the contest day, one record for each kind of event; mails are about events. Pure
values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import ClassVar

from contest.language import noted
from contest.ledger.entry_list import EntryList, SealedList
from contest.model import (
    Certainty,
    EvolutionOutcome,
    GroupOutcome,
    GroupPlan,
    RoundOutcome,
    Standing,
    Team,
    WorstGame,
)
from contest.public_number.draw import Draw
from contest.seeds import ContestSeed


@dataclass(frozen=True, kw_only=True)
class Event(ABC):
    """Something that happened on the contest day.

    `teams`: all participants by name. `without_program`: registered teams that take no part,
    because none of their programs was accepted; () where an event does not concern them.
    """

    title: ClassVar[str]  # in the reference
    moment: ClassVar[str]  # in the announcement, to a team
    teams: Mapping[str, Team]
    without_program: Sequence[Team] = ()

    @property
    @abstractmethod
    def key(self) -> str:
        """How the keys of the mails about it begin."""

    @property
    def round(self) -> int | None:
        """The round that it belongs to."""
        return None

    @property
    def group(self) -> int | None:
        """The group of the round that it is about."""
        return None

    @property
    def concerned(self) -> Sequence[Team]:
        """The members of the group, or the teams that leave the contest."""
        return ()


@dataclass(frozen=True, kw_only=True)
class EntriesListed(Event):
    """A list of entries was sealed. `teams`: all that are registered, and those that have withdrawn
    after a program of theirs was accepted.

    `before`: the list that teams know. `draw`: of the public number; None if there is none.
    `is_changed`: settings, title, dates or rules were others until now.
    """

    title = "entries listed"
    moment = noted("when the entries are listed")
    listed: SealedList
    before: SealedList | None
    draw: Draw | None
    is_changed: bool

    @property
    def key(self) -> str:
        return f"entries/{self.listed.number}"


@dataclass(frozen=True, kw_only=True)
class ContestStarted(Event):
    """`seed`: its value is told only with the results; `sealed`: the list of entries that it
    depends on."""

    title = "contest started"
    moment = noted("when the contest starts")
    seed: ContestSeed
    sealed: EntryList

    @property
    def key(self) -> str:
        return "contest"


@dataclass(frozen=True, kw_only=True)
class GroupStarted(Event):
    """`out`: members that were taken out of the contest before; the group plays no games with them.

    `final`: the round was drawn as the final.
    """

    title = "group started"
    moment = noted("when your group starts")
    plan: GroupPlan
    out: AbstractSet[str] = frozenset()
    final: bool = False

    @property
    def key(self) -> str:
        return f"round/{self.plan.round}/group/{self.plan.number}"

    @property
    def round(self) -> int:
        return self.plan.round

    @property
    def group(self) -> int:
        return self.plan.number

    @property
    def concerned(self) -> Sequence[Team]:
        return [self.teams[name] for name in self.plan.members]


@dataclass(frozen=True, kw_only=True)
class GroupFinished(Event):
    """All games of a group are played. `final`: as in GroupStarted."""

    title = "group finished"
    moment = noted("when your group is finished")
    outcome: GroupOutcome
    final: bool = False

    @property
    def plan(self) -> GroupPlan:
        return self.outcome.plan

    @property
    def key(self) -> str:
        return f"round/{self.plan.round}/group/{self.plan.number}"

    @property
    def round(self) -> int:
        return self.plan.round

    @property
    def group(self) -> int:
        return self.plan.number

    @property
    def concerned(self) -> Sequence[Team]:
        """Nobody if nothing was played, as in a bye."""
        return [self.teams[name] for name in self.plan.members] if self.plan.pairings else ()


@dataclass(frozen=True, kw_only=True)
class RoundPlayed(Event):
    """The last round of `history` has been played; `ranking` is the contest's, () before its end.

    The rounds need only their games with faults, in a game of all every game. `evolution` comes
    with the final.
    """

    title = "round played"
    moment = noted("when a round is finished")
    history: Sequence[RoundOutcome]
    ranking: Sequence[Standing] = ()
    evolution: EvolutionOutcome | None = None

    @property
    def key(self) -> str:
        return f"round/{self.round}"

    @property
    def round(self) -> int:
        return self.history[-1].plan.number

    @property
    def concerned(self) -> Sequence[Team]:
        """The teams whose contest ended with the last of these rounds."""
        lines = (line for group in self.history[-1].groups for line in group.standings)
        return [self.teams[line.entry] for line in lines if not line.advances]


@dataclass(frozen=True, kw_only=True)
class RoundFinished(RoundPlayed):
    """The summary of a round is due, which may have waited for the organizer's words.

    `words` are the organizer's own, "" = none. Seed, certainty and everybody's worst game, by name,
    come with the contest's end.
    """

    title = "round finished"
    words: str = ""
    seed: ContestSeed | None = None
    certainty: Certainty | None = None
    worst_games: Mapping[str, WorstGame] = field(default_factory=dict)
