"""Practice by mail: programs that are only tried. Real letters, machine and jail."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest

from arena.practice_games import MAX_GAMES
from arena.practice_service import PracticeService
from compiler.builders import builder_of
from compiler.service import CompileService
from contest.model import (
    Fault,
    GameResult,
    Practice,
    PracticeGame,
    PracticeState,
    SeatResult,
    Verdict,
)
from contest.schema.sections import Programs
from knobellib.samples import house_strategies, samples
from mailserver.team_secret import digest
from reports.practice_report import practice_report
from store import contest_state, practices, submissions, teams
from store.tables import practices as practice_table
from tests.support.builds import build_report
from tests.support.compile_services import compile_service, engine_failures
from tests.support.contest_field import add_team
from tests.support.mail_world import START, World, body_of, flat
from tournament.runners import open_runner

STRING = "k7qd-2mxw-9rtz-h4pc-v8sn"
HOUSE = {strategy.name: strategy.source for strategy in house_strategies()}
HOUR = timedelta(hours=1)
# of the table of rows
LINE = r"^ *(\d+) (\w+) +(\d+) +(\d+) +(\d+) +([\d,.]+) +([\d,.]+) +([\d,.]+)$"


@dataclass
class Gym:
    """The desk, the compiler and the practice service of one contest."""

    world: World
    compiler: CompileService
    practice: PracticeService

    def team(self, name: str, program: str = "") -> None:
        """A registered team, with this house strategy as its program."""
        with self.world.store.write() as tx:
            teams.set_auth_digest(tx, add_team(tx, name, "").id, digest(f"{STRING}-{name}"))
        if program:
            self.send(name, "please compile", HOUSE[program])

    def send(self, name: str, subject: str, source: str = "", **more: Any) -> list[EmailMessage]:
        """The mails that this letter caused, when all work is done."""
        line = f"<<FROM>> {name} {STRING}-{name}"
        before = len(self.world.mails())
        text = f"/*\n {line}\n*/\n{source}" if source else f"{line}\n"
        self.world.send(subject, text, sender=f"{name}@teams.example", **more)
        self.work()
        return self.world.mails()[before:]

    def work(self) -> None:
        while self.compiler.build_next(at_once=True) or self.practice.play_next():
            pass

    def is_idle(self) -> bool:
        with self.world.store.read() as tx:
            return not practices.any_waiting(tx)


@pytest.fixture
def gym(make_world: Callable[..., World]) -> Callable[..., Gym]:
    def make(**sections: Any) -> Gym:
        world = make_world(**sections)
        world.clock.at = START - timedelta(days=10)
        common = (world.store, world.settings, world.clock, builder_of(world.settings, open_runner))
        compiler = compile_service(*common, world.renderer)
        failures = engine_failures(world.store, world.settings, world.clock, world.renderer)
        return Gym(world, compiler, PracticeService(*common, open_runner, world.renderer, failures))

    return make


# --- please test ----------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_tested_program_plays_against_every_house_strategy_and_does_not_enter_the_contest(
    gym: Callable[..., Gym],
) -> None:
    here = gym()
    here.team("alpha")
    (mail,) = here.send("alpha", "please test", HOUSE["pavlov"])
    assert mail["To"] == "alpha@teams.example"
    text = body_of(mail)
    lines = re.findall(LINE, text, re.MULTILINE)
    assert sorted(line[1] for line in lines) == sorted(HOUSE)
    rows = [[float(cell.replace(",", "")) for cell in (line[0], *line[2:])] for line in lines]
    for _, won, drawn, lost, own, its, _ in rows:
        assert won + drawn + lost == MAX_GAMES
        assert 0 < own + its <= 13_000
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    means = [row[4] for row in rows]
    assert means == sorted(means, reverse=True)
    assert len(set(means)) > 30
    own_mean = sum(means) / len(means)
    assert f"On average you won {own_mean:,.1f} points" in flat(mail)
    assert re.search(r"instructions: +at most [\d,]+ of 855,000,000 in a game", text)
    assert max(map(len, text.splitlines())) <= 72
    with here.world.store.read() as tx:
        assert submissions.versions(tx, teams.by_name(tx, "alpha").id) == ()


def test_a_program_that_fails_is_told_against_whom_and_in_which_throw(
    gym: Callable[..., Gym],
) -> None:
    here = gym()
    here.team("alpha")
    falls = (
        "#if 0\n"
        + "falls too early\n" * 15
        + "#endif\nmain () { int n = 100; for (;;) make_throw (n--); }\n"
    )
    (mail,) = here.send("alpha", "please test", falls)
    games = len(HOUSE) * MAX_GAMES
    assert f"Your program failed in {games} of {games} games." in flat(mail)
    first = min(HOUSE)
    assert (
        f"- in {games} games, first against {first}: throw 2 (99) is lower than throw 1 (100)"
        in flat(mail)
    )
    assert flat(mail).count("throw 2 (99)") == 1
    assert body_of(mail).count("FAILED") == len(HOUSE)


def test_a_house_strategy_that_fails_is_told_with_the_reason_and_is_not_in_the_average(
    gym: Callable[..., Gym],
) -> None:
    here = gym(programs=Programs(max_instructions=2_000_000))
    here.team("alpha")
    (mail,) = here.send("alpha", "please test", HOUSE["pavlov"])
    text = body_of(mail)
    stopped = re.findall(r"^ *- (\w+) +- +- +- +- +- +-$", text, re.MULTILINE)
    assert stopped
    for name in stopped:
        assert re.search(
            rf"- {name}: used more than 2,000,000 instructions( \(in {MAX_GAMES} games\))?",
            flat(mail),
        )
    rows = re.findall(LINE, text, re.MULTILINE)
    assert len(rows) == len(HOUSE) - len(stopped)  # each in one line
    games = [sum(int(cell) for cell in row[2:5]) for row in rows]
    points = sum(float(row[5].replace(",", "")) * n for row, n in zip(rows, games, strict=True))
    said = re.search(r"On average you won ([\d,.]+) points", flat(mail))
    assert float(said[1].replace(",", "")) == pytest.approx(points / sum(games), abs=0.2)


def failed(reason: str) -> GameResult:
    own = SeatResult(0, Verdict.ILLEGAL_MOVE, Fault(1, reason))
    return GameResult((own, SeatResult(0, Verdict.OK, None)), 0, "")


def test_failures_that_differ_are_told_one_by_one(gym: Callable[..., Gym]) -> None:
    here = gym()
    world = here.world
    report = build_report()
    reasons = [f"throw {at} was 0" for at in range(1, 12)] + ["throw 1 was 0"]
    games = [PracticeGame((f"house_{at}",), failed(reason)) for at, reason in enumerate(reasons, 1)]
    here.team("alpha")
    with world.store.read() as tx:
        team = teams.by_name(tx, "alpha")
        assert team
    practice = Practice(1, team.id, 1, {})
    text = practice_report(practice, team, report, games, world.settings, world.renderer).body
    assert "Your program failed in 12 of 12 games." in text
    assert (
        "\n- in 2 games, first against house_1: throw 1 was 0\n- against house_2: throw 2 was 0\n"
        in text
    )
    assert "- against house_10: throw 10 was 0\n- and 1 more\n" in text


def test_a_program_that_would_be_rejected_is_told_why_and_plays_nothing(
    gym: Callable[..., Gym],
) -> None:
    here = gym()
    here.team("alpha", "council")
    (mail,) = here.send("alpha", "please test", "#include <stdio.h>\nmain () {}\n")
    assert "rejected" in mail["Subject"]
    assert "without #include" in flat(mail)
    assert "opponent" not in body_of(mail)
    with here.world.store.read() as tx:
        assert submissions.latest_good(tx, teams.by_name(tx, "alpha").id).number == 1


def test_a_test_needs_the_teams_own_line_and_a_forger_learns_nothing(
    gym: Callable[..., Gym],
) -> None:
    here = gym()
    here.team("alpha")
    source = f"/* <<FROM>> alpha {'0000-' * 4}0000 */\n{HOUSE['pavlov']}"
    answer, notice = here.world.send("please test", source, sender="eve@x.example")
    assert "do not belong together" in flat(answer)
    assert (notice["To"], here.is_idle()) == ("alpha@teams.example", True)


def test_there_are_so_many_in_an_hour_and_no_more(
    gym: Callable[..., Gym], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Programs, "MAX_PRACTICES_PER_HOUR", 2)
    here = gym()
    here.team("alpha")
    rejected = "#include <stdio.h>\nmain () {}\n"
    for _ in range(2):
        here.send("alpha", "please test", rejected)
    (mail,) = here.send("alpha", "please test", rejected)
    assert "A team can practise at most 2 times in an hour" in flat(mail)
    here.world.clock.at += HOUR
    (mail,) = here.send("alpha", "please test", rejected)
    assert "rejected" in mail["Subject"]


def test_a_test_waits_while_a_program_is_to_be_compiled_and_while_the_contest_runs(
    gym: Callable[..., Gym],
) -> None:
    here = gym()
    here.team("alpha")
    here.team("beta")
    line = f"/* <<FROM>> alpha {STRING}-alpha */\n"
    here.world.send("please test", line + HOUSE["pavlov"])
    here.world.send("please compile", line + HOUSE["pavlov"])
    assert not here.practice.play_next()
    with here.world.store.write() as tx:
        contest_state.start(tx, here.world.settings.model_dump(mode="json"), here.world.clock.now())
    assert here.compiler.build_next(at_once=True)
    assert not here.practice.play_next()
    (mail,) = here.world.send("please test", line + HOUSE["pavlov"])
    assert "There is no practice while the contest runs." in flat(mail)
    with here.world.store.write() as tx:
        contest_state.finish(tx, here.world.clock.now())
    assert here.practice.play_next()


def test_what_breaks_our_service_is_set_aside_and_can_be_put_back(gym: Callable[..., Gym]) -> None:
    here = gym()
    here.team("alpha")
    here.world.send("please test", f"/* <<FROM>> alpha {STRING}-alpha */\n{HOUSE['pavlov']}")
    broken = PracticeService(
        here.world.store,
        here.world.settings,
        here.world.clock,
        here.practice.builder,
        here.practice.open_runner,
        None,  # this is what is broken
        here.practice.failures,
    )
    assert broken.play_next()
    with here.world.store.write() as tx:
        states = list(tx.execute(practice_table.select()))
        assert [row.state for row in states] == [PracticeState.SET_ASIDE]
        assert practices.retry(tx) == 1
    assert here.practice.play_next()
    assert "practice of alpha" in here.world.mails()[-1]["Subject"]


BIDDER = b"""import sys
for line in sys.stdin:
    if not line.startswith("gameover"):
        print("0 0 0 0 0 0 0 0 0", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "lines", "verdict"),
    [
        ("require", 2, "your description has 2 non-blank lines; the rules ask for"),
        ("require", 0, "your program has no description; it needs"),
    ],
)
def test_a_test_judges_the_words_of_the_letter_as_a_submission_does(
    gym: Callable[..., Gym], asked: str, lines: int, verdict: str
) -> None:
    here = gym(game={"name": "bid-tac-toe"}, programs=Programs(description=asked))
    here.team("alpha")
    words = "It bids nothing, as nothing is worth a bid.\n" * lines
    tried, entered = (
        here.send("alpha", f"please {word}", words, attached={"saver.py": BIDDER})
        for word in ("test", "compile")
    )
    for (mail,) in (tried, entered):
        assert ("rejected" in mail["Subject"]) is (asked == "require" and not lines), body_of(mail)
        assert verdict in flat(mail)
        assert ("(description)" in flat(mail)) is bool(verdict)


@pytest.mark.slow
def test_an_answer_to_the_end_of_a_game_is_dropped_and_told(gym: Callable[..., Gym]) -> None:
    here = gym(game={"name": "bid-tac-toe"}, programs=Programs(description="none"))
    here.team("alpha")
    polite = BIDDER.replace(
        b"    if not", b"    print(len(line)) if line.startswith('gameover') else None\n    if not"
    )
    (report,) = here.send("alpha", "please compile", attached={"polite.py": polite})
    assert "your program wrote 1 line that nobody had asked for" in flat(report)
    (practice,) = here.send("alpha", "please test", attached={"polite.py": polite})
    assert re.search(r"your program wrote [2-9] lines that nobody had asked for", flat(practice))
    assert "FAILED" not in body_of(practice)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "file"),
    [
        ("hog", "always_four.py"),
        ("bid-tac-toe", "fair_share.py"),
    ],
)
def test_programs_of_the_other_games_are_tried_against_the_samples(
    gym: Callable[..., Gym], game: str, file: str
) -> None:
    here = gym(game={"name": game}, programs=Programs(description="none", seconds=30))
    here.team("alpha")
    known = samples(game)
    name = file if file in known else next(n for n in sorted(known) if n.endswith(".py"))
    sent_as = "final_strategy.py" if game == "hog" else name
    (mail,) = here.send("alpha", "please test", attached={sent_as: known[name]})
    text = body_of(mail)
    assert "rejected" not in mail["Subject"], text
    assert any(
        re.search(rf"^ *\d+ {n.partition('.')[0]} +\d", text, re.MULTILINE) for n in known
    ), text
