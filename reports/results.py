"""The results of a group as people want to see them: whose game, how it stands, why. Pure functions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from knobeln.model import GroupOutcome, Match, Pairing, RoundOutcome, SeatResult, Verdict

VERDICT_WORDS = {
    Verdict.OK: "played to the end",
    Verdict.TIME: "time limit",
    Verdict.MEMORY: "out of memory",
    Verdict.CRASH: "crash",
    Verdict.ILLEGAL_MOVE: "illegal throw",
    Verdict.PROTOCOL: "left the game",
    Verdict.INTERNAL: "a failure of our own machinery",
}


class GameStatus(StrEnum):
    """What became of a game (K72, K73)."""

    COUNTED = "counted"
    REPLAYED = "replayed"  # counted, after an attempt that was discarded
    DISCARDED = "discarded"  # somebody failed
    EXPUNGED = "not counted"  # completed, but a side was disqualified
    NOT_PLAYED = "not played"  # a side had been disqualified before


@dataclass(frozen=True)
class Failure:
    """One failure that an entry is charged with, in the words of the machine."""

    entry: str
    opponent: str  # the entry itself in a self-game
    attempt: int
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class GameLine:
    """One attempt at a game as one of its players sees it, or a game that was not played.

    Points are half points, None where there are none; in a self-game `own` is the mean of `sides` (K66).
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
    disqualified: tuple[str, ...]  # the players that were disqualified in this round


def disqualified(outcome: GroupOutcome) -> frozenset[str]:
    """Those who failed twice in this round."""
    return frozenset(s.entry for s in outcome.standings if s.disqualified)


def status(match: Match) -> GameStatus:
    """What became of an attempt that was played."""
    if match.is_discarded:
        return GameStatus.DISCARDED
    if not match.counted:
        return GameStatus.EXPUNGED
    return GameStatus.REPLAYED if match.attempt > 1 else GameStatus.COUNTED


def failures_of_match(match: Match) -> tuple[Failure, ...]:
    """Who is charged for this attempt. Both sides of a self-game are one failure, ours are none (K75)."""
    charged = (
        _failure(entry, opponent(match.pairing, entry), match.attempt, seat)
        for entry, seat in match.sides
        if seat.verdict not in (Verdict.OK, Verdict.INTERNAL)
    )
    return tuple({failure.entry: failure for failure in charged}.values())


def _failure(entry: str, opponent: str, attempt: int, seat: SeatResult) -> Failure:
    reason = seat.fault.reason if seat.fault else VERDICT_WORDS[seat.verdict]
    return Failure(entry, opponent, attempt, seat.verdict, reason)


def failures(outcome: GroupOutcome) -> Mapping[str, tuple[Failure, ...]]:
    """Every entry's failures in this group, in the order of the games and their attempts."""
    found: defaultdict[str, list[Failure]] = defaultdict(list)
    for match in outcome.matches:
        for failure in failures_of_match(match):
            found[failure.entry].append(failure)
    return {entry: tuple(of_entry) for entry, of_entry in found.items()}


def failures_of_round(outcome: RoundOutcome) -> Mapping[str, tuple[Failure, ...]]:
    """Every entry's failures in this round."""
    return {entry: found for group in outcome.groups for entry, found in failures(group).items()}


def attempts(outcome: GroupOutcome) -> Mapping[Pairing, tuple[Match, ...]]:
    """The attempts at every game of the plan, in order; empty for a game that was not carried out."""
    found: dict[Pairing, list[Match]] = {pairing: [] for pairing in outcome.plan.pairings}
    for match in outcome.matches:
        found[match.pairing].append(match)
    return {pairing: tuple(sorted(of_it, key=_attempt)) for pairing, of_it in found.items()}


def _attempt(match: Match) -> tuple[int, int]:
    return match.game, match.attempt


def matches_of(outcome: GroupOutcome, entry: str) -> tuple[Match, ...]:
    """All attempts at games of this entry, by opponent and attempt."""
    own = (m for m in outcome.matches if entry in m.players)
    return tuple(sorted(own, key=lambda m: (opponent(m.pairing, entry).casefold(), m.game, m.attempt)))


def opponent(pairing: Pairing, entry: str) -> str:
    """The other player, or how many others; the entry itself in a self-game."""
    others = [name for name in pairing.players if name != entry] or [entry]
    return others[0] if len(others) == 1 else f"{len(others)} others"


@dataclass(frozen=True)
class GroupFacts:
    """What the mails to a group's members need to know, looked up once for all of them."""

    attempts: Mapping[Pairing, tuple[Match, ...]]
    failures: Mapping[str, tuple[Failure, ...]]
    disqualified: frozenset[str]

    @classmethod
    def of(cls, outcome: GroupOutcome) -> GroupFacts:
        return cls(attempts(outcome), failures(outcome), disqualified(outcome))


def game_lines(facts: GroupFacts, entry: str) -> tuple[GameLine, ...]:
    """All games of the entry in this group, with the discarded attempts and those not played, by opponent."""
    lines = (
        line
        for pairing, tried in facts.attempts.items()
        if entry in pairing.players
        for line in _lines(pairing, tried, entry, facts.disqualified)
    )
    return tuple(sorted(lines, key=lambda line: (line.opponent.casefold(), line.game, line.attempt)))


def _lines(pairing: Pairing, tried: tuple[Match, ...], entry: str, out: frozenset[str]) -> Iterator[GameLine]:
    gone = tuple(name for name in dict.fromkeys(pairing.players) if name in out)
    other = opponent(pairing, entry)
    if not tried:
        yield GameLine(other, pairing.is_self, 1, 1, GameStatus.NOT_PLAYED, None, None, (0, 0), (), gone)
    for match in tried:
        yield _line(match, entry, other, gone)


def _line(match: Match, entry: str, other: str, gone: tuple[str, ...]) -> GameLine:
    own, theirs = (None, None) if match.is_discarded else points_of(match, entry)
    return GameLine(
        other,
        match.pairing.is_self,
        match.game,
        match.attempt,
        status(match),
        own,
        theirs,
        tuple(seat.points for seat in match.result.seats),
        failures_of_match(match),
        gone,
    )


def points_of(match: Match, entry: str) -> tuple[int, int | None]:
    """Half points of the entry and of its opponent; None where there is no other, or more than one. In a
    self-game the entry gets the mean (K66)."""
    if match.pairing.is_self:
        return sum(seat.points for seat in match.result.seats), None
    own = next(2 * seat.points for name, seat in match.sides if name == entry)
    others = [2 * seat.points for name, seat in match.sides if name != entry]
    return own, others[0] if len(others) == 1 else None
