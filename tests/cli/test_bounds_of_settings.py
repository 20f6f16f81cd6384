"""Every number in contest.toml has bounds, and one outside is refused with the line on which it
is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from contest.config.settings import Settings
from contest.games.registry import built_in
from contest.schema.sections import GameSettings
from tests.support.command_line import knobeln


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models_in(field.annotation)
    for part in get_args(annotation):
        yield from models_in(part)


def numbers() -> Iterator[Any]:
    found = {*models_in(Settings), *(game.settings for game in built_in().values())} - {
        Settings,
        GameSettings,
    }
    for model in sorted(found, key=lambda each: each.__name__):
        for name, info in model.model_fields.items():
            if info.annotation in (int, float):
                yield pytest.param(model, name, id=f"{model.__name__}.{name}")


@pytest.mark.parametrize(("section", "name"), list(numbers()))
def test_every_number_has_bounds(section: type[BaseModel], name: str) -> None:
    info = section.model_fields[name]
    bounds = {key: getattr(each, key) for each in info.metadata for key in each.__slots__}
    lowest, highest = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    assert lowest is not None
    assert highest is not None
    assert highest <= 2**42, "nothing that we compute with it can take longer than a contest"
    # pydantic keeps the metadata of a field; the adapter checks the number alone, without the
    # section.
    number: TypeAdapter[float] = TypeAdapter(info.rebuild_annotation())
    for wrong in (lowest - 1, highest + 1, 2**64, 10**400, -(2**64), float("inf"), float("nan")):
        with pytest.raises(ValidationError):
            number.validate_python(wrong)


@pytest.mark.parametrize("number", [-1, 10**4000], ids=["negative", "4001 digits"])
def test_a_number_out_of_bounds_is_refused_with_its_line(tmp_path: Path, number: int) -> None:
    knobeln("init", tmp_path)
    file = tmp_path / "contest.toml"
    lines = file.read_text().splitlines()
    (at,) = (place for place, line in enumerate(lines) if line.startswith("max_instructions = "))
    lines[at] = f"max_instructions = {number}"
    file.write_text("\n".join(lines))
    shown = knobeln("run", "-C", tmp_path, code=1)
    assert f"  line {at + 1}: programs.max_instructions = " in shown.output
    assert "Traceback" not in shown.output


@pytest.mark.parametrize(
    ("text", "line", "setting"),
    [
        ("[tournament]\n# few\ngames = 0\n", 3, "tournament.games"),
        (
            '[contest]\ntitle = """\ngames = 1\n"""\n[tournament]\ngames = 0\n',
            6,
            "tournament.games",
        ),
        ("[reports]\n\noffered = [\n  'LAP',\n  7,\n]\n", 3, "reports.offered.1"),
        ("[tournament]\ngroup_min = 9\ngroup_max = 9\n", 2, "tournament"),
        ("[game]\nk = 0\r\n", 2, "game.k"),
        ("[contest]\ntitle = 'a\u2028b'\n[game]\nk = 0\n", 4, "game.k"),
    ],
)
def test_the_line_of_a_setting_is_where_it_begins(
    tmp_path: Path, text: str, line: int, setting: str
) -> None:
    (tmp_path / "contest.toml").write_bytes(text.encode())
    assert f"\n  line {line}: {setting}" in knobeln("status", "-C", tmp_path, code=1).output


def test_a_variable_out_of_bounds_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knobeln("init", tmp_path)
    monkeypatch.setenv("KNOBELN_SET_PROGRAMS__MAX_INSTRUCTIONS", str(2**64))
    said = knobeln("run", "-C", tmp_path, code=1).output
    assert "(given as KNOBELN_SET_PROGRAMS__MAX_INSTRUCTIONS)" in said
    assert "line" not in said
    assert "(given as KNOBELN_SET" in knobeln("init", tmp_path / "new", code=1).output


def test_a_number_of_thousands_of_digits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "contest.toml").write_text("[programs]\nmax_instructions = " + "9" * 5_000)
    assert "thousands of digits" in knobeln("run", "-C", tmp_path, code=1).output
