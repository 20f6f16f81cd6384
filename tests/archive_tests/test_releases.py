"""Archives and backups of every release can still be verified and restored."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from contest import __version__
from tests.support.command_line import knobeln, knobeln_in

RELEASES = Path(__file__).with_name("releases")
MAY_DIFFER = {"announcement.txt", "rules.md", "contest.json", "manifest.json"}  # with the version


@pytest.mark.parametrize(
    "release", sorted(RELEASES.glob("*-archive.tar.gz")), ids=lambda path: path.name.partition(".")[0]
)
def test_the_archive_of_a_release_is_verified(release: Path, tmp_path: Path) -> None:
    shutil.unpack_archive(release, tmp_path / "archive")
    written_by = json.loads((tmp_path / "archive" / "contest.json").read_text())["written_by"]
    # This version has other texts, and perhaps another compiler: that is no difference of the contest.
    shown = knobeln("verify", tmp_path / "archive", code=3).output
    assert f"knobeln {written_by} wrote them, and this is knobeln {__version__}" in " ".join(shown.split())
    assert "in 1 round" in shown
    assert "to the last point" in shown or "give these points" in shown
    assert "decisions of the organizer since the start: the archive has none" in shown


@pytest.mark.parametrize(
    "release", sorted(RELEASES.glob("*-backup.tar.gz")), ids=lambda path: path.name.partition(".")[0]
)
def test_the_backup_of_a_release_is_restored_and_opens(release: Path, tmp_path: Path) -> None:
    contest = tmp_path / "contest"
    knobeln_in(contest, "restore", "--trust", release)
    knobeln_in(contest, "upgrade")
    status = json.loads(knobeln_in(contest, "status", "--json").output)
    assert status["phase"] == "finished"
    results = json.loads(knobeln_in(contest, "results", "--json").output)
    assert results["ranking"]
    assert "finished" in knobeln_in(contest, "status").output
    assert results["ranking"][0]["team"] in knobeln_in(contest, "results").output
    knobeln_in(contest, "publish", tmp_path / "again", "--early")
    shutil.unpack_archive(str(release).replace("backup", "archive"), tmp_path / "archive")
    assert _files(tmp_path / "again") == _files(tmp_path / "archive")


def test_what_is_not_released_has_a_version_of_its_own() -> None:
    """Otherwise `verify` takes the texts of a release for those of the present version."""
    changes = Path(__file__).parents[2] / "CHANGELOG.md"
    newest, *released = re.findall(r"^## (.+)$", changes.read_text(encoding="utf-8"), re.MULTILINE)
    assert newest in ("Unreleased", __version__)
    assert __version__ not in released


def _files(archive: Path) -> dict[str, bytes]:
    """What an archive says, whatever version of ours wrote it."""
    found = {
        str(path.relative_to(archive)): path.read_bytes() for path in archive.rglob("*") if path.is_file()
    }
    return {name: data for name, data in found.items() if name not in MAY_DIFFER}
