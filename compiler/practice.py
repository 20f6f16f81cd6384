"""The practice service: programs that are only tried, and friendly matches.

It rests while a program waits to be compiled and while the contest runs. What it does is bounded by the
limits of a game and by the number of our own programs; nothing of it counts for anything.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass

from compiler.build_result import Builder
from compiler.sparring_opponents import field_of
from contest.clock import Clock
from contest.config.settings import Settings
from contest.errors import KnobelnError
from contest.games.base import TABLE, GameInfo
from contest.games.registry import game_of
from contest.log import log
from contest.model import GameJob, Outgoing, Phase, Practice, PracticeGame, PracticeState, Team
from contest.protocols import Images, PracticeReporter, RunnerFactory
from contest.seeds import Seeds, seed_from
from contest.store import Store, contest_state, outbox, practices, submissions, teams


@dataclass(frozen=True)
class PracticeService:
    store: Store
    settings: Settings
    clock: Clock
    build: Builder
    open_runner: RunnerFactory
    reporter: PracticeReporter

    def play_next(self) -> bool:
        """Do what waits longest. False: nothing waits, or it is not the time.

        Raises ToolMissing, EngineFailed or StoreBusy, with the practice still in the queue.
        """
        with self.store.read() as tx:
            if contest_state.state(tx).phase is Phase.RUNNING or submissions.next_queued(tx):
                return False
            practice = practices.next_queued(tx)
        if practice is None:
            return False
        try:
            mails = self._played(practice)
        except KnobelnError:
            raise
        except Exception:
            self._set_aside(practice, traceback.format_exc())
            return True
        with self.store.write() as tx:
            if practices.finish(tx, practice.id, PracticeState.PLAYED):
                for mail in mails:
                    outbox.put(tx, mail, self.settings, self.clock.now())
        log.info("practice", letter=practice.letter_id)
        return True

    def _played(self, practice: Practice) -> Sequence[Outgoing]:
        with self.store.read() as tx:
            team = teams.get(tx, practice.team_id)
            other = teams.get(tx, practice.other_id) if practice.other_id else None
        return self._match(practice, team, other) if other else self._test(practice, team)

    # --- please test ---------------------------------------------------------------------------------------
    def _test(self, practice: Practice, team: Team) -> Sequence[Outgoing]:
        built = self.build(practice.files, "")
        games: Sequence[PracticeGame] = ()
        if built.image and built.report.image_digest:
            digest = built.report.image_digest
            games = self._against_field(digest, built.image.to_bytes(), built.report.source_digest)
        return [self.reporter.tested(practice, team, built.report, games)]

    def _against_field(self, digest: str, image: bytes, source_digest: str) -> Sequence[PracticeGame]:
        """A game against each of our programs; where many play at once, one against all of them."""
        field = field_of(self.settings)
        most = self._info.max_seats
        tables = [(name,) for name in field] if most == 2 else [tuple(field)[: most - 1]]
        images = {digest: image, **dict(field.values())}
        digests = {name: of for name, (of, _) in field.items()}
        seeds = Seeds(bytes.fromhex(source_digest))
        jobs = [self._job((digest, *(digests[n] for n in names)), ("you", *names), seeds) for names in tables]
        return self._games(images, jobs, seeds)

    # --- please play ---------------------------------------------------------------------------------------
    def _match(self, practice: Practice, team: Team, other: Team) -> Sequence[Outgoing]:
        with self.store.read() as tx:
            playing = [submissions.image_that_counts(tx, each.id) for each in (team, other)]
        if not all(playing):  # one of them has gone since
            return [self.reporter.match_impossible(practice, team, other)]
        (first, one), (second, two) = (found for found in playing if found)
        # The same two versions can meet again, and chance is another one each time.
        seeds = Seeds(seed_from(f"practice/{practice.id}/{first}/{second}"))
        job = self._job((first, second), (team.name, other.name), seeds)
        (game,) = self._games({first: one, second: two}, [job], seeds)
        return list(self.reporter.met(practice, team, other, game.result))

    @property
    def _info(self) -> GameInfo:
        return game_of(self.settings.game, self.settings.programs).info

    # --- both ----------------------------------------------------------------------------------------------
    def _job(self, digests: tuple[str, ...], names: tuple[str, ...], seeds: Seeds) -> GameJob:
        streams = tuple(seeds.stream(f"{'/'.join(names[1:])}/seat/{seat}") for seat in range(len(digests)))
        is_played = self._info.play != TABLE
        return GameJob(digests, streams, protocol=is_played, names=names)

    def _games(self, images: Images, jobs: Sequence[GameJob], seeds: Seeds) -> Sequence[PracticeGame]:
        with self.open_runner(images, self.settings, seeds) as runner:
            results = runner.play(jobs)
        return [PracticeGame(job.names[1:], result) for job, result in zip(jobs, results, strict=True)]

    def _set_aside(self, practice: Practice, trace: str) -> None:
        log.error("a practice was set aside", practice=practice.id, trace=trace)
        with self.store.write() as tx:
            practices.finish(tx, practice.id, PracticeState.SET_ASIDE)
            text = f"practice {practice.id} broke the practice service and was set aside:\n{trace}"
            contest_state.note(tx, "compiler", text, self.clock.now())
