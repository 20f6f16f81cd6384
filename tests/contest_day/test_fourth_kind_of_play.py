"""A kind of play from another package plays a contest by mail, without an edit to any module of ours."""

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import knobeln
from tests.support.letters import letter, words_to

PACKAGE = '''
"""The kind of play "constant": a program is a number, and the higher number wins."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace

from compiler.builders.base import ProgramBuilder
from compiler.uploaded_files import take_apart
from contest.schema.sections import GameSettings
from contest.games.game import TABLE, FaultRule, Game, GameInfo, GamePlugin
from contest.model import Finding, GameResult, SeatResult, Severity, TextBuildReport, Verdict
from contest.interfaces.protocols import BuildResult
from tournament.runners.plugin import RunnerPlugin

CONSTANT = replace(TABLE, name="constant")


class Highest(Game):
    @property
    def info(self):
        return GameInfo(
            name="highest", title="Highest", min_seats=2, max_seats=2, max_turns=1,
            fault_rule=FaultRule.GAME_LOST, play=CONSTANT,
        )


GAME = GamePlugin("highest", GameSettings, lambda *_: Highest(), rules="# Highest\\n\\nMail a number.")


@dataclass(frozen=True)
class Number:
    value: int

    def to_bytes(self):
        return str(self.value).encode()


class NumberBuilder(ProgramBuilder[Number]):
    name = "constant"

    def _build(self, files, text, *, with_trial):
        uploaded = take_apart(files, text)
        ((name, data),) = uploaded.files.items()
        words = data.decode("latin-1").split()
        image = Number(int(words[0])) if words and words[0].isdecimal() else None
        findings = () if image else (Finding("number", Severity.ERROR, 0, "That is no number."),)
        report = TextBuildReport(
            findings=findings, tool="", messages="", description_lines=uploaded.description_lines,
            source_digest=uploaded.digest_of(name), language="number", files=uploaded.facts,
            image_digest=hashlib.sha256(image.to_bytes()).hexdigest() if image else None,
        )
        return BuildResult(report, image, name)

    def sparring_opponents(self):
        return {}

    def load(self, raw):
        return Number(int(raw))


class Comparison:
    def __init__(self, images):
        self.numbers = {digest: int(raw) for digest, raw in images.items()}

    def play(self, jobs):
        return [self._result(tuple(self.numbers[digest] for digest in job.images)) for job in jobs]

    def _result(self, numbers):
        seats = tuple(SeatResult(int(own > min(numbers)), Verdict.OK, None) for own in numbers)
        return GameResult(seats, 0, hashlib.sha256(repr(numbers).encode()).hexdigest()[:16])


class ConstantPlay(RunnerPlugin):
    name = "constant"

    def open(self, images, settings, seeds, progress):
        return nullcontext(Comparison(images))


RUNNER = ConstantPlay()
'''
ENTRY_POINTS = """
[knobeln.games]
highest = constant_play:GAME
[knobeln.builders]
constant = constant_play:NumberBuilder
[knobeln.runners]
constant = constant_play:RUNNER
"""
FORM = """mail-address: {address}
mail-preference: DGP,GRP,GRR,RSM
team-name: {name}
Organization: University of Eggland
team-members:
  Joe Cool, 45, professional systems programmer,
  20-year-experienced programmer
"""
ABOUT = "\n".join(f"Line {number} about it." for number in range(20))


@pytest.fixture
def contest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A contest of the package's game."""
    packages = tmp_path / "packages"
    facts = packages / "constant_play-1.0.dist-info"
    facts.mkdir(parents=True)
    (packages / "constant_play.py").write_text(PACKAGE)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: constant-play\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(packages)
    monkeypatch.setenv("KNOBELN_SET_REGISTRATION__CONFIRM", "never")
    knobeln("init", tmp_path / "contest", "--game", "highest", "--beacon", "none")
    return tmp_path / "contest"


@pytest.mark.slow
def test_a_kind_of_play_from_another_package_is_played_by_mail_and_verified(contest: Path) -> None:
    for name, number in (("two", "2"), ("nine", "9"), ("five", "5")):
        address = f"{name}@machine.example"
        form = FORM.format(address=address, name=name)
        knobeln("receive", "-C", contest, stdin=letter(address, "registration for Highest", form))
        welcome = mails_to(contest, address)
        assert "Mail a number." in welcome
        string = re.findall(r"authentification string\s+(\S+)", welcome)[0]
        text = f"<<FROM>> {name} {string}\n\n{ABOUT}\n"
        for sent, said in (("many", "That is no number."), (number, f"of {name} is accepted")):
            raw = letter(address, "please compile", text, attached={"number.txt": f"{sent}\n".encode()})
            knobeln("receive", "-C", contest, stdin=raw)
            assert said in mails_to(contest, address)
    knobeln("run", "--now", "--yes", "-C", contest)
    (group,) = json.loads(knobeln("results", "-C", contest, "--json").output)["rounds"][0]["groups"]
    assert [(line["entry"], line["half_points"] / 2) for line in group["standings"]] == [
        ("nine", 2),
        ("five", 1),
        ("two", 0),
    ]
    for name, place in (("nine", 1), ("five", 2), ("two", 3)):
        mails = mails_to(contest, f"{name}@machine.example")
        assert "the results" in mails
        assert re.search(rf"^ *{place}\.? +{name}\b", mails, re.MULTILINE)
    knobeln("publish", contest / "archive", "--early", "-C", contest)
    assert "played again" in knobeln("verify", contest / "archive", code=3).output


def mails_to(contest: Path, address: str) -> str:
    knobeln("mail", "flush", "-C", contest)
    return words_to(contest, address)
