"""What tells the mails of one tournament of a season from those of another one."""

from dataclasses import replace

import pytest

from contest.model import Outgoing
from tournament.group_workers import Mark, marked

MAIL = Outgoing(key="round/1/RSM/a", kind="RSM", to="a@b.example", subject="KNOBELN", body="")


@pytest.mark.parametrize(
    ("of_contest", "of_reader", "subject"),
    [
        ("en", "", "Tournament 2: KNOBELN"),
        ("de", "", "Turnier 2: KNOBELN"),
        ("de", "en", "Tournament 2: KNOBELN"),
        ("en", "de", "Turnier 2: KNOBELN"),
    ],
)
def test_a_subject_names_the_tournament_in_the_readers_language(
    of_contest: str, of_reader: str, subject: str
) -> None:
    mail = replace(MAIL, language=of_reader)
    (named,) = marked([mail], Mark("tournament/2/", 2, of_contest))
    assert named.subject == subject
    assert named.key == "tournament/2/round/1/RSM/a"


def test_a_contest_that_is_no_season_names_no_tournament() -> None:
    (named,) = marked([MAIL], Mark("", 0, "de"))
    assert named.subject == MAIL.subject
