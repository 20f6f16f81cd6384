"""The practice service: plays programs that are only tried, and friendly matches.

It rests while a submission waits for the compiler and while the contest runs. The limits of a game and the
number of our own programs bound its work. Its results count for nothing. A practice with which our code or
our machinery fails is set aside for the organizer, so that the others do not wait for it.
"""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from contest.clock import Clock
from contest.config.settings import Settings
from contest.errors import EngineFailed, KnobelnError, ToolMissing
from contest.games.registry import game_of
from contest.language import speaking
from contest.log import log
from contest.model import GameJob, Outgoing, Phase, Practice, PracticeGame, PracticeState, Team
from contest.protocols import PracticeBuilder, PracticeReporter, RunnerFactory
from contest.seeds import Seeds, seed_from
from contest.store import Store, contest_state, languages, outbox, practices, submissions, teams
from contest.store.claims import Claimant, Claims
from tournament.practice_games import practice_games

MAX_TRIES = 3  # of one process, for a practice with which our machinery fails


@dataclass(frozen=True)
class PracticeService:
    store: Store
    settings: Settings
    clock: Clock
    builder: PracticeBuilder
    open_runner: RunnerFactory
    reporter: PracticeReporter
    claimant: Claimant = field(default_factory=Claimant)
    _failures: Counter[int] = field(default_factory=Counter, init=False)  # by practice, since we started

    def play_next(self) -> bool:
        """Do the practice that waits longest. False: none waits, or now is not the time.

        Raises StoreBusy, or EngineFailed at the first failures with a practice. It then stays in the queue.
        So does one for which this host lacks a tool, without an error.
        """
        practice = self._claimed()
        if practice is None:
            return False
        with self._claims.kept(self.store, practice.id):
            self._play(practice)
        return True

    @property
    def _claims(self) -> Claims:
        return practices.claims(self.claimant, self.clock)

    def _claimed(self) -> Practice | None:
        """Claim the practice that waits longest. Other processes do so at the same time."""
        while True:
            with self.store.read() as tx:
                if contest_state.state(tx).phase is Phase.RUNNING or submissions.any_waiting(tx):
                    return None
                found = practices.next_free(tx, self._claims)
            if found is None:
                return None
            with self.store.write_unordered() as tx:
                if self._claims.take(tx, found):
                    return practices.get(tx, found)

    def _play(self, practice: Practice) -> None:
        try:
            mails = self._played(practice)
        except EngineFailed:
            self._failures[practice.id] += 1
            if self._failures[practice.id] < MAX_TRIES:
                raise
            self._set_aside(practice, traceback.format_exc())
            return
        except ToolMissing as missing:
            # We keep the claim, and nobody renews it: until it ends, the others have their turn.
            self._note_waiting(practice, missing)
            return
        except KnobelnError:
            raise
        except Exception:
            self._set_aside(practice, traceback.format_exc())
            return
        with self.store.write() as tx:
            if practices.finish(tx, practice.id, PracticeState.PLAYED):
                for mail in mails:
                    outbox.put(tx, mail, self.settings, self.clock.now())
        log.info("practice", letter=practice.letter_id)

    def _played(self, practice: Practice) -> Sequence[Outgoing]:
        with self.store.read() as tx:
            team = teams.get(tx, practice.team_id)
            other = teams.get(tx, practice.other_id) if practice.other_id else None
        with speaking(team.language or self.settings.contest.language):
            return self._match(practice, team, other) if other else self._test(practice, team)

    # --- please test ---------------------------------------------------------------------------------------
    def _test(self, practice: Practice, team: Team) -> Sequence[Outgoing]:
        result = self.builder.build(practice.files, practice.description)
        if not result.image:
            with self.store.read() as tx:
                offered = languages.offered(tx)
            self.builder.check_host(practice.files, offered)
        games: Sequence[PracticeGame] = ()
        if result.image and result.report.image_digest:
            program = (result.report.image_digest, result.image.to_bytes())
            opponents = self.builder.sparring_opponents()
            games = practice_games(program, opponents, self.settings, self.open_runner)
        return [self.reporter.tested(practice, team, result.report, games)]

    # --- please play ---------------------------------------------------------------------------------------
    def _match(self, practice: Practice, team: Team, other: Team) -> Sequence[Outgoing]:
        with self.store.read() as tx:
            one = submissions.image_that_counts(tx, team.id)
            two = submissions.image_that_counts(tx, other.id)
        if one is None or two is None:  # withdrawn since the letter came
            return [self.reporter.match_impossible(practice, team, other)]
        # If the same two versions meet again, their chance differs.
        seeds = Seeds(seed_from(f"practice/{practice.id}/{one.digest}/{two.digest}"))
        streams = tuple(seeds.stream(f"{other.name}/seat/{seat}") for seat in (0, 1))
        play = game_of(self.settings.game, self.settings.programs).info.play
        names = (team.name, other.name)
        job = GameJob((one.digest, two.digest), streams, protocol=play.has_moves, names=names)
        with self.open_runner({one.digest: one.image, two.digest: two.image}, self.settings, seeds) as runner:
            (result,) = runner.play([job])
        return list(self.reporter.met(practice, team, other, result))

    def _note_waiting(self, practice: Practice, missing: ToolMissing) -> None:
        log.error("a practice waits", practice=practice.id, why=str(missing))
        self._failures[practice.id] += 1
        if self._failures[practice.id] == 1:
            with self.store.write() as tx:
                contest_state.note(tx, "error", f"practice {practice.id} waits: {missing}", self.clock.now())

    def _set_aside(self, practice: Practice, trace: str) -> None:
        log.error("a practice was set aside", practice=practice.id, trace=trace)
        with self.store.write() as tx:
            practices.finish(tx, practice.id, PracticeState.SET_ASIDE)
            text = f"practice {practice.id} broke the practice service and was set aside:\n{trace}"
            contest_state.note(tx, "compiler", text, self.clock.now())
