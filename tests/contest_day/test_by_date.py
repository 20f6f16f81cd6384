"""`tournament.by_date`: the server plays a contest when its date has come."""

from __future__ import annotations

from pathlib import Path

import pytest

from contest.model import Phase
from contest.schema.sections import Mail
from knobeln.context import ContestContext
from store import contest_state
from tests.support.archives import HOUSE
from tests.support.clocked_server import ClockedServer
from tests.support.mail_world import START
from tests.support.mailed_contest import CLOSES, MailedContest, small_settings
from tests.support.servers import wait_for


@pytest.mark.slow
def test_the_server_plays_the_contest_when_its_date_has_come(tmp_path: Path) -> None:
    settings = small_settings(beacon="none", by_date=True)
    settings = settings.model_copy(update={"mail": Mail(listen="127.0.0.1:0")})
    mailed = MailedContest.create(tmp_path / "mailed", settings)
    mailed.take_part(dict.fromkeys(("one", "two"), next(iter(HOUSE))))
    contest = ContestContext.open(mailed.folder)
    server = ClockedServer(tmp_path, contest, CLOSES)

    def is_over() -> bool:
        with contest.store.read() as tx:
            return contest_state.state(tx).phase is Phase.FINISHED

    try:
        server.set_clock(START)
        wait_for(is_over, "the contest day", seconds=300)
    finally:
        server.kill()
