"""docs/images.md names the same limits as the program."""

from pathlib import Path

import pytest

from sandbox.limits import MB
from sandbox.oci.image import ADDRESS_SPACE_BYTES, PROCESSES
from sandbox.oci.limits import OciLimits
from sandbox.sandbox import Limits

PAGE = (Path(__file__).parents[2] / "docs" / "images.md").read_text(encoding="utf-8")
LIMITS, BOX = OciLimits(), Limits()


@pytest.mark.parametrize(
    "words",
    [
        f"larger than {LIMITS.archive_bytes // MB} MB",
        f"more than {LIMITS.unpacked_bytes // MB // 1024} GB",
        f"more than {LIMITS.layers} layers or {LIMITS.entries:,} files, folders and links",
        f"| memory | {ADDRESS_SPACE_BYTES // MB:,} MB; all processes together have "
        f"{BOX.work_bytes // MB} MB more, with the files",
        f"| processes | {PROCESSES}, with threads |",
        f"| files | {BOX.open_files} open at once, {BOX.file_bytes // MB} MB each |",
        f"holds {BOX.work_bytes // MB} MB",
    ],
)
def test_the_page_says_this_limit(words):
    assert words in PAGE
