"""The bracket in words: everybody is in it, the lines fit, and who is out is said."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from contest.formats.double_elimination import DoubleElimination
from contest.games.registry import game
from contest.model import (
    GameResult,
    GroupOutcome,
    Match,
    RoundOutcome,
    SeatResult,
    Standing,
    Verdict,
)
from contest.schema.sections import Tournament
from contest.seeds import Seeds
from reports import bracket
from reports.text import WIDTH, columns_of
from tests.support import other_contests

UTTT = game("ultimate-tic-tac-toe").info
SEEDS = Seeds(bytes(32))


def strength(name: str) -> int:
    return int(name.rpartition("_")[2])


def history_of(names: Sequence[str], upsets: bool = False) -> list[RoundOutcome]:
    """A knock-out in which the greater number at a name's end wins; with `upsets` not in each third
    match."""
    rules = DoubleElimination(Tournament(format="double-elimination"), UTTT)
    history: list[RoundOutcome] = []
    while plan := rules.plan(names, history, SEEDS):
        groups = []
        for group in plan.groups:
            matches = []
            for pairing in group.pairings:
                better = max(pairing.players, key=strength)
                if upsets and group.number % 3 == 0:
                    better = min(pairing.players, key=strength)
                seats = tuple(
                    SeatResult(100 * (n == better), Verdict.OK, None) for n in pairing.players
                )
                matches.append(Match(pairing, 1, GameResult(seats, 30, "0" * 16), counted=True))
            table = rules.standings(group, plan.final, matches, {}, frozenset())
            groups.append(GroupOutcome(group, tuple(matches), table))
        history.append(RoundOutcome(plan, tuple(groups)))
    return history


def names_of(entries: int, length: int = 8) -> list[str]:
    return [f"{'x' * (length - 3)}_{number:02}" for number in range(1, entries + 1)]


@pytest.mark.parametrize("entries", [2, 3, 5, 12, 16, 64])
@pytest.mark.parametrize("length", [8, 30])
def test_every_bracket_fits_into_72_columns_and_has_every_match_once(
    entries: int, length: int
) -> None:
    history = history_of(names_of(entries, length), upsets=True)
    sides = bracket.all_lines(history, 1)
    matches = [match for match in bracket.matches_of(history) if not match.is_bye]
    for side, lines in sides.items():
        assert max(map(columns_of, lines)) <= WIDTH
        winners = [line.split()[0] for line in lines if line.rstrip().endswith("100:0")]
        of_side = [match.winner for match in matches if match.side == side]
        assert len(lines) < 4 * len(of_side)
        assert sorted(winners) == sorted(name or "" for name in of_side)
    for outcome in history:
        for line in bracket.round_lines(bracket.matches_of([outcome]), 1):
            assert columns_of(line) <= WIDTH


def test_a_match_stands_between_and_to_the_right_of_those_who_met() -> None:
    lines = bracket.all_lines(history_of(names_of(4)), 1)["winners' side"]
    assert [len(line) - len(line.lstrip()) for line in lines] == [0, 6, 0, 12, 0, 6, 0]
    assert lines[3].split() == ["xxxxx_04", "100:0"]
    for above, own, below in zip(lines, lines[1:], lines[2:], strict=False):
        if own.endswith("100:0") and own is not lines[3]:
            assert own.split()[0] in (above.strip(), below.strip())


def test_who_is_unbeaten_beaten_and_out_adds_up_to_everybody() -> None:
    names = names_of(12)
    history = history_of(names)
    for played in range(1, len(history) + 1):
        field = bracket.field_after(history[:played])
        assert sorted((*field.unbeaten, *field.beaten, *field.out)) == names
        assert set(field.out_now) <= set(field.out)
    assert field.unbeaten == field.beaten == ()
    assert "xxxxx_12" in bracket.field_after(history[:3]).unbeaten


def test_a_bye_is_told_of() -> None:
    history = history_of(names_of(5))
    assert (
        sum(line.endswith("  (bye)") for line in bracket.all_lines(history, 1)["winners' side"])
        == 3
    )
    assert not any("(bye)" in line for line in bracket.all_lines(history, 1)["losers' side"])


def line_of(name: str, half_points: int = 0, *, out: bool = False) -> Standing:
    return Standing(name, half_points, None if out else 1, 2 * out, out, False)


def test_equal_points_and_disqualifications_are_marked() -> None:
    first = bracket.matches_of(history_of(names_of(2)))[0]
    tie = replace(first, best_first=(line_of("a", 200), line_of("b", 200)))
    assert (tie.winner, bracket.score(tie, 1), bracket.remark(tie)) == ("a", "100:100", "*")
    alone = replace(first, best_first=(line_of("a", 200), line_of("b", out=True)))
    assert (alone.winner, bracket.score(alone, 1)) == ("a", "")
    assert bracket.remark(alone) == "(b was disqualified)"
    nobody = replace(first, best_first=(line_of("a", out=True), line_of("b", out=True)))
    assert nobody.winner is None
    assert "nobody  (a and b were disqualified)" in "\n".join(
        bracket.tree_lines([nobody], nobody.side, 1)
    )


@pytest.mark.slow
def test_the_mails_of_every_round_say_who_is_out() -> None:
    played = other_contests.ultimate_tic_tac_toe()
    out: set[str] = set()
    for outcome in played.history[:-1]:
        mail = played.mails[f"round/{outcome.plan.number}/BRK/board_taker"]
        field = bracket.field_after(played.history[: outcome.plan.number])
        assert set(field.out_now) == set(field.out) - out
        for name in field.out_now:
            assert name in mail.body[mail.body.index("Out after this round") :]
        out = set(field.out)
    last = played.mails[f"round/{len(played.history)}/BRK/board_taker"].body
    assert f"The champion is {played.ranking[0].entry}." in last
