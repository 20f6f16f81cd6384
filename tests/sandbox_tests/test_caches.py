"""Where things are kept that can be made again, whoever we are and whatever our home is like."""

import grp
import os
import pwd
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from contest.errors import ToolMissing
from contest.util import caches
from contest.util.log import log
from tests.support.other_users import NOBODYS, python_for_others
from tests.support.servers import program

OURS = f"knobeln-{os.geteuid()}"


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An ordinary user's: a home, and a folder for temporary files."""
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir(mode=0o700)
    (tmp_path / "temporary").mkdir(mode=0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(caches, "_is_root", lambda: False)
    monkeypatch.setattr(log, "configure", None)  # or it would undo what `capture_logs` does
    caches._tell.cache_clear()


def _mode(folder: Path) -> int:
    return folder.stat().st_mode & 0o7777


@pytest.fixture
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("umask", [0o002, 0o077], indirect=True)
def test_folders_that_we_make_are_for_us_alone_whatever_the_umask(tmp_path: Path) -> None:
    folder, shown = caches.cache_folder("engines"), caches.cache_for_sandboxes("fuel")
    assert folder == tmp_path / "home/.cache/knobeln/engines"
    assert [_mode(each) for each in (folder, folder.parent, folder.parent.parent)] == [0o700] * 3
    assert _mode(shown) == 0o755


@pytest.mark.usefixtures("umask")
@pytest.mark.parametrize("umask", [0o002, 0o077], indirect=True)
def test_sandboxes_of_root_can_enter_their_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caches, "_is_root", lambda: True)
    assert caches.usual_home() == Path("/var/cache/knobeln")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "new"))
    folder = caches.cache_for_sandboxes("fuel")
    assert [_mode(each) for each in (folder, folder.parent, folder.parent.parent)] == [0o755] * 3


def test_the_cache_is_where_the_user_wants_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "wanted"))
    assert caches.cache_folder("engines") == tmp_path / "wanted/knobeln/engines"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert caches.cache_folder("engines") == tmp_path / "home/.cache/knobeln/engines"


@pytest.mark.parametrize("mode", [0o777, 0o707, 0o702])
def test_a_cache_that_others_can_write_costs_a_line_and_not_the_command(
    tmp_path: Path, mode: int
) -> None:
    (tmp_path / "home/.cache").mkdir()
    (tmp_path / "home/.cache").chmod(mode)
    with capture_logs() as lines:
        folders = {caches.cache_folder("engines"), caches.cache_folder("engines")}
    assert folders == {tmp_path / f"temporary/{OURS}/engines"}
    assert [line["reason"] for line in lines] == [
        f"other users may write {tmp_path}/home/.cache (fix it by `chmod go-w"
        f" {tmp_path}/home/.cache`)"
    ]
    assert caches.keep(folders.pop(), "a", b"kept").read_bytes() == b"kept"


@pytest.mark.parametrize("home", ["", "home/none/there", "not absolute", "home/file"])
def test_a_home_that_is_none_is_no_obstacle(
    tmp_path: Path, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home/file").touch()
    (tmp_path / "home").chmod(0o500)
    monkeypatch.setattr("contest.util.caches.pwd.getpwuid", _without_a_name)
    monkeypatch.setenv("HOME", str(tmp_path / home) if "/" in home else home)
    folder = caches.cache_folder("engines")
    assert folder.is_dir()
    if os.geteuid() or "/none" not in home:  # root may write everywhere
        assert folder == tmp_path / f"temporary/{OURS}/engines"


def _without_a_name(_: int) -> pwd.struct_passwd:
    raise KeyError


def test_a_temporary_folder_of_somebody_else_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "home/.cache").touch()
    (tmp_path / f"temporary/{OURS}").mkdir()
    (tmp_path / f"temporary/{OURS}").chmod(0o777)  # somebody was there before us
    with pytest.raises(ToolMissing, match=r"Not a directory; nor in .*chmod go-w"):
        caches.cache_folder("engines")


# --- whose a folder is ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("group", "members", "others", "is_safe"),
    [
        ("ann", [], [], True),
        ("ann", ["ann"], [], True),
        ("ann", ["ann", "bob"], [], False),
        ("ann", [], ["bob"], False),
        ("staff", [], [], False),
        ("staff", ["ann"], [], False),
    ],
)
def test_a_group_may_write_if_its_only_member_is_the_owner(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    group: str,
    members: list[str],
    others: list[str],
    is_safe: bool,
) -> None:
    """`others`: users whose own group it is, too."""
    number, mine = tmp_path.stat().st_gid, tmp_path.stat().st_uid

    def user(name: str, own: int) -> pwd.struct_passwd:
        return pwd.struct_passwd((name, "x", own, number, "", "/", "/bin/sh"))

    monkeypatch.setattr(pwd, "getpwuid", lambda _: user("ann", mine))
    monkeypatch.setattr(
        pwd, "getpwall", lambda: [user("ann", mine), *(user(each, 99) for each in others)]
    )
    monkeypatch.setattr(grp, "getgrgid", lambda _: grp.struct_group((group, "x", number, members)))
    tmp_path.chmod(0o775)
    assert (caches.why_unsafe(tmp_path) is None) == is_safe


def test_an_access_list_may_name_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("contest.util.caches._is_alone", lambda *_: True)
    tmp_path.chmod(0o770)
    assert caches.why_unsafe(tmp_path) is None
    done = subprocess.run(
        [program("setfacl"), "-m", "u:nobody:rwx", tmp_path], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip("this file system has no access lists")
    assert caches.why_unsafe(tmp_path) is not None


@pytest.mark.needs_root
@pytest.mark.slow
def test_a_user_without_a_home_plays_all_the_same() -> None:
    python, environment = python_for_others()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o1777)
        here = {**environment, "HOME": "/nonexistent", "TMPDIR": folder}
        here.pop("XDG_CACHE_HOME", None)
        command = [python, "-m", "knobeln", "play", "council", "echo", "--seed", "home"]
        how = {"env": here, "user": NOBODYS, "cwd": "/"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, **how)
        assert (Path(folder) / f"knobeln-{NOBODYS}" / "engines").is_dir()
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("the usual cache is not used") == 1
