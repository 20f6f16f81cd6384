"""Archives and backups of every release can still be verified and restored."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from knobeln.contest_day import verification
from tests.support.command_line import knobeln, knobeln_in

RELEASES = Path(__file__).with_name("releases")
MAY_DIFFER = {"announcement.txt", "rules.md", "contest.json", "manifest.json"}  # with the version


@pytest.mark.parametrize(
    "release", sorted(RELEASES.glob("*-archive.tar.gz")), ids=lambda path: path.name.partition(".")[0]
)
def test_the_archive_of_a_release_is_verified(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tarfile.open(release) as packed:
        packed.extractall(tmp_path / "archive", filter="data")
    # A later version has other texts, and perhaps another compiler.
    monkeypatch.setattr(verification, "__version__", "9.9")
    shown = knobeln("verify", tmp_path / "archive", code=3).output
    assert "in 1 round" in shown
    assert "to the last point" in shown or "give these points" in shown


@pytest.mark.parametrize(
    "release", sorted(RELEASES.glob("*-backup.tar.gz")), ids=lambda path: path.name.partition(".")[0]
)
def test_the_backup_of_a_release_is_restored_and_opens(release: Path, tmp_path: Path) -> None:
    contest = tmp_path / "contest"
    knobeln_in(contest, "restore", release)
    knobeln_in(contest, "upgrade")
    status = json.loads(knobeln_in(contest, "status", "--json").output)
    assert status["phase"] == "finished"
    results = json.loads(knobeln_in(contest, "results", "--json").output)
    assert results["ranking"]
    assert "finished" in knobeln_in(contest, "status").output
    assert results["ranking"][0]["team"] in knobeln_in(contest, "results").output
    knobeln_in(contest, "publish", tmp_path / "again", "--early")
    with tarfile.open(Path(str(release).replace("backup", "archive"))) as packed:
        packed.extractall(tmp_path / "archive", filter="data")
    assert _files(tmp_path / "again") == _files(tmp_path / "archive")


def _files(archive: Path) -> dict[str, bytes]:
    """What an archive says, whatever version of ours wrote it."""
    found = {
        str(path.relative_to(archive)): path.read_bytes() for path in archive.rglob("*") if path.is_file()
    }
    return {name: data for name, data in found.items() if name not in MAY_DIFFER}
