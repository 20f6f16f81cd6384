"""The public number: it is drawn after the list of entries is final, and the seed is made of it."""

import hashlib
import hmac
import json
import os
import signal
import time
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contest.config.settings import Settings, game_settings
from contest.errors import GiveUp, NotNow, NumberAwaited
from contest.model import OutboxState, Phase
from contest.public_number import drand
from contest.public_number import draw as timing
from contest.public_number.beacon import Beacon, canonical_draw
from contest.public_number.draw import Draw, draw_of
from contest.util.clock import SystemClock
from knobeln.context import ContestContext
from knobeln.day.run import contest_day, play_contest
from store import contest_state, ledger, outbox, results
from store.results import Games
from tests.support.contest_field import NOW, House, make_contest, settings
from tests.support.contest_runs import finish, run
from tests.support.drand_network import (
    RECORDED,
    drand_server,
    forged_round,
    hash_of_chain,
    signed_round,
    stand_in,
    stand_in_chain,
    trusted_drand,
)
from tests.support.organizer import organizer_acts
from tests.support.servers import wait_for
from tournament.day import Spectator

QUICKNET = drand.QUICKNET


def chosen(**tournament: object) -> Settings:
    return settings(workers=1, **tournament).model_copy(update={"game": game_settings({"L": 40})})


def hand_in(contest: ContestContext, text: str) -> str:
    return organizer_acts(contest, lambda organizer: organizer.hand_in_number(text, "a test"))


# --- drand ----------------------------------------------------------------------------------------
def test_a_recorded_round_of_the_real_chain_is_read_and_its_signature_checked() -> None:
    assert drand.randomness_in(RECORDED, QUICKNET, 657_413) == bytes.fromhex(
        json.loads(RECORDED)["randomness"]
    )
    assert QUICKNET.time_of(1_000) == datetime.fromtimestamp(1_692_803_367 + 999 * 3, UTC)


NO_POINT, INFINITY, OUTSIDE_OF_THE_GROUP = "a5" * 48, "c0" + "00" * 47, "80" + "00" * 46 + "04"
NEGATED = "97" + json.loads(RECORDED)["signature"][2:]


@pytest.mark.parametrize("signature", [NO_POINT, INFINITY, OUTSIDE_OF_THE_GROUP, NEGATED])
def test_a_forged_signature_is_refused_though_the_randomness_is_its_hash(signature: str) -> None:
    randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
    forged = json.dumps({"round": 657_413, "randomness": randomness, "signature": signature})
    with pytest.raises(GiveUp, match="the chain of drand has not signed this round"):
        drand.randomness_in(forged, QUICKNET, 657_413)


def test_the_signature_of_another_round_is_refused() -> None:
    with pytest.raises(GiveUp, match="has not signed"):
        drand.randomness_in(RECORDED.replace("657413", "657414"), QUICKNET, 657_414)


def test_a_key_that_would_fit_every_round_is_refused() -> None:
    """The neutral element of the group, and the same of the other group as the signature."""
    anything = replace(QUICKNET, public_key=b"\xc0" + bytes(95))
    signature = bytes.fromhex(INFINITY)
    randomness = hashlib.sha256(signature).hexdigest()
    with pytest.raises(GiveUp, match="has not signed"):
        drand.randomness_in(
            json.dumps({"round": 1, "randomness": randomness, "signature": signature.hex()}),
            anything,
            1,
        )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"round": 1}', "must be JSON"),
        ("[" * 1_900, "must be JSON"),
        (RECORDED.replace("657413", "657414"), "this is round 657414 of drand, but round 657413"),
        (RECORDED.replace("fc1873", "fc1874"), "not the sha256 of the signature"),
        ("x" * 2_001, "at most 2,000 characters"),
    ],
)
def test_what_is_no_round_is_refused_with_the_right_form(text: str, words: str) -> None:
    with pytest.raises(GiveUp, match=words):
        Draw(Beacon.of("drand"), NOW, QUICKNET, 657_413).read(text)


def test_the_chain_of_drand_fits_its_hash() -> None:
    group = bytes.fromhex("f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e")
    found = hash_of_chain(
        QUICKNET.public_key, QUICKNET.period, QUICKNET.genesis, group, b"quicknet"
    )
    assert found == QUICKNET.hash


@given(st.integers(0, 10**9), st.integers(1, 60), st.integers(0, 10**9))
def test_the_round_after_a_moment_is_the_first_one(genesis: int, period: int, seconds: int) -> None:
    chain = replace(QUICKNET, genesis=genesis, period=period)
    moment = datetime.fromtimestamp(seconds, UTC)
    number = chain.round_after(moment)
    assert chain.time_of(number) > moment
    assert number == 1 or chain.time_of(number - 1) <= moment


# --- the other beacons ----------------------------------------------------------------------------
def test_a_lottery_is_read_as_in_rfc_3797() -> None:
    assert canonical_draw("9 4, 18 41 34 45", [6]) == "4.9.18.34.41.45./"
    assert canonical_draw("3 0 / 2-1/", [2, 2]) == "0.3./1.2./"


@pytest.mark.parametrize("text", ["", "4 9 and 18", "4 / / 5"])
def test_what_is_no_draw_is_refused(text: str) -> None:
    with pytest.raises(GiveUp, match="the numbers that were drawn"):
        canonical_draw(text, [6])


@pytest.mark.parametrize("text", ["", "lottery: of May", "lottery: 0 numbers of May", "Drand"])
def test_an_unknown_beacon_is_refused_with_the_right_form(text: str) -> None:
    with pytest.raises(ValueError, match="`drand`, `file`, `none`, or `lottery:`"):
        Beacon.of(text)


def test_the_draw_is_at_a_time_that_nobody_can_choose_freely() -> None:
    made = chosen(beacon="lottery: 6 numbers of any")
    starts = made.dates.contest_starts

    def minutes(final_after: timedelta) -> float:
        draw = draw_of(made.tournament.beacon, made.dates.contest_starts, starts + final_after)
        return (draw.at - starts).total_seconds() / 60

    assert [minutes(timedelta(seconds=each)) for each in (0, 7, 500, 570, 3_600, -3_600)] == [
        10,
        10,
        10,
        20,
        70,
        -50,
    ]


# --- the day --------------------------------------------------------------------------------------
def test_the_day_waits_for_the_number_and_the_seed_is_made_of_it(
    tmp_path: Path, house: House
) -> None:
    contest = make_contest(tmp_path, 4, house, chosen(beacon="file"))
    with pytest.raises(NumberAwaited):
        contest_day(contest).run()
    with contest.store.read() as tx:
        waiting = contest_state.state(tx)
        assert waiting.phase is Phase.RUNNING
        assert waiting.seed.is_open
        with pytest.raises(ValueError, match="no seed"):
            _ = waiting.seed.value
    assert "the public number is a dragon" in hand_in(contest, " a dragon\n").lower()
    with contest.store.read() as tx:
        seed = contest_state.state(tx).seed
        (final, number) = list(ledger.entries(tx))[-2:]
    assert seed.entries_root is not None
    assert seed.value == hmac.digest(seed.secret, seed.entries_root + b"a dragon", "sha256")
    assert final.digest == seed.entries_root.hex()
    assert number.digest == hashlib.sha256(b"a dragon").hexdigest()
    contest_day(contest).run()
    with contest.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED


def test_the_number_is_taken_once_and_only_in_its_time(tmp_path: Path, house: House) -> None:
    contest = make_contest(
        tmp_path, 4, house, chosen(beacon="lottery: 3 numbers of the Swiss lottery")
    )
    with pytest.raises(NotNow, match="waits for no public number now"):
        hand_in(contest, "1 2 3")
    with pytest.raises(NumberAwaited):
        contest_day(contest).run()
    with pytest.raises(NotNow, match="is drawn at 1994-05-14 12:10 UT"):
        hand_in(contest, "1 2 3")
    later = replace(contest, clock=type(contest.clock)(NOW + timedelta(minutes=10)))
    with pytest.raises(GiveUp, match="the numbers that were drawn"):
        hand_in(later, "one, two, three")
    assert "3.11.20./" in hand_in(later, "11 3 20")
    with pytest.raises(NotNow, match="waits for no public number now"):
        hand_in(later, "11 3 21")


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number comes a second after the list, not minutes."""
    monkeypatch.setattr(timing, "STEP", timedelta(seconds=1))
    monkeypatch.setattr(timing, "MIN_AHEAD", timedelta(0))


def in_real_time(path: Path, house: House) -> ContestContext:
    """A contest with a number of drand."""
    return replace(make_contest(path, 4, house, chosen(beacon="drand")), clock=SystemClock())


play = partial(play_contest, early=True, spectator=lambda: nullcontext(Spectator()))


@pytest.mark.slow
@pytest.mark.usefixtures("soon")
def test_a_forged_round_is_refused_and_the_next_server_asked(tmp_path: Path, house: House) -> None:
    chain = stand_in_chain(int(time.time()) - 100)
    with drand_server(chain, forged_round) as liar, drand_server(chain) as honest, trusted_drand():
        alone = in_real_time(tmp_path / "alone", house)
        with stand_in(chain, liar), pytest.raises(NumberAwaited):
            play(alone, patient=False, tell=lambda _text: None)
        contest = in_real_time(tmp_path / "both", house)
        with stand_in(chain, liar, honest):
            play(contest, patient=True, tell=lambda _text: None)
    assert is_waiting(alone)
    with contest.store.read() as tx:
        (known,) = [
            line for line in contest_state.log(tx, 50) if "the public number is" in line.text
        ]
        state = contest_state.state(tx)
    assert state.started_at is not None
    with stand_in(chain):
        draw = draw_of(
            contest.settings.tournament.beacon,
            contest.settings.dates.contest_starts,
            state.started_at,
        )
    assert json.loads(signed_round(draw.round))["randomness"] in known.text
    assert known.reason == (
        f"fetched from {honest}; {liar} does not give round {draw.round} of drand: "
        "the chain of drand has not signed this round"
    )


@pytest.mark.usefixtures("soon")
def test_a_server_whose_certificate_nobody_trusts_is_not_believed(
    tmp_path: Path, house: House
) -> None:
    chain = stand_in_chain(int(time.time()) - 100)
    with drand_server(chain) as url, stand_in(chain, url):
        contest = in_real_time(tmp_path, house)
        with pytest.raises(NumberAwaited):
            play(contest, patient=False, tell=lambda _text: None)
    assert is_waiting(contest)


@pytest.mark.slow
@pytest.mark.usefixtures("soon")
def test_without_a_server_the_day_waits_and_the_organizer_hands_the_number_in(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knobeln.day.wait_for_number.TELL_AFTER_SECONDS", 0.0)
    chain = stand_in_chain(int(time.time()) - 100)
    with drand_server(chain) as url:
        pass  # it is gone, so nobody listens there
    monkeypatch.setattr(drand, "QUICKNET", chain)
    monkeypatch.setattr(drand, "URLS", (url,))
    contest = in_real_time(tmp_path, house)
    with pytest.raises(NumberAwaited):
        play(contest, patient=False, tell=lambda _text: None)
    said: list[str] = []
    sent: list[int] = []

    def tell(text: str) -> None:
        said.append(text)
        with contest.store.read() as tx:
            sent.append(outbox.count_by_state(tx).get(OutboxState.SENT, 0))
        if len(said) == 2:  # the reason why it waits
            number = int(said[0].split("round ")[1].split()[0])
            with pytest.raises(GiveUp, match="this is round"):
                hand_in(contest, signed_round(number + 1))
            hand_in(contest, signed_round(number))

    play(contest, patient=True, tell=tell)
    assert sent[1] >= 4  # the final list went out before the number was known
    assert "does not give round" in said[1]
    assert "knobeln run number VALUE" in said[1]
    with contest.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED
        assert [each.to for each in outbox.queued_after(tx, 0)].count(
            contest.settings.contest.organizer_address
        ) == 1
        assert any(
            "does not give round" in line.text for line in contest_state.log(tx, 50, area="error")
        )


@pytest.mark.slow
def test_a_run_that_is_killed_while_it_waits_goes_on(tmp_path: Path, house: House) -> None:
    ends = []
    for is_killed in (False, True):
        contest = make_contest(tmp_path / str(is_killed), 4, house, chosen(beacon="file"))
        process = run(contest)
        wait_for(lambda contest=contest: is_waiting(contest), "the contest waits for its number")
        if is_killed:
            os.kill(process.pid, signal.SIGKILL)
            assert finish(process) == -signal.SIGKILL
        hand_in(replace(contest, clock=SystemClock()), "a dragon")
        if is_killed:
            process = run(contest)
        assert finish(process) == 0
        with contest.store.read() as tx:
            ends.append(
                (contest_state.state(tx).seed.value, results.finished_rounds(tx, Games.ALL))
            )
    assert ends[0] == ends[1]


def is_waiting(contest: ContestContext) -> bool:
    with contest.store.read() as tx:
        state = contest_state.state(tx)
    return state.phase is Phase.RUNNING and state.seed.is_open
