"""Plays a tournament between Python functions, with neither mails nor sandboxes.

    from tournament.functions import play

Games, formats and referee are those of a contest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from contest.formats import make_format
from contest.games import registry
from contest.games.game import TextGame, Words
from contest.model import GameJob, GameResult, RoundOutcome, Standing
from contest.schema.sections import Programs, Tournament
from contest.seeds import Seeds
from sandbox.players import Player
from tournament.referee import play_group
from tournament.rounds import ended, rounds
from tournament.runners.text_result import game_result
from tournament.text_referee import drawer, play_game

Strategy = Callable[..., str]
"""Takes the words of a question, as the game's rules have them, and returns the answer."""


@dataclass(frozen=True)
class Result:
    """`ranking`: the best first; `rounds`: with all games, move by move."""

    ranking: tuple[Standing, ...]
    rounds: tuple[RoundOutcome, ...]


def play(
    game: str,
    strategies: Mapping[str, Strategy],
    settings: Tournament | None = None,
    *,
    seed: str = "",
) -> Result:
    """Play a tournament of the game of this name, in which programs answer questions in words.

    `strategies`: by name; what one raises ends the tournament. `settings`: the section [tournament]
    of a contest; None: everybody plays each other once. `seed`: of all chance. Raises NotFound or
    ConfigError.
    """
    settings = settings or Tournament(format="round-robin", self_play=False)
    seeds = Seeds(hashlib.sha256(seed.encode()).digest())
    rules = registry.text_game_of(registry.game_plugin(game).settings(name=game), Programs())
    chosen = make_format(settings, rules.info)
    runner = partial(_play_games, rules, strategies, seeds)
    history: list[RoundOutcome] = []
    for plan in rounds(chosen, sorted(strategies), seeds, history):
        groups = [
            play_group(
                group,
                images={name: name for name in group.members},
                seeds=seeds,
                runner=runner,
                protocols_for=frozenset(group.members),
                standings=partial(chosen.standings, group, plan.final),
                fault_rule=rules.info.fault_rule,
            )
            for group in plan.groups
        ]
        history.append(RoundOutcome(plan, tuple(groups)))
    return Result(chosen.ranking(history), ended(chosen, history))


@dataclass
class _Function(Player):
    """A function at a seat."""

    strategy: Strategy

    def move(self, question: Words) -> str:
        return self.strategy(*question)


def _play_games(
    rules: TextGame[Any, Any],
    strategies: Mapping[str, Strategy],
    seeds: Seeds,
    jobs: Sequence[GameJob],
) -> list[GameResult]:
    results = []
    for job in jobs:
        of_job = rules.for_players(job.names, partial(seeds.below, "game"))
        players = [_Function(strategies[name]) for name in job.names]
        for player in players:
            player.protocol = rules.info.protocols[0]
        played = play_game(of_job, players, drawer(job.streams))
        results.append(game_result(played, with_moves=job.protocol))
    return results
