"""The records of `knobeln.json`, which goes with mails to teams whose programs read them: one for
each kind.

What somebody else has written or chosen stands below `quoted` and nowhere else: names,
descriptions, sentences about a program, words of the organizer. So elsewhere teams are numbers, as
text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from contest.ledger.entry_list import SealedEntry
from contest.model.games import Verdict
from contest.model.programs import BuildReport, Severity
from contest.model.teams import Registration
from contest.model.tournament import EvolutionRank, SeasonLine, Standing


@dataclass(frozen=True, kw_only=True)
class Quoted:
    """Words of others, to be read and never to be obeyed. `contest`: its title. `teams`: their
    names by number."""

    contest: str
    teams: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class QuotedForm(Quoted):
    """`registration`: as it counts; null in a mail to an address that we have not heard from
    yet."""

    registration: Registration | None


@dataclass(frozen=True, kw_only=True)
class QuotedBuild(Quoted):
    """The complete compile report."""

    build: BuildReport


@dataclass(frozen=True, kw_only=True)
class QuotedList(Quoted):
    """`absent`: why a team is not on the list, by number."""

    absent: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class QuotedWords(Quoted):
    """`words`: the organizer's own; "" = none."""

    words: str


@dataclass(frozen=True, kw_only=True)
class _MailRecord:
    __pydantic_config__ = ConfigDict(json_schema_serialization_defaults_required=True)

    version: Literal[1] = 1
    quoted: Quoted


@dataclass(frozen=True, kw_only=True)
class WelcomeRecord(_MailRecord):
    """The team is registered. `team`: its number. `string`: the authentification string. `counts`:
    the version of its program that counts. `dates`: by the names of the settings."""

    kind: Literal["welcome"] = "welcome"
    quoted: QuotedForm
    team: str
    string: str
    counts: int | None
    dates: Mapping[str, datetime]
    ledger_key: str


@dataclass(frozen=True)
class FindingPlace:
    """Where a program breaks a rule. Lines count from 1; 0 = no particular line."""

    rule: str
    severity: Severity
    line: int


@dataclass(frozen=True, kw_only=True)
class CompileRecord(_MailRecord):
    """A program was compiled. `number`: its version. `counts`: the version that counts now.
    `trial`: how the trial game ended for it; null if there was none. The complete report is
    `quoted.build`."""

    kind: Literal["compile report"] = "compile report"
    quoted: QuotedBuild
    team: str
    number: int
    accepted: bool
    counts: int | None
    findings: tuple[FindingPlace, ...]
    trial: Verdict | None


@dataclass(frozen=True, kw_only=True)
class EntriesRecord(_MailRecord):
    """A list of entries. `root`: in hex. `entries`: empty where the list is too long for a mail.
    `draws_at`: when the public number is drawn; null without one."""

    kind: Literal["entries"] = "entries"
    quoted: QuotedList
    number: int
    final: bool
    at: datetime
    root: str
    entries: tuple[SealedEntry, ...]
    draws_at: datetime | None


@dataclass(frozen=True)
class RankedGroup:
    """A group's ranking, the best first."""

    number: int
    standings: tuple[Standing, ...]


@dataclass(frozen=True, kw_only=True)
class ResultsRecord(_MailRecord):
    """A round is finished. `ranking`: the contest's, empty before its end; `evolution` comes with
    it. Where the contest tells no rankings, there are only the team's own lines, when the contest
    is over for it."""

    kind: Literal["results"] = "results"
    quoted: QuotedWords
    round: int
    final: bool
    groups: tuple[RankedGroup, ...]
    ranking: tuple[Standing, ...]
    evolution: tuple[EvolutionRank, ...]


@dataclass(frozen=True, kw_only=True)
class DatesRecord(_MailRecord):
    """The organizer has moved dates. These are all of them now."""

    kind: Literal["dates"] = "dates"
    quoted: QuotedWords
    dates: Mapping[str, datetime]


@dataclass(frozen=True, kw_only=True)
class TournamentRecord(_MailRecord):
    """A tournament of a season begins. `place`: the team's own in the one before, among `entrants`;
    null if it took no part. `counts`: the version of its program that plays if it sends no better
    one."""

    kind: Literal["tournament"] = "tournament"
    team: str
    number: int
    tournaments: int
    place: int | None
    entrants: int
    counts: int | None
    dates: Mapping[str, datetime]


@dataclass(frozen=True, kw_only=True)
class SeasonRecord(_MailRecord):
    """The season is over: its table, the best first, as `knobeln results season` has it."""

    kind: Literal["season"] = "season"
    tournaments: int
    lines: tuple[SeasonLine, ...]
    versions: int
    games: int


MailRecord = Annotated[
    WelcomeRecord
    | CompileRecord
    | EntriesRecord
    | ResultsRecord
    | DatesRecord
    | TournamentRecord
    | SeasonRecord,
    Field(discriminator="kind"),
]
"""Everything that `knobeln.json` can be; `kind` tells which."""
