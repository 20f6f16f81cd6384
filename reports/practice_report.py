"""The mails about practice: a program that was only tried, and friendly matches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contest.config.settings import Settings
from contest.games.base import MACHINE, TABLE, GameInfo
from contest.games.registry import game_of
from contest.model import (
    Attachment,
    BuildReport,
    GameResult,
    Match,
    Outgoing,
    Pairing,
    Practice,
    PracticeGame,
    Team,
    Verdict,
)
from contest.protocols import Rendered, Renderer
from reports import protocol_attachments
from reports.knobeln_protocol import throws_of
from reports.results import Failure, alike
from reports.series import SeriesFacts, series_facts


@dataclass(frozen=True)
class Line:
    """One game of the table, seen by the first seat. `theirs` is the best of the others."""

    opponent: str
    own: int
    theirs: int
    failure: str  # what the team's own program did wrong, "" = nothing
    its_failure: bool
    instructions: int
    memory: int  # bytes


@dataclass(frozen=True)
class PracticeLetters:
    """Implements contest.protocols.PracticeReporter."""

    settings: Settings
    templates: Renderer

    def tested(
        self, practice: Practice, team: Team, report: BuildReport, games: Sequence[PracticeGame]
    ) -> Outgoing:
        info = self._info
        words = self.templates.render(
            "practice",
            team=team.name,
            report=report,
            repairs=practice.repairs,
            lines=[_line(game) for game in games],
            failures=alike([failure for game in games for failure in _failures(game)]),
            places=_places(games[0]) if games and info.max_seats > 2 else (),
            series=_series(games, info),
            said=_said(games),
            max_instructions=self.settings.programs.max_instructions,
        )
        return self._mail(practice, "practice", team, words)

    def met(self, practice: Practice, team: Team, other: Team, result: GameResult) -> Iterator[Outgoing]:
        match = Match(Pairing((team.name, other.name)), 1, result, True)
        for number, (own, its) in enumerate(((team, other), (other, team))):
            words = self.templates.render(
                "friendly_match",
                team=own.name,
                other=its.name,
                asked=number == 0,
                own=result.seats[number],
                its=result.seats[1 - number],
                result=result,
                has_protocol=self._info.play != TABLE,
            )
            name = f"friendly-{team.name}-{other.name}.protocol.gz"
            attachments = protocol_attachments.attached([match], 0, 0, own.name, self.settings, name)
            yield self._mail(practice, "friendly match", own, words, attachments, is_answer=number == 0)

    def match_impossible(self, practice: Practice, team: Team, other: Team) -> Outgoing:
        words = self.templates.render("friendly_match_off", team=team.name, other=other.name)
        return self._mail(practice, "friendly match", team, words)

    @property
    def _info(self) -> GameInfo:
        return game_of(self.settings.game, self.settings.programs).info

    def _mail(
        self,
        practice: Practice,
        kind: str,
        team: Team,
        words: Rendered,
        attachments: tuple[Attachment, ...] = (),
        *,
        is_answer: bool = True,
    ) -> Outgoing:
        return Outgoing(
            key=f"practice/{practice.id}/{team.name}",
            kind=kind,
            to=team.address,
            subject=words.subject,
            body=words.body,
            team_id=team.id,
            attachments=attachments,
            in_reply_to=practice.reply_to if is_answer else None,
            letter_id=practice.letter_id if is_answer else None,
        )


def _line(game: PracticeGame) -> Line:
    own, *others = game.result.seats
    return Line(
        " and ".join(game.opponents),
        own.points,
        max(seat.points for seat in others),
        next((failure.reason for failure in _failures(game)), ""),
        any(seat.verdict is not Verdict.OK for seat in others),
        own.instructions,
        own.memory,
    )


def _failures(game: PracticeGame) -> Iterator[Failure]:
    """What the team's own program did wrong in the game, if it did."""
    own = game.result.seats[0]
    if own.verdict.is_charged:
        turn, reason = (own.fault.turn, own.fault.reason) if own.fault else (0, str(own.verdict))
        yield Failure("you", " and ".join(game.opponents), 0, 1, own.verdict, turn, reason)


def _places(game: PracticeGame) -> tuple[tuple[str, int], ...]:
    """Everybody in a game of many with his points, the best first; the team is `you`."""
    points = [seat.points for seat in game.result.seats]
    table = zip(("you", *game.opponents), points, strict=True)
    return tuple(sorted(table, key=lambda line: -line[1]))


def _series(games: Sequence[PracticeGame], info: GameInfo) -> SeriesFacts | None:
    if info.play != MACHINE:
        return None
    thrown = [throws_of(game.result) or () for game in games]
    return series_facts([own for own, _ in throws] for throws in thrown)


def _said(games: Sequence[PracticeGame]) -> str:
    """The end of what the program wrote to its standard error, where it did something wrong first."""
    faults = [game.result.seats[0].fault for game in games]
    return next((fault.stderr_tail for fault in faults if fault and fault.stderr_tail), "")
