"""What the program says of its work on standard error: lines for people, or JSON for other programs."""

from __future__ import annotations

import logging
import sys

import structlog
from structlog.typing import Processor

from knobeln.config import Log


def begin() -> None:
    """For people, until the settings are known."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    use(Log())


def use(settings: Log) -> None:
    """From now on in this form."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *(_as_json() if settings.format == "json" else _for_people()),
        ]
    )


# Plain tracebacks: richer ones show local variables, and with them letters and their secrets.
def _for_people() -> list[Processor]:
    return [
        structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    ]


def _as_json() -> list[Processor]:
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(default=str)]
