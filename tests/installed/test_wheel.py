"""The wheel, installed by pipx far from the repository: it has all that the program needs, and
upgrades."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

from contest.model import Phase
from knobellib.samples import house_strategies
from knobeln.context import ContestContext
from store import contest_state, results
from tests.support.contest_days import dump
from tests.support.contest_field import House, make_contest
from tests.support.contest_runs import SMALL, delivered, finish, without_times
from tests.support.installed_wheel import ROOT, WHEEL, Pipx, build_wheel, installed, with_version
from tests.support.knobeln_server import Server
from tests.support.letters import letter
from tests.support.mail_world import FORM
from tests.support.processes import start
from tests.support.servers import PATIENCE, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def pipx(wheel: Path) -> Iterator[Pipx]:
    with installed(wheel) as made:
        yield made


def test_all_files_of_the_packages_are_in_the_wheel(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *WHEEL["only-include"]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = set(ZipFile(wheel).namelist())
    moved = WHEEL["sources"]
    for file in listed.stdout.rstrip("\0").split("\0"):
        folder = next((each for each in moved if file == each or file.startswith(f"{each}/")), None)
        assert (file.replace(folder, moved[folder], 1) if folder else file) in names


def test_doctor_finds_nothing_wrong(pipx: Pipx) -> None:
    output = pipx.knobeln("doctor")
    assert "\nok   system packages: " in output
    assert "\nFAIL" not in output


def test_a_contest_is_played_far_from_the_repository(pipx: Pipx) -> None:
    assert "Each team's mails are in a Maildir" in pipx.knobeln("demo", "--teams", "5")


def test_what_is_shipped_besides_code_is_found(pipx: Pipx) -> None:
    assert "write /usr/local/lib/systemd/system/knobeln@.service" in pipx.knobeln(
        "install-service", "--dry-run", "--root", pipx.folder
    )
    pipx.knobeln("kit", "kit.tgz")
    assert pipx.knobeln("init", "--game", "hog", "contest")
    assert "hog" in pipx.knobeln("announce", "-C", "contest").casefold()
    shutil.rmtree(pipx.folder / "contest")


def test_contests_go_on_after_an_upgrade(pipx: Pipx, house: House, tmp_path: Path) -> None:
    """One in the middle of its day, and one that takes letters."""

    class Installed(Server):
        environment, knobeln = pipx.environment, pipx.command()

    def play(contest: ContestContext, killed_when: Callable[[], bool] = lambda: False) -> int:
        words = pipx.command("run", "--now", "--yes", "-C", contest.path)
        process = start(words, contest.path.parent / "log", pipx.environment)
        wait_for(lambda: killed_when() or process.poll() is not None)
        if process.poll() is None:
            return process.terminate(grace_seconds=0)
        return finish(process)

    def groups_played() -> int:
        with broken.store.read() as tx:
            return sum(len(each.groups) for each in results.all_rounds(tx))

    whole = make_contest(tmp_path / "whole", 24, house, SMALL)
    assert play(whole) == 0
    broken = make_contest(tmp_path / "broken", 24, house, SMALL)
    assert play(broken, killed_when=lambda: groups_played() >= 2) != 0
    server = Installed(tmp_path)
    team = "our_team@machine.domain.alfdkj"
    server.send(letter(team, "registration for KNOBELN", FORM), team)
    line = server.auth_line(team)
    assert server.process.terminate(grace_seconds=PATIENCE) == 0
    pipx.install(build_wheel(with_version("99.0", tmp_path / "source"), tmp_path))
    assert "99.0" in pipx.knobeln("--version")
    for contest in (broken, server.folder):
        pipx.knobeln("upgrade", "-C", contest.path)
        said = pipx.knobeln("doctor", "-C", contest.path)
        assert "FAIL" not in said
        assert "settings and database are sound" in said
    assert play(broken) == 0
    server.start()
    program = f"/*\n  {line}\n*/\n{house_strategies()[0].source}"
    server.send(letter(team, "please compile", program), team)
    wait_for(lambda: len(server.answers(team)) == 2)
    assert server.answers(team)[1]["Subject"].endswith("is accepted")

    with broken.store.read() as tx:
        assert contest_state.state(tx).phase is Phase.FINISHED
    assert without_times(dump(broken)) == without_times(dump(whole))
    assert delivered(broken) == delivered(whole)
