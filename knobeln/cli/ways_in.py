"""The ways in that the settings ask for: made for `serve`, and looked at by `doctor`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from knobeln.cli.folder import ContestFolder
from mailserver.intake.accept import AcceptFound
from mailserver.intake.imap import Failures, Mailbox
from mailserver.intake.maildir import Maildir
from mailserver.oauth import AccessToken


def maildir_of(folder: ContestFolder, accept: AcceptFound) -> Maildir:
    settings = folder.settings
    return Maildir(settings.pickup, folder.path, settings.mail.max_letter_bytes, accept)


def mailbox_of(
    folder: ContestFolder, accept: AcceptFound, alarm: Callable[[str], object]
) -> Callable[[], Mailbox]:
    """Connects anew at each call, and remembers from one to the next what has to be remembered."""
    settings = folder.settings
    token = AccessToken(settings.oauth, folder.path) if settings.imap.login != "password" else None
    failures: Failures = Counter()
    return lambda: Mailbox(settings.imap, settings.mail.max_letter_bytes, accept, alarm, token, failures)
