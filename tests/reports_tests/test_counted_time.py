"""How mails tell teams about a contest whose programs are counted in units, in English and
German."""

import re
from pathlib import Path

import pytest

from contest.config.settings import Settings
from contest.language import listed, speaking
from contest.model import (
    FileFacts,
    GameResult,
    SeatResult,
    SeatUsage,
    TextBuildReport,
    Trial,
    Verdict,
)
from contest.schema.sections import KNOBELN_REPORTS
from knobeln.home.home_game import lines_about
from reports.render import Templates
from reports.text import about_seconds, fuel_share
from sandbox.players import PlayerUsage
from sandbox.players.fuel import (
    GRACE_SECONDS,
    MAX_SHUT_SECONDS,
    SECONDS_A_UNIT,
    SECONDS_AN_ANSWER,
    seconds_until_aside,
)
from tests.support import other_contests
from tests.support.builds import compile_report
from tests.support.golden import compare
from tests.support.other_contests import counted, settings_of
from tournament.text_referee import TextGameResult

ROOT = Path(__file__).parents[2]

COUNTED_BY = "wasmtime 50.0.1, CPython 3.14.2"
FUEL = (1_234_567, 2_000_000_000, 9_000_000_000)
CONTEST_FACTS = {
    "has_rules": True,
    "form": "",
    "rules": "",
    "ledger_key": "a+public/key=",
}
GAMES = ("bid-tac-toe", "cooperation", "cooperation-legacy", "standoff", "ultimate-tic-tac-toe")


def contest(game: str, language: str, *, is_counted: bool = True) -> Settings:
    chosen = settings_of(game, offered=KNOBELN_REPORTS)
    told = chosen.contest.model_copy(update={"language": language})
    chosen = chosen.model_copy(update={"contest": told})
    return counted(chosen) if is_counted else chosen


def mail(settings: Settings, template: str, **facts: object) -> str:
    return Templates(settings, None).render(template, **CONTEST_FACTS, **facts).body


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def report(counted_by: str = COUNTED_BY) -> TextBuildReport:
    usage = (
        SeatUsage((), 7 << 20, 64 << 20, FUEL)
        if counted_by
        else SeatUsage((12, 900), 7 << 20, 64 << 20)
    )
    own = SeatResult(30, Verdict.OK, None, usage=usage)
    other = SeatResult(20, Verdict.OK, None)
    return TextBuildReport(
        findings=(),
        tool="Python 3.14.2",
        messages="",
        description_lines=3,
        source_digest="ab" * 32,
        image_digest="cd" * 32,
        language="Python",
        trial=Trial("tit_for_tat", GameResult((own, other), 12, "0" * 16)),
        files=(FileFacts("move.py", 321, "ef" * 32),),
        counted_by=counted_by,
    )


def told(settings: Settings, build: TextBuildReport) -> str:
    return compile_report(Templates(settings, None), build).body


# --- whole mails ----------------------------------------------------------------------------------
def new_time(settings: Settings) -> str:
    return mail(settings, "time_changed", before=5.0, after=2.5, reason="The host is slow.")


WHOLE_MAILS = {
    "rules": ("cooperation", lambda settings: mail(settings, "rules")),
    "call": ("ultimate-tic-tac-toe", lambda settings: mail(settings, "call")),
    "compile_report_counted": ("cooperation", lambda settings: told(settings, report())),
    "compile_report_timed": ("cooperation", lambda settings: told(settings, report(""))),
    "time_changed": ("ultimate-tic-tac-toe", new_time),
}


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", WHOLE_MAILS)
def test_a_mail_about_time_looks_as_it_did(name: str, language: str) -> None:
    game, written = WHOLE_MAILS[name]
    compare(f"counted/{name}_{language}", written(contest(game, language)))


# --- what all of them say -------------------------------------------------------------------------
@pytest.mark.parametrize("template", ["rules", "call", "faq"])
@pytest.mark.parametrize("game", GAMES)
def test_every_game_says_which_clock_it_has(game: str, template: str) -> None:
    text = in_one_line(mail(contest(game, "en"), template))
    limit = (
        r"50,000,000,000 units(?: for each answer)?, about 5 seconds of Python on a usual computer"
    )
    assert re.search(limit, text)
    assert "C, C++, Rust, Python and JavaScript" in text
    text = in_one_line(mail(contest(game, "en", is_counted=False), template))
    assert "units" not in text
    assert "of processor time for each answer" in text


@pytest.mark.parametrize("languages", [("C", "C++", "Rust", "JavaScript"), ("Python",), ()])
def test_languages_that_are_not_counted_are_not_named(languages: tuple[str, ...]) -> None:
    settings = contest("cooperation", "en")
    programs = settings.programs.model_copy(update={"counted_languages": languages})
    settings = settings.model_copy(update={"programs": programs})
    text = in_one_line(mail(settings, "rules"))
    assert ("WebAssembly" in text) == bool(languages)
    assert not languages or f"A program in {listed(languages)} has " in text


def test_reports_in_german_have_german_numbers():
    played = other_contests.counted_ultimate_tic_tac_toe("de")
    bodies = [each.body for key, each in played.mails.items() if "/DGP/" in key]
    assert bodies
    for body in bodies:
        assert re.search(r"längste Antwort +\d+,\d % \([\d.]+ von\s+50\.000\.000\.000", body)


# --- other places that tell it --------------------------------------------------------------------
def test_a_game_at_home_tells_the_units_of_each_program():
    usage = (PlayerUsage(answer_fuel=(1_000, 234)), PlayerUsage((0.5,)))
    result = TextGameResult((2, 0), (), unasked=(0, 0), usage=usage)
    assert list(lines_about(result, ("first", "second"), 1, with_moves=False)) == [
        "first: 2 points, 1,234 units of time",
        "second: 0 points",
    ]


def test_the_guide_has_the_numbers_of_the_source():
    pytest.importorskip("wasmtime")
    from sandbox.fuel.worker.limits import BYTE_UNITS, CALL_UNITS

    guide = in_one_line((ROOT / "docs" / "clock.md").read_text())
    assert f"{CALL_UNITS:,} units for each call, and {BYTE_UNITS:,} for each byte" in guide
    assert (
        f"{SECONDS_A_UNIT * 1e9:g} ns for each unit, {SECONDS_AN_ANSWER * 1e3:g} ms for each"
        in guide
    )
    assert f"answer, and {GRACE_SECONDS:g} s more" in guide
    assert f"wait for it {MAX_SHUT_SECONDS:g} s at a time" in guide


@pytest.mark.parametrize(("fuel", "seconds"), [(50_000_000_000, "140 s"), (1_000_000_000, "42 s")])
def test_the_guide_says_what_a_program_that_is_set_aside_takes(fuel: int, seconds: str) -> None:
    guide = in_one_line((ROOT / "docs" / "clock.md").read_text())
    assert f"{seconds_until_aside(fuel):.0f} s" == seconds
    assert seconds in guide


# --- words for numbers ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("units", "words"),
    [
        (10_000_000_000, "about a second of Python on a usual computer"),
        (300_000_000_000, "about 30 seconds of Python on a usual computer"),
        (6_000_000_000, "about 0.6 seconds of Python on a usual computer"),
        (1_000_000, "about 0.0001 seconds of Python on a usual computer"),
        (1_000_000_000_000_000, "about 100,000 seconds of Python on a usual computer"),
    ],
)
def test_units_have_words(units: int, words: str) -> None:
    assert about_seconds(units) == words


def test_units_have_words_in_german():
    with speaking("de"):
        assert about_seconds(6_000_000_000) == "etwa 0,6 Sekunden Python auf einem üblichen Rechner"
        assert fuel_share(1_250, 10_000) == "12,5 % (1.250 von 10.000 Einheiten)"
