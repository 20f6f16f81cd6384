"""Makes the parts of an archive that follow from its other parts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any

from compiler.builders.base import ProgramBuilder
from contest.config.settings import Settings
from contest.errors import Differs, ToolMissing
from contest.seeds import Seeds
from reports.announcement import announcement
from reports.render import Templates
from sandbox.fuel import engine, guests
from sandbox.fuel.program import FuelProgram
from sandbox.sandbox import Sandbox
from tournament.derived_settings import format_of
from tournament.runners import runner_of
from tournament.runners.recorded import Asked
from trust.archive import files
from trust.archive.contents import MAX_TEXT_BYTES, Archive, Counted, seed_of, settings_of
from trust.archive.files import shown
from trust.check_page import checkers


def completed(archive: Archive) -> Archive:
    """Add the ranking and the announcement, which follow from the rest, and what checks it.

    The announcement is in the words of our own templates, so that everybody who has this program
    can make it.
    """
    settings = settings_of(archive.contest)
    ranking = format_of(settings).ranking(archive.history)
    ranked = replace(archive, ranking=ranking, asked=dict(asked(archive)), checkers=checkers())
    return replace(ranked, announcement=announcement_of(ranked, settings))


def asked(archive: Archive) -> Iterator[tuple[tuple[int, int], str]]:
    """What programs were told in each group, by round and group, in which a browser can ask some
    again."""
    settings, seeds = settings_of(archive.contest), Seeds(seed_of(archive).value)
    counted = {entry.team for entry in archive.counted}
    if not counted:
        return
    digests = {entry.name: entry.build for entry in archive.entries if entry.name in counted}
    for group in chain.from_iterable(outcome.groups for outcome in archive.history):
        builds = {
            name: archive.builds[digests[name]] for name in group.plan.members if name in digests
        }
        questions = runner_of(settings).asked(group, builds, settings, seeds)
        raw = files.to_json(questions, Asked) if questions else b""
        # with a larger one the archive would be too large for a browser
        if 0 < len(raw) <= MAX_TEXT_BYTES:
            yield (group.plan.round, group.plan.number), raw.decode()


def interpreters(builds: Mapping[str, bytes], builder: ProgramBuilder[Any]) -> Mapping[str, bytes]:
    """The interpreters that a browser needs for these programs, by sha256, as far as this host has
    them."""
    programs = [
        program
        for program in map(builder.load, builds.values())
        if isinstance(program, FuelProgram)
    ]
    modules = {}
    for memory in {
        program.memory_bytes for program in programs if program.guest == guests.JAVASCRIPT.facts
    }:
        with suppress(ToolMissing, engine.NotCompiled):
            module = engine.counted_module(
                guests.JAVASCRIPT.module, Sandbox(), memory, is_guest=True
            )
            modules[hashlib.sha256(module).hexdigest()] = module
    return modules


def announcement_of(archive: Archive, settings: Settings) -> str:
    """Return the text for a public posting, made by our own templates."""
    text = announcement(
        history=archive.history,
        ranking=archive.ranking,
        evolution=archive.evolution,
        seed=seed_of(archive),
        prize_fields={entry.name: entry.prize_field for entry in archive.entries},
        settings=settings,
        templates=Templates(settings, None),
    )
    return f"{text.subject}\n\n{text.body}"


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
