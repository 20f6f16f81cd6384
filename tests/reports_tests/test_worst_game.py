"""Where a mail about a game sends its reader: to the replay, and to the programs."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from contest.config.settings import Settings
from contest.games.registry import game
from contest.model import (
    DecisiveTurn,
    GameResult,
    GroupPlan,
    Match,
    Pairing,
    SeatResult,
    Verdict,
    WorstGame,
)
from contest.schema.sections import KNOBELN_REPORTS
from reports.site.games import MAX_GAMES
from reports.worst_game import replay_address, shows_programs
from tests.support.contest_field import settings

SEATS = (SeatResult(3, Verdict.OK, None), SeatResult(9, Verdict.OK, None))
PAIRING = Pairing(("alice", "bob"))
MATCH = Match(PAIRING, 1, GameResult(SEATS, 40, "0" * 16), counted=True)
PLAN = GroupPlan(3, 2, PAIRING.players, (PAIRING,))
TURN = DecisiveTurn(17, (("alice", "5"), ("bob", "9")), 13, -20)
WORST = WorstGame("alice", PLAN, MATCH, (TURN,))
ADDRESS = "https://club.example/spring/replay.html?game=3.alice.bob#throw=17"


def contest(url: str = "https://club.example/spring/", **sections: Any) -> Settings:
    return settings().changed(**{"site": {"url": url}, **sections})


@pytest.mark.parametrize(
    ("worst", "games", "chosen", "address"),
    [
        (WORST, (9, 9, 40), contest(), ADDRESS),
        (WORST, (9, 9, MAX_GAMES), contest(), ADDRESS),
        (WORST, (9, 9, MAX_GAMES + 1), contest(), ""),
        (WORST, (9_000, 9_000, 40, 1), contest(), ADDRESS),
        (WORST, (9, 9, 40, MAX_GAMES), contest(), ""),
        (WORST, (9, 9, 40), contest("https://club.example/spring"), ADDRESS),
        (WORST, (9, 9, 40), contest(""), ""),
        (WORST, (9, 9, 40), contest(reports={"offered": ("RSM", "DGP", "WHY")}), ""),
        (WORST, (9, 9, 40), contest(reports={"offered": ("RSM", "DGP", "GRG")}), ADDRESS),
        (replace(WORST, turns=()), (9, 9, 40), contest(), ""),
    ],
)
def test_the_address_of_a_replay_is_told_where_there_is_one(
    worst: WorstGame, games: Sequence[int], chosen: Settings, address: str
) -> None:
    assert replay_address(worst, games, chosen, game("knobeln").info) == address


@pytest.mark.parametrize(
    ("sections", "shown"),
    [
        ({"site": {"programs": True}}, True),
        ({"site": {"programs": False}}, False),
        ({"site": {"programs": True}, "reports": {"offered": ("OWN", "DGP")}}, False),
        ({"site": {"programs": True}, "season": {"tournaments": 2}}, False),
        ({"site": {"programs": True}, "season": {"tournaments": 2, "open": True}}, True),
        ({"site": {"programs": True}, "reports": {"offered": KNOBELN_REPORTS}}, True),
    ],
)
def test_programs_are_offered_where_they_are_public(sections: dict[str, Any], shown: bool) -> None:
    assert shows_programs(settings().changed(**sections)) == shown
