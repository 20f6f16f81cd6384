"""Runs that the organizer requests by letter, or a season by its dates: `serve` starts them as
processes."""

from __future__ import annotations

from contest.errors import EX_TEMPFAIL, TryAgain
from contest.language import gettext, speaking
from contest.model import Phase
from contest.subprocesses.child_process import Process, own_command, start
from contest.util.log import log
from knobeln.context import ContestContext
from knobeln.services import tell_about_run
from store import Transaction, contest_state, decisions

LOG_NAME = "run.log"
MAX_LOG_LINES = 12  # in the mail to the organizer


class RequestedRun:
    """Keeps the requested run going.

    If the server stops, it stops the run too, and starts it again at its own next start. For one
    thread.
    """

    def __init__(self, contest: ContestContext) -> None:
        self._contest = contest
        self._process: Process | None = None

    def step(self) -> bool:
        """Start a requested run, or report one that has ended. False: there was nothing to do.

        Raises TryAgain if the run failed for a temporary reason.
        """
        if self._process is not None:
            code = self._process.poll()
            if code is None:
                return False
            self._process = None
            self._finish(code)
            return True
        with self._contest.store.read() as tx:
            requested = decisions.run_ordered(tx)
        if requested is None:
            return False
        # Another run, or one that outlived a server that was killed. When it has ended, ours checks
        # whether anything is left to play.
        with self._contest.only_one("run") as alone:
            if not alone:
                return False
        command = own_command("run", "--now", "--yes", "-C", str(self._contest.path.resolve()))
        self._process = start(command, self._contest.path / LOG_NAME)
        log.info("started the requested run", pid=self._process.pid)
        return True

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def _finish(self, code: int) -> None:
        """Delete the request and tell the organizer. Raises TryAgain after a temporary failure."""
        if code == EX_TEMPFAIL or code < 0:
            raise TryAgain(f"the requested run ended with exit code {code}, and is started again")
        now = self._contest.clock.now()
        with self._contest.store.write() as tx:
            requested = decisions.run_ordered(tx)
            decisions.order_run(tx, None)
            finished = contest_state.state(tx).phase is Phase.FINISHED
            text = "the requested run has ended"
            if not finished:
                text = f"the requested run has failed: see {LOG_NAME}"
            contest_state.note(tx, "run", text, now)
            self._tell_organizer(tx, f"run/{requested}", finished=finished)

    def _tell_organizer(self, tx: Transaction, key: str, *, finished: bool) -> None:
        log_lines = (self._contest.path / LOG_NAME).read_text(errors="replace").strip().splitlines()
        with speaking(self._contest.settings.contest.language):
            text = gettext("The contest has been played to its end.")
        if not finished:
            text = "\n".join(log_lines[-MAX_LOG_LINES:])
        tell_about_run(self._contest.current(), tx, key, text, done=finished)
