"""Days with programs that sleep and images that harm, and with a team that does neither."""

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from compiler.builders import builder_of
from contest.config.settings import Settings
from contest.model import GroupOutcome, Verdict
from knobellib.samples import samples
from knobeln import presets
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from store import results
from store.results import Games
from tests.support.archives import PAST, played
from tests.support.contest_field import NOW
from tests.support.oci_images import Made, archive, hard_links, member, static_player, tar
from tournament.longest_day import longest_first_round
from tournament.runners import open_runner

pytestmark = [pytest.mark.slow, pytest.mark.night]

GAMES = {"cooperation": "always_cooperate.sh", "standoff": "trigger_happy.sh"}
SLEEPS = {"sleeper": b"sleep 14.5", "dozer": b"sleep 0.9"}
SECONDS = 0.2


def chosen(game: str, **programs: object) -> Settings:
    settings = presets.settings(game, NOW)
    limits = {"counted_languages": (), "seconds": SECONDS, "description": "none", **programs}
    return settings.changed(programs=limits).model_copy(update={"dates": PAST})


def field(game: str) -> Mapping[str, Mapping[str, bytes]]:
    honest = samples(game)[GAMES[game]]
    head, rest = honest.split(b"\n", 1)
    sleepy = {team: {"bot.sh": b"\n".join((head, sleep, rest))} for team, sleep in SLEEPS.items()}
    return {"honest": {"bot.sh": honest}, **sleepy}


@pytest.mark.parametrize("game", GAMES)
def test_sleepers_are_late_and_the_honest_are_not(game: str, tmp_path: Path) -> None:
    settings, seconds, outcomes = chosen(game), 0.0, list[GroupOutcome]()

    def day(contest: ContestContext) -> None:
        nonlocal seconds
        began = time.monotonic()
        contest_day(contest).run()
        seconds = time.monotonic() - began
        with contest.store.read() as tx:
            for each in results.all_rounds(tx, Games.ALL):
                outcomes.extend(each.groups)

    played(tmp_path / "contest", settings, field(game), day)
    late = set[str]()
    for match in (match for group in outcomes for match in group.matches):
        for name, seat in zip(match.players, match.result.seats, strict=True):
            if name == "honest":
                assert seat.fault is None
            elif seat.verdict is Verdict.TIME:
                late.add(name)
    assert "sleeper" in late
    # two games at once, on a host that may have other things to do
    assert seconds < longest_first_round(settings, dict.fromkeys(field(game), False))


def test_an_honest_program_is_built_beside_images_that_harm(tmp_path: Path) -> None:
    settings = chosen("cooperation", max_image_bytes=20_000_000)
    program = member("player", static_player(tmp_path))
    run = {"Entrypoint": ["/player", "always"]}
    links = Made([hard_links(400_000) + tar([program])], run).oci_files()
    nameless = Made([tar([program])], {**run, "Env": ["==x"]}).docker_files()
    builder = builder_of(settings, open_runner)

    def built(files: Mapping[str, bytes]) -> tuple[str, float]:
        report = builder.build(files, "").report
        return " ".join(finding.text for finding in report.findings), time.monotonic()

    with ThreadPoolExecutor(3) as pool:
        large = pool.submit(built, {"large.tar": archive(links)})
        strange = pool.submit(built, {"strange.tar": archive(nameless)})
        time.sleep(1)
        honest = pool.submit(built, field("cooperation")["honest"])
    assert honest.result()[0] == ""
    assert 'its variable "==x" has no name' in strange.result()[0]
    assert "200,000 files and links" in large.result()[0]
    assert max(honest.result()[1], strange.result()[1]) < large.result()[1]
