"""A contest of programs whose time is counted gives the same archive wherever and however it is
played."""

import multiprocessing
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from knobellib.samples import samples
from knobeln import presets
from sandbox.fuel import engine
from tests.support.archives import digests_of, played, publish
from tests.support.contest_field import NOW
from tests.support.counted_programs import TALKING
from tests.support.fuel_workers import COUNTABLE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not engine.is_installed(), reason="no engine that counts is installed"),
]

FUEL = 300_000_000  # little, so that programs that think until their time is over are soon done


def _burn() -> None:
    while True:
        sum(range(10_000))


@contextmanager
def full_load() -> Iterator[None]:
    burners = [
        multiprocessing.get_context("spawn").Process(target=_burn, daemon=True) for _ in range(4)
    ]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.join()


def archive_of(path: Path, game: str, workers: int) -> Mapping[str, str]:
    """The digests of the files of the archive of a contest."""
    chosen = presets.settings(game, NOW)
    programs = chosen.programs.model_copy(
        update={"counted_languages": COUNTABLE, "fuel": FUEL, "description": "none"}
    )
    few = chosen.tournament.model_copy(
        update={"games": 1, "workers": workers}
        if game == "ultimate-tic-tac-toe"
        else {"games": 2, "workers": workers}
    )
    chosen = chosen.model_copy(update={"programs": programs, "tournament": few})
    sent = samples(game)
    field = {name.replace(".", "_"): {name: sent[name]} for name in TALKING[game]}
    contest, strings = played(path / "contest", chosen, field)
    return digests_of(publish(contest, path / "archive", strings).archive)


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=[] if game == "bid-tac-toe" else pytest.mark.night)
        for game in TALKING
    ],
)
def test_load_workers_and_caches_change_nothing(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Idle with one worker and warm caches; under full load with four; with two and cold caches."""
    idle = archive_of(tmp_path / "idle", game, 1)
    with full_load():
        assert archive_of(tmp_path / "full load", game, 4) == idle
    # the user of sandboxes cannot enter pytest's folders
    with tempfile.TemporaryDirectory() as cold:
        Path(cold).chmod(0o755)
        monkeypatch.setenv("XDG_CACHE_HOME", cold)
        assert archive_of(tmp_path / "cold caches", game, 2) == idle
