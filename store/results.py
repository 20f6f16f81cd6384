"""Rounds, groups, games and the evolution: drawings and results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Table,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    null,
    select,
    update,
)

from contest.errors import NotFound
from contest.model import (
    Certainty,
    EvolutionOutcome,
    Former,
    GroupOutcome,
    GroupPlan,
    Match,
    Pairing,
    Rerun,
    RoundOutcome,
    RoundPlan,
    Standing,
    WorstGame,
)
from contest.model.as_json import GameRow, adapter, json_text, match_of, plain
from store.session import Transaction, insert_many, record, tournament_of
from store.tables import (
    certainty,
    entries,
    evolution,
    former_groups,
    groups,
    matches,
    members,
    pairings,
    reruns,
    rounds,
    worst_games,
)


# --- drawing --------------------------------------------------------------------------------------
def add_round(tx: Transaction, plan: RoundPlan, now: datetime) -> None:
    """Add a round as drawn."""
    ids = _entry_ids(tx)
    key = {"tournament": tournament_of(tx)}
    tx.execute(insert(rounds).values(**key, number=plan.number, final=plan.final, planned_at=now))
    for group in plan.groups:
        values = {**key, "round": plan.number, "number": group.number, "title": group.title}
        group_id = tx.execute(insert(groups).values(values).returning(groups.c.id)).scalar_one()
        rows = [(group_id, place, ids[name]) for place, name in enumerate(group.members)]
        insert_many(tx, members, ("group_id", "place", "entry_id"), rows)
        meetings = []
        for place, pairing in enumerate(group.pairings):
            players = json_text([ids[name] for name in pairing.players])
            meetings.append((group_id, place, players, pairing.games, pairing.most))
        insert_many(tx, pairings, ("group_id", "place", "players", "games", "most"), meetings)


def start_group(tx: Transaction, plan: GroupPlan, now: datetime) -> bool:
    """Mark a group as started. False: it had been started before."""
    query = update(groups).where(groups.c.id == _group_id(tx, plan), groups.c.started_at.is_(None))
    return tx.execute(query.values(started_at=now)).rowcount == 1


class GroupState(Enum):
    """The progress of a group. GONE: it is no longer drawn, because its round is to be played
    again."""

    DRAWN = 0
    STARTED = 1
    FINISHED = 2
    GONE = 3


def progress(tx: Transaction, plan: GroupPlan) -> GroupState:
    """Progress of the group with exactly these members (the members determine the pairings)."""
    query = select(groups).where(_in_round(tx, plan.round), groups.c.number == plan.number)
    row = tx.execute(query).first()
    if row is None or (row.title, _members(tx, row.id)) != (plan.title, plan.members):
        return GroupState.GONE
    if row.finished_at is not None:
        return GroupState.FINISHED
    return GroupState.DRAWN if row.started_at is None else GroupState.STARTED


def seat(tx: Transaction, plan: GroupPlan, gone: AbstractSet[str]) -> GroupPlan:
    """Remove players from a group whose games have all members at once, if two or more are left."""
    seated = plan.without_seats(gone)
    if seated is plan:
        return plan
    ids = _entry_ids(tx)
    query = update(pairings).where(pairings.c.group_id == _group_id(tx, plan))
    for pairing in seated.pairings:
        tx.execute(query.values(players=[ids[name] for name in pairing.players]))
    return seated


# --- results --------------------------------------------------------------------------------------
def finish_group(
    tx: Transaction, outcome: GroupOutcome, games: Iterable[GameRow], now: datetime
) -> bool:
    """Store a group's ranking and games. False: it had been finished before, and nothing
    happens."""
    group_id = _group_id(tx, outcome.plan)
    query = update(groups).where(groups.c.id == group_id, groups.c.finished_at.is_(None))
    if tx.execute(query.values(finished_at=now)).rowcount != 1:
        return False
    insert_many(tx, matches, ("group_id", *GameRow._fields), ((group_id, *game) for game in games))
    if outcome.standings:
        ids = _entry_ids(tx, [standing.entry for standing in outcome.standings])
        lines = []
        for position, standing in enumerate(outcome.standings):
            line = asdict(standing)
            del line["entry"]
            lines.append({**line, "of_entry": ids[standing.entry], "position": position})
        of_entry = members.c.entry_id == bindparam("of_entry")
        tx.execute(update(members).where(members.c.group_id == group_id, of_entry), lines)
    return True


def finish_round(tx: Transaction, number: int, final: bool, now: datetime) -> None:
    """Mark a round as played, after all its groups. `final`: it was the final."""
    query = update(rounds).where(_is_round(tx, number), rounds.c.played_at.is_(None))
    tx.execute(query.values(played_at=now, final=final))


def count_rounds(tx: Transaction) -> tuple[int, int]:
    """How many rounds have been drawn, and how many have been played."""
    log = round_log(tx)
    return len(log), sum(row.played_at is not None for row in log)


def is_played(tx: Transaction, number: int) -> bool:
    """Whether this round exists and has been finished."""
    return any(row.number == number and row.played_at for row in round_log(tx))


def is_complete(tx: Transaction, number: int) -> bool:
    """Whether this round exists and all its groups have finished."""
    finish_times = (
        tx.execute(select(groups.c.finished_at).where(_in_round(tx, number))).scalars().all()
    )
    return bool(finish_times) and all(finished is not None for finished in finish_times)


def set_words(tx: Transaction, number: int, words: str) -> bool:
    """Set the organizer's own text about a round. False: no such round, or its summary has gone
    out."""
    query = update(rounds).where(_is_round(tx, number), rounds.c.reported_at.is_(None))
    return tx.execute(query.values(words=words)).rowcount == 1


def words_of(tx: Transaction, number: int) -> str:
    """The organizer's own text about a round; "" if there is none."""
    return next((row.words for row in round_log(tx) if row.number == number), "")


def mark_reported(tx: Transaction, number: int, now: datetime) -> None:
    tx.execute(update(rounds).where(_is_round(tx, number)).values(reported_at=now))


def unreported_rounds(tx: Transaction) -> tuple[int, ...]:
    """Rounds that have been played, but whose summary has not gone out."""
    return tuple(row.number for row in round_log(tx) if row.played_at and not row.reported_at)


@dataclass(frozen=True)
class RoundLog:
    """When a round was drawn and played, when its summary went out, and the organizer's own text
    about it."""

    number: int
    planned_at: datetime
    played_at: datetime | None
    reported_at: datetime | None
    words: str


def round_log(tx: Transaction) -> tuple[RoundLog, ...]:
    """The logs of all rounds, from the first."""
    rows = tx.execute(select(rounds).where(_of(rounds, tx)).order_by(rounds.c.number)).all()
    return tuple(record(RoundLog, row, words=row.words or "") for row in rows)


class Games(Enum):
    """Which games to read with a group; a large contest has tens of thousands."""

    NONE = 0
    FAILED = 1
    ALL = 2
    WITH_MOVES = 3  # all of them, with their moves where they were stored


def all_rounds(tx: Transaction, games: Games = Games.NONE) -> tuple[RoundOutcome, ...]:
    """All rounds, from the first."""
    query = select(rounds.c.number).where(_of(rounds, tx)).order_by(rounds.c.number)
    numbers = tx.execute(query).scalars().all()
    return tuple(drawn_round(tx, number, games) for number in numbers)


def drawn_round(
    tx: Transaction,
    number: int,
    games: Games = Games.NONE,
    known: Mapping[int, GroupPlan] | None = None,
) -> RoundOutcome:
    """One round. `known`: plans of groups, by number, that need not be read again. Raises
    NotFound."""
    row = tx.execute(select(rounds).where(_is_round(tx, number))).first()
    if row is None:
        raise NotFound(f"there is no round {number}")
    names = {entry_id: name for name, entry_id in _entry_ids(tx).items()}
    plans, outcomes = [], []
    for group in tx.execute(
        select(groups).where(_in_round(tx, number)).order_by(groups.c.number)
    ).all():
        plans.append((known or {}).get(group.number) or _plan(tx, group, names))
        if group.finished_at is not None:
            outcomes.append(_outcome(tx, group.id, plans[-1], names, games))
    return RoundOutcome(RoundPlan(number, tuple(plans), row.final), tuple(outcomes))


@dataclass(frozen=True)
class Progress:
    """The progress of a round. `games`: how many were planned."""

    number: int
    final: bool
    groups: int
    groups_done: int
    games: int
    games_done: int
    started_at: datetime | None


def progress_of_rounds(tx: Transaction) -> tuple[Progress, ...]:
    """The progress of all rounds, from the first."""
    planned = select(pairings.c.group_id, func.sum(pairings.c.games).label("games"))
    planned_games = planned.group_by(pairings.c.group_id).subquery()
    done = groups.c.finished_at.is_not(None)
    games = func.coalesce(planned_games.c.games, 0)
    query = (
        select(
            rounds.c.number,
            rounds.c.final,
            func.count(groups.c.id).label("groups"),
            func.count(groups.c.finished_at).label("groups_done"),
            func.sum(games).label("games"),
            func.sum(case((done, games), else_=0)).label("games_done"),
            func.min(groups.c.started_at).label("started_at"),
        )
        .select_from(rounds)
        .join(
            groups,
            and_(groups.c.tournament == rounds.c.tournament, groups.c.round == rounds.c.number),
        )
        .outerjoin(planned_games, planned_games.c.group_id == groups.c.id)
        .where(_of(rounds, tx))
        .group_by(rounds.c.number, rounds.c.final)
        .order_by(rounds.c.number)
    )
    return tuple(record(Progress, row) for row in tx.execute(query))


def finished_rounds(tx: Transaction, games: Games = Games.NONE) -> tuple[RoundOutcome, ...]:
    """The rounds whose groups have all finished, from the first."""
    return tuple(outcome for outcome in all_rounds(tx, games) if outcome.is_complete)


def round_outcome(
    tx: Transaction, number: int, games: Games, known: Mapping[int, GroupPlan] | None = None
) -> RoundOutcome:
    """A round whose groups have all finished; `known` as in `drawn_round`. Raises NotFound."""
    outcome = drawn_round(tx, number, games, known)
    if not outcome.is_complete:
        raise NotFound(f"round {number} has not been played to its end")
    return outcome


# --- played again ---------------------------------------------------------------------------------
def order_rerun(tx: Transaction, rerun: Rerun, released: Mapping[int, datetime]) -> Rerun:
    """Play a round (or only one group of it) again; later rounds are drawn anew.

    `released`: when the results of each round went out. The finished groups among them become
    former ones. Returns the rerun with its number. Raises NotFound if there is no such round.
    """
    number, only = rerun.round, rerun.group
    drawn = drawn_round(tx, number, Games.WITH_MOVES)
    groups_by_number = {group.number: group for group in drawn.plan.groups}
    values = {
        "tournament": tournament_of(tx),
        "at": rerun.at,
        "round": number,
        "group": only,
        "reason": rerun.reason,
    }
    rerun_id = tx.execute(insert(reruns).values(values).returning(reruns.c.id)).scalar_one()
    numbers = tx.execute(select(rounds.c.number).where(_of(rounds, tx))).scalars()
    later = sorted(later_number for later_number in numbers if later_number > number)
    former = [outcome for outcome in drawn.groups if only in (None, outcome.plan.number)]
    for later_number in later:
        former += drawn_round(tx, later_number, Games.WITH_MOVES).groups
    _keep_former(tx, rerun_id, former, released)
    for table in (evolution, certainty):
        tx.execute(delete(table).where(_of(table, tx)))
    if only is None:
        _delete_round(tx, number)
    else:
        _forget_results(tx, groups_by_number[only])
    for later_number in later:
        _delete_round(tx, later_number)
    return replace(rerun, id=rerun_id)


def _keep_former(
    tx: Transaction,
    rerun_id: int,
    former: Iterable[GroupOutcome],
    released: Mapping[int, datetime],
) -> None:
    for outcome in former:
        values = {
            "rerun_id": rerun_id,
            "released_at": released.get(outcome.plan.round),
            "outcome": plain(outcome, GroupOutcome),
        }
        tx.execute(insert(former_groups).values(values))


def _delete_round(tx: Transaction, number: int) -> None:
    ids = select(groups.c.id).where(_in_round(tx, number))
    for table in (worst_games, matches, pairings, members):
        tx.execute(delete(table).where(table.c.group_id.in_(ids)))
    tx.execute(delete(groups).where(_in_round(tx, number)))
    tx.execute(delete(rounds).where(_is_round(tx, number)))


def _forget_results(tx: Transaction, plan: GroupPlan) -> None:
    """Reset the group to its state when drawn, and its round to the time before it was finished."""
    group_id = _group_id(tx, plan)
    for table in (worst_games, matches):
        tx.execute(delete(table).where(table.c.group_id == group_id))
    nothing = dict.fromkeys(
        ("position", "half_points", "rank", "failures", "disqualified", "advances")
    )
    tx.execute(update(members).where(members.c.group_id == group_id).values(nothing))
    tx.execute(
        update(groups).where(groups.c.id == group_id).values(started_at=None, finished_at=None)
    )
    fresh = {"played_at": None, "words": None, "reported_at": None}
    tx.execute(update(rounds).where(_is_round(tx, plan.round)).values(final=False, **fresh))


def times_ordered(tx: Transaction, number: int) -> int:
    """How often this round, or an earlier one, was ordered to be played again."""
    query = select(func.count()).where(_of(reruns, tx), reruns.c.round <= number)
    return tx.execute(query).scalar_one()


def all_reruns(tx: Transaction) -> tuple[Rerun, ...]:
    """All orders to play something again, in their order."""
    rows = tx.execute(select(reruns).where(_of(reruns, tx)).order_by(reruns.c.id))
    return tuple(record(Rerun, row) for row in rows)


def former_outcomes(tx: Transaction) -> tuple[Former, ...]:
    """The results that each order to play something again has replaced, in the order of the
    orders."""
    formers = []
    for rerun in all_reruns(tx):
        query = select(former_groups.c.outcome, former_groups.c.released_at).order_by(
            former_groups.c.id
        )
        rows = tx.execute(query.where(former_groups.c.rerun_id == rerun.id)).all()
        groups_of = tuple(adapter(GroupOutcome).validate_python(row.outcome) for row in rows)
        released = {g.plan.round: row.released_at for g, row in zip(groups_of, rows, strict=True)}
        formers.append(
            Former(
                rerun,
                groups_of,
                {number: released_at for number, released_at in released.items() if released_at},
            )
        )
    return tuple(formers)


# --- evolution ------------------------------------------------------------------------------------
def set_evolution(tx: Transaction, outcome: EvolutionOutcome) -> None:
    tx.execute(
        insert(evolution).values(
            tournament=tournament_of(tx), facts=plain(outcome, EvolutionOutcome)
        )
    )


def get_evolution(tx: Transaction) -> EvolutionOutcome | None:
    facts = tx.execute(select(evolution.c.facts).where(_of(evolution, tx))).scalar()
    return None if facts is None else adapter(EvolutionOutcome).validate_python(facts)


# --- how sure the ranking is ----------------------------------------------------------------------
def set_certainty(tx: Transaction, likely: Certainty) -> None:
    """Store how sure the ranking is; it replaces what was stored before."""
    tx.execute(delete(certainty).where(_of(certainty, tx)))
    tx.execute(
        insert(certainty).values(tournament=tournament_of(tx), facts=plain(likely, Certainty))
    )


def get_certainty(tx: Transaction) -> Certainty | None:
    facts = tx.execute(select(certainty.c.facts).where(_of(certainty, tx))).scalar()
    return None if facts is None else adapter(Certainty).validate_python(facts)


# --- everybody's worst game -----------------------------------------------------------------------
def add_worst_games(tx: Transaction, plan: GroupPlan, games: Sequence[WorstGame]) -> None:
    """Store the worst game of each member of a group that has just been finished."""
    group_id = _group_id(tx, plan)
    ids = _entry_ids(tx, [game.entry for game in games])
    kind = adapter(WorstGame)
    rows = [(group_id, ids[game.entry], kind.dump_json(game).decode()) for game in games]
    insert_many(tx, worst_games, ("group_id", "entry_id", "facts"), rows)


def get_worst_games(tx: Transaction) -> dict[str, WorstGame]:
    """Everybody's worst game in all finished groups, by name; of equal ones the first."""
    query = select(worst_games.c.facts).join(groups, groups.c.id == worst_games.c.group_id)
    in_order = query.where(_of(groups, tx)).order_by(groups.c.round, groups.c.number)
    games = [adapter(WorstGame).validate_python(facts) for facts in tx.execute(in_order).scalars()]
    worst: dict[str, WorstGame] = {}
    for game in games:
        if game.entry not in worst or game.lead < worst[game.entry].lead:
            worst[game.entry] = game
    return worst


# --- rows -----------------------------------------------------------------------------------------
def _of(table: Table, tx: Transaction) -> ColumnElement[bool]:
    return table.c.tournament == tournament_of(tx)


def _is_round(tx: Transaction, number: int) -> ColumnElement[bool]:
    return and_(_of(rounds, tx), rounds.c.number == number)


def _in_round(tx: Transaction, number: int) -> ColumnElement[bool]:
    return and_(_of(groups, tx), groups.c.round == number)


def _entry_ids(tx: Transaction, names: Sequence[str] | None = None) -> dict[str, int]:
    """The ids of these entries, or of all, by name."""
    query = select(entries.c.name, entries.c.id).where(_of(entries, tx))
    if names is not None:
        query = query.where(entries.c.name.in_(names))
    return dict(map(tuple, tx.execute(query)))


def _group_id(tx: Transaction, plan: GroupPlan) -> int:
    query = select(groups.c.id).where(_in_round(tx, plan.round), groups.c.number == plan.number)
    return int(tx.execute(query).scalar_one())


def _members(tx: Transaction, group_id: int) -> tuple[str, ...]:
    """The names of a group's members, in the order of the draw."""
    named = select(entries.c.name).join(members, members.c.entry_id == entries.c.id)
    query = named.where(members.c.group_id == group_id).order_by(members.c.place)
    return tuple(tx.execute(query).scalars())


def _plan(tx: Transaction, group: Row[Any], names: Mapping[int, str]) -> GroupPlan:
    meetings = select(pairings.c.players, pairings.c.games, pairings.c.most)
    meetings = meetings.where(pairings.c.group_id == group.id).order_by(pairings.c.place)
    drawn = tuple(
        Pairing(tuple([names[entry_id] for entry_id in players]), games, most)
        for players, games, most in tx.execute(meetings)
    )
    return GroupPlan(group.round, group.number, _members(tx, group.id), drawn, group.title)


def _outcome(
    tx: Transaction, group_id: int, plan: GroupPlan, names: Mapping[int, str], which: Games
) -> GroupOutcome:
    ranking = select(members).where(members.c.group_id == group_id).order_by(members.c.position)
    standings = tuple(
        record(Standing, row, entry=names[row.entry_id]) for row in tx.execute(ranking)
    )
    games: tuple[Match, ...] = ()
    if which is not Games.NONE:
        query = (
            _GAMES[which is Games.WITH_MOVES]
            .where(matches.c.group_id == group_id)
            .order_by(matches.c.id)
        )
        if which is Games.FAILED:
            query = query.where(matches.c.flawless.is_(False))
        rows = map(GameRow._make, tx.execute(query))
        games = tuple([match_of(row, plan.pairings[row.pairing]) for row in rows])
    return GroupOutcome(plan, games, standings)


_COLUMNS = [matches.c[name] for name in GameRow._fields]
_GAMES = {
    True: select(*_COLUMNS),
    False: select(
        *(null().label("moves") if column is matches.c.moves else column for column in _COLUMNS)
    ),
}
