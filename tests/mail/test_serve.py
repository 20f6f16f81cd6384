"""`knobeln serve` as a process: letters by SMTP, answers in Maildirs, and every way in which it
ends."""

import re
import threading
import time
from itertools import pairwise

import pytest

from knobellib.samples import house_strategies
from knobeln.server import gateway
from store import teams
from tests.support.knobeln_server import Server, text_of
from tests.support.letters import letter
from tests.support.mail_world import form_of_one
from tests.support.servers import PATIENCE, wait_for
from tests.support.waiting_programs import next_queued

STOP_SECONDS = 5.0
BOMB = "int a[100000001] = { [0 ... 100000000] = 1 };\nmain() { for (;;) make_throw(1); }\n"
DESCRIPTION = "#if 0\n" + "What it does.\n" * 15 + "#endif\n"


def registration(address: str, name: str) -> bytes:
    return letter(address, "registration for KNOBELN", form_of_one(name, address))


def program(auth_line: str, source: str, sender: str) -> bytes:
    return letter(sender, "please compile", f"/*\n  {auth_line}\n*/\n{source}")


def test_a_team_registers_and_sends_a_program(server: Server) -> None:
    address = "joe@club.example"
    server.send(registration(address, "heavy_lords"), address)
    line = server.auth_line(address)
    server.send(
        program(line, house_strategies()[0].source, "joe@holiday.example"), "joe@holiday.example"
    )
    wait_for(lambda: len(server.answers(address)) == 2)
    report = server.answers(address)[-1]
    assert report["Subject"] == "KNOBELN: version 1 of heavy_lords is accepted"
    assert report["To"] == address
    assert report["Auto-Submitted"] == "auto-replied"
    assert line.split()[-1] not in text_of(report)
    assert line.split()[-1] not in server.text(), "the log tells a team's secret"
    assert re.search(r"program +accepted=True letter=2", server.text())
    assert not server.answers("joe@holiday.example")


@pytest.mark.slow
def test_a_database_that_does_not_answer_for_a_while_does_not_end_the_server(
    server: Server,
) -> None:
    with server.folder.store.write() as tx:
        tx.exec_driver_sql("ALTER TABLE contest RENAME TO elsewhere")
    wait_for(lambda: "loop=dates" in server.text() or server.process.poll() is not None)
    with server.folder.store.write() as tx:
        tx.exec_driver_sql("ALTER TABLE elsewhere RENAME TO contest")
    assert server.process.terminate(STOP_SECONDS) == 0
    assert "stopped" in server.text()


@pytest.mark.slow
def test_sigterm_while_a_bomb_is_compiled_ends_it_soon_and_loses_nothing(server: Server) -> None:
    address = "joe@club.example"
    server.send(registration(address, "bombers"), address)
    server.send(program(server.auth_line(address), DESCRIPTION + BOMB, address), address)
    with server.folder.store.read() as tx:
        (team,) = teams.all_teams(tx)
    wait_for(lambda: "version 1 of bombers queued" in server.text())
    time.sleep(0.3)  # now the compiler is at it
    begin = time.monotonic()
    assert server.process.terminate(STOP_SECONDS) == 0
    assert time.monotonic() - begin < STOP_SECONDS
    with server.folder.store.read() as tx:
        waiting = next_queued(tx)
    assert waiting.team_id == team.id


def test_a_loop_without_work_is_not_woken_by_every_letter() -> None:
    looks: list[float] = []
    stop = threading.Event()

    def look() -> bool:
        looks.append(time.monotonic())
        return False

    def wake_until_it_has_looked_often() -> bool:
        loop.wake()
        return len(looks) > 3

    loop = gateway._Loop("idle", look, lambda: None, lambda _: None, stop)
    loop.start()
    wait_for(wake_until_it_has_looked_often)
    stop.set()
    loop.wake()
    loop.join(PATIENCE)
    pauses = [after - before for before, after in pairwise(looks)]
    assert min(pauses) >= gateway.REST_SECONDS
