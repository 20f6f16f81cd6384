"""The archive for everybody: publish writes it, verify computes all of it again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from compiler.builders import builder_of
from compiler.builders.base import ProgramBuilder
from contest import __version__
from contest.archive import contents, files
from contest.archive.contents import Archive, ArchivedEntry, Decisions, seeds_of, settings_of
from contest.config.sections import Programs
from contest.config.settings import Settings
from contest.errors import Differs, NotNow
from contest.games.registry import game_of, rules_text
from contest.model import GroupOutcome, OutboxState, Severity
from contest.plurals import plural
from contest.protocols import ProgressCallback, Runner
from contest.store import outbox
from contest.store import results as result_store
from contest.subprocesses.engine_pool import cores
from knobeln.cli.contest_option import ContestCommand
from knobeln.cli.output import console, moment
from knobeln.contest_day.archived import announced, archive_of, must_be_builds, scores_of
from knobeln.context import ContestContext, contest_folder
from sandbox.vm.translation import NotTranslated
from tournament.derived_settings import is_computed
from tournament.runners import open_runner, runner_of
from tournament.verify import Claim, check


# --- publish -----------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--early", is_flag=True, help="Although the results are not out yet.")
def publish(folder: Path, early: bool) -> None:
    """Write the contest's archive to the new folder DIR: everything to compute its results again.

    Programs with descriptions and credits, without authentification strings; the seed, all games, all
    rankings.
    """
    contest = contest_folder()
    archive = archive_of(contest)
    reason = None if early else _not_out(contest)
    if reason:
        raise NotNow(f"{reason}; --early publishes all the same")
    digest = files.write(folder, contents.to_files(archive))
    click.echo(f"The archive of {plural(len(archive.entries), 'program')} is in {folder}.")
    click.echo(f"Its digest, for those who get it from somebody else:\n    {digest}")
    click.echo(f"Everybody can check it:\n    knobeln verify {folder}")


def _not_out(folder: ContestContext) -> str | None:
    """Why the results are not out yet; None if they are."""
    with folder.store.read() as tx:
        waiting = result_store.unreported_rounds(tx)
        held = outbox.listing(tx, state=OutboxState.HELD, to=None, count=1)
    published = folder.settings.dates.results_published
    if waiting:
        return f"the summary of round {waiting[0]} has not gone out"
    if held:
        return f"mails to teams are held ({held[0].kind})"
    if folder.clock.now() < published:
        return f"the results are to be published on {moment(published)}"
    return None


# --- verify ------------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--digest", default=None, help="What the archive's digest is to be, as the organizer told it.")
def verify(folder: Path, digest: str | None) -> None:
    """Compute a contest again from its archive DIR, and compare everything to the last point.

    Needs no contest of your own. Exit code 0: all is the same, 1: it is not; the first difference is named.
    """
    read = files.read(folder, digest)
    try:
        archive = contents.from_files(read)
        found = _verified(archive)
    except Differs as error:
        raise Differs(f"the archive is not what it says. The first difference: {error}") from None
    _tell(archive, found, files.digest_of(files.manifest_of(read)))


@dataclass
class _Found:
    """What was checked, and what was not."""

    checked: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)


def _verified(archive: Archive) -> _Found:
    """Raises Differs, naming the first difference."""
    settings = settings_of(archive.contest)
    game_of(settings.game, settings.programs)
    seeds = seeds_of(archive.contest)
    found = _Found()
    _check_texts(archive, settings, found)
    programs = _Programs(settings, found)
    builds = programs.builds(archive)
    images = {entry.name: entry.build for entry in archive.entries}
    said = (archive.history, archive.ranking, archive.evolution, archive.replays)
    claim = Claim(settings, seeds, images, *said, archive.decisions.out)
    games = sum(len(group.matches) for outcome in archive.history for group in outcome.groups)
    with _bar("games", games) as told:

        def checking_runner(group: GroupOutcome) -> AbstractContextManager[Runner]:
            digests = {images[name] for name in group.plan.members} & builds.keys()
            needed = {digest: builds[digest] for digest in digests}
            return runner_of(settings).open_checking(group, needed, settings, seeds, told)

        check(claim, checking_runner, lambda _group: None)
    found.checked.append(_games_words(archive, settings, games))
    found.checked.append(f"draws, rankings{' and evolution' if archive.evolution else ''}: the same")
    _check_scores(archive, settings)
    _check_announcement(archive, settings, found)
    found.unchecked += _decided(archive.decisions, is_computed(settings))
    found.unchecked.append("names of organizations and people: only the archive's digest vouches for them")
    return found


def _decided(decisions: Decisions, computed: bool) -> Iterator[str]:
    """What is taken as it is said, because it follows from nothing."""
    if decisions.out:
        yield (
            f"that the organizer took {', '.join(sorted(decisions.out))} out, and from which group or draw "
            "on; what follows from it was computed"
        )
    for number, group in dict.fromkeys((each.round, each.group) for each in decisions.played_again):
        place = f"round {number}" if group is None else f"group {group} of round {number}"
        other = "" if computed else "; programs that are asked in words may have answered otherwise before"
        yield f"why {place} was played again{other}"


def _games_words(archive: Archive, settings: Settings, games: int) -> str:
    many = f"{plural(games, 'game')} in {plural(len(archive.history), 'round')}"
    if is_computed(settings):
        return f"{many}, played again: the same to the last point"
    return f"{many}: the moves keep to the rules, and give these points"


def _is_of_this_version(archive: Archive) -> bool:
    return archive.contest.written_by == __version__


def _check_texts(archive: Archive, settings: Settings, found: _Found) -> None:
    """Rules and descriptions."""
    if not _is_of_this_version(archive):
        found.unchecked.append(
            f"the words of rules and announcement: knobeln {files.shown(archive.contest.written_by)} wrote "
            f"them, this is {__version__}"
        )
    elif archive.rules != rules_text(settings.game.name):
        raise Differs("rules.md: these are not the rules of the game")
    builder = builder_of(settings, open_runner)
    for name, program in archive.programs.items():
        try:
            description = builder.description(program.files, program.description)
        except ValueError as error:
            raise Differs(f"programs/{name}/source {error}") from None
        if description != program.description:
            raise Differs(f"programs/{name}/description.txt is not what stands in the program")


def _check_scores(archive: Archive, settings: Settings) -> None:
    computed = scores_of(archive.history, settings)
    for place in sorted(computed.keys() | archive.scores.keys()):
        if computed.get(place) != archive.scores.get(place):
            raise Differs("the score matrix rounds/{}/group-{}.csv is not that of the games".format(*place))


def _check_announcement(archive: Archive, settings: Settings, found: _Found) -> None:
    if not _is_of_this_version(archive):
        return
    ours, theirs = announced(archive, settings).split("\n"), archive.announcement.split("\n")
    for number in range(max(len(ours), len(theirs))):
        said, computed = theirs[number : number + 1], ours[number : number + 1]
        if said != computed:
            raise Differs(
                f"announcement.txt, line {number + 1}: it says {files.shown(said)}, but it follows {computed}"
            )
    found.checked.append("rules, descriptions and announcement: the same")


class _Programs:
    """The programs, built again from what the teams sent, in the jail."""

    def __init__(self, settings: Settings, found: _Found) -> None:
        # A language of a contest's own is a command of its organizer's; of those that come from a stranger
        # none is started.
        ours = Programs.model_validate({**settings.programs.model_dump(), "languages": ()})
        self._settings = settings.model_copy(update={"programs": ours})
        self._found = found
        self._others: dict[str, list[str]] = {}  # by what they were built with, where we have something else

    def builds(self, archive: Archive) -> Mapping[str, bytes]:
        """The builds that play, by digest. Raises Differs for one that does not come from its program."""
        settings = self._settings
        wanted = {entry.build for entry in archive.entries} if is_computed(settings) else set()
        if wanted != archive.builds.keys():
            strange = sorted(wanted ^ archive.builds.keys())[0]
            raise Differs(f"builds/{strange} is missing, or nobody's")
        must_be_builds(archive.builds, settings)
        if not is_computed(settings):
            self._found.unchecked.append(
                "programs: they are asked in words, and might answer otherwise another time; so their moves "
                "were written down"
            )
            return {}
        self._rebuild(archive)
        return archive.builds

    def _rebuild(self, archive: Archive) -> None:
        builder = builder_of(self._settings, open_runner)
        with _bar("programs", len(archive.entries)) as told, ThreadPoolExecutor(cores()) as pool:

            def one(entry: ArchivedEntry) -> str | None:
                other = self._compare(entry, archive, builder)
                with suppress(NotTranslated):  # then the interpreter plays, with the same results
                    builder.prepare(builder.load(archive.builds[entry.build]))
                told(1)
                return other

            others = list(pool.map(one, archive.entries))
        same = sum(other is None for other in others)
        if same:
            self._found.checked.append(f"{plural(same, 'program')}, built again: the same, bit for bit")
        for entry, other in zip(archive.entries, others, strict=True):
            if other is not None:
                self._others.setdefault(other, []).append(entry.name)
        for words, names in self._others.items():
            many = f"{len(names)} programs" if len(names) > 1 else f"the program of {names[0]}"
            self._found.unchecked.append(
                f"the way from source to build of {many}: {words}. Another compiler makes another build, so "
                "the archive's own builds played; to check them too, use the compiler that made them"
            )

    def _compare(self, entry: ArchivedEntry, archive: Archive, builder: ProgramBuilder[Any]) -> str | None:
        """None: the same build; otherwise why that cannot be expected."""
        program = archive.programs[entry.name]
        built = builder.rebuild(program.files, program.description)
        if built.image is not None and built.report.image_digest == entry.build:
            return None
        if entry.tool != built.report.tool or not _is_of_this_version(archive):
            return (
                f"they were made with {files.shown(entry.tool)} and knobeln "
                f"{files.shown(archive.contest.written_by)}, here are {built.report.tool} and {__version__}"
            )
        errors = [f.text for f in built.report.findings if f.severity is Severity.ERROR]
        what = (
            f"it is not accepted: {errors[0]}" if errors else f"it has the digest {built.report.image_digest}"
        )
        raise Differs(f"the program of {entry.name} is said to give the build {entry.build}, but here {what}")


def _tell(archive: Archive, found: _Found, digest: str) -> None:
    settings = settings_of(archive.contest)
    click.echo(f"{files.shown(settings.contest.title)}: {plural(len(archive.entries), 'program')}")
    for words in found.checked:
        click.echo(f"  {words}")
    for words in found.unchecked:
        click.echo(f"  not checked: {words}")
    click.echo("Compare this with what was told at the start of the contest, the sha256 of its seed:")
    click.echo(f"    {archive.contest.seed_commitment}")
    click.echo("and this with what the organizer says of the archive, its digest:")
    click.echo(f"    {digest}")


@contextmanager
def _bar(what: str, total: int) -> Iterator[ProgressCallback]:
    columns = (TextColumn("{task.description:<12}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count: progress.update(task, advance=count)
