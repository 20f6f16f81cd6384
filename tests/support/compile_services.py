"""The compile service of a contest, with the mails that it writes."""

from typing import Any

from compiler.repeated_failures import EngineFailures
from compiler.service import CompileService
from contest.config.settings import Settings
from contest.interfaces.protocols import Renderer
from contest.util.clock import Clock
from store import Store


def compile_service(
    store: Store, settings: Settings, clock: Clock, builder: Any, templates: Renderer
) -> CompileService:
    return CompileService(
        store,
        settings,
        clock,
        builder,
        templates,
        engine_failures(store, settings, clock, templates),
    )


def engine_failures(
    store: Store, settings: Settings, clock: Clock, templates: Renderer | None
) -> EngineFailures:
    """Failures of an engine that works with other programs. `templates`: None where nobody is
    told."""
    return EngineFailures(store, settings, clock, templates, lambda: True)
