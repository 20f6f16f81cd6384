"""Make the interpreters of languages whose time is counted; tools/venv calls this once.

Prints a dot every two seconds, because a busy host takes minutes. Ends with 1 if one of them could
not be made: programs in its language then have processor time.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from contest.errors import KnobelnError
from contest.schema.languages import Language, usual_languages
from sandbox.fuel.guests import GUESTS
from sandbox.limits import MB
from sandbox.sandbox import Sandbox

SECONDS_PER_DOT = 2.0


def main() -> int:
    wanted = [language for language in usual_languages() if language.name in GUESTS]
    outcomes = [make(language) for language in wanted]
    return 0 if all(outcomes) else 1


def make(language: Language) -> bool:
    """Make the interpreter of this language; say whether it could be made."""
    memory_bytes = language.as_counted().memory_mb * MB
    try:
        with dots(f"  {language.name} "):
            GUESTS[language.name].prepared(Sandbox(), memory_bytes)
    except KnobelnError as error:
        print(
            f"Programs in {language.name} have processor time, because it cannot be counted:"
            f" {error}",
            file=sys.stderr,
        )
        return False
    return True


@contextmanager
def dots(text: str, seconds: float = SECONDS_PER_DOT) -> Iterator[None]:
    """Print the text, and a dot after each so many seconds as long as the context lasts."""
    is_over = threading.Event()

    def print_dots() -> None:
        while not is_over.wait(seconds):
            print(".", end="", flush=True)

    print(text, end="", flush=True)
    printer = threading.Thread(target=print_dots, daemon=True)
    printer.start()
    try:
        yield
    finally:
        is_over.set()
        printer.join()
        print()


if __name__ == "__main__":
    sys.exit(main())
