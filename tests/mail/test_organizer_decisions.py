"""What the organizer's actions decide, as a table: (state of the contest, action) -> what changes,
or why not.

Nothing is written: the decisions are values, and the database is only read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from contest.errors import GiveUp, KnobelnError, NotFound, NotNow
from contest.ledger.receipts import Effect
from contest.mail.form import sample
from contest.model import BanKind, Member, Phase, Registration, TeamState
from mailserver.decision import (
    Accept,
    Forget,
    Forgive,
    HoldReports,
    Invite,
    LiftBan,
    Log,
    MoveDates,
    OrganizerChange,
    OrganizerDecision,
    PauseContest,
    Record,
    Reject,
    ReleaseReports,
    ResumeContest,
    TakeOut,
    Tell,
)
from mailserver.organizer_actions import Message, OrganizerActions
from store import Store, Transaction, contest_state, decisions, teams
from tests.support.mail_world import OPENS, make_settings

SETTINGS = make_settings()
NOW = OPENS + timedelta(days=5)
OPEN, RUNNING, FINISHED = Phase.OPEN, Phase.RUNNING, Phase.FINISHED
WHY = "a reason"
PLAYING, WAITING, WITHDRAWN, DROPPED = "gauss", "euler", "galois", "abel"
INVITED = sample(SETTINGS)


@pytest.fixture(scope="module")
def contests(
    empty_database: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[Phase, Store]]:
    """A contest in each phase; while it runs it is paused, and its reports are held."""
    folder = tmp_path_factory.mktemp("contests")
    stores = {phase: _contest(empty_database, folder / f"{phase}.db", phase) for phase in Phase}
    yield stores
    for store in stores.values():
        store.close()


def _contest(empty: Path, path: Path, phase: Phase) -> Store:
    path.write_bytes(empty.read_bytes())
    store = Store(f"sqlite:///{path}")
    with store.write() as tx:
        for name, state in (
            (PLAYING, TeamState.ACTIVE),
            (WAITING, TeamState.PENDING),
            (WITHDRAWN, TeamState.WITHDRAWN),
            (DROPPED, TeamState.ACTIVE),
        ):
            _add_team(tx, name, state)
        decisions.ban(tx, teams.named(tx, DROPPED).id, BanKind.DROPPED, WHY, NOW)
        if phase is not OPEN:
            contest_state.start(tx, {}, NOW)
        if phase is RUNNING:
            decisions.pause(tx, WHY, NOW)
            decisions.hold_reports(tx, NOW)
        if phase is FINISHED:
            contest_state.finish(tx, NOW)
    return store


def _add_team(tx: Transaction, name: str, state: TeamState) -> None:
    address = f"{name}@b.example"
    teams.add(
        tx,
        Registration(address, ("LAP",), name, "", (Member("Joe", None, "", ""),)),
        requested_name=name,
        state=state,
        auth_digest=name,
        letter_id=None,
        now=OPENS,
        is_proved=True,
    )


@dataclass(frozen=True)
class Decides:
    """An action that can be carried out. `effect`: what the ledger has of it; `told`: the teams
    that get the same mail."""

    phase: Phase
    action: Callable[[OrganizerActions], OrganizerDecision]
    changes: tuple[type[OrganizerChange], ...]
    effect: Effect | None = None
    told: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refuses:
    """An action that cannot be carried out, and words of the reason."""

    phase: Phase
    action: Callable[[OrganizerActions], OrganizerDecision]
    error: type[KnobelnError]
    words: str


def pause(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.pause(WHY)


def resume(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.resume(WHY)


def hold(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.hold(WHY)


def release(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.release(WHY)


def rerun(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.rerun(1, None, WHY)


def another_time(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.change_time(3, WHY)


def a_number(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.hand_in_number("4711", WHY)


def tell_all(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.tell(Message("News", "Soon."))


def tell_nothing(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.tell(Message("News", " "))


def tell_a_round(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.tell(Message("News", "Soon.", round=7))


def invite(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.invite([INVITED, INVITED], again=False)


def move(name: str, days: int) -> Callable[[OrganizerActions], OrganizerDecision]:
    written = SETTINGS.dates
    moved = {name: getattr(written, name) + timedelta(days=days)}
    return lambda organizer: organizer.move_dates(written, moved, WHY)


def take_out(name: str) -> Callable[[OrganizerActions], OrganizerDecision]:
    return lambda organizer: organizer.take_out(name, BanKind.DISQUALIFIED, WHY)


def reinstate(name: str) -> Callable[[OrganizerActions], OrganizerDecision]:
    return lambda organizer: organizer.reinstate(name, WHY)


def forget(name: str) -> Callable[[OrganizerActions], OrganizerDecision]:
    return lambda organizer: organizer.forget(name, WHY)


def accept(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.accept(teams.named(organizer.tx, WAITING))


def reject(organizer: OrganizerActions) -> OrganizerDecision:
    return organizer.reject(teams.named(organizer.tx, WAITING), WHY)


DECIDED: dict[str, Decides] = {
    # the run
    "pause": Decides(OPEN, pause, (PauseContest, Log)),
    "resume": Decides(RUNNING, resume, (ResumeContest, Log)),
    # reports
    "hold": Decides(OPEN, hold, (HoldReports, Log)),
    "release": Decides(RUNNING, release, (ReleaseReports, Log)),
    # teams
    "take out": Decides(OPEN, take_out(PLAYING), (TakeOut, Record, Log), Effect.TAKEN_OUT),
    "take out while it runs": Decides(
        RUNNING, take_out(PLAYING), (TakeOut, Record, Log), Effect.TAKEN_OUT
    ),
    "reinstate": Decides(
        OPEN,
        reinstate(DROPPED),
        (Forgive, LiftBan, Record, Tell, Log),
        Effect.REINSTATED,
        (DROPPED,),
    ),
    "forget who has withdrawn": Decides(OPEN, forget(WITHDRAWN), (Forget, Log)),
    "forget afterwards": Decides(FINISHED, forget(PLAYING), (Forget, Log)),
    "accept": Decides(OPEN, accept, (Accept, Log)),
    "reject": Decides(OPEN, reject, (Reject, Log)),
    # dates and words
    "a date": Decides(OPEN, move("contest_starts", 1), (Log, MoveDates)),
    "the last date while it runs": Decides(RUNNING, move("results_published", 1), (Log, MoveDates)),
    "tell all": Decides(OPEN, tell_all, (Tell, Log), None, (PLAYING, WAITING)),
    "invite somebody, who is twice in the list": Decides(OPEN, invite, (Invite, Log)),
}

REFUSED: dict[str, Refuses] = {
    # the run
    "pause twice": Refuses(RUNNING, pause, NotNow, "paused already"),
    "pause what is over": Refuses(FINISHED, pause, NotNow, "is finished"),
    "resume what goes on": Refuses(OPEN, resume, NotNow, "is not paused"),
    "rerun what has not started": Refuses(OPEN, rerun, NotNow, "has not started"),
    "rerun a round that was not drawn": Refuses(RUNNING, rerun, NotFound, "no round 1"),
    "time of a game that is computed": Refuses(RUNNING, another_time, GiveUp, "no time"),
    "a number that nobody waits for": Refuses(OPEN, a_number, NotNow, "waits for no"),
    # reports
    "hold twice": Refuses(RUNNING, hold, NotNow, "held already"),
    "release nothing": Refuses(OPEN, release, NotNow, "no reports are held"),
    # teams
    "take out twice": Refuses(OPEN, take_out(DROPPED), NotNow, "dropped already"),
    "take out who has withdrawn": Refuses(OPEN, take_out(WITHDRAWN), NotNow, "withdrawn"),
    "take out afterwards": Refuses(FINISHED, take_out(PLAYING), NotNow, "results are out"),
    "take out nobody": Refuses(OPEN, take_out("nobody"), NotFound, "nobody"),
    "reinstate who plays": Refuses(OPEN, reinstate(PLAYING), NotNow, "neither"),
    "forget who plays": Refuses(OPEN, forget(PLAYING), NotNow, "still plays"),
    "forget while it runs": Refuses(RUNNING, forget(PLAYING), NotNow, "has not finished"),
    # dates and words
    "a date that is so": Refuses(OPEN, move("contest_starts", 0), NotNow, "are so already"),
    "a date before another one": Refuses(
        OPEN, move("contest_starts", -90), GiveUp, "that cannot be"
    ),
    "a date that is past": Refuses(RUNNING, move("contest_starts", 1), NotNow, "has started"),
    "a date afterwards": Refuses(FINISHED, move("results_published", 1), NotNow, "are past"),
    "tell nothing": Refuses(OPEN, tell_nothing, GiveUp, "a subject and a text"),
    "tell a round that was not drawn": Refuses(OPEN, tell_a_round, NotFound, "no round 7"),
    "invite afterwards": Refuses(FINISHED, invite, NotNow, "registration closed"),
}


def decide(
    store: Store, action: Callable[[OrganizerActions], OrganizerDecision]
) -> OrganizerDecision:
    with store.read() as tx:
        return action(OrganizerActions(tx, SETTINGS, NOW, "a test"))


@pytest.mark.parametrize("name", DECIDED)
def test_what_the_organizer_decides(name: str, contests: dict[Phase, Store]) -> None:
    case = DECIDED[name]
    decision = decide(contests[case.phase], case.action)
    assert tuple(map(type, decision.changes)) == case.changes
    effects = [change.effect for change in decision.changes if isinstance(change, Record)]
    assert effects == ([case.effect] if case.effect else [])
    told = [change.readers for change in decision.changes if isinstance(change, Tell)]
    assert [team.name for readers in told for team in readers] == list(case.told)
    assert decision.sentence


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_organizer_cannot_do(name: str, contests: dict[Phase, Store]) -> None:
    case = REFUSED[name]
    with pytest.raises(case.error, match=case.words):
        decide(contests[case.phase], case.action)
