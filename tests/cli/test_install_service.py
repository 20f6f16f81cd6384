"""`knobeln install-service` below a folder that stands for a system."""

import shutil
import stat
from pathlib import Path

import pytest
from click.testing import Result

from tests.support.command_line import knobeln

UNITS = ("knobeln-backup@.service", "knobeln-backup@.timer", "knobeln@.service")
with_sysusers = pytest.mark.skipif(
    not shutil.which("systemd-sysusers"), reason="systemd is not installed"
)


@pytest.fixture
def system(tmp_path: Path) -> Path:
    folder = tmp_path / "system"
    (folder / "etc").mkdir(parents=True)
    return folder


def install(system: Path, *words: str, code: int = 0) -> Result:
    return knobeln("install-service", "--root", system, *words, code=code)


def files(system: Path) -> set[str]:
    return {str(path.relative_to(system)) for path in system.rglob("*") if not path.is_dir()}


def test_a_dry_run_says_all_and_does_nothing(system: Path) -> None:
    output = install(system, "--dry-run", "spring").output
    assert "(dry run) make the folder /var/lib/knobeln/spring" in output
    assert all(f"(dry run) write /usr/local/lib/systemd/system/{unit}" in output for unit in UNITS)
    assert files(system) == set()


@pytest.mark.parametrize("name", ["../spring", "", "-C", "%i"])
def test_a_name_that_is_no_units_is_refused(system: Path, name: str) -> None:
    install(system, "--", name, code=2)
    assert files(system) == set()


@pytest.mark.needs_root
@with_sysusers
def test_it_is_installed_once_and_a_contest_is_added_later(system: Path) -> None:
    assert (
        "sudo -u knobeln knobeln init /var/lib/knobeln/spring" in install(system, "spring").output
    )
    home = system / "var/lib/knobeln"
    passwd = (system / "etc/passwd").read_text()
    user, group = (int(number) for number in passwd.split(":")[2:4])
    assert passwd.startswith("knobeln:")
    assert ":/var/lib/knobeln:" in passwd
    for folder, mode in ((home, 0o755), (home / "spring", 0o700)):
        facts = folder.stat()
        assert (facts.st_uid, facts.st_gid, stat.S_IMODE(facts.st_mode)) == (user, group, mode)
    assert stat.S_IMODE((system / "etc/knobeln").stat().st_mode) == 0o700
    assert (system / "usr/local/bin/knobeln").readlink() == Path("/opt/knobeln/bin/knobeln")

    before = files(system)
    assert install(system).output == ""
    assert install(system, "autumn").output.startswith(
        "make the folder /var/lib/knobeln/autumn\nNow"
    )
    assert files(system) == before


@pytest.mark.needs_root
@with_sysusers
def test_a_unit_of_an_older_version_is_replaced(system: Path) -> None:
    install(system)
    unit = system / "usr/local/lib/systemd/system/knobeln@.service"
    text = unit.read_text()
    unit.write_text("[Service]\nExecStart=/opt/knobeln/bin/knobeln serve\n")
    assert install(system).output == "write /usr/local/lib/systemd/system/knobeln@.service\n"
    assert unit.read_text() == text


@pytest.mark.needs_root
@with_sysusers
def test_a_knobeln_of_somebody_else_is_left_alone(system: Path) -> None:
    other = system / "usr/local/bin/knobeln"
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\n")
    install(system)
    assert other.read_text() == "#!/bin/sh\n"
