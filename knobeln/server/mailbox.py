"""Opens the mailbox of a contest, with a password or an access token."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from contest.config.settings import Settings
from contest.errors import ConfigError
from mailserver.intake.accept import AcceptFound
from mailserver.intake.imap import Known, Mailbox
from mailserver.oauth import AccessToken


def mailbox_of(
    settings: Settings, path: Path, accept: AcceptFound, alarm: Callable[[str], object]
) -> Callable[[], Mailbox]:
    """Return a function that connects anew at each call, but keeps the access token and what is
    known of letters.

    Raises ConfigError if the settings have nothing to log in with.
    """
    if not settings.imap.password and not settings.oauth.is_set:
        raise ConfigError(
            "imap.password is empty",
            hint=(
                "give it as KNOBELN_SET_IMAP__PASSWORD, or, for an access token, set"
                " oauth.token_command, or oauth.token_url, client_id and refresh_token"
            ),
        )
    token = None if settings.imap.password else AccessToken(settings.oauth, path)
    known, most = Known(), settings.max_team_letter_bytes
    return lambda: Mailbox(
        settings.imap,
        max_bytes=most,
        accept=accept,
        alarm=alarm,
        token=token,
        known=known,
        contest=settings.contest,
    )
