"""Publishes a finished contest as an archive."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from contest.archive import contents, files
from contest.clock import TIME_FORMAT
from contest.errors import NotNow
from contest.model import OutboxState
from contest.store import outbox, results
from knobeln.contest_day.export import archive_of
from knobeln.context import ContestContext


class Published(NamedTuple):
    """An archive that was written: the number of its programs, and its digest."""

    programs: int
    digest: str


def publish(contest: ContestContext, folder: Path, *, early: bool) -> Published:
    """Write the archive to the new folder.

    Raises NotNow before the results are out, unless `early`.
    """
    archive = archive_of(contest)
    reason = None if early else _why_not_yet(contest)
    if reason:
        raise NotNow(reason, hint="--early publishes now")
    return Published(len(archive.entries), files.write(folder, contents.to_files(archive)))


def packed(contest: ContestContext) -> bytes | None:
    """The archive as one file, .tar.gz; None as long as it is not to be published.

    The same contest always gives the same bytes.
    """
    if _why_not_yet(contest):
        return None
    found: Mapping[str, bytes] = contents.to_files(archive_of(contest))
    target = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=target, mode="wb", filename="", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for path, data in sorted({**found, files.MANIFEST: files.manifest_of(found)}.items()):
            member = tarfile.TarInfo(path)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return target.getvalue()


def _why_not_yet(contest: ContestContext) -> str | None:
    with contest.store.read() as tx:
        waiting = results.unreported_rounds(tx)
        held = outbox.listing(tx, state=OutboxState.HELD, to=None, count=1)
    published = contest.settings.dates.results_published
    if waiting:
        return f"the summary of round {waiting[0]} has not gone out"
    if held:
        return f"mails to teams are held ({held[0].kind})"
    if contest.clock.now() < published:
        return f"the results are to be published on {published:{TIME_FORMAT}}"
    return None
