"""The log on standard error: lines for people, or JSON for other programs."""

from __future__ import annotations

import io
import logging
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from contest.log import log

if TYPE_CHECKING:  # structlog is imported with the first event, see contest.log
    from structlog.typing import Processor

    from contest.config.sections import Log


def begin() -> None:
    """Log for people, until the settings are known."""
    log.least = logging.INFO
    log.configure = partial(_configure, as_json=False)


def use(settings: Log) -> None:
    """Log from now on in the form that the settings want."""
    log.configure = partial(_configure, as_json=settings.format == "json")


def discard_unwritten() -> None:
    """Drop what standard error could not take: Python would try again at its end, and exit with 120."""
    if not isinstance(sys.stderr, io.TextIOWrapper):
        return  # it was closed before we started
    try:
        sys.stderr.flush()
    except OSError:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stderr.fileno())


def _configure(*, as_json: bool) -> None:
    import structlog

    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(log.least),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *(_as_json() if as_json else _for_people()),
        ],
    )


# Plain tracebacks: richer ones show local variables, and with them letters and their secrets.
def _for_people() -> list[Processor]:
    from structlog.dev import ConsoleRenderer, plain_traceback

    return [ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain_traceback)]


def _as_json() -> list[Processor]:
    from structlog.processors import JSONRenderer, format_exc_info

    return [format_exc_info, JSONRenderer(default=str)]
