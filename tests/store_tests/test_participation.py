"""Who takes part: the list of entries, the entries themselves and all who tell of them say the
same."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest
from sqlalchemy import update

from contest.ledger.receipts import Effect, LedgerEntry
from contest.model import BanKind, LetterState, TeamState
from store import (
    Store,
    Transaction,
    contest_state,
    decisions,
    entry_lists,
    ladder,
    ledger,
    letters,
    migrate,
    participation,
    submissions,
    tables,
    teams,
)
from tests.support.builds import build_report
from tests.support.contest_field import NOW, add_team

PROGRAMS: Mapping[str, Sequence[str]] = {
    "none": (),
    "queued": ("queued",),
    "rejected": ("rejected",),
    "accepted": ("accepted",),
    "better": ("accepted", "accepted"),
    "worse": ("accepted", "rejected"),
    "waiting": ("rejected", "accepted", "queued"),
}
BANS = ("none", "disqualified", "dropped", "lifted", "former")
COUNTING = {"accepted": 1, "better": 2, "worse": 1, "waiting": 2}
STATES = list(product(TeamState, (True, False), PROGRAMS, BANS))


def name_of(state: TeamState, is_proved: bool, programs: str, ban: str) -> str:
    return "_".join((state, "heard" if is_proved else "unheard", programs, ban))


EXPECTED = {
    name_of(state, is_proved, programs, ban): COUNTING[programs]
    for state, is_proved, programs, ban in STATES
    if state is TeamState.ACTIVE
    and is_proved
    and programs in COUNTING
    and ban in ("none", "lifted", "former")
}


def send(tx: Transaction, team: str, verdict: str) -> None:
    """A program of this team comes, and is built unless it stays in the queue."""
    raw = f"{team} {verdict}".encode()
    letter = letters.add(tx, raw=raw, sender="", recipients=(), channel="test", now=NOW)
    letters.finish(tx, letter, LetterState.HANDLED, "", None)
    submission = submissions.add(
        tx, teams.named(tx, team).id, letter, {"program.c": b"main(){}"}, NOW
    )
    if verdict == "accepted":
        digest = f"{submission.id:064x}"
        submissions.add_build(
            tx, submission.id, build_report(image_digest=digest), digest.encode(), NOW
        )
        come = letters.digest_of(tx, letter)
        ledger.append(tx, LedgerEntry(Effect.PROGRAM_ACCEPTED, team, NOW, come, digest))
    elif verdict == "rejected":
        submissions.add_build(tx, submission.id, build_report(image_digest=None), None, NOW)


def ban_it(tx: Transaction, team_id: int, ban: str) -> None:
    if ban in ("disqualified", "dropped"):
        decisions.ban(tx, team_id, BanKind(ban), "a reason", NOW)
    elif ban == "lifted":
        decisions.lift(tx, decisions.ban(tx, team_id, BanKind.DROPPED, "a reason", NOW).id, NOW)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A contest with a team in each state, in its second tournament: bans of the first one are
    former."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('participation') / 'contest.db'}")
    migrate.upgrade(store)
    with store.write() as tx:
        contest_state.create(tx)
        for state, is_proved, programs, ban in STATES:
            name = name_of(state, is_proved, programs, ban)
            team = add_team(tx, name, "")
            teams.set_state(tx, team.id, state)
            tx.execute(
                update(tables.teams).where(tables.teams.c.id == team.id).values(proved=is_proved)
            )
            for verdict in PROGRAMS[programs]:
                send(tx, name, verdict)
            if ban == "former":
                decisions.ban(tx, team.id, BanKind.DROPPED, "of the first tournament", NOW)
        contest_state.start(tx, {}, NOW)
        contest_state.finish(tx, NOW)
        contest_state.begin_next(tx)
        for state, is_proved, programs, ban in STATES:
            ban_it(tx, teams.named(tx, name_of(state, is_proved, programs, ban)).id, ban)
    yield store
    store.close()


def numbers_of(tx: Transaction) -> dict[str, int]:
    """The versions that count, by the teams' names."""
    return {
        teams.get(tx, team).name: number
        for team, number in submissions.counting_numbers(tx).items()
    }


def told_of(tx: Transaction) -> dict[str, int]:
    """What each team can be told about its program."""
    told = {team.name: submissions.program_of(tx, team.id).counts for team in teams.all_teams(tx)}
    return {name: number for name, number in told.items() if number is not None}


def test_the_list_and_the_entries_agree_for_every_state_of_a_team(store: Store) -> None:
    with store.write() as tx:
        listed = submissions.entry_list(tx).entries
        assert [entry.team for entry in listed] == sorted(EXPECTED)
        assert numbers_of(tx) == told_of(tx) == EXPECTED
        assert submissions.count_with_program(tx) == len(EXPECTED)
        assert {entry.team: entry.version for entry in ladder.entries(tx)} == EXPECTED
        frozen = submissions.freeze(tx)
        assert {(e.name, e.image_digest) for e in frozen} == {(e.team, e.build) for e in listed}
        # as the ledger of this test has it
        assert all(entry.program == entry.build for entry in listed)
        assert [entry.team_id for entry in frozen] == sorted(entry.team_id for entry in frozen)
        assert numbers_of(tx) == told_of(tx) == EXPECTED  # of the entries now
        tx.rollback()


def test_who_is_not_on_the_list_is_told_the_reason(store: Store) -> None:
    with store.write() as tx:
        sealed = entry_lists.add(tx, NOW, is_final=True)
        reasons = {absent.team: absent.reason for absent in sealed.absent}
        assert reasons.keys() == {name_of(*state) for state in STATES} - EXPECTED.keys()
        for team in teams.all_teams(tx):
            if team.name in reasons:
                why = str(participation.of_team(tx, team.id))
                assert WORDS[why] in reasons[team.name]
        assert participation.of_all(tx) == {
            team.id: participation.of_team(tx, team.id) for team in teams.all_teams(tx)
        }
        tx.rollback()


WORDS = {
    "active": "no accepted program",
    "unheard": "nothing was heard from its mail-address",
    "pending": "its registration waits for the organizer",
    "withdrawn": "it is withdrawn",
    "disqualified": "disqualified on 1994-05-14: a reason",
    "dropped": "dropped on 1994-05-14: a reason",
}


def test_what_comes_after_the_start_changes_no_entry(store: Store) -> None:
    with store.write() as tx:
        submissions.freeze(tx)
        playing, late = "active_heard_accepted_none", "active_heard_none_none"
        for team in (playing, late):
            send(tx, team, "accepted")
        own = submissions.program_of(tx, teams.named(tx, playing).id)
        assert (own.counts, own.accepted and own.accepted.number) == (1, 2)
        assert submissions.program_of(tx, teams.named(tx, late).id).counts is None
        tx.rollback()
