"""What the check page says of a contest without a team, or drawn by another number.

What the tournament makes of that contest, with no result of the archive, is what it must come to.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pytest

from knobellib.samples import samples
from knobeln.cli.progress_bars import progress_bar
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from tests.support.archives import (
    Published,
    knobeln,
    knobeln_field,
    of_game,
    played,
    publish,
    small,
)
from tests.support.check_page import Change, page_on
from tests.support.contest_days import AfterADraw, until
from tests.support.counted_programs import counted_contest, needs_engine
from tests.support.played_otherwise import played_otherwise
from trust import verification, what_if
from trust.archive import contents, files
from trust.archive.contents import Archive

pytestmark = pytest.mark.usefixtures("built_once")


def read(folder: Path) -> Archive:
    return contents.from_files(files.read(folder))


def must_agree(folder: Path, changes: Sequence[Change], banned: Collection[str] = ()) -> None:
    """The page has these rankings and moves, in their order."""
    archive, page = read(folder), page_on(folder, changes=changes)
    assert not page.is_refused, page
    before = {line.entry: line.rank for line in archive.ranking}
    for change, other in zip(changes, page.others, strict=True):
        computed = {line.entry: line.rank for line in played_otherwise(archive, change, banned)}
        after = computed | {name: None for name in before if name not in computed}
        rows = [(row["entry"], row["before"], row["after"]) for row in other["rows"]]
        assert rows == [(name, before.get(name), rank) for name, rank in after.items()], change
        moves = {row["entry"]: row["moved"] for row in other["rows"]}
        assert moves == {name: move_of(name, change, before, after) for name in after}, change


Ranks = Mapping[str, int | None]


def move_of(name: str, change: Change, before: Ranks, after: Ranks) -> str:
    """Among the teams that are not left out."""
    others = [rank for team, rank in before.items() if team != change.leftOut and rank]
    rank, new = before.get(name), after[name]
    if name == change.leftOut:
        return "left out"
    if not rank or not new:
        return "comes in" if new else "drops out" if rank else ""
    places = 1 + sum(other < rank for other in others) - new
    if not places:
        return ""
    return f"up {places}" if places > 0 else f"down {-places}"


@pytest.mark.slow
def test_it_is_what_the_tournament_makes_of_the_contest(knobeln_contest: Published) -> None:
    names = [entry.name for entry in read(knobeln_contest.archive).entries]
    without = [Change(name) for name in names]
    numbers = [Change(number=number) for number in ("1", "4 9 18 34 41 45", "Zwölf", "x" * 80)]
    must_agree(knobeln_contest.archive, [*without, *numbers, Change(names[0], "7")])


@pytest.mark.slow
def test_whom_the_organizer_took_out_stays_out(tmp_path: Path) -> None:
    def day(folder: ContestContext) -> None:
        until(folder, AfterADraw())
        out = knobeln("teams", "disqualify", "team_1", "--reason", "it was late", "-C", folder.path)
        assert out.exit_code == 0, out.output
        contest_day(folder).run()

    contest, strings = played(tmp_path / "contest", small(), knobeln_field(), day)
    archive = publish(contest, tmp_path / "archive", strings).archive
    changes = [Change("team_2"), Change("team_4"), Change(number="5")]
    must_agree(archive, changes, {"team_1"})


def by_verify(folder: Path, change: Change) -> None:
    """`verify` has the ranking of the tournament, too."""
    changed = what_if.Change(change.leftOut, change.number)
    archive = read(folder)
    found = verification.verify(archive, progress_bar, change=changed).what_if
    assert found is not None
    computed = {line.entry: line.rank for line in played_otherwise(archive, change)}
    ranks = {line.entry: line.otherwise for line in found.contest.ranking}
    assert ranks == computed | {name: None for name in ranks if name not in computed}


@pytest.mark.slow
def test_verify_computes_the_same(knobeln_contest: Published) -> None:
    by_verify(knobeln_contest.archive, Change("team_2", "a lucky day"))
    shown = knobeln("verify", knobeln_contest.archive, "--without", "team_2", "--number", "5")
    assert "\nnot the result: the contest without team_2, drawn by the number 5\n" in shown.output
    rows = re.findall(r"^  (team_\d) +([\d-]+) +([\d-]+)(?:  (.*))?$", shown.output, re.MULTILINE)
    (other,) = page_on(knobeln_contest.archive, changes=[Change("team_2", "5")]).others
    said = [[str(cell or "-") for cell in list(row.values())[:3]] for row in other["rows"]]
    assert [list(row[:3]) for row in rows] == said
    assert [row[3] for row in rows] == [row["moved"] for row in other["rows"]]


@pytest.mark.slow
def test_a_team_that_verify_does_not_know_is_told(tiny: Published) -> None:
    refused = knobeln("verify", tiny.archive, "--without", "nobody")
    assert refused.exit_code == 1
    assert "there is no team nobody in this contest" in refused.output


@needs_engine
@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "names"),
    [
        ("cooperation", ("pavlov.c", "always_betray.c", "detective.js")),
        (
            "bid-tac-toe",
            ("regret_matcher.c", "line_builder.js", "bookkeeper.py"),
        ),
    ],
)
def test_verify_asks_counted_programs_again(
    game: str, names: Sequence[str], tmp_path: Path
) -> None:
    sources = {name: samples(game)[name] for name in names}
    archive = counted_contest(tmp_path / "contest", game, sources, games=1).archive
    by_verify(archive, Change(names[0].partition(".")[0]))
    by_verify(archive, Change(number="5"))


# --- what it says ---------------------------------------------------------------------------------
@pytest.mark.slow
def test_teams_that_close_the_gap_have_not_moved(tiny: Published) -> None:
    """Without the winner the second comes first; the third was disqualified."""
    winner, second, third = (line.entry for line in read(tiny.archive).ranking)
    (other,) = page_on(tiny.archive, changes=[Change(winner)]).others
    assert other["change"] == f"the contest without {winner}"
    assert other["sentences"][:2] == [
        f"{second} would be first instead of {winner}.",
        "No other team would move.",
    ]
    assert other["rows"] == [
        {"entry": second, "before": 2, "after": 1, "moved": ""},
        {"entry": third, "before": None, "after": None, "moved": ""},
        {"entry": winner, "before": 1, "after": None, "moved": "left out"},
    ]


@pytest.mark.slow
def test_what_cannot_be_played_is_said(tiny: Published) -> None:
    nothing, nobody = page_on(tiny.archive, changes=[Change(), Change("night_shift")]).others
    assert nothing == {"error": "choose a team to leave out, or write another number"}
    assert nobody == {"error": "there is no team night_shift in this contest"}


# --- games whose programs talk --------------------------------------------------------------------
UNKNOWN = "it has games that were not played, and this page cannot play them. knobeln verify may"


@pytest.mark.slow
def test_games_of_programs_that_are_started_for_each_move_are_known(in_words: Published) -> None:
    archive = read(in_words.archive)
    (first, _), *_ = (group.plan.members for group in archive.history[0].groups)
    without, by_number = page_on(
        in_words.archive, changes=[Change(first), Change(number="7")]
    ).others
    assert [row["moved"] for row in without["rows"] if row["entry"] == first] == ["left out"]
    assert by_number == {"error": UNKNOWN}


@pytest.mark.slow
def test_games_of_programs_that_learn_are_not_known_without_a_team(tmp_path: Path) -> None:
    names = ("copycat.pl", "random_bidder.py", "even_hand.sh")
    published = of_game(tmp_path, "bid-tac-toe", names, games=1)
    (other,) = page_on(published.archive, changes=[Change("even_hand")]).others
    assert other == {"error": UNKNOWN}
