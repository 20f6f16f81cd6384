"""Makes the native code of programs: of new ones after their reports, which do not wait for it, and
of those that were accepted on another host, by another version of knobeln, or with another
compiler.

It is only about time: without native code a program plays with the same results. So nothing here
fails, and nobody waits for it for long.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from threading import Lock

from contest.errors import KnobelnError
from contest.interfaces.protocols import Images
from contest.model import Phase
from contest.subprocesses.engine_pool import cores
from contest.util.log import log
from contest.util.plurals import plural
from knobeln.context import ContestContext
from store import contest_state, submissions

WORTHWHILE_GAMES = 100  # of a program; so many take about as long as its translation
DAY_SECONDS = 120.0  # after which the day begins, whatever is translated
_MAX_LOGGED = 3  # programs that stay slow


def translate_programs(contest: ContestContext, seconds: float = DAY_SECONDS) -> None:
    """Translate the programs that count, on all cores. After so many seconds no other one is begun.

    A translation has limits of its own, see `sandbox.vm.translation`.
    """
    end = time.monotonic() + seconds
    digests = programs_that_count(contest)

    def translated(digest: str) -> Sequence[str]:
        if time.monotonic() > end:
            return (f"the program {digest[:12]} plays without native code: there was no time",)
        return translate(contest, digest)

    with ThreadPoolExecutor(cores(), thread_name_prefix="translate") as pool:
        slow = [sentence for sentences in pool.map(translated, digests) for sentence in sentences]
    for sentence in slow[:_MAX_LOGGED]:
        log.warning(sentence)
    if len(slow) > _MAX_LOGGED:
        more = plural(len(slow) - _MAX_LOGGED, "more program plays", "more programs play")
        log.warning(f"{more} without native code")


def translate_builds(builds: Images) -> None:
    """Translate these programs for the contest machine, on all cores and in a hurry, as somebody
    waits. Those that cannot be stay slow."""
    from sandbox.sandbox import Sandbox
    from sandbox.vm.image import Image
    from sandbox.vm.translation import NotTranslated, translations

    def translate_one(build: bytes) -> None:
        with suppress(NotTranslated):
            translations().add(Image.from_bytes(build), Sandbox(), in_a_hurry=True)

    with ThreadPoolExecutor(cores(), thread_name_prefix="translate") as pool:
        list(pool.map(translate_one, builds.values()))


def programs_that_count(contest: ContestContext) -> Sequence[str]:
    """The digests of the newest accepted programs, and of the entries."""
    with contest.store.read() as tx:
        return sorted({digest for _team, digest in submissions.owned(tx)})


def translate(contest: ContestContext, digest: str) -> Sequence[str]:
    """Translate this program, unless that was done; return sentences about what stays slow."""
    from tournament.runners import runner_of  # a server that plays nothing need not load it

    try:
        with contest.store.read() as tx:
            image = submissions.load_images(tx, (digest,))
        return runner_of(contest.settings).speed_up(image, contest.settings)
    except Exception as error:  # whatever it is, the interpreter plays
        reason = str(error) if isinstance(error, KnobelnError) else repr(error)
        return (f"the program {digest[:12]} plays without native code: {reason}",)


class NativeCode:
    """Translates one program after the other, when none waits to be compiled: the newest first.

    Threads may share it. After a start all programs that count are looked at.
    """

    def __init__(self, contest: ContestContext) -> None:
        self._contest = contest
        self._accepted: deque[str] = deque()
        self._lock = Lock()

    def add(self, digest: str) -> None:
        """A program was accepted."""
        self._accepted.append(digest)

    @cached_property
    def _since_before(self) -> deque[str]:
        with self._contest.store.read() as tx:
            is_over = contest_state.state(tx).phase is Phase.FINISHED
        return deque(() if is_over else programs_that_count(self._contest))

    def step(self) -> bool:
        """Translate the next program. False: all are."""
        with self._lock:
            waiting = self._accepted or self._since_before
            if not waiting:
                return False
            digest = waiting.pop()
        for sentence in translate(self._contest, digest):
            log.warning(sentence)
        return True
