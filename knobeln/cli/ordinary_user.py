"""Commands that meet letters and programs of strangers do not do so as root."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from contest.util.log import log
from knobeln import privileges
from knobeln.cli.answers import is_quiet
from knobeln.cli.contest_option import contest_path, open_contest, use_contest
from knobeln.context import ContestContext
from reports.kinds import check_offered
from sandbox import groups, leftovers


def open_as_ordinary_user(
    before: Callable[[Path], None] = lambda folder: None, *, quiet: bool = False
) -> ContestContext:
    """Open the contest; if root has started us, as the user who owns its folder, or the user
    `knobeln`.

    `before` is called while we are still root, if we do not stay root. `quiet`: do not log what we
    do, as with -q and --json.
    """
    quiet = quiet or is_quiet()
    folder = contest_path().absolute()
    user = privileges.user_for(folder)
    if isinstance(user, privileges.User):
        use_contest(folder)
        before(folder)
        leftovers.sweep()  # also what we made as root, which the user could not end
        groups.sweep()
        privileges.become(user, folder)
    contest = open_contest()
    check_offered(contest.settings.reports)
    if isinstance(user, privileges.User) and not quiet:
        log.info("root has started us; we go on as an ordinary user", user=user.name)
    elif user is not None and not quiet:
        log.warning(
            "Running as root. Better: `chown -R USER` the contest, and start as USER", why=user
        )
    return contest
