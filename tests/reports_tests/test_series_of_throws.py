"""What a strategy's series look like, from its throws alone."""

from hypothesis import given
from hypothesis import strategies as st

from reports.play import series_facts


def test_the_facts_of_a_small_game() -> None:
    facts = series_facts([[1, 2, 3, 1, 4, 5, 6, 8, 2]])
    assert facts
    assert (facts.count, facts.shortest, facts.longest, facts.mean_length) == (2, 3, 5, 4.0)
    assert (facts.rising, facts.mean_fall) == (1.0, (2 + 6) / 2)
    assert (facts.lowest, facts.highest) == (1, 8)


def test_a_game_of_one_series_counts_it_although_the_end_cut_it() -> None:
    facts = series_facts([[5, 5, 5, 7]])
    assert facts
    assert (facts.count, facts.longest, facts.rising, facts.mean_fall) == (1, 4, 1 / 3, 0.0)


def test_without_throws_there_are_no_facts() -> None:
    assert series_facts([]) is None
    assert series_facts([[]]) is None


@given(st.lists(st.lists(st.integers(1, 9), min_size=1), min_size=1))
def test_the_facts_stay_within_the_throws(games: list[list[int]]) -> None:
    facts = series_facts(games)
    assert facts
    assert 1 <= facts.shortest <= facts.mean_length <= facts.longest <= max(map(len, games))
    assert 0 <= facts.rising <= 1
    assert 0 <= facts.mean_fall <= facts.highest - facts.lowest
    assert facts.count <= sum(map(len, games))
