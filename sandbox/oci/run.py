"""How to run an image: its command, variables and working folder. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sandbox.oci.formats import RunSettings
from sandbox.oci.refusal import Refused, quoted

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MAX_WORDS = 100  # in a command; also the most variables
MAX_BYTES = 16_384  # of all of them together

_SHELL_FORM = ("/bin/sh", "-c")


@dataclass(frozen=True)
class Run:
    """How to run an image. `entrypoint`, `command`, `folder`: its ENTRYPOINT, CMD and WORKDIR."""

    entrypoint: tuple[str, ...]
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: str = "/"

    def command_line(self, arguments: Sequence[str]) -> list[str]:
        """Return the complete command, as for `docker run IMAGE ARGUMENTS`: arguments replace CMD.

        In an image that has only CMD, arguments follow CMD; otherwise it could not get any.
        """
        if not self.entrypoint:
            return [*self.command, *arguments]
        return [*self.entrypoint, *(arguments or self.command)]


def run_of(settings: RunSettings | None) -> Run:
    """Read how to run an image from its settings. Raises Refused if it cannot be run with arguments."""
    settings = settings or RunSettings()
    run = Run(
        entrypoint=tuple(settings.Entrypoint or ()),
        command=tuple(settings.Cmd or ()),
        environment=dict(map(_variable, settings.Env or ())),
        folder=settings.WorkingDir or "/",
    )
    _check_sizes(run)
    _check_command(run.entrypoint or run.command)
    if not run.folder.startswith("/"):
        raise Refused(f"its working folder {quoted(run.folder)} does not begin with /")
    return run


def _variable(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if not name:
        raise Refused(f"its environment variable {quoted(text)} has no name")
    return name, value


def _check_sizes(run: Run) -> None:
    variables = [text for pair in run.environment.items() for text in pair]
    words = [*run.entrypoint, *run.command, run.folder, *variables]
    if len(run.entrypoint) + len(run.command) > MAX_WORDS or len(run.environment) > MAX_WORDS:
        raise Refused(f"its command has more than {MAX_WORDS} words, or there are as many variables")
    if sum(len(word.encode()) for word in words) > MAX_BYTES:
        raise Refused(f"its command and variables have more than {MAX_BYTES:,} bytes")
    if any(
        "\0" in word for word in words
    ):  # it would split the word, and the rest could become an option of ours
        raise Refused("its command or a variable has a byte 0 in it")


def _check_command(command: Sequence[str]) -> None:
    if not command or not command[0]:
        raise Refused('it has neither ENTRYPOINT nor CMD: write e.g. ENTRYPOINT ["python", "/bot.py"]')
    if len(command) == 3 and tuple(command[:2]) == _SHELL_FORM:
        raise Refused(
            f"its command {quoted(command[2])} is in the shell form, which takes no arguments; write it in "
            'the exec form, e.g. ENTRYPOINT ["python", "/bot.py"]'
        )
