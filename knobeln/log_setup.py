"""The log on standard error: a line for each event."""

from __future__ import annotations

import io
import logging
import os
import sys

from contest.util.log import log


def begin() -> None:
    """Log from now on."""
    log.least = logging.INFO
    log.configure = _configure


def discard_unwritten() -> None:
    """Drop what standard error could not take; otherwise Python tries again at its end, and exits
    with 120."""
    if not isinstance(sys.stderr, io.TextIOWrapper):
        return  # it was closed before we started
    try:
        sys.stderr.flush()
    except OSError:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stderr.fileno())


def _configure() -> None:
    import structlog  # with the first event, see contest.util.log
    from structlog.dev import ConsoleRenderer, plain_traceback

    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(log.least),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            # Richer tracebacks show local variables, and with them letters and their secrets.
            ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain_traceback),
        ],
    )
