"""In a German contest the sentences about faults are German, wherever games are played."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from contest.config.load import FILE_NAME
from knobeln.context import ContestContext
from store import outbox, results
from store.results import Games
from tests.support.archives import (
    DRAW_BELIEVED,
    knobeln,
    knobeln_field,
    of_game,
    played,
    publish,
    small,
)
from tests.support.german import english_in, german

pytestmark = pytest.mark.usefixtures("built_once")


def reasons(contest: Path) -> Iterator[str]:
    """What is stored about the faults in the games of the contest day."""
    folder = ContestContext.open(contest)
    with folder.store.read() as tx:
        for each in results.all_rounds(tx, Games.ALL):
            for match in (match for group in each.groups for match in group.matches):
                yield from (seat.fault.reason for seat in match.result.seats if seat.fault)
    folder.store.close()


def mailed(contest: Path) -> str:
    folder = ContestContext.open(contest)
    with folder.store.read() as tx:
        listed = outbox.listing(tx, state=None, to=None, count=10_000)
        items = [outbox.get(tx, mail.id) for mail in listed]
    folder.store.close()
    return " ".join("\n".join(item.raw.decode(errors="replace") for item in items if item).split())


@pytest.mark.slow
def test_a_day_of_computed_games_and_its_archive(tmp_path: Path) -> None:
    """The archive has the sentences in the language of the contest's start, and `verify` computes
    them."""
    contest, strings = played(tmp_path / "contest", german(small()), knobeln_field())
    found = set(reasons(contest))
    assert "endete nach 0 von 60 Würfen" in found
    assert "endete nach 0 von 60" in mailed(contest)
    assert not [reason for reason in found if english_in(reason)]
    file = contest / FILE_NAME
    assert 'language = "de"' in file.read_text()
    file.write_text(file.read_text().replace('language = "de"', 'language = "en"'))
    archive = publish(contest, tmp_path / "archive", strings).archive
    assert knobeln("verify", archive).exit_code == DRAW_BELIEVED


def test_a_day_of_games_whose_programs_talk(tmp_path: Path) -> None:
    """In several threads, which do not inherit the language."""
    names = ("two_tits.sh", "always_in_trouble.sh")
    published = of_game(tmp_path, "cooperation", names, changed=german, games=1)
    found = set(reasons(published.contest))
    assert any(reason.startswith("die Antwort muss") for reason in found), found
    assert not [reason for reason in found if english_in(reason)]
    assert knobeln("verify", published.archive).exit_code == DRAW_BELIEVED
