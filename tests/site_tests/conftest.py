"""A contest that was really played: two rounds, one team by mail, the others put straight into the
store."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from compiler.build import build
from compiler.toolchain import Toolchain
from contest.config.settings import Settings
from contest.config.template import usual_dates
from contest.schema.sections import Contest, Mail, Programs, Tournament
from contest.util.clock import SystemClock
from knobellib.samples import house_strategies
from knobeln.context import ContestContext, create_contest
from tests.support.browser import Browser
from tests.support.contest_field import add_field
from tests.support.letters import letter
from tests.support.site_contests import ADDRESS, FORM, TEAMS, MakeContest, Played, knobeln


@pytest.fixture(scope="session")
def make_contest() -> MakeContest:
    """Makes a contest in this folder that is ready to be run, with these settings besides."""
    toolchain = Toolchain()
    chosen = house_strategies()[:TEAMS]
    programs = {strategy.name: build(strategy.source, Programs(), toolchain) for strategy in chosen}

    def make(path: Path, *, language: str = "en", **sections: object) -> ContestContext:
        settings = Settings(
            contest=Contest(title="The <i>contest</i> & more", language=language),
            dates=usual_dates(SystemClock().now()),
            tournament=Tournament(group_min=4, group_max=8, final_size=8, workers=2),
            mail=Mail(listen="127.0.0.1:0"),
            **sections,
        )
        # With any seed: a tie may let one more proceed, and then there is a third round.
        folder = create_contest(path, settings, seed=bytes(range(32)))
        add_field(folder, TEAMS, programs)
        return folder

    return make


@pytest.fixture(scope="session")
def played(make_contest: MakeContest, tmp_path_factory: pytest.TempPathFactory) -> Played:
    path = tmp_path_factory.mktemp("played")
    folder = make_contest(path / "contest").path
    knobeln("receive", "-C", folder, stdin=letter(ADDRESS, "registration for KNOBELN", FORM))
    answer = json.loads(knobeln("mail", "--json", "-C", folder))[-1]
    body = knobeln("mail", "show", answer["id"], "-C", folder)
    line = next(line.strip() for line in body.splitlines() if "<<FROM>>" in line)
    secret = line.split()[-1]
    source = house_strategies()[TEAMS].source
    knobeln(
        "receive", "-C", folder, stdin=letter(ADDRESS, "please compile", f"/* {line} */\n{source}")
    )
    knobeln("run", "--now", "--yes", "-C", folder)
    knobeln("site", path / "pages", "-C", folder)
    return Played(folder, path / "pages", secret)


@pytest.fixture(scope="module")
def browser(played: Played) -> Iterator[Browser]:
    found = Browser(played.pages)
    yield found
    found.driver.quit()
