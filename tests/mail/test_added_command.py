"""A package that adds a mail command is all that it takes to recognise, answer, limit and describe it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from contest.schema.sections import Mail
from mailserver.commands import all_commands, help_topics, recognise
from tests.support.mail_world import World, body_of, flat, make_settings

PACKAGE = """
from mailserver.command import Command
from mailserver.command import Limit

def ask(context, arguments):
    question = " ".join(arguments)
    return context.answer("oracle_answer", context.writer, note="a prophecy", question=question)

COMMAND = Command(
    "oracle",
    ask,
    lambda settings: ("ask the oracle",),
    arguments="QUESTION",
    answers=dict(oracle_answer=Limit.DROP),
    templates={
        "oracle_answer": "Subject: The oracle\\n\\nYou asked: {{ question }}. Perhaps.\\n",
        "commands/oracle": "  ask the oracle QUESTION\\n      asks for a prophecy.\\n",
    },
)
"""


@pytest.fixture
def _oracle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What an installation of the package leaves: the module, and its entry point as metadata."""
    (tmp_path / "oracle.py").write_text(PACKAGE)
    metadata = tmp_path / "oracle-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: oracle\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[knobeln.commands]\noracle = oracle:COMMAND\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("oracle", None)


@pytest.mark.usefixtures("_oracle")
def test_an_added_command_is_recognised_and_gets_its_arguments() -> None:
    command, arguments = recognise("Re: Ask the  oracle who wins?", make_settings())
    assert (command.name, arguments) == ("oracle", ("who", "wins"))


@pytest.mark.usefixtures("_oracle")
def test_an_added_command_answers_by_its_own_template(make_world: Callable[..., World]) -> None:
    (mail,) = make_world().send("ask the oracle who wins", "x")
    assert mail["Subject"] == "The oracle"
    assert "You asked: who wins. Perhaps." in body_of(mail)


@pytest.mark.usefixtures("_oracle")
def test_help_lists_an_added_command(make_world: Callable[..., World]) -> None:
    (mail,) = make_world().send("help", "x")
    assert "  ask the oracle QUESTION\n      asks for a prophecy.\n" in body_of(mail)
    (mail,) = make_world().send("help oracle", "x")
    assert "The subject of the letter is ask the oracle QUESTION" in flat(mail)
    assert "oracle" in help_topics.words(all_commands(), make_settings())


@pytest.mark.usefixtures("_oracle")
def test_the_answers_of_an_added_command_are_limited(make_world: Callable[..., World]) -> None:
    world = make_world(mail=Mail())
    assert sum(len(world.send("ask the oracle", "x")) for _ in range(12)) == 10
    mailbox = "joe@machine.domain.alfdkj"
    assert world.notes[-1] == f"a prophecy; not answered: the limit of mailbox {mailbox} is used up"


def test_without_the_package_there_is_no_such_command() -> None:
    assert recognise("ask the oracle", make_settings()).command.name == "unknown"
