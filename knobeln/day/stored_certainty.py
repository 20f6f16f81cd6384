"""How sure the ranking of a contest is: as the contest day has stored it, or by any number of contests."""

from __future__ import annotations

from contest.errors import NotFound, NotNow
from contest.interfaces.protocols import ProgressCallback, no_progress
from contest.model import Certainty, Phase
from contest.seeds import Seeds
from contest.store import contest_state, results, submissions
from contest.store.results import Games
from knobeln.context import ContestContext
from tournament.certainty import WORTHWHILE_CONTESTS, certainty, default_contests, why_unknown
from tournament.derived_settings import format_of, frozen_settings
from tournament.field import field_of
from tournament.runners import open_runner


def certainty_of(
    contest: ContestContext, contests: int | None, progress: ProgressCallback = no_progress
) -> Certainty:
    """How sure the ranking is, by so many contests. None: as the summary said, or by the usual number.

    Stores nothing. Raises NotNow before the contest's end, NotFound if nobody can tell.
    """
    with contest.store.read() as tx:
        state = contest_state.state(tx)
        if state.phase is not Phase.FINISHED:
            raise NotNow("the contest is not finished, so there is no ranking yet")
        settings = frozen_settings(contest_state.started_settings(tx), contest.settings)
        stored = results.get_certainty(tx)
        if stored and contests in (None, stored.contests):
            return stored
        history = results.finished_rounds(tx, Games.ALL)
        digests = {entry.name: entry.image_digest for entry in submissions.all_entries(tx)}
        field = field_of(settings, format_of(settings), digests, Seeds(state.seed.value), history)
        images = submissions.load_images(tx, tuple(field.images.values()))
        if reason := why_unknown(settings, images):
            raise NotFound(reason)
    with open_runner(images, settings, field.seeds, progress) as runner:
        contests = contests or default_contests(field, history) or WORTHWHILE_CONTESTS
        return certainty(field, history, contests, runner)
