"""Letters as gateways, mailers and people make them, at the SMTP port of a running server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.desk import COMPILE, Desk, flat, form_of
from tests.support.mail_world import REGISTER

MAIN = "main () { for (;;) make_throw (1); }"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("desk"))
    yield desk
    desk.stop()


# --- subjects ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("before", "then"), [("[EXT] ", "[EXTERNAL] Re: "), ("***SPAM*** ", "{list} AW: [KNOBELN] ")]
)
def test_what_gateways_write_into_subjects_keeps_no_team_out(desk: Desk, before: str, then: str) -> None:
    address = desk.stranger()
    (welcome,) = desk.send(before + REGISTER, form_of(address, address.partition("@")[0]), address)
    assert "<<FROM>>" in flat(welcome)
    auth_line = desk.server.auth_line(address)
    (report,) = desk.send(then + COMPILE, desk.program(auth_line, MAIN), address)
    assert "version 1" in report["Subject"]
