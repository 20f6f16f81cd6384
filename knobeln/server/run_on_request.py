"""The contest day by the organizer's letter: `knobeln serve` starts `knobeln run` as a process of its own."""

from __future__ import annotations

import sys

from contest.errors import TryAgain
from contest.log import log
from contest.model import Outgoing, Phase
from contest.store import Transaction, decisions, outbox
from contest.store import contest_state as contest_store
from contest.subprocesses.child_process import Process, start
from knobeln.context import ContestContext

LOG_NAME = "run.log"
EX_TEMPFAIL = 75
TOLD_LINES = 12  # of what the run said, in the mail to the organizer


class OrderedRun:
    """The run that was ordered, as long as the order stands: a server that is stopped stops it, too, and
    starts it again when it starts itself. Used by one thread."""

    def __init__(self, folder: ContestContext) -> None:
        self._folder = folder
        self._process: Process | None = None

    def look(self) -> bool:
        """Start what is ordered, see to what has ended. False: there was nothing to do. Raises TryAgain after
        a failure of the run that may be over later."""
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return False
            self._process = None
            self._see_to_the_end(code)
            return True
        with self._folder.store.read() as tx:
            ordered = decisions.run_ordered(tx)
        if ordered is None or self._is_at_work():
            return False
        command = [sys.executable, "-m", "knobeln", "run", "--now", "-C", str(self._folder.path.resolve())]
        self._process = start(command, self._folder.path / LOG_NAME)
        log.info("the run was started by the organizer's letter", pid=self._process.pid)
        return True

    def _is_at_work(self) -> bool:
        """Another run, perhaps one that outlived a server that was killed; when it has ended, ours looks
        whether anything is left."""
        with self._folder.only_one("run") as alone:
            return not alone

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def _see_to_the_end(self, code: int) -> None:
        """The order is done with, whether it went well or not; but for failures that may be over later."""
        if code == EX_TEMPFAIL or code < 0:
            raise TryAgain(f"the run that was ordered by mail ended with {code}, and is started again")
        now = self._folder.clock.now()
        with self._folder.store.write() as tx:
            ordered = decisions.run_ordered(tx)
            decisions.order_run(tx, None)
            finished = contest_store.state(tx).phase is Phase.FINISHED
            text = "the run by the organizer's letter has " + (
                "ended" if finished else f"failed: see {LOG_NAME}"
            )
            contest_store.note(tx, "run", text, now)
            self._tell_organizer(tx, f"run/{ordered}", finished=finished)

    def _tell_organizer(self, tx: Transaction, key: str, *, finished: bool) -> None:
        said = (self._folder.path / LOG_NAME).read_text(errors="replace").strip().splitlines()
        text = "The contest has been played to its end." if finished else "\n".join(said[-TOLD_LINES:])
        folder = self._folder.current()
        words = folder.templates.render("organizer_answer", what="run", text=text, done=finished)
        to = folder.settings.contest.organizer_address
        mail = Outgoing(key, "organizer_answer", to, words.subject, words.body)
        outbox.put(tx, mail, folder.settings, folder.clock.now())
