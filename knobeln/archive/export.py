"""Makes the archive of a contest from the database, and the parts of an archive that follow from
others."""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from compiler.builders import builder_of
from compiler.builders.base import ProgramBuilder
from contest import __version__
from contest.archive import files
from contest.archive.contents import (
    MAX_TEXT_BYTES,
    Archive,
    ArchivedEntry,
    ArchivedList,
    ContestFacts,
    Counted,
    Decisions,
    LedgerFacts,
    PlayedAgain,
    Program,
    Seal,
    TakenOut,
    public,
    seed_of,
    settings_of,
    to_files,
)
from contest.archive.files import shown
from contest.config.settings import Settings, published_settings
from contest.errors import Differs, NotNow, ToolMissing
from contest.games.registry import rules_text
from contest.ledger.notes import in_base64
from contest.ledger.receipts import bounds_of
from contest.model import Entry, Team
from contest.schema.sections import Role
from contest.seeds import Seeds
from contest.store import (
    Transaction,
    contest_state,
    decisions,
    entry_lists,
    ledger,
    results,
    submissions,
)
from contest.store.results import Games
from contest.store.submissions import Version
from knobellib.kit_archives import tar_gz
from knobeln.context import ContestContext
from knobeln.season import shows_programs, why_not_out
from mailserver.team_secret import without_strings
from reports.announcement import announcement
from reports.check_page import check_page
from reports.render import Templates
from sandbox.fuel import engine, guests
from sandbox.fuel.program import FuelProgram
from sandbox.sandbox import Sandbox
from tournament.derived_settings import format_of, frozen_settings, is_computed
from tournament.runners import open_runner, runner_of
from tournament.runners.recorded import Asked


# --- from the database ----------------------------------------------------------------------------
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
                ArchivedList(each.at, each.is_final, each.list.entries)
                for each in entry_lists.all_lists(tx)
            ),
        )
    return completed(archive)


def _decisions(tx: Transaction) -> Decisions:
    """Return all decisions, also those about teams that were out before the start and so are no
    entries."""
    out = (
        TakenOut(team, ban.kind, ban.at, ban.lifted_at) for team, ban in decisions.ban_history(tx)
    )
    again = (PlayedAgain(each.round, each.group, each.at) for each in results.all_reruns(tx))
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


def counted_programs(
    digests: Mapping[str, str], builds: Mapping[str, bytes], builder: ProgramBuilder[Any]
) -> Iterator[Counted]:
    """The programs whose time is counted in fuel, and what counts it. `digests`: of the builds, by
    team."""
    for team, digest in digests.items():
        program = builder.load(builds[digest]) if digest in builds else None
        if isinstance(program, FuelProgram):
            module = hashlib.sha256(program.module).hexdigest() if program.module else ""
            note = engine.name() if engine.is_installed() else ""
            yield Counted(team, module, program.guest, program.counter, note)


def check_builds(archive: Archive, builder: ProgramBuilder[Any]) -> None:
    """Raises Differs unless each build is one for the contest's game, under its digest, and the
    programs whose time is counted are those that the archive names."""
    settings = settings_of(archive.contest)
    kind = runner_of(settings)
    for digest, raw in archive.builds.items():
        if hashlib.sha256(raw).hexdigest() != digest:
            raise Differs(f"builds/{shown(digest)} is another build: its sha256 is not its name")
        try:
            build = builder.load(raw)
        except ValueError as error:
            raise Differs(f"builds/{digest} is not a build for this game: {error}") from None
        # We never start a stranger's commands.
        if digest not in kind.computed({digest: raw}, settings):
            raise Differs(f"builds/{digest} is a program whose games cannot be played again")
        if isinstance(build, FuelProgram) and build.to_bytes() != raw:
            raise Differs(f"builds/{digest} is not in the form that knobeln writes")
    digests = {entry.name: entry.build for entry in archive.entries}
    if tuple(counted_programs(digests, archive.builds, builder)) != archive.counted:
        raise Differs("counted.json: the builds tell of other programs whose time is counted")


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
    found: Mapping[str, bytes] = to_files(archive_of(contest))
    whole = {**found, files.MANIFEST: files.manifest_of(found)}
    return tar_gz((tarfile.TarInfo(path), data) for path, data in sorted(whole.items()))


def _why_not_yet(contest: ContestContext) -> str:
    """Why the archive is not to be published; "" if it is."""
    with contest.store.read() as tx:
        if not shows_programs(tx, contest.settings.season):
            return "the season goes on, and its programs are not public yet"
    return why_not_out(contest)


# --- what follows from the rest -------------------------------------------------------------------
def completed(archive: Archive) -> Archive:
    """Add the ranking and the announcement, which follow from the rest, and the page.

    The announcement is in the words of our own templates, so that everybody who has this program
    can make it.
    """
    settings = settings_of(archive.contest)
    ranking = format_of(settings).ranking(archive.history)
    ranked = replace(archive, ranking=ranking, asked=dict(asked(archive)), page=check_page())
    return replace(ranked, announcement=announcement_of(ranked, settings))


def asked(archive: Archive) -> Iterator[tuple[tuple[int, int], str]]:
    """What programs were told in each group, by round and group, in which a browser can ask some
    again."""
    settings, seeds = settings_of(archive.contest), Seeds(seed_of(archive).value)
    counted = {each.team for each in archive.counted}
    digests = {entry.name: entry.build for entry in archive.entries if entry.name in counted}
    for group in (group for outcome in archive.history if counted for group in outcome.groups):
        builds = {
            name: archive.builds[digests[name]] for name in group.plan.members if name in digests
        }
        found = runner_of(settings).asked(group, builds, settings, seeds)
        raw = files.to_json(found, Asked) if found else b""
        # with a larger one the archive would be too large for a browser
        if 0 < len(raw) <= MAX_TEXT_BYTES:
            yield (group.plan.round, group.plan.number), raw.decode()


def interpreters(builds: Mapping[str, bytes], builder: ProgramBuilder[Any]) -> Mapping[str, bytes]:
    """The interpreters that a browser needs for these programs, by sha256, as far as this host has
    them."""
    programs = [
        each for each in map(builder.load, builds.values()) if isinstance(each, FuelProgram)
    ]
    found = {}
    for memory in {each.memory_bytes for each in programs if each.guest == guests.JAVASCRIPT.facts}:
        with suppress(ToolMissing, engine.NotCompiled):
            module = engine.counted_module(
                guests.JAVASCRIPT.module, Sandbox(), memory, is_guest=True
            )
            found[hashlib.sha256(module).hexdigest()] = module
    return found


def announcement_of(archive: Archive, settings: Settings) -> str:
    """Return the text for a public posting, made by our own templates."""
    text = announcement(
        archive.history,
        archive.ranking,
        archive.evolution,
        seed_of(archive),
        {entry.name: entry.prize_field for entry in archive.entries},
        settings,
        Templates(settings, None),
    )
    return f"{text.subject}\n\n{text.body}"
