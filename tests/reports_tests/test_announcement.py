"""The text for the public (K99)."""

import pytest

from contest.interfaces.protocols import Rendered
from reports.announcement import announcement
from reports.text import WIDTH


@pytest.fixture
def posting(contest, settings, templates) -> Rendered:
    history, ranking = (contest.first, contest.final), contest.ranking
    return announcement(history, ranking, contest.evolution, contest.seed, {}, settings, templates)


def test_it_names_the_winners_in_order_and_those_of_the_evolution(posting) -> None:
    assert posting.subject == "Results: International KNOBELN contest"
    assert (
        "The winners of the International KNOBELN contest:\n\n   1. patient_cooperator\n   2. silent\n"
        in posting.body
    )
    evolution = posting.body[posting.body.index("Knobeln Evolution") :]
    assert evolution.index("1  patient_cooperator") < evolution.index("2  silent")


def test_it_counts_teams_rounds_and_games(posting, contest) -> None:
    groups = [*contest.first.groups, *contest.final.groups]
    played = sum(match.result.is_flawless for group in groups for match in group.matches)
    head = " ".join(posting.body.split("\n\n")[0].split())
    assert f"6 teams took part. Their strategies met in {played} games of 40 throws each" in head
    assert "played in 2 rounds" in head
    assert "\n      1      6       2     11         3             1\n" in posting.body


def test_it_shows_the_seed_and_its_commitment(posting, contest) -> None:
    for number in (contest.seed.value, contest.seed.secret, contest.sealed.root):
        assert number.hex() in posting.body
    assert contest.seed.commitment in posting.body


def test_it_has_no_mail_address_of_a_team_and_fits_72_columns(posting) -> None:
    assert "@machine.example" not in posting.body
    assert max(map(len, posting.body.split("\n"))) <= WIDTH


def test_without_an_evolution_it_speaks_of_none(contest, settings, templates) -> None:
    posting = announcement((contest.final,), contest.ranking, None, contest.seed, {}, settings, templates)
    assert "Evolution" not in posting.body
    assert "1 round" in posting.body
