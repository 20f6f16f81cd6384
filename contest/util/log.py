"""The shared logger. `knobeln/log_setup.py` decides the form of its lines."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any


class LazyLogger:
    """Forwards events to structlog, which is imported with the first event.

    The import takes 0.13 s, twice as long as all of `knobeln --version`, and most commands log
    nothing. Events below `least` are dropped. `configure` is called once, before the next event.
    Nothing here raises: our work must not depend on whether its log can be written.
    """

    def __init__(self) -> None:
        self.least = logging.INFO
        self.configure: Callable[[], None] | None = None

    def info(self, event: str, /, **facts: Any) -> None:
        self._log("info", logging.INFO, event, facts)

    def warning(self, event: str, /, **facts: Any) -> None:
        self._log("warning", logging.WARNING, event, facts)

    def error(self, event: str, /, **facts: Any) -> None:
        self._log("error", logging.ERROR, event, facts)

    def exception(self, event: str, /, **facts: Any) -> None:
        """Log an error with the traceback of the exception that is being handled."""
        self._log("exception", logging.ERROR, event, facts)

    def _log(self, method: str, level: int, event: str, facts: dict[str, Any]) -> None:
        if level < self.least:
            return
        with suppress(Exception):
            import structlog

            if self.configure:
                self.configure()
                self.configure = None
            getattr(structlog.get_logger(), method)(event, **facts)


log = LazyLogger()
