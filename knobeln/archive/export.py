"""Makes the archive of a contest from the database."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compiler.builders import builder_of
from compiler.builders.base import ProgramBuilder
from contest import __version__
from contest.config.settings import Settings, published_settings
from contest.errors import NotNow
from contest.games.registry import rules_text
from contest.ledger.notes import in_base64
from contest.ledger.receipts import bounds_of
from contest.model import Entry, Team
from contest.schema.sections import Role
from knobellib.kit_archives import tar_gz
from knobeln.context import ContestContext
from knobeln.season import shows_programs, why_not_out
from mailserver.team_secret import without_strings
from store import (
    Transaction,
    contest_state,
    decisions,
    entry_lists,
    ledger,
    results,
    submissions,
)
from store.results import Games
from store.submissions import Version
from tournament.derived_settings import frozen_settings, is_computed
from tournament.runners import open_runner, runner_of
from trust.archive import files
from trust.archive.contents import (
    Archive,
    ArchivedEntry,
    ArchivedList,
    ContestFacts,
    Decisions,
    LedgerFacts,
    PlayedAgain,
    Program,
    Seal,
    TakenOut,
    public,
    to_files,
)
from trust.derived import completed, counted_programs, interpreters


def archive_of(contest: ContestContext) -> Archive:
    """Make the archive of a finished contest.

    Raises NotNow before its end.
    """
    with contest.store.read() as tx:
        state = contest_state.state(tx)
        if state.started_at is None or state.finished_at is None:
            raise NotNow("the contest is not finished, so there is nothing to publish yet")
        # Title and dates may have changed since the start, but what was frozen with the lists
        # counts.
        started = contest_state.started_settings(tx)
        settings = frozen_settings(started, contest.settings, (Role.TOLD, Role.DECIDES))
        builder = builder_of(settings, open_runner)
        rounds = results.finished_rounds(tx, Games.WITH_MOVES)
        playing = submissions.participants(tx)
        entries = {entry.name: entry for entry in submissions.all_entries(tx)}
        entered = {name: submissions.entered(tx, entry) for name, entry in entries.items()}
        programs = {name: _program(version, builder) for name, version in entered.items()}
        digests = {name: entry.image_digest for name, entry in entries.items()}
        letters = tuple(ledger.entries(tx))
        first, end = bounds_of(letters, state.number)
        checkpoint, signed = ledger.signed_state(tx)
        key, root, signature = map(in_base64, (ledger.public_key(tx).key, checkpoint.root, signed))
        images = submissions.load_images(tx, tuple(digests.values()))
        # only these games can be played again
        computed = runner_of(settings).computed(images, settings)
        builds = {digest: build for digest, build in images.items() if digest in computed}
        archive = Archive(
            contest=ContestFacts(
                written_by=__version__,
                tournament=state.number,
                started_at=state.started_at,
                finished_at=state.finished_at,
                seed=state.seed.secret.hex(),
                seed_commitment=state.seed.commitment,
                settings=published_settings(settings),
            ),
            entries=tuple(
                _entry(entry, entered[name], playing[name], settings)
                for name, entry in entries.items()
            ),
            decisions=_decisions(tx),
            programs=programs,
            builds=builds,
            history=tuple(
                public(outcome, with_reasons=is_computed(settings)) for outcome in rounds
            ),
            ranking=(),
            evolution=results.get_evolution(tx),
            certainty=results.get_certainty(tx),
            asked={},
            guests=interpreters(builds, builder),
            rules=rules_text(settings.game.name),
            announcement="",
            counted=tuple(counted_programs(digests, builds, builder)),
            time_changes=decisions.time_changes(tx),
            ledger=LedgerFacts(key, checkpoint.size, root, signature),
            letters=letters,
            cosignatures=tuple(
                note for n, note in ledger.cosigned_notes(tx).items() if first < n <= end
            ),
            seal=Seal.of(state.seed, contest_state.number(tx)),
            entry_lists=tuple(
                ArchivedList(listing.at, listing.is_final, listing.list.entries)
                for listing in entry_lists.all_lists(tx)
            ),
        )
    return completed(archive)


def _decisions(tx: Transaction) -> Decisions:
    """Return all decisions, also those about teams that were out before the start and so are no
    entries."""
    out = (
        TakenOut(team, ban.kind, ban.at, ban.lifted_at) for team, ban in decisions.ban_history(tx)
    )
    again = (PlayedAgain(rerun.round, rerun.group, rerun.at) for rerun in results.all_reruns(tx))
    return Decisions(tuple(out), tuple(again))


def _entry(entry: Entry, version: Version, team: Team, settings: Settings) -> ArchivedEntry:
    registration, report = team.registration, version.report
    return ArchivedEntry(
        name=entry.name,
        organization=registration.organization,
        members=tuple(member.name for member in registration.members),
        prize_field=registration.field(settings.teams.prizes_by)
        if settings.teams.prizes_by
        else "",
        program=version.submission.program,
        language=report.language if report else "",
        tool=report.tool if report else "",
        build=entry.image_digest,
    )


def _program(version: Version, builder: ProgramBuilder[Any]) -> Program:
    submission = version.submission
    own = builder.published_files(submission.files)
    return Program(own, builder.description(own, without_strings(submission.description)))


def publish(contest: ContestContext, folder: Path, *, early: bool) -> tuple[Archive, str]:
    """Write the archive of a finished contest to the new folder. Returns the archive and its
    digest.

    Raises NotNow before the results are out, unless `early`.
    """
    archive = archive_of(contest)
    if not early and (reason := _why_not_yet(contest)):
        raise NotNow(reason, hint="--early publishes now")
    return archive, files.write(folder, to_files(archive))


def packed(contest: ContestContext) -> bytes | None:
    """The archive as one file, .tar.gz; None as long as it is not to be published.

    The same contest always gives the same bytes.
    """
    if _why_not_yet(contest):
        return None
    contents: Mapping[str, bytes] = to_files(archive_of(contest))
    whole = {**contents, files.MANIFEST: files.manifest_of(contents)}
    return tar_gz((tarfile.TarInfo(path), data) for path, data in sorted(whole.items()))


def _why_not_yet(contest: ContestContext) -> str:
    """Why the archive is not to be published; "" if it is."""
    with contest.store.read() as tx:
        if not shows_programs(tx, contest.settings.season):
            return "the season goes on, and its programs are not public yet"
    return why_not_out(contest)
