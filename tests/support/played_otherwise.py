"""Plays the contest of an archive without a team, or by another number, as the tournament does: no
result of the archive is used."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from contest.model import RoundOutcome, Standing
from contest.seeds import Seeds
from tests.support.check_page import Change
from tournament.derived_settings import format_of
from tournament.field import Field
from tournament.rounds import rounds
from tournament.runners import open_runner
from trust.archive.contents import Archive, seed_of, settings_of


def played_otherwise(
    archive: Archive, change: Change, banned: Collection[str] = ()
) -> Sequence[Standing]:
    """The ranking. `banned`: after the first draw."""
    settings, seed = settings_of(archive.contest), seed_of(archive)
    if change.number:
        seed = replace(seed, number=change.number.encode())
    seeds = Seeds(seed.value)
    images = {entry.name: entry.build for entry in archive.entries if entry.name != change.leftOut}
    field = Field(settings, format_of(settings), images, seeds)
    history: list[RoundOutcome] = []
    with open_runner(archive.builds, settings, seeds) as runner:
        for plan in rounds(field.format, tuple(images), seeds, history, lambda: banned):
            groups = tuple(
                field.play_group(group, plan.final, runner, banned=frozenset(banned))
                for group in plan.groups
            )
            history.append(RoundOutcome(plan, groups))
    return field.format.ranking(history)
