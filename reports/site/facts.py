"""What the pages may tell: the contest as far as its results have been released. Pure.

A round is released when its summary has gone out; until then nothing of it shows, not even who
plays in it, because that would tell who is out. What is told of a released round is what the
contest's reports tell to everybody (`reports.offered`): where teams get their own results only, the
pages name no team.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import quote, urlencode

from contest.config.settings import Settings
from contest.games.game import GameInfo
from contest.language import gettext, noted, translated
from contest.model import (
    Certainty,
    EvolutionOutcome,
    Former,
    LadderRanking,
    Phase,
    Rerun,
    RoundOutcome,
    SeasonTable,
    Standing,
    Team,
)
from contest.schema.sections import DATE_WORDS, DEFAULT_GAME
from reports.bracket import is_knock_out
from reports.kinds import disclosed_by
from reports.kinds.base import Disclosed


@dataclass(frozen=True)
class SampleLetter:
    """A letter that a reader may send; words in capitals are to be replaced."""

    to: str
    subject: str
    body: str = ""

    @property
    def link(self) -> str:
        """Opens the reader's mail program with the letter (RFC 6068, where lines end in CR LF)."""
        fields = {"subject": self.subject} | (
            {"body": self.body.replace("\n", "\r\n")} if self.body else {}
        )
        return f"mailto:{quote(self.to, safe='@')}?{urlencode(fields, quote_via=quote)}"


@dataclass(frozen=True)
class MailCommand:
    """A mail command of the contest. `about`: what `help` says of it, its subjects first."""

    name: str
    about: str
    letter: SampleLetter


@dataclass(frozen=True)
class SiteTexts:
    """`about`: what the game is about; `form_fields`: what goes into the registration form;
    `announcement`: without the rules of the game, which have a page of their own; `numbers`: the
    contest's numbers; `draw`: how random draws are made, as told before the contest starts;
    `evolution`: its rule, "" if none."""

    about: str
    form_fields: str
    announcement: str
    questions: str  # frequent ones, and their answers
    numbers: str
    programs: str  # what a program may be
    faults: str  # what breaking the rules costs
    limits: str  # that a program can meet
    evolution: str
    draw: str
    commands: tuple[MailCommand, ...]


@dataclass(frozen=True)
class ReleasedRound:
    """A round whose summary has gone out, with all its games. `words` are the organizer's own, or
    ""."""

    outcome: RoundOutcome
    drawn_at: datetime
    played_at: datetime
    released_at: datetime
    words: str

    @property
    def number(self) -> int:
        return self.outcome.plan.number

    @property
    def final(self) -> bool:
        return self.outcome.plan.final

    @property
    def name(self) -> str:
        """What a sentence calls the round: `round 2`, `final`."""
        return gettext("final") if self.final else gettext("round %(number)s", number=self.number)


@dataclass(frozen=True)
class Disclosure:
    """What everybody may see of the released rounds. `own`: whether teams get their own results by
    mail."""

    teams: bool  # who takes part
    rankings: bool
    games: bool  # the points of everybody's games
    moves: bool  # everybody's games move by move
    bracket: bool
    words: bool  # the organizer's own summaries
    programs: bool  # the teams' programs, after the contest
    own: bool

    @property
    def archive(self) -> bool:
        """Whether the archive, which tells everything, tells no more than the pages."""
        return self.programs and self.rankings and self.games


_OWN = (Disclosed.OWN_RESULT, Disclosed.OWN_GAMES, Disclosed.OWN_MOVES)


def disclosure(offered: Iterable[str], *, programs: bool) -> Disclosure:
    """What the pages of a contest that offers these reports may tell.

    In a knock-out each match is told to its two teams only (GRP, GRG). Where the bracket is told as
    well (BRK), everybody's own games together are all games.
    """
    disclosed = disclosed_by(offered)
    games = Disclosed.GAMES in disclosed or {Disclosed.OWN_GAMES, Disclosed.MATCHES} <= disclosed
    teams = Disclosed.TEAMS in disclosed
    return Disclosure(
        teams=teams,
        rankings=Disclosed.RANKINGS in disclosed,
        games=games,
        moves=games and Disclosed.OWN_MOVES in disclosed,
        bracket=Disclosed.BRACKET in disclosed,
        words=Disclosed.WORDS in disclosed,
        programs=teams and programs,
        own=not disclosed.isdisjoint(_OWN),
    )


_GAMES_FOR_READERS = (DEFAULT_GAME, "bid-tac-toe", "ultimate-tic-tac-toe")
"""As in trust/check_page/js/opponents.js."""
_NOT_IN_A_BROWSER = "Python"
"""The language whose interpreter no archive has."""


@dataclass(frozen=True)
class PublishedProgram:
    """A team's program as it took part, without its authentification string: texts by the files'
    names.

    The description is not in the texts again. `versions` are the numbers of all that were accepted,
    and when they came: the last one took part.
    """

    language: str
    description: str
    files: tuple[tuple[str, str], ...]
    versions: tuple[tuple[int, datetime], ...] = ()


@dataclass(frozen=True)
class Event:
    """A public event. `key` is its permanent name; `text` has paragraphs."""

    at: datetime
    key: str
    title: str
    text: str = ""
    link: str = ""  # the page about it


@dataclass(frozen=True)
class SiteFacts:
    """All facts that pages are made from. Nothing in it is unreleased.

    `playing` are those who take part, by name, nobody before the start; `registered` counts all
    registrations; `ranking`, `evolution`, `certainty`, `seed` and `programs` come with the last
    round's release; `noted` are events of the journal.
    """

    settings: Settings
    game: GameInfo
    phase: Phase
    registered: int
    commitment: str
    started_at: datetime | None
    playing: Mapping[str, Team]
    rounds: tuple[ReleasedRound, ...]
    noted: tuple[Event, ...]
    texts: SiteTexts
    finished_at: datetime | None = None
    ranking: tuple[Standing, ...] = ()
    evolution: EvolutionOutcome | None = None
    seed: str | None = None
    programs: Mapping[str, PublishedProgram] = field(default_factory=dict)
    certainty: Certainty | None = None
    entries_root: str = ""  # of the final list of entries, in hex; empty before the start
    season: SeasonTable | None = None  # of the tournaments of a season that are over
    earlier: int = 0  # tournaments of the season, with pages of their own
    ladder: tuple[LadderRanking, ...] = ()  # the newest first; two are enough to see who has moved
    # paths of what there is for those who think of taking part
    to_try: frozenset[str] = frozenset()
    paused_since: datetime | None = None
    former: tuple[Former, ...] = ()  # results that were told, and that no longer count

    @property
    def is_season_over(self) -> bool:
        season = self.season
        return season is not None and season.tournaments == self.settings.season.tournaments

    @property
    def told_former(self) -> tuple[Former, ...]:
        """The former results that have pages."""
        return self.former if self.shows.rankings or self.shows.bracket else ()

    @property
    def played_again(self) -> Rerun | None:
        """The newest order to play a told round again, until its new results are told."""
        last = self.former[-1].rerun if self.former else None
        return last if last and last.round > len(self.rounds) else None

    @property
    def shows(self) -> Disclosure:
        return disclosure(self.settings.reports.offered, programs=self.settings.site.programs)

    @property
    def teams(self) -> Mapping[str, Team]:
        """The teams that take part, if everybody may know them; else none."""
        return self.playing if self.shows.teams else {}

    @property
    def told_rounds(self) -> tuple[ReleasedRound, ...]:
        """The released rounds that have pages: everybody may know the ranking, or the bracket that
        they are part of."""
        shows = self.shows
        return tuple(
            released
            for released in self.rounds
            if shows.rankings or (shows.bracket and is_knock_out(released.outcome))
        )

    @property
    def can_replay(self) -> bool:
        """Whether a game can be played again from its seeds, to the last move."""
        return self.game.play.is_computed and self.game.play.has_moves

    @property
    def is_over(self) -> bool:
        """Whether the contest has ended and everybody may know its result."""
        return self.seed is not None

    @property
    def tells_archive(self) -> bool:
        """Whether the archive is beside the pages, as soon as it is published."""
        return self.is_over and self.shows.archive

    def plays_readers(self, team: str) -> bool:
        """Whether a reader can play against the team's program, on the page that checks the
        archive."""
        program, game = self.programs.get(team), self.settings.game.name
        if program is None or not self.tells_archive or game not in _GAMES_FOR_READERS:
            return False
        is_counted = program.language in self.settings.programs.counted_languages
        return game == DEFAULT_GAME or (is_counted and program.language != _NOT_IN_A_BROWSER)

    @property
    def history(self) -> tuple[RoundOutcome, ...]:
        return tuple(released.outcome for released in self.rounds)


def about_results(facts: SiteFacts) -> str:
    """Say that there are no results on the pages, and how teams get theirs; "" if there are, or
    will be."""
    shows = facts.shows
    if shows.rankings or (shows.bracket and (facts.told_rounds or not facts.rounds)):
        return ""
    if shows.own:
        return gettext("These pages show no results: each team gets its own by mail.")
    return gettext("These pages show no results.")


def date_words(facts: SiteFacts) -> Mapping[str, str]:
    """What happens at each date of the settings, in their order."""
    is_untold = facts.shows.own and about_results(facts)
    words = {**DATE_WORDS, "results_published": _OWN_RESULTS} if is_untold else DATE_WORDS
    return {name: translated(word) for name, word in words.items()}


_OWN_RESULTS = noted("all teams have their results")
