"""The ladder: every team's current version plays every other, which gives a ranking.

Nothing is eliminated. A new version of a team replaces its old one, and only new pairs are played.
The ladder rests while programs wait to be compiled and while the contest runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from compiler.repeated_failures import EngineFailures
from contest.config.settings import Settings
from contest.errors import EngineFailed
from contest.games.game import FaultRule, GameInfo
from contest.games.registry import game_of
from contest.interfaces.protocols import Images, RunnerFactory
from contest.model import GameJob, GameResult, LadderEntry, LadderGame, Phase, Verdict
from contest.seeds import Seeds, seed_from
from contest.util.clock import Clock
from sandbox.executable import without
from store import (
    Store,
    Transaction,
    contest_state,
    engine_failures,
    ladder,
    practices,
    submissions,
)
from store.engine_failures import MAX_FAILURES

MAX_QUICK_GAMES = 500  # in one step, so that a letter never waits long
MAX_SLOW_GAMES = 4


_Field = tuple[tuple[LadderEntry, ...], frozenset[str]]
"""Who is on the ladder, and the digests of programs, also of others, that are not asked."""


def _field_now(tx: Transaction) -> _Field:
    return ladder.entries(tx), engine_failures.aside(tx)


@dataclass
class LadderService:
    """For one thread. What it remembers is looked up again when a version comes or goes, or is set
    aside."""

    store: Store
    settings: Settings
    clock: Clock
    open_runner: RunnerFactory
    failures: EngineFailures
    _there: _Field = field(default=((), frozenset()), init=False)
    _to_play: list[tuple[LadderEntry, LadderEntry]] = field(default_factory=list, init=False)
    _is_ranked: bool = field(default=False, init=False)  # the stored ranking has all games

    def update(self) -> bool:
        """Play some of the missing games, or store the ranking when none is missing. False: nothing
        to do.

        Raises EngineFailed, ToolMissing or StoreBusy; then no game was stored.
        """
        with self.store.read() as tx:
            if not self._is_time(tx):
                return False
            there = _field_now(tx)
        if there != self._there:
            with self.store.write() as tx:
                ladder.delete_outdated_games(tx)
                self._to_play = list(ladder.missing(tx))
            self._there, self._is_ranked = there, False
        if self._to_play:
            try:
                self._play_some()
            except EngineFailed as error:
                if self.failures.of_program(error) < MAX_FAILURES:
                    raise
            return True
        if not self._is_ranked:
            with self.store.write() as tx:
                if lines := ladder.now(tx, self.settings).lines:
                    ladder.note(tx, lines, self.clock.now())
            self._is_ranked = True
        return False

    def _play_some(self) -> None:
        pairs = self._to_play[: MAX_QUICK_GAMES if self._info.play.is_quick else MAX_SLOW_GAMES]
        with self.store.read() as tx:
            images = submissions.load_images(
                tx, [entry.image_digest for pair in pairs for entry in pair]
            )
        games = self._play(pairs, without(images, self._there[1]))
        with self.store.write() as tx:
            if _field_now(tx) == self._there:  # nobody has sent another version meanwhile
                ladder.put(tx, games)
        del self._to_play[: len(pairs)]

    def _is_time(self, tx: Transaction) -> bool:
        is_free = not submissions.any_waiting(tx) and not practices.any_waiting(tx)
        return (
            self.settings.ladder.enabled
            and contest_state.state(tx).phase is not Phase.RUNNING
            and is_free
        )

    @property
    def _info(self) -> GameInfo:
        return game_of(self.settings.game, self.settings.programs).info

    def _play(
        self, pairs: Sequence[tuple[LadderEntry, LadderEntry]], images: Images
    ) -> list[LadderGame]:
        # The random numbers follow from the two programs, so a new ladder has the same games.
        seeds = Seeds(seed_from("ladder"))
        with self.open_runner(images, self.settings, seeds) as runner:
            results = runner([_job(pair, seeds) for pair in pairs])
        return [
            _game(pair, result, self._info.fault_rule)
            for pair, result in zip(pairs, results, strict=True)
            if not _has_failed(result)
        ]


def _has_failed(result: GameResult) -> bool:
    """Return whether our engine failed in the game."""
    return any(seat.verdict is Verdict.INTERNAL for seat in result.seats)


def _job(pair: tuple[LadderEntry, LadderEntry], seeds: Seeds) -> GameJob:
    digests = tuple(entry.image_digest for entry in pair)
    streams = tuple(seeds.stream(f"{'/'.join(digests)}/seat/{seat}") for seat in (0, 1))
    return GameJob(digests, streams, names=tuple(entry.team for entry in pair))


def _game(
    pair: tuple[LadderEntry, LadderEntry], result: GameResult, fault_rule: FaultRule
) -> LadderGame:
    first, second = result.seats
    failed = (first.verdict is not Verdict.OK, second.verdict is not Verdict.OK)
    is_discarded = fault_rule is FaultRule.REPLAY and any(failed)
    points = (0, 0) if is_discarded else (first.points, second.points)
    return LadderGame(pair[0].build_id, pair[1].build_id, points, failed)
