"""docs/images.md names the same limits as the program."""

from pathlib import Path

import pytest

from sandbox.images.oci_image import ADDRESS_SPACE_BYTES, PROCESSES
from sandbox.images.unpacking import ARCHIVE_BYTES, KEPT_BYTES, MAX_DEPTH, MAX_FILES, UNPACKED_BYTES
from sandbox.limits import MB
from sandbox.sandbox import Limits

PAGE = (Path(__file__).parents[2] / "docs" / "images.md").read_text(encoding="utf-8")
BOX = Limits()


@pytest.mark.parametrize(
    "words",
    [
        f"larger than {ARCHIVE_BYTES // MB} MB",
        f"more than {UNPACKED_BYTES // MB // 1024} GB or {MAX_FILES:,} files, folders and links",
        f"more than {MAX_DEPTH} deep",
        f"may take {KEPT_BYTES // MB // 1024} GB together",
        f"| memory | {ADDRESS_SPACE_BYTES // MB:,} MB; all processes together have "
        f"{BOX.work_bytes // MB} MB more, with the files",
        f"| processes | {PROCESSES}, with threads |",
        f"| files | {BOX.open_files} open at once, {BOX.file_bytes // MB} MB each |",
        f"holds {BOX.work_bytes // MB} MB",
    ],
)
def test_the_page_says_this_limit(words: str) -> None:
    assert words in PAGE
