"""One team, one submission; options of groups; the exit codes."""

import json
from pathlib import Path

import pytest

from contest import errors as exit_codes
from contest.model import BanKind
from knobeln.cli.main import COMMANDS
from knobeln.context import ContestContext
from store import decisions, submissions, teams
from tests.support.command_line import knobeln, knobeln_in
from tests.support.contest_field import NOW, House, make_contest, settings
from tools.reference import pages


@pytest.fixture
def folder(tmp_path: Path, house: House) -> ContestContext:
    return make_contest(tmp_path / "contest", 3, house.first(3), settings())


def test_a_team_is_shown_with_its_members_and_programs(folder: ContestContext) -> None:
    with folder.store.write() as tx:
        team = teams.named(tx, "team_0002")
        decisions.ban(tx, team.id, BanKind.DROPPED, "They asked for it.", NOW)
    lines = knobeln_in(folder.path, "teams", "show", "team_0002").stdout.splitlines()
    facts = {line.split()[0]: line.split(maxsplit=1)[-1] for line in lines}
    assert facts["team"] == "team_0002"
    assert facts["address"] == "team_0002@teams.example"
    assert facts["state"] == "dropped, because: They asked for it."
    assert facts["programs"] == "1 accepted (submission 2)"
    assert facts["counts"] == "none"
    for member in team.registration.members:
        assert any(line.startswith(f"member: {member.name}") for line in lines)
    other = knobeln_in(folder.path, "teams", "show", "team_0001").stdout
    assert "counts        version 1\n" in other
    whole = json.loads(knobeln_in(folder.path, "teams", "--json").stdout)
    assert (
        json.loads(knobeln_in(folder.path, "teams", "show", "team_0002", "--json").stdout)
        == whole[1]
    )


def test_a_submission_is_shown_with_all_findings(folder: ContestContext) -> None:
    with folder.store.read() as tx:
        submission, report = submissions.get(tx, 3), submissions.report_of(tx, 3)
    assert report is not None
    shown = knobeln_in(folder.path, "programs", "show", 3).stdout
    assert "team        team_0003\n" in shown
    assert "state       accepted\n" in shown
    ((name, source),) = submission.files.items()
    assert f"files       {name} ({len(source):,} bytes)\n" in shown
    for finding in report.findings:
        assert finding.text in shown
    assert "no submission" in knobeln_in(folder.path, "programs", "show", 99, code=1).stderr


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("mail", "--state", "ready", "hold", "--reason", "tea"), "--state"),
        (("run", "--now", "pause", "--reason", "tea"), "--now"),
        (("teams", "--json", "accept", "team_0001"), "--json"),
    ],
)
def test_an_option_of_a_group_alone_is_refused_before_its_commands(
    folder: ContestContext, words: tuple[str, ...], option: str
) -> None:
    before = knobeln_in(folder.path, "log").stdout
    assert option in knobeln_in(folder.path, *words, code=2).stderr
    assert knobeln_in(folder.path, "log").stdout == before


def test_the_reference_has_the_sections_of_the_help_and_all_exit_codes() -> None:
    page = pages()["commands.md"]
    sections = [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")]
    assert sections == [*COMMANDS, "Exit codes"]
    codes = {value for name, value in vars(exit_codes).items() if name.startswith("EX_")}
    assert codes == set(exit_codes.MEANINGS)
    rows = page.partition("## Exit codes")[2]
    assert all(f"\n| {code} | " in rows for code in codes)


def test_a_list_of_subcommands_cuts_no_sentence() -> None:
    commands = knobeln("mail", "--help").stdout.partition("Commands:")[2]
    assert "wait for another try" in " ".join(commands.split())
    assert "..." not in commands
