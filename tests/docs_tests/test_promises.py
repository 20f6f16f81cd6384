"""The ratios that docs/performance.md promises are read as they stand there."""

import pytest

from bench.promises import TABLE, Ratios, is_worse, promises

TABLE_OF_TWO = """
| stage | ours | limit or peer in the same run | ratios |
|---|---|---|---|
| a day | 1.0 s | its games 0.5 s; another 2.0 s | 2.0, -; 0.20, 0.30 |
| a mail * | 1.3 ms of a core | a peer 0.14 ms | -, 9.4 |
| a letter | 3 ms | | |
"""


def test_a_row_promises_for_each_peer_by_the_clock_and_of_processors() -> None:
    assert promises(TABLE_OF_TWO) == {"a day": [(2.0, None), (0.2, 0.3)], "a mail": [(None, 9.4)]}


@pytest.mark.parametrize(
    ("measured", "promised", "worse"),
    [
        ((2.39, 9.0), (2.0, None), False),
        ((2.41, 1.0), (2.0, None), True),
        ((0.1, 1.21), (0.1, 1.0), True),
        ((0.1, 1.19), (0.1, 1.0), False),
        ((9.0, 9.0), (), False),
    ],
)
def test_worse_is_more_than_a_fifth_above(
    measured: tuple[float, ...], promised: Ratios, worse: bool
) -> None:
    assert is_worse(measured, promised) is worse


def test_every_row_with_a_peer_has_a_promise() -> None:
    table = TABLE.read_text()
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| ")]
    stages = {row[1].strip().removesuffix(" *") for row in rows if len(row) == 6 and row[4].strip()}
    assert stages - {"stage"} == set(promises(table))
    assert "contest day of 1,000 teams" in stages
