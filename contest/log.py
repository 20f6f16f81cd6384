"""What the program says of its work, and how urgent it is. In which form, `knobeln/log_setup.py` knows."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any


class LazyLogger:
    """Where all say it. structlog is imported with the first word: it takes a tenth of a second, and most
    commands say nothing. `prepare` is called before the next word; what is below `least` is not said."""

    def __init__(self) -> None:
        self.least = logging.INFO
        self.prepare: Callable[[], None] | None = None

    def info(self, event: str, /, **facts: Any) -> None:
        self._say("info", logging.INFO, event, facts)

    def warning(self, event: str, /, **facts: Any) -> None:
        self._say("warning", logging.WARNING, event, facts)

    def error(self, event: str, /, **facts: Any) -> None:
        self._say("error", logging.ERROR, event, facts)

    def exception(self, event: str, /, **facts: Any) -> None:
        """An error, with the traceback of what is being handled."""
        self._say("exception", logging.ERROR, event, facts)

    def _say(self, method: str, level: int, event: str, facts: dict[str, Any]) -> None:
        if level < self.least:
            return
        import structlog

        if self.prepare:
            self.prepare()
            self.prepare = None
        getattr(structlog.get_logger(), method)(event, **facts)


log = LazyLogger()
