"""The gallery shows all pictures that `tools/screenshots.py` makes, and the tool makes them."""

import re
import shutil
from pathlib import Path

import pytest

from tests.support.servers import lacking
from tools import screenshots

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
SHOWN = set(
    re.findall(
        r"\]\(images/([\w.-]+)\)", (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    )
)


def is_whole(picture: bytes) -> bool:
    return picture.startswith(b"RIFF") and len(picture) > 2_000


def test_the_gallery_shows_every_picture() -> None:
    assert {path.name for path in IMAGES.iterdir()} == SHOWN


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_a_picture_is_small(name: str) -> None:
    picture = (IMAGES / name).read_bytes()
    assert is_whole(picture)
    assert len(picture) <= screenshots.MAX_BYTES


@pytest.mark.slow
@pytest.mark.night
def test_the_pictures_can_be_made_again(tmp_path: Path) -> None:
    if not (shutil.which("chromium") or shutil.which("chromium-browser")) or not shutil.which(
        "chromedriver"
    ):
        lacking("chromium")
    (tmp_path / "old.webp").write_bytes(b"of the last time")
    screenshots.main(tmp_path)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(made) == SHOWN
    assert [name for name, picture in made.items() if not is_whole(picture)] == []
    assert len(set(made.values())) == len(made)
