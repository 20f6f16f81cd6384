"""A contest as an archive: what is taken out of the database, and what an archive's announcement says."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from compiler.builders import builder_of
from compiler.builders.base import ProgramBuilder
from compiler.source import strip_secret
from contest import __version__
from contest.archive.contents import (
    Archive,
    ArchivedEntry,
    ContestFacts,
    Decisions,
    PlayedAgain,
    Program,
    TakenOut,
    public,
    published_settings,
    settings_of,
    team_of,
)
from contest.archive.files import shown
from contest.config.settings import Settings
from contest.errors import Differs, GiveUp, NotNow
from contest.games.base import MACHINE, GameInfo
from contest.games.registry import game_of, rules_text
from contest.model import Entry, RoundOutcome, Submission, Team
from contest.seeds import Seeds
from contest.store import Transaction, decisions, submissions, teams
from contest.store import contest_state as contest_store
from contest.store import results as result_store
from contest.store.results import Games
from contest.store.submissions import Version
from knobeln.context import ContestContext
from mailserver.team_secret import ALPHABET, GROUP_SIZE, GROUPS
from reports.announcement import announcement
from reports.render import Templates
from tournament.derived_settings import format_of, is_computed
from tournament.runners import open_runner
from tournament.statistics import score_table

_GROUP = f"[{ALPHABET}]{{{GROUP_SIZE}}}"
_STRING = re.compile(rf"(?={_GROUP}((?:-{_GROUP}){{{GROUPS - 1}}}))")
_LENGTH = GROUPS * (GROUP_SIZE + 1) - 1


# --- authentification strings ------------------------------------------------------------------------------
def blanked(text: str, secrets: frozenset[str]) -> str:
    """The text with every authentification string blanked that has one of these sha256 digests; its length
    stays. They may stand elsewhere than in the `<<FROM>>` line."""
    for match in _STRING.finditer(text):
        start, end = match.start(), match.start() + _LENGTH
        if hashlib.sha256(text[start:end].encode()).hexdigest() in secrets:
            text = text[:start] + " " * _LENGTH + text[end:]
    return text


def _blanked_bytes(data: bytes, secrets: frozenset[str]) -> bytes:
    return blanked(data.decode("latin-1"), secrets).encode("latin-1")


# --- from the database -------------------------------------------------------------------------------------
def archive_of(folder: ContestContext) -> Archive:
    """The archive of a finished contest. Raises NotNow before its end; GiveUp where a program cannot be
    published."""
    settings = folder.settings
    with folder.store.read() as tx:
        state = contest_store.state(tx)
        if state.started_at is None or state.finished_at is None:
            raise NotNow("the contest is not finished, so there is nothing to publish yet")
        machine = _info(settings).play == MACHINE
        rounds = result_store.finished_rounds(tx, Games.WITH_MOVES)
        playing = submissions.participants(tx)
        entries = {entry.name: entry for entry in submissions.all_entries(tx)}
        secrets = teams.auth_digests(tx)
        sent = {
            name: _published(entry, submissions.entered(tx, entry), playing[name], settings, secrets)
            for name, entry in entries.items()
        }
        archive = Archive(
            contest=ContestFacts(
                written_by=__version__,
                started_at=state.started_at,
                finished_at=state.finished_at,
                seed=state.seed.hex(),
                seed_commitment=Seeds(state.seed).commitment,
                settings=published_settings(settings),
            ),
            entries=tuple(entry for entry, _ in sent.values()),
            decisions=_decisions(tx, entries),
            programs={name: program for name, (_, program) in sent.items()},
            builds=_builds(tx, entries, secrets) if is_computed(settings) else {},
            history=tuple(public(outcome, with_reasons=machine) for outcome in rounds),
            ranking=(),
            evolution=result_store.get_evolution(tx),
            replays=result_store.get_final_replays(tx),
            scores={},
            rules=rules_text(settings.game.name),
            announcement="",
        )
    return completed(archive)


def _decisions(tx: Transaction, entries: Container[str]) -> Decisions:
    """Of those who took part: who was out before the start, and not back, is in no archive."""
    bans = decisions.ban_history(tx)
    out = (TakenOut(name, ban.kind, ban.at, lifted) for name, ban, lifted in bans if name in entries)
    again = (PlayedAgain(each.round, each.group, each.at) for each in result_store.all_reruns(tx))
    return Decisions(tuple(out), tuple(again))


def _info(settings: Settings) -> GameInfo:
    return game_of(settings.game, settings.programs).info


def _entry(entry: Entry, version: Version, team: Team, settings: Settings) -> ArchivedEntry:
    registration, report = team.registration, version.report
    return ArchivedEntry(
        name=entry.name,
        organization=registration.organization,
        members=tuple(member.name for member in registration.members),
        prize_field=registration.field(settings.teams.prizes_by) if settings.teams.prizes_by else "",
        program=version.submission.program,
        language=report.language if report else "",
        tool=report.tool if report else "",
        build=entry.image_digest,
    )


def _published(
    entry: Entry, version: Version, team: Team, settings: Settings, secrets: frozenset[str]
) -> tuple[ArchivedEntry, Program]:
    """What is told of an entry, and its program."""
    builder = builder_of(settings, open_runner)
    return _entry(entry, version, team, settings), _program(version.submission, secrets, builder)


def _program(sent: Submission, secrets: frozenset[str], builder: ProgramBuilder[Any]) -> Program:
    public = builder.published_files(sent.files)
    files = {name: _blanked_bytes(data, secrets) for name, data in public.items()}
    return Program(files, builder.description(files, blanked(strip_secret(sent.description), secrets)))


def _builds(tx: Transaction, entries: Mapping[str, Entry], secrets: frozenset[str]) -> Mapping[str, bytes]:
    builds = submissions.load_images(tx, [entry.image_digest for entry in entries.values()])
    for name, entry in entries.items():
        if _blanked_bytes(builds[entry.image_digest], secrets) != builds[entry.image_digest]:
            raise GiveUp(
                f"the program of {name} has an authentification string in its code, not in a comment: taken "
                "out, it would be another program. Give that team another string first"
            )
    return builds


def must_be_builds(builds: Mapping[str, bytes], settings: Settings) -> None:
    """Raises Differs for something else than builds for the contest's game, each under its digest."""
    builder = builder_of(settings, open_runner)
    for digest, raw in builds.items():
        if hashlib.sha256(raw).hexdigest() != digest:
            raise Differs(f"builds/{shown(digest)} is another build: its sha256 is not its name")
        try:
            builder.load(raw)
        except ValueError as error:
            raise Differs(f"builds/{digest} is no build for this game: {error}") from None


# --- what follows from the rest ----------------------------------------------------------------------------
def completed(archive: Archive) -> Archive:
    """With the ranking, the score matrices and the announcement that follow from the rest.

    The announcement is in our words, so that everybody who has this program can make the same."""
    settings = settings_of(archive.contest)
    ranking = format_of(settings).ranking(archive.history)
    ranked = replace(archive, ranking=ranking, scores=scores_of(archive.history, settings))
    return replace(ranked, announcement=announced(ranked, settings))


def scores_of(history: Sequence[RoundOutcome], settings: Settings) -> Mapping[tuple[int, int], str]:
    """The score matrix of every group whose games are of two, as CSV, by round and group."""
    info = game_of(settings.game, settings.programs).info
    return {
        (outcome.plan.number, group.plan.number): score_table(group, info.point)
        for outcome in history
        for group in outcome.groups
        if info.max_seats == 2 and group.plan.pairings
    }


def announced(archive: Archive, settings: Settings) -> str:
    """The text for a public posting, by our templates."""
    at = archive.contest.started_at
    playing = {entry.name: team_of(entry, settings, at) for entry in archive.entries}
    words = announcement(
        archive.history,
        archive.ranking,
        archive.evolution,
        bytes.fromhex(archive.contest.seed),
        playing,
        settings,
        Templates(settings, None),
    )
    return f"{words.subject}\n\n{words.body}"
