"""The games whose rules teams get to play at home: their settings, and how each is made of them.

Settings need pydantic. The rules are in files of their own, which need the standard library alone,
because those very files are in the software kit (knobellib.python_kit).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from contest.games.bid_tac_toe import BidTacToe, IllegalBid
from contest.games.cooperation import (
    Cooperation,
    LegacyCooperation,
    Payoffs,
)
from contest.games.game import GamePlugin
from contest.games.hog import Hog
from contest.games.standoff import MAX_ROUNDS, Standoff
from contest.games.ultimate_tic_tac_toe import UltimateTicTacToe
from contest.schema.sections import GameSettings


class BidTacToeSettings(GameSettings):
    """The game's parameters."""

    illegal_bid: IllegalBid = Field(
        "lost",
        description=(
            "illegal bids end the game. lost: the side that gave them has lost; zero: they count as"
            " zeros and the board decides, as the announcement literally says"
        ),
    )


_Points = Annotated[int, Field(ge=-1_000, le=1_000)]


class CooperationSettings(GameSettings):
    """The game's parameters. The number of rounds is drawn once for the contest and kept secret."""

    noise_percent: int = Field(
        0,
        ge=0,
        le=20,
        description=(
            "so many of 100 decisions are turned into their opposite by chance; both players are "
            "told what happened, not what was decided"
        ),
    )
    payoffs: tuple[_Points, _Points, _Points, _Points] = Field(
        Payoffs(),
        description=(
            "points for a round: of a betrayer whose opponent cooperates, of each if both"
            " cooperate, of each if both betray, of the one who is betrayed (T, R, P, S); each is"
            " more than the next"
        ),
    )

    @model_validator(mode="after")
    def _is_dilemma(self) -> CooperationSettings:
        if not Payoffs(*self.payoffs).is_dilemma:
            raise ValueError(
                "payoffs: each must be more than the next, otherwise there is no dilemma"
            )
        return self


class StandoffSettings(GameSettings):
    """The game's parameters."""

    max_rounds: int = Field(
        MAX_ROUNDS,
        ge=1,
        le=100_000,
        description="after this many rounds the game ends, however many players are alive",
    )


PLUGINS = (
    GamePlugin(
        "bid-tac-toe",
        BidTacToeSettings,
        lambda settings, _programs: BidTacToe(illegal_bid=settings.illegal_bid),
    ),
    GamePlugin(
        "ultimate-tic-tac-toe",
        GameSettings,
        lambda _settings, programs: UltimateTicTacToe(programs.told_seconds),
    ),
    GamePlugin(
        Cooperation.name,
        CooperationSettings,
        lambda settings, _programs: Cooperation(
            noise_percent=settings.noise_percent, payoffs=settings.payoffs
        ),
    ),
    GamePlugin(
        LegacyCooperation.name, GameSettings, lambda _settings, _programs: LegacyCooperation()
    ),
    GamePlugin(
        "standoff", StandoffSettings, lambda settings, _programs: Standoff(settings.max_rounds)
    ),
    GamePlugin(Hog.info.name, GameSettings, lambda _settings, _programs: Hog()),
)
