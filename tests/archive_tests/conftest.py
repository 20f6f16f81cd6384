import io
from collections.abc import Callable
from contextlib import redirect_stdout
from itertools import count
from pathlib import Path
from typing import Any

import click
import pytest

from compiler.builders import machine, text
from contest.errors import Differs
from knobeln.cli.verify import verify
from tests.support import check_page
from tests.support.archives import (
    Mended,
    Published,
    knobeln_field,
    of_game,
    played,
    publish,
    put_in_place,
    small,
)
from trust.archive import files

LARGEST = 100_000_000  # bytes of a file that is handed to the page in tests


@pytest.fixture(scope="session")
def knobeln_contest(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Two rounds and more of KNOBELN in small groups, with failures, and an evolution."""
    path = tmp_path_factory.mktemp("knobeln")
    contest, strings = played(path / "contest", small(), knobeln_field())
    return publish(contest, path / "archive", strings)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Published:
    """Three programs, a final, and an evolution, in games of a few throws."""
    chosen = small()
    chosen = chosen.model_copy(update={"game": chosen.game.model_copy(update={"L": 12, "k": 2})})
    field = {
        name: sent
        for name, sent in knobeln_field().items()
        if name in ("team_1", "team_2", "team_6")
    }
    path = tmp_path_factory.mktemp("tiny")
    contest, strings = played(path / "contest", chosen, field)
    return publish(contest, path / "archive", strings)


@pytest.fixture(scope="session")
def in_words(tmp_path_factory: pytest.TempPathFactory) -> Published:
    names = ("two_tits.sh", "always_in_trouble.sh")
    return of_game(tmp_path_factory.mktemp("in_words"), "cooperation", names, games=1)


@pytest.fixture
def built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same source makes the same build, so each is built once."""
    for builder in (machine.MachineBuilder, text.TextBuilder):
        known: dict[Any, Any] = {}

        def build(
            self: Any,
            sent: Any,
            words: str,
            *,
            known: Any = known,
            real: Any = builder.build,
            with_trial: bool = True,
        ) -> Any:
            key = (tuple(sorted(sent.items())), words, repr(self._settings.programs), with_trial)
            if key not in known:
                known[key] = real(self, sent, words, with_trial=with_trial)
            return known[key]

        monkeypatch.setattr(builder, "build", build)


@pytest.fixture
def mended(tmp_path: Path) -> Mended:
    """An archive with something changed in it, and a manifest that says nothing of it."""

    numbers = count(1)

    def change(archive: Path, do: Callable[[dict[str, bytes]], None]) -> Path:
        contents = dict(files.read(archive))
        do(contents)
        folder = tmp_path / f"changed_{next(numbers)}"
        put_in_place(folder, contents)  # `files.write` refuses what nobody could read
        return folder

    return change


@pytest.fixture(autouse=True)
def the_page_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a test here runs `knobeln verify`, the check page must have the same verdict."""
    real: Any = verify.callback

    def both(folder: Path, **options: Any) -> None:
        code, said, failure = 0, "", None
        raw = io.BytesIO()
        printed = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
        try:
            with redirect_stdout(printed):
                real(folder=folder, **options)
        except Differs as error:
            code, said, failure = 1, str(error), error
        except click.exceptions.Exit as exit_:
            failure = exit_
        if not any(file.stat().st_size > LARGEST for file in folder.rglob("*") if file.is_file()):
            said = said or raw.getvalue().decode()
            check_page.must_agree(code, said, check_page.page_on(folder))
        click.echo(raw.getvalue(), nl=False)
        if failure:
            raise failure

    monkeypatch.setattr(verify, "callback", both)
