"""How sure is the result? What the summary, the command and the pages say, and that it changes
nothing."""

import re
from email import message_from_bytes
from email.policy import default as modern
from pathlib import Path

import pytest

from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from knobeln.server.site_facts import site_facts
from reports.site.facts import SiteFacts
from store import results
from tests.support.command_line import knobeln
from tests.support.contest_field import House, make_contest, settings
from tests.support.due_mails import due_mails
from tests.support.site_files import files_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, house: House) -> ContestContext:
    made = make_contest(tmp_path_factory.mktemp("sure") / "contest", 5, house, settings(), ("RSM",))
    contest_day(made).run()
    return made


def mailed(folder: ContestContext) -> str:
    with folder.store.read() as tx:
        mail = message_from_bytes(due_mails(tx, folder.clock.now(), 1)[0].raw, policy=modern)
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def test_the_summary_says_how_the_contest_ends_with_other_chance(folder: ContestContext) -> None:
    text = mailed(folder)
    words = " ".join(text.split())
    assert (
        "The whole contest was drawn and played again 20 times with other random numbers, which"
        in words
    )
    assert re.search(
        r"changes no result: team_\d{4} won \d+( and team_\d{4} won \d+)*\. Each may", words
    )


def test_the_command_shows_what_was_mailed(folder: ContestContext) -> None:
    shown = knobeln("results", "certainty", "-C", folder.path)
    assert "played again 20 times" in " ".join(shown.output.split())
    assert "team_0001" in shown.output


def test_the_pages_have_it_with_its_table_as_files(folder: ContestContext) -> None:
    with folder.store.read() as tx:
        facts: SiteFacts = site_facts(tx, folder)
    files = files_of(facts)
    assert "drawn and played again 20 times" in files["certainty.html"]
    assert "team,place,first" in files["certainty.certainty.csv"]
    assert 'href="certainty.html"' in files["index.html"]


def test_a_round_that_is_played_again_forgets_it(tmp_path: Path, house: House) -> None:
    made = make_contest(tmp_path / "contest", 3, house, settings())
    told = knobeln("results", "certainty", "-C", made.path, code=1)
    assert "only a finished contest" in told.output
    contest_day(made).run()
    with made.store.read() as tx:
        before = results.get_certainty(tx)
    knobeln("run", "rerun", "1", "--reason", "power cut", "-C", made.path)
    with made.store.read() as tx:
        assert results.get_certainty(tx) is None
    contest_day(made).run()
    with made.store.read() as tx:
        assert results.get_certainty(tx) == before
