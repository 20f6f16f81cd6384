"""The IMAP mailbox that the settings name, for `serve` and `doctor`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from contest.config.settings import Settings
from contest.errors import ConfigError
from mailserver.intake.accept import AcceptFound
from mailserver.intake.imap import Failures, Mailbox
from mailserver.oauth import AccessToken


def mailbox_of(
    settings: Settings, path: Path, accept: AcceptFound, alarm: Callable[[str], object]
) -> Callable[[], Mailbox]:
    """Return a function that connects anew at each call, but keeps the access token and the failures.

    Raises ConfigError if the settings have nothing to log in with.
    """
    if settings.imap.login == "password" and not settings.imap.password:
        raise ConfigError("imap.password is empty", hint="give it as KNOBELN_SET_IMAP__PASSWORD")
    if settings.imap.login != "password" and not settings.oauth.is_set:
        raise ConfigError(
            "imap.login wants an access token: set oauth.token_command, or oauth.token_url, client_id and "
            "refresh_token"
        )
    token = AccessToken(settings.oauth, path) if settings.imap.login != "password" else None
    failures: Failures = Counter()
    ours = (settings.contest.address, *settings.contest.aliases) if settings.imap.shared else ()
    most = settings.max_team_letter_bytes
    return lambda: Mailbox(settings.imap, most, accept, alarm, token, failures, ours)
