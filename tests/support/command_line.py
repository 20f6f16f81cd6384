"""The program at the prompt, in this process."""

from pathlib import Path

from click.testing import CliRunner, Result

from knobeln.cli import main


def knobeln(*words: object, stdin: str | bytes | None = None, code: int = 0) -> Result:
    """`knobeln WORDS`, which must end with this code."""
    result = CliRunner().invoke(main, [str(word) for word in words], input=stdin)
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def knobeln_in(contest: Path, *words: object, code: int = 0) -> Result:
    """`knobeln WORDS -C CONTEST`, which must end with this code."""
    return knobeln(*words, "-C", contest, code=code)
