"""What a report is, and what all reports about an event have in common.

What is the same for all recipients is rendered once for each group or round; the mails share the
text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from functools import cache, cached_property
from typing import Any, Generic, TypeVar

from contest.config.settings import Settings
from contest.formats import format_named
from contest.games.game import FaultRule, GameInfo
from contest.interfaces.events import ContestStarted, Event, GroupFinished
from contest.interfaces.protocols import Rendered, Renderer, to_team
from contest.language import by_language, gettext, in_language, spoken, translated
from contest.model import Attachment, GroupOutcome, Outgoing, Team
from reports import results, scores, summary
from reports.used import used_in

# --- what mails are about -------------------------------------------------------------------------
E = TypeVar("E", bound=Event)


@dataclass(frozen=True)
class Mailing(Generic[E]):
    """The mails about one event: the event, and what else it takes to write them."""

    event: E
    settings: Settings
    templates: Renderer
    game: GameInfo
    _groups: dict[str, GroupFacts] = field(default_factory=dict, init=False)

    @property
    def group(self: Mailing[GroupFinished]) -> GroupFacts:
        """What many mails about the group need, in the language of this moment; computed once."""
        language = spoken()
        if language not in self._groups:
            chosen = format_named(self.settings.tournament.format)
            has_rounds = chosen.has_rounds
            self._groups[language] = GroupFacts(
                self.event.outcome,
                self.game,
                self.event.final,
                has_rounds and not self.event.final,
                chosen.counts_match_points,
            )
        return self._groups[language]


@dataclass(frozen=True)
class GroupFacts:
    """What mails about a finished group need, with sentences in the language of the moment."""

    outcome: GroupOutcome
    game: GameInfo
    is_final: bool
    in_group: bool  # its table is the group's, not the contest's
    counts_match_points: bool  # instead of adding up everybody's own points

    @cached_property
    def shape(self) -> scores.Shape:
        return scores.shape_of(self.outcome.plan, self.game)

    @cached_property
    def own_games(self) -> Mapping[str, results.OwnGames]:
        return results.own_games(self.outcome)

    @cached_property
    def pairings_of(self) -> Callable[[str], tuple[scores.Score, ...]]:
        """The pairings of a member; computed for those alone that are told of theirs."""
        return cache(lambda name: scores.scores(self.own_games[name]))

    @cached_property
    def melees(self) -> tuple[tuple[scores.MeleePlace, ...], ...]:
        return scores.melees(self.outcome, self.game.max_turns)

    @cached_property
    def gone(self) -> str:
        return results.gone(self.outcome.standings)

    @cached_property
    def for_all(self) -> Mapping[str, object]:
        """What templates about the complete group need."""
        return {
            "plan": self.outcome.plan,
            "is_final": self.is_final,
            "shape": self.shape,
            "standings": self.outcome.standings,
            "places": self.melees[0] if len(self.melees) == 1 else (),
            "failures": results.failures(self.outcome),
        }

    def for_member(self, name: str) -> Mapping[str, object]:
        """What templates about one member's games need."""
        own = self.own_games[name]
        replays = self.game.fault_rule is FaultRule.REPLAY
        return {
            "team": name,
            "plan": self.outcome.plan,
            "is_final": self.is_final,
            "shape": self.shape,
            "is_played": bool(own.matches),
            "gone": self.gone,
            "games": own.lines,
            "scores": self.pairings_of(name),
            "melees": self.melees,
            "standing": next(s for s in self.outcome.standings if s.entry == name),
            "failures": own.failures if replays else results.alike(own.failures),
            "used": used_in(own.matches, name),
        }

    def news(self, name: str, *, games: bool) -> Mapping[str, object] | None:
        """What the mail to this member begins with; with the best and the worst of its `games`.

        None if there was no game, or if the games were a single one of all, which the mail tells
        at once.
        """
        plan = self.outcome.plan
        if not plan.pairings or (games and len(self.melees) == 1):
            return None
        is_compared = games and self.shape is not scores.Shape.RATES
        return own_news(
            self._places[name],
            plan.round,
            plan.title,
            self.pairings_of(name) if is_compared else (),
            by_lead=self.counts_match_points,
        )

    @cached_property
    def _places(self) -> Mapping[str, summary.Place]:
        return summary.places_in(self.outcome.standings, in_group=self.in_group)


def own_news(
    place: summary.Place,
    round_number: int,
    title: str = "",
    compared: Sequence[scores.Score] = (),
    *,
    by_lead: bool = False,
) -> dict[str, object]:
    """The facts of the template `_own_news`. `title`: of the match; `compared`: pairings, of which
    the best and the worst are told if they differ: by own points, as the ranking adds them up.
    `by_lead`: by the lead over the opponent, where that decides who gets a match point."""

    def worth(score: scores.Score) -> tuple[int, int]:
        return (score.lead, score.own) if by_lead else (score.own, score.lead)

    played = sorted(
        (result for result in compared if result.counted and not result.is_self), key=worth
    )
    differ = bool(played) and worth(played[-1])[0] > worth(played[0])[0]
    best, worst = (played[-1], played[0]) if differ else (None, None)
    return {
        "at": place,
        "round": round_number,
        "title": title,
        "best": best,
        "worst": worst,
        "evolved": None,
    }


def start_facts(event: ContestStarted) -> Mapping[str, object]:
    """The facts of the template `_sealed`, and how many teams take part."""
    return {
        "seed_commitment": event.seed.commitment,
        "entries_root": event.sealed.root.hex(),
        "number_of_teams": len(event.teams),
    }


# --- reports --------------------------------------------------------------------------------------
class Audience(StrEnum):
    """Who can get a report; of these the teams get it that have asked for it."""

    REGISTERED = (
        "all registered teams: the eliminated, the disqualified, and those without a program too"
    )
    EVERYBODY = "all participants of the contest, the eliminated and disqualified too"
    GROUP = "the members of the group, the disqualified too"
    LEAVING = (
        "those whose contest is over with the round: at its end, in a knock-out when they are out"
    )


class Disclosed(Enum):
    """What a report tells; the pages of a contest tell everybody what its reports tell."""

    TEAMS = "who takes part"
    RANKINGS = "the rankings"
    GAMES = "the points of all games"
    OWN_RESULT = "a team's own place"
    OWN_GAMES = "the points of a team's own games"
    OWN_MOVES = "the moves of a team's own games"
    BRACKET = "the bracket"
    MATCHES = (
        "who met whom: together with everybody's own games, these are all games of a knock-out"
    )
    WORDS = "the organizer's words"


class Report(ABC, Generic[E]):
    """A report that teams ask for by its code in their mail-preference. Its text is the template
    `<code>.txt.j2`, in small letters."""

    code: str  # capital letters
    meaning: str  # what the form says; %(turn_word)s stands for what the game calls a turn
    when: type[E]
    to_whom: Audience
    contained_in: str | None = None  # the report that makes this one superfluous
    discloses: frozenset[Disclosed] = frozenset()
    needs_moves: bool = False  # of the team's games
    moment: str = ""  # when a team gets it, if that is not the event's moment

    @property
    def announced_moment(self) -> str:
        """When a team gets it, in the words of the announcement."""
        return self.moment or self.when.moment

    def meaning_for(self, turn_word: str) -> str:
        """What the form says, in the language of this moment, where turns of the game are called
        so."""
        return gettext(self.meaning, turn_word=translated(turn_word))

    @abstractmethod
    def write(self, mailing: Mailing[E], wanting: Sequence[Team]) -> Iterable[Outgoing]:
        """The mails about the event to the teams that want them."""

    def is_wanted_by(self, team: Team) -> bool:
        """Whether the team asked for this report and does not get it inside another one (K95)."""
        chosen = team.registration.preferences
        return self.code in chosen and self.contained_in not in chosen

    def wanting(self, event: E) -> tuple[Team, ...]:
        """The teams that get this report about the event, in their order."""
        asked: Collection[Team]
        match self.to_whom:
            case Audience.REGISTERED:
                asked = (*event.teams.values(), *event.without_program)
            case Audience.EVERYBODY:
                asked = event.teams.values()
            case _:
                asked = event.concerned
        return tuple(team for team in asked if self.is_wanted_by(team))

    def due(self, mailing: Mailing[E]) -> Iterator[Outgoing]:
        """The mails about this event; none if the contest does not offer the report."""
        settings = mailing.settings
        wanting = self.wanting(mailing.event) if self.code in settings.reports.offered else ()
        for language, readers in by_language(wanting, settings.contest.language):
            yield from in_language(language, self._written(mailing, readers))

    def _written(self, mailing: Mailing[E], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        """As `write`, but the mails are made only when they are asked for."""
        yield from self.write(mailing, wanting)

    def same_mail(
        self, mailing: Mailing[E], wanting: Sequence[Team], **facts: object
    ) -> Iterator[Outgoing]:
        """The same mail to each of these teams, rendered once."""
        rendered = mailing.templates.render(self.code.lower(), **facts)
        return (mail_to(team, mailing.event, self.code, rendered) for team in wanting)

    def own_mail(
        self,
        mailing: Mailing[E],
        team: Team,
        facts: Mapping[str, object],
        attachments: tuple[Attachment, ...] = (),
    ) -> Outgoing:
        """A mail to this team alone."""
        rendered = mailing.templates.render(self.code.lower(), **facts, attachments=attachments)
        return mail_to(team, mailing.event, self.code, rendered, attachments)


def with_news(
    mails: Iterable[Outgoing],
    mailing: Mailing[Any],
    news: Callable[[str], Mapping[str, object] | None],
) -> Iterator[Outgoing]:
    """The mails, each with its reader's own result above the text; `news`: the template's facts of
    a team.

    Readers with the same facts, such as those who were out before, have the same words.
    """

    @cache
    def words(own: tuple[tuple[str, object], ...]) -> str:
        return mailing.templates.part("_own_news", **dict(own)) + "\n"

    for mail in mails:
        own = news(mail.team)
        yield replace(mail, lead=words(tuple(own.items()))) if own else mail


def mail_to(
    team: Team,
    event: Event,
    kind: str,
    rendered: Rendered,
    attachments: tuple[Attachment, ...] = (),
) -> Outgoing:
    """A mail of this kind about the event."""
    key = f"{event.key}/{kind.replace(' ', '-')}/{team.name}"
    return replace(
        to_team(team, key, kind, rendered),
        attachments=attachments,
        is_report=True,
        round=event.round,
        group=event.group,
    )
