"""The games of practice: one program against all opponents, each with the same seeds.

The usual seeds are the same for all programs and at all times, so that the same program always gets
the same table, by mail and at home, and the versions of a program can be compared game by game.
"""

from __future__ import annotations

from collections.abc import Sequence

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.interfaces.protocols import RunnerFactory, SparringOpponents
from contest.model import GameJob, PracticeGame
from contest.seeds import Seeds, seed_from
from reports.practice_table import YOU

MAX_GAMES = 16
"""Games against each opponent where games are quick: all 42 house strategies take about a
second."""
MAX_INSTRUCTIONS = 4_000_000_000
"""For the games beyond the first ones, so that programs that think long practise with fewer."""
USUAL_SEEDS = Seeds(seed_from("practice"))


def practice_games(
    program: tuple[str, bytes],
    opponents: SparringOpponents,
    settings: Settings,
    open_runner: RunnerFactory,
    games: int | None = None,
    seeds: Seeds = USUAL_SEEDS,
) -> Sequence[PracticeGame]:
    """Play this number of games against each opponent, or one against all together if the game has
    more than two seats.

    None: as many as are quick, which is one if programs talk. `program`: digest and bytes of its
    image; it has the first seat. The first game against each opponent has its moves.
    """
    info = game_of(settings.game, settings.programs).info
    fixtures: list[tuple[str, ...]] = [(name,) for name in opponents]
    if info.max_seats > 2:
        fixtures = [tuple(opponents)[: info.max_seats - 1]]
    digests = {**{name: digest for name, (digest, _) in opponents.items()}, YOU: program[0]}

    def job(names: tuple[str, ...], game: int) -> GameJob:
        players = (YOU, *names)
        streams = (f"{'/'.join(names)}/{game}/seat/{seat}" for seat in range(len(players)))
        return GameJob(
            tuple(digests[name] for name in players),
            tuple(seeds.stream(name) for name in streams),
            protocol=info.play.has_moves and game == 0,
            names=players,
        )

    images = {**dict(opponents.values()), program[0]: program[1]}
    with open_runner(images, settings, seeds) as runner:
        first = [job(names, 0) for names in fixtures]
        played = [*runner(first)]
        instructions = sum(seat.instructions for result in played for seat in result.seats)
        total = games or 1
        # as many as take about a second
        if not games and info.play.is_quick and info.play.has_moves:
            total = min(MAX_GAMES, max(1, MAX_INSTRUCTIONS // max(instructions, 1)))
        more = [job(names, game) for game in range(1, total) for names in fixtures]
        played.extend(runner(more))
    return [
        PracticeGame(game.names[1:], result)
        for game, result in zip([*first, *more], played, strict=True)
    ]
