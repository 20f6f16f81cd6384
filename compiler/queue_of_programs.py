"""Whose program is compiled next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from contest.config.settings import Settings
from contest.model import Submission, Team
from contest.util.clock import Clock
from store import Store, Transaction, submissions, teams
from store.claims import Claims
from store.engine_failures import failed_work, work_on
from store.submissions import Waiting

TRIED_WHEN_CLOSED = 3
"""Programs of a team that are compiled when programs are no longer taken, so that nobody can hold
up the list of entries: the newest first, older ones only if it is refused."""


class _Turn(NamedTuple):
    """The team whose program is compiled next.

    `kept`: of its programs the newest ones, which may be compiled; older ones are replaced.
    `newest_first`: whether the newest of these is compiled now, or the oldest.
    """

    team: Waiting
    kept: int
    newest_first: bool

    def of(self, queue: Sequence[int]) -> int:
        """Return the one that is compiled, of these ids, oldest first."""
        return queue[-1 if self.newest_first else 0]


def is_too_late(settings: Settings, now: datetime) -> bool:
    """Return whether programs are no longer taken."""
    return now >= settings.dates.compilation_closes


@dataclass(frozen=True)
class ProgramQueue:
    """The programs that wait for the compiler.

    `replace` is told of a team's older programs, which are not compiled any more.
    """

    store: Store
    settings: Settings
    clock: Clock
    claims: Claims
    replace: Callable[[Transaction, Sequence[int], Team], object]

    def claim(self, at_once: bool) -> Submission | None:
        """Claim the submission whose turn it is; None: there is none.

        Other processes choose and claim at the same time. If one was quicker, we look at the other
        teams.
        """
        taken: set[int] = set()
        while turn := self._turn(at_once, taken):
            submission = self._claimed_of(turn)
            if submission is not None:
                return submission
            taken.add(turn.team.team_id)
        return None

    def _turn(self, at_once: bool, taken: Collection[int]) -> _Turn | None:
        """Choose, among the waiting teams, the one with the fewest compilations of the last hour,
        or since programs are no longer taken (S22). Images come after all programs: to unpack one
        may take a minute. What our machinery has failed with comes last, when nothing else runs.

        A team whose program is being compiled waits, so that its reports come in order. But with
        `at_once` we compile that program, too, when no other is left: whoever is first stores the
        build.
        """
        now = self.clock.now()
        is_closed = is_too_late(self.settings, now)
        limit = self.settings.programs.MAX_COMPILES_PER_HOUR
        since = self.settings.dates.compilation_closes if is_closed else now - timedelta(hours=1)
        with self.store.read() as tx:
            waiting = submissions.waiting_teams(tx, self.claims)
            built = Counter(submissions.built_between(tx, since, now))
            late = self._late(tx, waiting)
        able = [
            each
            for each in waiting
            if each.team_id not in taken and (at_once or is_closed or built[each.team_id] < limit)
        ]
        free = [each for each in able if not each.is_claimed]
        if not free:
            return _Turn(able[0], able[0].programs, is_closed) if able and at_once else None
        chosen = min(
            free, key=lambda each: (each.team_id in late, each.has_image, built[each.team_id])
        )
        kept = self._kept(chosen.programs, built[chosen.team_id], is_closed)
        return _Turn(chosen, kept, is_closed)

    @staticmethod
    def _late(tx: Transaction, waiting: Sequence[Waiting]) -> frozenset[int]:
        """Return the teams with a program in the queue that our machinery has failed with."""
        failed = failed_work(tx)
        if not failed:
            return frozenset()
        return frozenset(
            team.team_id
            for team in waiting
            if not failed.isdisjoint(map(work_on, submissions.queued_of(tx, team.team_id)))
        )

    def _kept(self, programs: int, already: int, is_closed: bool) -> int:
        """Return how many of a team's waiting programs may be compiled, if so many were already."""
        if is_closed:
            return max(1, TRIED_WHEN_CLOSED - already)
        return programs if already + programs <= self.settings.programs.MAX_COMPILES_PER_HOUR else 1

    def _claimed_of(self, turn: _Turn) -> Submission | None:
        """Claim the submission of this turn; None: another process was quicker."""
        team_id = turn.team.team_id
        if turn.team.is_claimed:
            with self.store.read() as tx:
                queue = submissions.queued_of(tx, team_id)
                return submissions.get(tx, turn.of(queue)) if queue else None
        with self.store.write() as tx:
            queue = submissions.unclaimed_queue(tx, team_id, self.claims)
            kept = queue[-turn.kept :]
            if not kept or not self.claims.take(tx, turn.of(kept)):
                return None
            self.replace(tx, queue[: -turn.kept], teams.get(tx, team_id))
            return submissions.get(tx, turn.of(kept))
