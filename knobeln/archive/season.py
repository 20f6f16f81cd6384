"""The archive of a season: those of its tournaments, each in a folder of its own, and the season's
table.

season.json           the digests of the archives, and the table
tournament-NUMBER/    the archive of this tournament
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from contest.errors import Differs, GiveUp, NotNow
from contest.model import SeasonTable
from contest.seeds import MAX_TOURNAMENTS
from contest.util.folders import new_public_file
from knobeln.archive.export import archive_of
from knobeln.context import ContestContext
from store import contest_state
from tournament.certainty import places
from tournament.derived_settings import format_of
from tournament.runners import open_runner
from tournament.season import Played, season_table
from trust.archive import files
from trust.archive.contents import Archive, settings_of, to_files
from trust.verify_entries import Verified
from trust.verify_limits import MAX_BUILD_BYTES, OutOfTimeError, memory_limit, time_limit

USUAL_SECONDS = 600.0  # for the season's table
SEASON = "season.json"


@dataclass(frozen=True)
class SeasonFacts:
    """What season.json has. `archives`: the digests of the tournaments' archives, in their
    order."""

    archives: tuple[str, ...]
    table: SeasonTable


def folder_of(season: Path, number: int) -> Path:
    return season / f"tournament-{number}"


def publish_season(contest: ContestContext, folder: Path) -> str:
    """Write the archive of a season that is over to the new folder; return its digest.

    Raises NotNow before the season's end, GiveUp if the folder is there.
    """
    with contest.store.read() as tx:
        table = contest_state.get_season(tx)
    if table is None:
        raise NotNow("the season is not over", hint="--tournament publishes one of its tournaments")
    if folder.exists():
        raise GiveUp(f"{folder} is there already", hint="an archive is written to a new folder")
    digests = []
    for number in range(1, table.tournaments + 1):
        archive = archive_of(ContestContext.open(contest.path, number))
        digests.append(files.write(folder_of(folder, number), to_files(archive)))
    raw = files.to_json(SeasonFacts(tuple(digests), table), SeasonFacts)
    with new_public_file(folder / SEASON) as file:  # the last, so that half a season is none
        file.write(raw)
    return hashlib.sha256(raw).hexdigest()


def read_season(folder: Path, digest: str | None) -> tuple[SeasonFacts, str]:
    """What season.json says, and its digest. Raises Differs unless that is `digest`, if one is
    given."""
    raw = files.read_alone(folder / SEASON)
    own_digest = hashlib.sha256(raw).hexdigest()
    if digest is not None and own_digest != digest.strip().lower():
        raise Differs(
            f"this is another season: the sha256 of its {SEASON} is {own_digest}, not"
            f" {files.shown(digest)}"
        )
    facts = files.from_json(raw, SeasonFacts, SEASON)
    if not 1 <= len(facts.archives) <= MAX_TOURNAMENTS:
        raise Differs(f"{SEASON} has {len(facts.archives)} archives")
    return facts, own_digest


def check_season(
    folder: Path,
    facts: SeasonFacts,
    check: Callable[[Path, str], Archive],
    result: Verified,
    seconds: float = USUAL_SECONDS,
) -> None:
    """Check each tournament with `check`, which takes its folder and its digest, and then the
    table.

    The latter takes at most `seconds`; `result` gets what was checked beyond the tournaments, and
    what was not. Raises Differs, naming the first difference.
    """
    first: Archive | None = None
    images: dict[str, bytes] = {}
    tournaments: list[Played] = []
    for number, digest in enumerate(facts.archives, start=1):
        try:
            archive = check(folder_of(folder, number), digest)
            first = first or archive
            _must_follow(archive, first, number)
        except Differs as error:
            error.message = f"tournament {number}: {error.message}"
            raise
        settings = settings_of(archive.contest)
        builds = {entry.name: entry.build for entry in archive.entries}
        tournaments.append(Played(places(format_of(settings), archive.history), builds))
        images |= archive.builds
        if sum(map(len, images.values())) > MAX_BUILD_BYTES:
            raise Differs(f"its programs have more than {MAX_BUILD_BYTES:,} bytes together")
    if settings.season.tournaments != len(facts.archives):
        raise Differs(f"{SEASON}: the season has {settings.season.tournaments} tournaments")
    try:
        with memory_limit(), time_limit(seconds):
            table = season_table(tournaments, images, settings, open_runner)
    except OutOfTimeError:
        result.missed.append(
            f"the season's table: the time was up after {seconds / 60:,.1f} minutes; `--minutes`"
            " allows more"
        )
        return
    claimed = facts.table
    if table.unknown and not claimed.unknown:
        result.missed.append(f"the strengths of the versions: {table.unknown}")
        claimed = _without_strengths(claimed, table.unknown)
    for claim, line in zip(claimed.lines, table.lines, strict=False):
        if claim != line:
            raise Differs(f"{SEASON}: it says {files.shown(claim)}, but {line} follows")
    if claimed != table:
        raise Differs(
            f"{SEASON}: it has {len(claimed.lines)} teams and {claimed.games} games, but "
            f"{len(table.lines)} and {table.games} follow"
        )
    result.checked.append(f"the season's table follows from its {table.tournaments} tournaments")
    if table.games:
        result.checked.append(
            f"{table.games:,} games of {table.versions:,} versions: the same strengths"
        )


def _without_strengths(table: SeasonTable, why: str) -> SeasonTable:
    """The table where nobody can know how strong the versions are."""
    lines = tuple(
        replace(line, strengths=(None,) * len(line.strengths), strength=None, gain=None)
        for line in table.lines
    )
    return replace(table, games=0, unknown=why, lines=lines)


def _must_follow(archive: Archive, first: Archive, number: int) -> None:
    """Raises Differs unless it is this tournament of the season that the first one belongs to."""
    if archive.contest.tournament != number:
        raise Differs(f"contest.json: this is tournament {archive.contest.tournament}")
    same = archive.letters == first.letters and archive.ledger == first.ledger
    if not same or archive.contest.seed_commitment != first.contest.seed_commitment:
        raise Differs("it has another ledger or secret number than tournament 1")
