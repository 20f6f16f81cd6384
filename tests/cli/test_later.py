"""Commands are imported when they are called, and are listed as if they were there."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from knobeln.cli import main
from knobeln.cli.later import loaded


def imported(*arguments: str) -> set[str]:
    """The modules that Python has when it has done this."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_only_tells_of_us_imports_no_command(option: str) -> None:
    modules = imported("-m", "knobeln", option)
    assert "knobeln.cli.main" in modules
    ours = {name for name in modules if name.startswith("knobeln.cli.")}
    assert ours == {"knobeln.cli.main", "knobeln.cli.later", "knobeln.cli.chosen"}
    assert not modules & {"pydantic", "sqlalchemy", "structlog", "rich", "mailserver", "compiler", "sandbox"}


@pytest.mark.parametrize(("name", "listed"), list(main.commands.items()))
def test_a_command_is_listed_as_what_it_is(name: str, listed: click.Command) -> None:
    command = loaded(listed)
    assert command is not listed
    assert command.name == name
    for limit in (20, 45, 1_000):
        assert listed.get_short_help_str(limit) == command.get_short_help_str(limit)
    assert not command.hidden
    assert not command.deprecated


def test_a_mistyped_command_is_answered_with_the_nearest() -> None:
    result = CliRunner().invoke(main, ["statsu"])
    assert result.exit_code == 2
    assert "status" in result.output


@pytest.mark.parametrize(
    ("words", "incomplete", "offered"),
    [
        ([], "stat", {"status"}),
        ([], "--v", {"--version"}),
        (["letters"], "", {"show", "retry"}),
        (["-C", ".", "letters", "retry"], "--con", {"--contest"}),
    ],
)
def test_the_shell_completes_commands_and_options(
    words: list[str], incomplete: str, offered: set[str]
) -> None:
    shell = ShellComplete(main, {}, "knobeln", "_KNOBELN_COMPLETE")
    assert {item.value for item in shell.get_completions(words, incomplete)} >= offered
