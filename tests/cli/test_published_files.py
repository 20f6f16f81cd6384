"""What is published everybody may read, under the umask of services, 0077, too; all else stays
closed."""

import os
import socket
import stat
import subprocess
import tarfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.util.folders import make_public_folder
from knobeln.context import ContestContext
from reports.site.folder import SiteFolder
from tests.support.command_line import knobeln, knobeln_in
from tests.support.servers import Child, free_port, program, wait_for, world_readable_folder
from trust.check_page import ARCHIVE


@pytest.fixture(autouse=True)
def umask_of_services() -> Iterator[None]:
    before = os.umask(0o077)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def closed_to_a_reader(folder: Path) -> list[str]:
    """What is in the folder, and has other rights than a public file or folder."""
    found = [folder, *folder.rglob("*")]
    return [
        f"{path}: {mode(path):o}"
        for path in found
        if mode(path) != (0o755 if path.is_dir() else 0o644)
    ]


def write(path: Path, *names: str) -> None:
    folder = SiteFolder(path)
    for name in names:
        folder.put(name, b"text")
    folder.finish()


def test_folders_and_files_of_the_pages_are_for_everybody(tmp_path: Path) -> None:
    write(tmp_path / "www" / "spring", "index.html", "teams/one.html", "tournament-1/games/1.js")
    assert closed_to_a_reader(tmp_path / "www") == []


def test_a_file_that_is_written_anew_is_for_everybody_too(tmp_path: Path) -> None:
    write(tmp_path / "www", "a.html")
    (tmp_path / "www" / "a.html").chmod(0o600)
    folder = SiteFolder(tmp_path / "www")
    folder.put("a.html", b"other text")
    folder.finish()
    assert closed_to_a_reader(tmp_path / "www") == []


@pytest.mark.parametrize("rights", [0o700, 0o750, 0o2775])
def test_folders_that_were_there_keep_their_rights(tmp_path: Path, rights: int) -> None:
    """An organizer has chosen them, also those of the folder for the pages."""
    for name in ("outer", "outer/www"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(rights)
    write(tmp_path / "outer" / "www", "index.html")
    make_public_folder(tmp_path / "outer" / "www")
    assert {mode(tmp_path / name) for name in ("outer", "outer/www")} == {rights}
    assert mode(tmp_path / "outer" / "www" / "index.html") == 0o644


def test_a_link_in_place_of_a_draft_is_not_followed(tmp_path: Path) -> None:
    """Root may write the pages into a folder of somebody else."""
    (tmp_path / "precious").write_text("precious")
    write(tmp_path / "www", "a.html")
    (tmp_path / "www" / ".b.html.new").symlink_to(tmp_path / "precious")
    write(tmp_path / "www", "a.html", "b.html")
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "www" / "b.html").is_symlink()


def test_a_list_of_files_removes_nothing_outside_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "precious").write_text("precious")
    write(tmp_path / "www", "a.html", "b/precious")
    (tmp_path / "www" / "b" / "precious").unlink()
    (tmp_path / "www" / "b").rmdir()
    (tmp_path / "www" / "b").symlink_to(tmp_path / "elsewhere")
    write(tmp_path / "www", "a.html")
    assert (tmp_path / "elsewhere" / "precious").read_text() == "precious"


def test_of_a_contest_only_what_is_published_is_for_everybody(
    finished: ContestContext, tmp_path: Path
) -> None:
    public = tmp_path / "srv" / "knobeln"
    knobeln_in(finished.path, "site", public / "pages")
    knobeln_in(finished.path, "publish", public / "archives" / "spring")
    knobeln("site", "--archives", public / "archives")
    knobeln_in(finished.path, "backup", tmp_path / "backup.tar.gz")
    assert closed_to_a_reader(tmp_path / "srv") == []
    assert {"feed.xml", "verify.html", ARCHIVE} <= {
        path.name for path in (public / "pages").iterdir()
    }
    assert mode(tmp_path / "backup.tar.gz") == 0o600
    assert not any(mode(path) & 0o077 for path in (finished.path, *finished.path.rglob("*")))
    with tarfile.open(public / "pages" / ARCHIVE) as archive:
        assert not any(member.mode & 0o022 for member in archive)


class Nginx(Child):
    """Shows these folders by their names, as its own user."""

    def __init__(self, home: Path, **shown: Path) -> None:
        self.port = free_port()
        places = "".join(
            f"location /{name}/ {{ alias {folder}/; }}" for name, folder in shown.items()
        )
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        drafts = "".join(f"{kind}_temp_path {home}/{kind};" for kind in kinds)
        (home / "nginx.conf").write_text(
            f"user www-data; daemon off; worker_processes 1; pid {home}/pid; events {{}}\nhttp {{"
            f" access_log off; {drafts} server {{ listen 127.0.0.1:{self.port}; {places} }} }}\n"
        )
        self._start(
            [program("nginx"), "-e", "stderr", "-c", str(home / "nginx.conf")], home / "log"
        )
        wait_for(self._is_up, "nginx")

    def _is_up(self) -> bool:
        with socket.socket() as door:
            return door.connect_ex(("127.0.0.1", self.port)) == 0

    def status_of(self, path: str) -> int:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}") as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code


@pytest.mark.needs_root
def test_a_web_server_with_a_user_of_its_own_shows_the_pages_and_nothing_else(
    finished: ContestContext,
) -> None:
    with world_readable_folder() as place:
        pages, archives, contest = (
            place / "www" / "pages",
            place / "www" / "archives",
            place / "contest",
        )
        subprocess.run(["cp", "-a", finished.path, contest], check=True)
        knobeln_in(contest, "site", pages)
        knobeln_in(contest, "publish", archives / "spring")
        (place / "nginx").mkdir(mode=0o700)
        server = Nginx(place / "nginx", pages=pages, archives=archives, contest=contest)
        replays = [f"pages/{path.relative_to(pages)}" for path in pages.glob("games/*.js")]
        shown = [
            "pages/index.html",
            "pages/feed.xml",
            "pages/verify.html",
            f"pages/{ARCHIVE}",
            *replays,
        ]
        shown += ["archives/spring/manifest.json"]
        try:
            assert replays
            assert {path: server.status_of(path) for path in shown} == dict.fromkeys(shown, 200)
            closed = ["contest/contest.toml", "contest/contest.db"]
            assert {path: server.status_of(path) for path in closed} == dict.fromkeys(closed, 403)
        finally:
            server.stop()
