"""Rounds, groups, games and the evolution: what was drawn, what was played, what came out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import Enum
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import Row, insert, select, update

from knobeln.errors import NotFound
from knobeln.model import (
    EvolutionEnding,
    EvolutionOutcome,
    EvolutionRank,
    Fault,
    GameResult,
    GroupOutcome,
    GroupPlan,
    Match,
    Pairing,
    RoundOutcome,
    RoundPlan,
    SeatResult,
    Standing,
    Verdict,
)
from knobeln.store.session import Transaction
from knobeln.store.tables import entries, evolution, groups, matches, members, pairings, rounds

_RANKING = TypeAdapter(tuple[EvolutionRank, ...])


# --- drawing ---------------------------------------------------------------------------------------------
def add_round(tx: Transaction, plan: RoundPlan, now: datetime) -> None:
    """Keep a round as drawn."""
    ids = _entry_ids(tx)
    tx.execute(insert(rounds).values(number=plan.number, final=plan.final, planned_at=now))
    for group in plan.groups:
        values = {"round": plan.number, "number": group.number, "title": group.title}
        group_id = tx.execute(insert(groups).values(values).returning(groups.c.id)).scalar_one()
        rows = [
            {"group_id": group_id, "place": place, "entry_id": ids[name]}
            for place, name in enumerate(group.members)
        ]
        tx.execute(insert(members), rows)
        meetings = [
            {
                "group_id": group_id,
                "place": place,
                "players": [ids[name] for name in pairing.players],
                "games": pairing.games,
                "most": pairing.most,
            }
            for place, pairing in enumerate(group.pairings)
        ]
        if meetings:
            tx.execute(insert(pairings), meetings)


def start_group(tx: Transaction, plan: GroupPlan, now: datetime) -> bool:
    """False: it had been started before."""
    query = update(groups).where(groups.c.id == _group_id(tx, plan), groups.c.started_at.is_(None))
    return tx.execute(query.values(started_at=now)).rowcount == 1


# --- results -----------------------------------------------------------------------------------------------
def finish_group(tx: Transaction, outcome: GroupOutcome, now: datetime) -> bool:
    """Keep a group's games and ranking. False: it had been finished before, and nothing happens."""
    ids = _entry_ids(tx)
    group_id = _group_id(tx, outcome.plan)
    query = update(groups).where(groups.c.id == group_id, groups.c.finished_at.is_(None))
    if tx.execute(query.values(finished_at=now)).rowcount != 1:
        return False
    if outcome.matches:
        places = {pairing: place for place, pairing in enumerate(outcome.plan.pairings)}
        rows = [_match_row(group_id, places[match.pairing], match) for match in outcome.matches]
        tx.execute(insert(matches), rows)
    for position, standing in enumerate(outcome.standings):
        tx.execute(
            update(members)
            .where(members.c.group_id == group_id, members.c.entry_id == ids[standing.entry])
            .values(
                position=position,
                half_points=standing.half_points,
                rank=standing.rank,
                failures=standing.failures,
                disqualified=standing.disqualified,
                advances=standing.advances,
            )
        )
    return True


def finish_round(tx: Transaction, number: int, final: bool, now: datetime) -> None:
    """All groups of the round are finished; `final`: nothing follows it."""
    query = update(rounds).where(rounds.c.number == number, rounds.c.played_at.is_(None))
    tx.execute(query.values(played_at=now, final=final))


def is_played(tx: Transaction, number: int) -> bool:
    """Whether this round exists and has been finished."""
    return (
        tx.execute(select(rounds.c.played_at).where(rounds.c.number == number)).scalar_one_or_none()
        is not None
    )


def set_words(tx: Transaction, number: int, words: str) -> bool:
    """The organizer's summary of a round. False: there is no such round, or its summary has gone out."""
    query = update(rounds).where(rounds.c.number == number, rounds.c.reported_at.is_(None))
    return tx.execute(query.values(words=words)).rowcount == 1


def words_of(tx: Transaction, number: int) -> str | None:
    found: str | None = tx.execute(
        select(rounds.c.words).where(rounds.c.number == number)
    ).scalar_one_or_none()
    return found


def mark_reported(tx: Transaction, number: int, now: datetime) -> None:
    tx.execute(update(rounds).where(rounds.c.number == number).values(reported_at=now))


def unreported_rounds(tx: Transaction) -> tuple[int, ...]:
    """Rounds that have been played, but whose summary has not gone out."""
    query = select(rounds.c.number).where(rounds.c.played_at.is_not(None), rounds.c.reported_at.is_(None))
    return tuple(tx.execute(query.order_by(rounds.c.number)).scalars())


class Games(Enum):
    """Which games are read with a group: a large contest has tens of thousands."""

    NONE = 0
    FAILED = 1
    ALL = 2


DrawnRound = tuple[RoundPlan, tuple[GroupOutcome, ...]]
"""A round as drawn, and the groups of it that have finished, in the order of their numbers."""


def all_rounds(tx: Transaction, games: Games = Games.NONE) -> tuple[DrawnRound, ...]:
    """Every round, from the first."""
    numbers = tx.execute(select(rounds.c.number).order_by(rounds.c.number)).scalars().all()
    return tuple(drawn_round(tx, number, games) for number in numbers)


def drawn_round(tx: Transaction, number: int, games: Games = Games.NONE) -> DrawnRound:
    """One round. Raises NotFound."""
    row = tx.execute(select(rounds).where(rounds.c.number == number)).first()
    if row is None:
        raise NotFound(f"there is no round {number}")
    names = {entry_id: name for name, entry_id in _entry_ids(tx).items()}
    in_round = select(groups).where(groups.c.round == number).order_by(groups.c.number)
    group_rows = tx.execute(in_round).all()
    plans = {g.id: _plan(tx, g, names) for g in group_rows}
    outcomes = tuple(
        _outcome(tx, g.id, plans[g.id], names, games) for g in group_rows if g.finished_at is not None
    )
    return RoundPlan(number, tuple(plans.values()), row.final), outcomes


def finished_rounds(tx: Transaction, games: Games = Games.NONE) -> tuple[RoundOutcome, ...]:
    """The rounds whose groups have all finished."""
    return tuple(RoundOutcome(plan, done) for plan, done in all_rounds(tx, games) if _is_whole(plan, done))


def round_outcome(tx: Transaction, number: int, games: Games) -> RoundOutcome:
    """A round whose groups have all finished. Raises NotFound."""
    plan, outcomes = drawn_round(tx, number, games)
    if not _is_whole(plan, outcomes):
        raise NotFound(f"round {number} has not been played to its end")
    return RoundOutcome(plan, outcomes)


def _is_whole(plan: RoundPlan, outcomes: tuple[GroupOutcome, ...]) -> bool:
    return len(plan.groups) == len(outcomes)


# --- evolution -------------------------------------------------------------------------------------------
def set_evolution(tx: Transaction, outcome: EvolutionOutcome) -> None:
    tx.execute(
        insert(evolution).values(
            id=1,
            ending=outcome.ending,
            cycle_start=outcome.cycle_start,
            entries=list(outcome.entries),
            generations=[list(counts) for counts in outcome.generations],
            ranking=_RANKING.dump_python(outcome.ranking, mode="json"),
        )
    )


def get_evolution(tx: Transaction) -> EvolutionOutcome | None:
    row = tx.execute(select(evolution)).first()
    if row is None:
        return None
    return EvolutionOutcome(
        entries=tuple(row.entries),
        generations=tuple(tuple(counts) for counts in row.generations),
        ending=EvolutionEnding(row.ending),
        cycle_start=row.cycle_start,
        ranking=_RANKING.validate_python(row.ranking),
    )


# --- rows ---------------------------------------------------------------------------------------------------
def _entry_ids(tx: Transaction) -> dict[str, int]:
    return {name: entry_id for entry_id, name in tx.execute(select(entries.c.id, entries.c.name)).all()}


def _group_id(tx: Transaction, plan: GroupPlan) -> int:
    query = select(groups.c.id).where(groups.c.round == plan.round, groups.c.number == plan.number)
    return int(tx.execute(query).scalar_one())


def _plan(tx: Transaction, group: Row[Any], names: Mapping[int, str]) -> GroupPlan:
    in_group = select(members.c.entry_id).where(members.c.group_id == group.id).order_by(members.c.place)
    meetings = select(pairings.c.players, pairings.c.games, pairings.c.most)
    meetings = meetings.where(pairings.c.group_id == group.id).order_by(pairings.c.place)
    return GroupPlan(
        group.round,
        group.number,
        tuple(names[entry_id] for entry_id in tx.execute(in_group).scalars()),
        tuple(
            Pairing(tuple([names[entry_id] for entry_id in players]), games, most)
            for players, games, most in tx.execute(meetings)
        ),
        group.title,
    )


def _outcome(
    tx: Transaction, group_id: int, plan: GroupPlan, names: Mapping[int, str], which: Games
) -> GroupOutcome:
    ranking = select(members).where(members.c.group_id == group_id).order_by(members.c.position)
    standings = tuple(
        Standing(names[r.entry_id], r.half_points, r.rank, r.failures, r.disqualified, r.advances)
        for r in tx.execute(ranking)
    )
    games: tuple[Match, ...] = ()
    if which is not Games.NONE:
        query = select(matches).where(matches.c.group_id == group_id).order_by(matches.c.id)
        if which is Games.FAILED:
            query = query.where(matches.c.flawless.is_(False))
        games = tuple(_match(row, plan.pairings[row.pairing]) for row in tx.execute(query))
    return GroupOutcome(plan, games, standings)


def _match_row(group_id: int, place: int, match: Match) -> dict[str, Any]:
    return {
        "group_id": group_id,
        "pairing": place,
        "game": match.game,
        "attempt": match.attempt,
        "counted": match.counted,
        "flawless": match.result.is_flawless,
        "turns": match.result.turns,
        "digest": match.result.digest,
        "seats": [_seat_row(seat) for seat in match.result.seats],
    }


def _seat_row(seat: SeatResult) -> list[Any]:
    """As short as can be: a large contest has tens of thousands."""
    fault = [seat.fault.turn, seat.fault.reason, seat.fault.said, seat.faults] if seat.fault else []
    return [seat.points, seat.verdict, seat.instructions, seat.memory, *fault]


def _match(row: Row[Any], pairing: Pairing) -> Match:
    result = GameResult(tuple(map(_seat, row.seats)), row.turns, row.digest)
    return Match(pairing, row.attempt, result, row.counted, row.game)


def _seat(row: list[Any]) -> SeatResult:
    points, verdict, instructions, memory, *fault = row
    if not fault:
        return SeatResult(points, Verdict(verdict), None, instructions, memory)
    turn, reason, said, faults = fault
    return SeatResult(points, Verdict(verdict), Fault(turn, reason, said), instructions, memory, faults)
