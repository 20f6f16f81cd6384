"""Code in pages and sentences: the command lines that they show, and whether the program takes
them."""

import re
from collections.abc import Iterator

import click

from knobeln.cli import main
from knobeln.cli.main import loaded

_CALL = re.compile(r"(?:(?:^|[\s\"|(])(?:[\w./~-]+/)?|=[\w./~-]+/)knobeln (-?-?[a-zA-Z].*)")


def code_lines(text: str) -> Iterator[str]:
    """The lines of fenced and indented blocks, and the code spans of the prose."""
    for number, part in enumerate(re.split(r"^```.*$", text, flags=re.MULTILINE)):
        for line in part.splitlines():
            if number % 2 or line.startswith("    "):
                yield line
            else:
                yield from re.findall(r"`([^`]+)`", line)


def command_lines(text: str) -> Iterator[str]:
    """What follows the name `knobeln` in the code of this text, without a remark behind two
    blanks."""
    for line in code_lines(text):
        found = _CALL.search(line.replace("sudo -u knobeln ", ""))
        if found and "./knobeln " not in line:  # which is the kit's referee
            words = re.split(r" {2,}|\\$|[|>`]", found[1])[0].strip()
            yield words.replace('"', "") if words.count('"') % 2 else words


def complaint(words: list[str]) -> str:
    """Why the command line would not take these words; "" when it would."""
    command: click.Command = main
    arguments = 0
    while words:
        word, *words = words
        if word.startswith("-") and word != "-":
            name, _, value = word.partition("=")
            option = option_of(command, name)
            if option is None:
                return f"{command.name} has no option {name}"
            if not option.is_flag and not value:
                words = words[1:]
        elif isinstance(command, click.Group) and word in command.commands:
            command = loaded(command.commands[word])
        else:
            arguments += 1
    taken = [p for p in command.params if isinstance(p, click.Argument)]
    most = 1_000 if any(p.nargs == -1 for p in taken) else len(taken)
    if arguments > most:
        return f"{command.name} takes at most {most} arguments, or has no such sub-command"
    return ""


def option_of(command: click.Command, name: str) -> click.Option | None:
    with click.Context(command, help_option_names=["-h", "--help"]) as context:
        parameters = command.get_params(context)
    return next((p for p in parameters if isinstance(p, click.Option) and name in p.opts), None)
