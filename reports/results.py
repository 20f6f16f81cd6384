"""Prepare the results of a group for the reports: each game's players, status and failures.
Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from contest.language import listed, ngettext, noted_plural
from contest.model import GroupOutcome, Match, Pairing, RoundOutcome, SeatResult, Standing, Verdict
from reports.words import VERDICTS


class GameStatus(StrEnum):
    """What became of a game (K72, K73)."""

    COUNTED = "counted"
    REPLAYED = "replayed"  # counted, after an attempt that was discarded
    DISCARDED = "discarded"  # somebody failed
    EXPUNGED = "not counted"  # completed, but a side was disqualified
    NOT_PLAYED = "not played"  # a side had been disqualified before


@dataclass(frozen=True)
class Failure:
    """A failure that an entry is charged with; if it failed more than once in a game, the first
    failure.

    `said`: the end of what the program wrote to its standard error; only in reports to its own
    team.
    """

    entry: str
    opponent: str  # the entry itself in a self-game
    game: int  # number of the game in the pairing, from 1; 0 = its only game
    attempt: int
    verdict: Verdict
    turn: int  # from 1; 0 = not known
    reason: str
    turns: int = 1  # how many turns of the game it was at fault in
    said: str = ""
    games: int = 1  # how many games have a failure with the same reason; this is the first


class GameLine(NamedTuple):
    """An attempt at a game, or a game that was not played, from the view of one of its players.

    Points are half points, None if there are none; in a self-game `own` is the mean of `sides`
    (K66).
    """

    opponent: str
    is_self: bool
    game: int
    attempt: int
    status: GameStatus
    own: int | None
    theirs: int | None
    sides: tuple[int, ...]  # points of the seats, whole
    failures: tuple[Failure, ...]
    gone: str  # which players were disqualified or taken out in this round, "" if none
    own_faults: int = 0  # turns in which the player was at fault
    their_faults: int = 0


def disqualified(outcome: GroupOutcome) -> Mapping[str, Standing]:
    """Return the standings of the entries that failed twice in this round or were taken out, by
    entry."""
    return {s.entry: s for s in outcome.standings if s.disqualified}


def gone(standings: Iterable[Standing]) -> str:
    """Name those that are out, and how: `a, b and c were disqualified, d was taken out`; "" if
    nobody is."""
    names: dict[str, list[str]] = {}
    for standing in standings:
        if standing.disqualified:
            names.setdefault(standing.status, []).append(standing.entry)
    return ", ".join(
        ngettext(*_GONE[status], len(entries), names=listed(entries))
        for status, entries in names.items()
    )


_GONE = {
    "taken out": noted_plural("%(names)s was taken out", "%(names)s were taken out"),
    "disqualified": noted_plural("%(names)s was disqualified", "%(names)s were disqualified"),
}


def status(match: Match) -> GameStatus:
    """Return the status of an attempt that was played."""
    if match.is_discarded:
        return GameStatus.DISCARDED
    if not match.counted:
        return GameStatus.EXPUNGED
    return GameStatus.REPLAYED if match.attempt > 1 else GameStatus.COUNTED


def games_played(outcome: RoundOutcome) -> int:
    """How many games of the round were played to their end, whether they count or not."""
    return sum(not match.is_discarded for match in outcome.matches)


def failures_of_match(match: Match) -> tuple[Failure, ...]:
    """Return the failures charged for this attempt.

    Both sides of a self-game are one failure. A failure of our own machinery is charged to nobody
    (K75).
    """
    if match.result.is_flawless:
        return ()
    charged = (
        _failure(match, entry, seat) for entry, seat in match.sides if seat.verdict.is_charged
    )
    return tuple({failure.entry: failure for failure in charged}.values())


def _failure(match: Match, entry: str, seat: SeatResult) -> Failure:
    is_numbered = max(match.pairing.games, match.pairing.most) > 1
    return Failure(
        entry=entry,
        opponent=opponent(match.pairing, entry),
        game=match.game if is_numbered else 0,
        attempt=match.attempt,
        verdict=seat.verdict,
        turn=seat.fault.turn if seat.fault else 0,
        reason=seat.fault.reason if seat.fault else VERDICTS[seat.verdict],
        turns=max(1, seat.faults),
    )


def failures(outcome: GroupOutcome) -> Mapping[str, tuple[Failure, ...]]:
    """Return every entry's failures in this group, in the order of the games and their attempts."""
    failures: defaultdict[str, list[Failure]] = defaultdict(list)
    for match in outcome.matches:
        for failure in failures_of_match(match):
            failures[failure.entry].append(failure)
    return {entry: tuple(of_entry) for entry, of_entry in failures.items()}


def failures_of_round(outcome: RoundOutcome) -> Mapping[str, tuple[Failure, ...]]:
    """Return every entry's failures in this round."""
    return {
        entry: of_entry for group in outcome.groups for entry, of_entry in failures(group).items()
    }


def attempts(outcome: GroupOutcome) -> Mapping[Pairing, tuple[Match, ...]]:
    """Return the attempts at every pairing of the plan, in order; () if it was not played."""
    matches: dict[Pairing, list[Match]] = {pairing: [] for pairing in outcome.plan.pairings}
    for match in outcome.matches:
        matches[match.pairing].append(match)
    return {pairing: tuple(sorted(of_it, key=_attempt)) for pairing, of_it in matches.items()}


def _attempt(match: Match) -> tuple[int, int]:
    return match.game, match.attempt


def opponent(pairing: Pairing, entry: str) -> str:
    """Name the other player, or say how many others there are; in a self-game name the entry
    itself."""
    players = pairing.players
    if len(players) == 2:
        return players[1] if players[0] == entry else players[0]
    others = [name for name in players if name != entry] or [entry]
    return others[0] if len(others) == 1 else f"{len(others)} others"


@dataclass(frozen=True)
class OwnGames:
    """All games of one entry in a group: its pairings, by opponent, with the attempts at their
    games."""

    entry: str
    tried: tuple[tuple[Pairing, tuple[Match, ...]], ...]
    out: Mapping[str, Standing]  # entries of the group that were disqualified or taken out

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        return tuple(match for _, matches in self.tried for match in matches)

    @property
    def lines(self) -> tuple[GameLine, ...]:
        """All lines, with those of discarded attempts and of games that were not played."""
        return tuple(chain.from_iterable(self.lines_of.values()))

    @cached_property
    def lines_of(self) -> Mapping[Pairing, tuple[GameLine, ...]]:
        """The lines of each pairing."""
        return {
            pairing: tuple(_lines(pairing, tried, self.entry, self.out))
            for pairing, tried in self.tried
        }

    @property
    def failures(self) -> tuple[Failure, ...]:
        return own_failures(self.matches, self.entry)


def own_failures(matches: Sequence[Match], entry: str) -> tuple[Failure, ...]:
    """Return the entry's failures with what its program wrote to standard error; for its own team
    only."""
    return tuple(
        replace(failure, said=_said(match, entry))
        for match in matches
        if entry in match.pairing.players
        for failure in failures_of_match(match)
        if failure.entry == entry
    )


def own_games(outcome: GroupOutcome) -> Mapping[str, OwnGames]:
    """Return the games of every member of the group, by member."""
    games: dict[str, list[tuple[Pairing, tuple[Match, ...]]]] = {
        name: [] for name in outcome.plan.members
    }
    for pairing, matches in attempts(outcome).items():
        for name in dict.fromkeys(pairing.players):
            games[name].append((pairing, matches))
    out = disqualified(outcome)
    return {
        name: OwnGames(
            name, tuple(sorted(of_name, key=lambda game: opponent(game[0], name).casefold())), out
        )
        for name, of_name in games.items()
    }


def alike(failures: Sequence[Failure]) -> tuple[Failure, ...]:
    """Return the first failure for each reason, with the number of games that failed for this
    reason."""
    first: dict[str, Failure] = {}
    for failure in failures:
        before = first.setdefault(failure.reason, replace(failure, games=0))
        first[failure.reason] = replace(
            before, games=before.games + 1, said=before.said or failure.said
        )
    return tuple(first.values())


def _said(match: Match, entry: str) -> str:
    faults = (seat.fault for name, seat in match.sides if name == entry and seat.fault)
    return next((fault.stderr_tail for fault in faults if fault.stderr_tail), "")


def _lines(
    pairing: Pairing, tried: Sequence[Match], entry: str, out: Mapping[str, Standing]
) -> Iterator[GameLine]:
    why = gone(out[name] for name in dict.fromkeys(pairing.players) if name in out) if out else ""
    other = opponent(pairing, entry)
    if not tried:
        yield GameLine(
            opponent=other,
            is_self=pairing.is_self,
            game=1,
            attempt=1,
            status=GameStatus.NOT_PLAYED,
            own=None,
            theirs=None,
            sides=(0, 0),
            failures=(),
            gone=why,
        )
    for match in tried:
        yield _line(match, entry, other, why)


def _line(match: Match, entry: str, other: str, why: str) -> GameLine:
    own, theirs = (None, None) if match.is_discarded else points_of(match, entry)
    line = GameLine(
        opponent=other,
        is_self=match.pairing.is_self,
        game=match.game,
        attempt=match.attempt,
        status=status(match),
        own=own,
        theirs=theirs,
        sides=tuple([seat.points for seat in match.result.seats]),
        failures=(),
        gone=why,
    )
    if match.result.is_flawless:
        return line
    return line._replace(
        failures=failures_of_match(match),
        own_faults=sum(seat.faults for name, seat in match.sides if name == entry),
        their_faults=sum(seat.faults for name, seat in match.sides if name != entry),
    )


def points_of(match: Match, entry: str) -> tuple[int, int | None]:
    """Return the half points of the entry and of its opponent; None if there is no opponent, or
    several.

    In a self-game the entry gets the mean (K66).
    """
    seats = match.result.seats
    if match.pairing.is_self:
        return sum(seat.points for seat in seats), None
    place = match.players.index(entry)
    return 2 * seats[place].points, 2 * seats[1 - place].points if len(seats) == 2 else None
