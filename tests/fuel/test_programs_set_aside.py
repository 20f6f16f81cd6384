"""The engine fails again and again with one program: it is set aside, and everything else goes
on."""

import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from email import message_from_bytes, policy
from pathlib import Path
from types import SimpleNamespace

import pytest

from contest.errors import EngineFailed
from contest.ledger.receipts import Effect
from contest.model import Match, Phase, SubmissionState, Verdict
from contest.schema.sections import Ladder
from knobellib.samples import samples
from knobeln.context import ContestContext, create_contest
from knobeln.day.run import handle_everything
from knobeln.services import Services
from store import (
    Store,
    contest_state,
    engine_failures,
    ladder,
    ledger,
    practices,
    results,
    submissions,
    teams,
    url_of,
)
from store.engine_failures import MAX_FAILURES
from store.results import Games
from tests.support.archives import DRAW_BELIEVED, Published, digests_of, knobeln, put_team
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW, SEED
from tests.support.counted_programs import (
    LEARNING,
    MOODY,
    SLOW,
    counted_contest,
    needs_engine,
    settings_of,
    whole_day,
)
from tests.support.due_mails import due_mails
from tests.support.struck_engines import backstop, struck

pytestmark = [needs_engine, pytest.mark.slow]

WHY = ("--reason", "the host was repaired")
GAME = "bid-tac-toe"  # a program lives through all games
FIELD = {
    "learning.c": LEARNING,
    **{name: samples(GAME)[name] for name in ("copycat.pl", "regret_matcher.c")},
}


def mails(store: Store, kind: str) -> list[str]:
    with store.read() as tx:
        found = [mail.raw for mail in due_mails(tx, NOW)]
    parsed = [message_from_bytes(raw, policy=policy.default) for raw in found]
    texts = [
        f"{mail['Subject']}\n{mail.get_content()}" for mail in parsed if not mail.is_multipart()
    ]
    return [" ".join(text.split()) for text in texts if kind in text]


def aside(store: Store) -> int:
    with store.read() as tx:
        return len(engine_failures.aside(tx))


def matches(contest: Path) -> dict[tuple[object, ...], Match]:
    with Store(url_of(contest)).read() as tx:
        rounds = results.finished_rounds(tx, Games.WITH_MOVES)
    return {
        (outcome.plan.number, match.pairing, match.game): match
        for outcome in rounds
        for group in outcome.groups
        for match in group.matches
    }


# --- the contest day ------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Published:
    return counted_contest(tmp_path_factory.mktemp("calm"), GAME, FIELD, games=2)


def test_a_day_goes_on_without_the_program_and_ends_as_the_calm_one_after_reinstate_and_rerun(
    calm: Published, tmp_path: Path
) -> None:
    with struck("learning.c") as hit:
        disturbed = counted_contest(tmp_path, GAME, FIELD, games=2)
    assert len(hit) >= MAX_FAILURES  # of games that are played at once, another may be hit, too
    before, after = matches(calm.contest), matches(disturbed.contest)
    for key, match in after.items():
        for name, seat in match.sides:
            assert (seat.verdict is Verdict.ASIDE) == (name == "learning")
        if "learning" not in match.players:
            assert match.result == before[key].result
    contest = ContestContext.open(disturbed.contest)
    store = contest.store
    (team,) = mails(store, "is set aside: ") or mails(store, "program of learning is set aside")
    assert "a failure of ours; we do not say that your program made a mistake" in team
    (organizer,) = mails(store, "The last failure:")
    assert "of learning is set aside" in organizer
    assert "SIGKILL" in organizer
    with store.read() as tx:
        entered = [each for each in ledger.entries(tx) if each.effect is Effect.PROGRAM_SET_ASIDE]
        assert [(each.team, each.digest) for each in entered] == [
            (each.name, each.image_digest)
            for each in submissions.all_entries(tx)
            if each.name == "learning"
        ]
        assert contest_state.state(tx).phase is Phase.FINISHED
    verified = knobeln("verify", disturbed.archive)
    assert verified.exit_code == DRAW_BELIEVED, verified.output
    assert "the engine failed three times at the same move of learning's" in " ".join(
        verified.output.split()
    )

    assert knobeln("teams", "reinstate", "learning", *WHY, "-C", disturbed.contest).exit_code == 0
    assert not aside(store)
    assert knobeln("run", "rerun", 1, *WHY, "-C", disturbed.contest).exit_code == 0
    whole_day(contest)
    again = matches(disturbed.contest)
    assert {key: match.result for key, match in again.items()} == {
        key: match.result for key, match in before.items()
    }


def test_no_archive_says_of_a_program_that_it_was_set_aside_without_that_decision_in_its_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "compiler.repeated_failures.ledger", SimpleNamespace(append=lambda *_: None)
    )
    with struck("learning.c"):
        disturbed = counted_contest(tmp_path, GAME, FIELD, games=2)
    verified = knobeln("verify", disturbed.archive)
    assert verified.exit_code == 1
    assert "does not have the decision to set learning's program aside" in verified.output


def test_rerun_alone_asks_the_program_again(tmp_path: Path) -> None:
    with struck("learning.c"):
        disturbed = counted_contest(tmp_path, GAME, FIELD, games=2)
    assert knobeln("run", "rerun", 1, *WHY, "-C", disturbed.contest).exit_code == 0
    contest = ContestContext.open(disturbed.contest)
    assert not aside(contest.store)
    whole_day(contest)
    seats = [seat for match in matches(disturbed.contest).values() for _, seat in match.sides]
    assert all(seat.verdict is not Verdict.ASIDE for seat in seats)


def test_no_program_is_set_aside_on_a_host_whose_engine_fails_with_every_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contest = contest_of(tmp_path / "contest", {"learning.c": MOODY})
    services = Services(contest)
    monkeypatch.setattr("sandbox.players.fuel.is_engine_well", lambda _sandbox: False)
    with struck("learning.c"), pytest.raises(EngineFailed):
        services.compile_programs()
    assert not aside(contest.store)


# --- the queue, practice and the ladder -----------------------------------------------------------
def contest_of(path: Path, programs: Mapping[str, bytes], **limits: int) -> ContestContext:
    """A contest of cooperation; all programs wait for the compiler, each of the team with its
    name."""
    chosen = settings_of("cooperation", **limits).model_copy(
        update={"ladder": Ladder(enabled=True)}
    )
    contest = create_contest(path, chosen, seed=SEED, clock=FixedClock(NOW))
    contest = replace(contest, clock=FixedClock(NOW))
    with contest.store.write() as tx:
        for file, source in programs.items():
            put_team(tx, file.partition(".")[0], {file: source})
    return contest


def state(contest: ContestContext, name: str) -> SubmissionState:
    with contest.store.read() as tx:
        (version,) = submissions.versions(tx, teams.by_name(tx, name).id)
    return version.submission.state


def test_the_queue_goes_on_and_failures_of_several_processes_count(tmp_path: Path) -> None:
    contest = contest_of(tmp_path / "contest", {"learning.c": MOODY, "pavlov.c": MOODY})
    command = [
        sys.executable,
        "-m",
        "tests.support.struck_engines",
        str(contest.path),
        "learning.c",
    ]
    codes = [subprocess.run(command, check=False).returncode for _ in range(MAX_FAILURES + 1)]
    # the other program is built after the first failure
    assert codes == [75, 0, *[75] * (MAX_FAILURES - 2), 0]
    assert state(contest, "learning") is SubmissionState.SET_ASIDE
    services = Services(contest)
    services.compile_programs()
    assert state(contest, "pavlov") is SubmissionState.BUILT
    (told,) = mails(contest.store, "Version 1 of the program of your team learning is set aside")
    assert "we do not say that your program made a mistake" in told
    with contest.store.read() as tx:
        (entered,) = (
            each for each in ledger.entries(tx) if each.effect is Effect.PROGRAM_SET_ASIDE
        )
    assert entered.team == "learning"
    done = knobeln("teams", "reinstate", "learning", *WHY, "-C", contest.path)
    assert "is in the queue again" in done.output
    services.compile_programs()
    assert state(contest, "learning") is SubmissionState.BUILT


def test_a_program_that_is_too_slow_is_asked_once_more_alone_and_then_set_aside(
    tmp_path: Path,
) -> None:
    contest = contest_of(tmp_path / "contest", {"learning.c": SLOW}, fuel=100_000_000_000)
    with backstop(1.0):
        handle_everything(contest)
    assert state(contest, "learning") is SubmissionState.SET_ASIDE
    (organizer,) = mails(contest.store, "The last failure:")
    assert re.search(r"it takes more than \d+\.\d ns a unit, also alone on this host", organizer)
    assert re.search(
        r"no reply after \d\.\d s of processor time, also alone: more than \d+\.\d ns", organizer
    )
    (team,) = mails(contest.store, "Version 1 of the program of your team learning is set aside")
    assert re.search(r"takes more than \d+\.\d ns a unit, also when it runs alone", team)
    assert "We do not say that it made a mistake" in team


def test_a_worker_that_hangs_without_using_time_is_no_slow_program(tmp_path: Path) -> None:
    contest = contest_of(tmp_path / "contest", {"learning.c": MOODY})
    with struck("learning.c", signal.SIGSTOP):
        handle_everything(contest)
    assert state(contest, "learning") is SubmissionState.SET_ASIDE
    (organizer,) = mails(contest.store, "The last failure:")
    assert re.search(r"was late, also alone, after 0\.\d\d s of processor time", organizer)
    assert "ns a unit" not in organizer


def test_a_program_that_was_late_by_the_clock_answers_as_ever_when_it_is_alone(
    calm: Published, tmp_path: Path
) -> None:
    with struck("learning.c", signal.SIGSTOP, times=1) as hit:
        disturbed = counted_contest(tmp_path, GAME, FIELD, games=2)
    assert len(hit) == 1
    assert digests_of(disturbed.archive) == digests_of(calm.archive)


def test_practice_and_the_ladder_go_on_without_the_program(tmp_path: Path) -> None:
    contest = contest_of(tmp_path / "contest", {"learning.c": MOODY, "pavlov.c": MOODY})
    services = Services(contest)
    services.compile_programs()
    with contest.store.write() as tx:
        asking = teams.by_name(tx, "pavlov")
        letter = submissions.versions(tx, asking.id)[0].submission.letter_id
        practices.add(tx, asking.id, letter, NOW, files={"learning.c": MOODY})
    with struck("learning.c"):
        for _ in range(MAX_FAILURES):
            with pytest.raises(EngineFailed):
                services.practise_next()
        services.practise()
        assert services.update_ladder()
        assert not services.update_ladder()
    assert aside(contest.store) == 1
    with contest.store.read() as tx:
        assert not practices.any_waiting(tx)
        (game,) = ladder.all_games(tx)
        ids = {each.build_id: each.team for each in ladder.entries(tx)}
        failed = {ids[game.first]: game.failed[0], ids[game.second]: game.failed[1]}
        assert failed == {"learning": True, "pavlov": False}
        (line,) = contest_state.log(tx, 10, area="aside")
    assert line.whom == "learning"
    assert knobeln("teams", "reinstate", "learning", *WHY, "-C", contest.path).exit_code == 0
    assert services.update_ladder()
    with contest.store.read() as tx:
        (game,) = ladder.all_games(tx)
    assert game.failed == (False, False)
