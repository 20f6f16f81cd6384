"""The images of the house strategies are kept, and never taken from a file that somebody has
changed."""

from pathlib import Path

import pytest

from compiler.build import build
from compiler.builders.machine import _house_image
from compiler.toolchain import Compiled, Toolchain
from contest.schema.sections import Programs
from knobellib.samples import house_strategies


class CountingToolchain(Toolchain):
    compiled = 0

    def compile(self, text: str, prose: frozenset[int] = frozenset()) -> Compiled:
        self.compiled += 1
        return super().compile(text, prose)


def test_a_house_strategy_is_compiled_once_and_again_if_its_file_was_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    one, two = house_strategies()[:2]
    toolchain = CountingToolchain()
    image = _house_image(one, toolchain)
    assert image == build(one.source, Programs(description="none"), Toolchain()).image
    assert _house_image(one, toolchain) == image
    assert toolchain.compiled == 1
    assert _house_image(two, toolchain) != image
    assert toolchain.compiled == 2
    for kept in (tmp_path / "knobeln" / "house").iterdir():
        kept.write_bytes(kept.read_bytes()[::-1])
    assert _house_image(one, toolchain) == image
    assert toolchain.compiled == 3


def test_without_a_folder_to_keep_it_in_a_house_strategy_is_compiled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "knobeln").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert _house_image(house_strategies()[0], Toolchain()).code
