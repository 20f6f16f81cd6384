"""How many of our modules a letter and a contest day enter: numbers that may only fall."""

import sys
import threading
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from compiler.builders import builder_of
from knobeln.cli.main import main
from mailserver.delivery.deliver import Delivery
from mailserver.delivery.transports import transport_of
from tests.support.compile_services import compile_service
from tests.support.contest_field import House, make_contest, settings
from tests.support.desk import DESCRIPTION
from tests.support.letters import words_to
from tests.support.mail_world import World, from_line, program, registered
from tests.support.offices import Office
from tournament.runners import open_runner

ROOT = Path(__file__).parents[2]
LIMITS = tomllib.loads((ROOT / "tools" / "measures.toml").read_text())


def entered(work: Callable[[], object]) -> list[str]:
    """The modules of the product in which this calls a function, in any thread of this process."""
    names: set[str] = set()

    def note(frame: FrameType, _event: str, _argument: object) -> None:
        names.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    paths = (Path(name).relative_to(ROOT) for name in names if name.startswith(f"{ROOT}/"))
    product = (
        path for path in paths if path.suffix == ".py" and path.parts[0] not in ("tests", ".venv")
    )
    return sorted(map(str, product))


def test_the_files_that_a_program_by_mail_enters_from_its_letter_to_the_report(
    world: World, tmp_path: Path
):
    builder = builder_of(world.settings, open_runner)
    parts = (world.store, world.settings, world.clock)
    office = Office(world, compile_service(*parts, builder, world.renderer))
    transport = transport_of(world.settings, tmp_path)
    line = from_line(*registered(world))

    def send(code: str) -> None:
        world.send("please compile", f"{program(line)}{DESCRIPTION}{code}")
        assert office.service.build_next(at_once=True)
        assert Delivery(*parts, transport).deliver_due().sent

    send("")  # what is done once
    found = entered(lambda: send("int another;\n"))
    sent = words_to(tmp_path, "our_team@machine.domain.alfdkj")
    assert "version 2 of the_heavy_lords_of_knobeln is accepted" in sent
    assert len(found) <= LIMITS["modules_of_a_letter"], "\n".join(found)


@pytest.mark.slow
def test_the_files_that_a_contest_day_enters(tmp_path: Path, house: House) -> None:
    contest = make_contest(tmp_path / "contest", 5, house.first(5), settings(workers=1))
    contest.store.close()
    run: Any = main.main
    found = entered(lambda: run(["run", "--now", "-C", str(contest.path)], standalone_mode=False))
    assert len(found) <= LIMITS["modules_of_a_day"], "\n".join(found)
