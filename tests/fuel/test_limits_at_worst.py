"""What a limit means in seconds at worst, and that a program can be alone on the host."""

import re
import threading
import tomllib
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import pytest

from knobeln import presets
from knobeln.doctor import host_checks
from sandbox.fuel import engine
from sandbox.limits import MB
from sandbox.players.fuel import Turns
from sandbox.sandbox import Sandbox
from tests.support.contest_field import NOW

pytestmark = pytest.mark.skipif(
    not engine.is_installed(), reason="no engine that counts is installed"
)


def test_whoever_wants_to_be_alone_waits_for_the_others_and_they_for_him():
    seen, waits = [], threading.Event()

    def alone():
        turns = Turns()
        waits.set()
        with turns.alone():
            seen.append("alone")
        turns.close()

    def other():
        turns = Turns()
        with turns.among_others():
            seen.append("other")
        turns.close()

    first, second = Turns(), Turns()
    with ExitStack() as room:
        room.enter_context(first.among_others())
        room.enter_context(second.among_others())
        waiting = threading.Thread(target=alone)
        waiting.start()
        waits.wait()
        waiting.join(0.5)
        late = threading.Thread(target=other)
        late.start()
        late.join(0.5)
        assert seen == []
    waiting.join()
    late.join()
    assert seen == ["alone", "other"]
    first.close()
    second.close()


def test_what_a_unit_takes_at_worst_is_measured_once():
    slowest = engine.nanoseconds_at_worst(Sandbox(), 4 * MB)
    assert 1 <= slowest < 1_000
    assert engine.nanoseconds_at_worst(Sandbox(), 4 * MB) == slowest


def test_doctor_says_what_the_limit_is_in_seconds_at_worst():
    text = host_checks._engine(presets.settings("cooperation", NOW))
    found = re.search(
        r"a unit takes ([\d.]+) ns at worst, and may take 1, so an answer of ([\d,]+) units takes"
        r" at most ([\d,]+) s",
        text,
    )
    assert found, text
    nanoseconds, units, seconds = (float(each.replace(",", "")) for each in found.groups())
    assert nanoseconds >= 1
    assert (units, seconds) == (50_000_000_000, 50)


@pytest.mark.parametrize(
    ("version", "until"),
    [(20, "2024-06-20"), (36, "2027-08-20"), (48, "2028-08-20"), (50, "2026-12-20")],
)
def test_until_when_the_engine_is_corrected_follows_from_its_version(
    version: int, until: str
) -> None:
    assert str(engine.supported_until(version)) == until


def test_doctor_says_when_the_engine_is_no_longer_corrected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "supported_until", lambda _: date(2026, 1, 20))
    found = host_checks.run_check(
        "", lambda: host_checks._engine(presets.settings("cooperation", NOW))
    )
    assert (found.level, "since 2026-01-20: upgrade wasmtime" in found.text) == ("note", True)


def test_the_package_may_have_the_versions_that_the_source_knows():
    text = Path(__file__).parents[2].joinpath("pyproject.toml").read_text()
    wanted = tomllib.loads(text)["project"]["optional-dependencies"]["fuel"]
    assert f"wasmtime>={engine._VERSIONS[0]},<{engine._VERSIONS[-1] + 1}" in wanted
