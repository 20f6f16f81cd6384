"""Commands are imported when they are called, and are listed as if they were there."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from knobeln.cli import main
from knobeln.cli.main import COMMANDS, FIRST, LazyCommand, loaded
from mailserver.intake.hand_over import HandOverServer

HEAVY = {
    "alembic",
    "asyncio",
    "elftools.elf.elffile",
    "flufl.bounce",
    "sqlalchemy",
    "structlog",
}
"""What takes long to be imported, and not every command needs."""


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
    assert not modules & {f"knobeln.cli.{name.replace('-', '_')}" for name in main.commands}
    assert not modules & {
        "contest.config.settings",
        "store",
        "mailserver",
        "compiler",
        "reports",
        "sandbox",
        "trust",
    }
    assert not modules & (HEAVY | {"pydantic", "rich"})


@pytest.mark.slow
def test_a_letter_that_is_received_costs_no_more_than_it_must(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["init", str(tmp_path)]).exit_code == 0
    letter = tmp_path / "letter"
    letter.write_text(
        "From: somebody@team.example\nTo: knobeln@contest.example\nSubject: status\n\n"
    )
    modules = imported("-m", "knobeln", "receive", "-C", str(tmp_path), str(letter))
    assert "mailserver.handler" in modules
    assert "sqlalchemy" in modules
    others = {
        "rich",
        "aiosmtpd",
        "imapclient",
        "compiler.service",
        "compiler.toolchain",
        "sandbox.players",
        "arena.practice_service",
    }
    assert not modules & (HEAVY - {"sqlalchemy", "asyncio"} | others)


def test_a_letter_that_is_handed_over_needs_next_to_nothing(tmp_path: Path) -> None:
    letter = tmp_path / "letter"
    letter.write_text("From: somebody@team.example\n\n")
    taken: list[bytes] = []
    counter = HandOverServer(tmp_path, 1_000, lambda raw, sender, recipients: taken.append(raw))
    counter.start()
    try:
        modules = imported("-m", "knobeln", "receive", "-C", str(tmp_path), str(letter))
    finally:
        counter.stop()
    assert taken == [letter.read_bytes()]
    assert "mailserver.intake.hand_over" in modules
    others = {
        "contest.config",
        "store",
        "email",
        "mailserver.handler",
        "reports",
        "sandbox",
    }
    assert not modules & (HEAVY | others | {"pydantic", "jinja2", "rich"})


def test_a_list_imports_neither_what_writes_mails_nor_what_plays(tmp_path: Path) -> None:
    assert CliRunner().invoke(main, ["init", str(tmp_path)]).exit_code == 0
    lists = ("teams", "programs", "letters", "mail")
    calls = (f"main([{each!r}, '-C', {str(tmp_path)!r}], standalone_mode=False)" for each in lists)
    modules = imported("-c", "\n".join(("from knobeln.cli import main", *calls)))
    assert "sqlalchemy" in modules
    others = {
        "jinja2",
        "reports",
        "mailserver",
        "compiler",
        "sandbox",
    }
    assert not modules & ((HEAVY - {"sqlalchemy", "asyncio"}) | others)


@pytest.mark.parametrize("command", ["teams", "status", "mail"])
def test_a_command_that_is_often_given_loads_the_database_and_little_more(
    command: str, tmp_path: Path
) -> None:
    assert CliRunner().invoke(main, ["init", str(tmp_path)]).exit_code == 0
    modules = imported("-m", "knobeln", command, "-C", str(tmp_path))
    assert "sqlalchemy" in modules
    rooms = {module.partition(".")[0] for module in modules}
    assert not rooms & {"arena", "compiler", "jinja2", "reports"}
    assert not modules & (HEAVY - {"sqlalchemy", "asyncio"} | {"mailserver.commands"})
    assert "rich" not in rooms
    assert not modules & {"contest.games.built_in", "contest.games.hog", "email_validator"}


def test_garbage_is_looked_for_only_in_what_a_command_makes() -> None:
    program = "import gc, knobeln.__main__ as program\nprogram.main()\n"
    look = (
        "import atexit, gc\natexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", look + program, "games"], capture_output=True, text=True, check=True
    )
    is_enabled, frozen = done.stdout.split()[-2:]
    assert is_enabled == "True"
    assert int(frozen) > 10_000


def test_a_program_is_checked_without_database_and_mail_server() -> None:
    modules = imported("-m", "knobeln", "play", "--help")
    assert "compiler.build" in modules
    assert not modules & (HEAVY | {"store", "mailserver"})


def entries(group: click.Group) -> Iterator[LazyCommand]:
    """All entries of LazyGroups, of this group and of the groups in it."""
    for entry in group.commands.values():
        if isinstance(entry, LazyCommand):
            yield entry
        command = loaded(entry)
        if isinstance(command, click.Group):
            yield from entries(command)


@pytest.mark.parametrize("listed", list(entries(main)), ids=lambda listed: str(listed.name))
def test_a_command_is_listed_with_the_first_sentence_of_its_help(listed: LazyCommand) -> None:
    command = loaded(listed)
    assert command.name == listed.name
    assert listed.help
    assert " ".join((command.help or "").split()).startswith(listed.help)
    assert not command.hidden
    assert not command.deprecated


def test_every_command_is_listed_in_one_section_of_the_help() -> None:
    assert sorted([name for lines in COMMANDS.values() for name in lines]) == sorted(main.commands)
    shown = CliRunner().invoke(main, ["--help"]).output
    for section, lines in COMMANDS.items():
        assert f"{section}:" in shown
        assert all(f"  {name} " in shown for name in lines)


def test_without_a_command_those_that_one_needs_first_are_shown() -> None:
    shown = CliRunner().invoke(main, [])
    assert shown.exit_code == 0
    listed = re.findall(r"^  ([a-z-]+) {2,}", shown.output, re.MULTILINE)
    assert listed == list(FIRST)
    assert len(listed) == 8
    assert "`knobeln --help` lists all commands" in shown.output


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
