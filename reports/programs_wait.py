"""The mail to the organizer about programs that wait because this host cannot build their language."""

from __future__ import annotations

from contest.config.settings import Settings
from contest.interfaces.protocols import Renderer
from contest.model import Outgoing


def programs_wait(
    key: str, language: str, reason: str, *, settings: Settings, templates: Renderer
) -> Outgoing:
    """The mail with this key. `reason`: why this host cannot."""
    text = templates.render("programs_wait", language=language, reason=reason)
    return Outgoing(key, "programs_wait", settings.contest.organizer_address, text.subject, text.body)
