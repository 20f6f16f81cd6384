"""`knobeln completion`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from knobeln.cli.contest_option import ContestCommand

SHELLS = ("bash", "zsh", "fish")


@click.command(cls=ContestCommand)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the lines with which bash, zsh or fish completes commands and options.

    In ~/.bashrc: eval "$(knobeln completion bash)". In ~/.zshrc: eval "$(knobeln completion zsh)". For fish,
    once: knobeln completion fish > ~/.config/fish/completions/knobeln.fish
    """
    completes = get_completion_class(shell)
    if completes is None:
        raise LookupError(f"click has no completion for {shell}")
    root = context.find_root()
    click.echo(completes(root.command, {}, "knobeln", "_KNOBELN_COMPLETE").source())
