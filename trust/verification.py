"""Computes a contest again from its archive, and compares every result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import TypeVar

from compiler.builders import builder_of
from contest import __version__
from contest.config.settings import Settings
from contest.errors import ConfigError, Differs, GiveUp, NotFound, ToolMissing
from contest.games.registry import rules_text
from contest.interfaces.protocols import ProgressCallback, Runner
from contest.language import listed
from contest.ledger.receipts import Effect
from contest.model import GroupOutcome, Match, Severity, Verdict
from contest.schema.sections import MAX_MOVE_SECONDS
from contest.seeds import Seeds
from contest.subprocesses.engine_pool import cores
from contest.util.clock import TIME_FORMAT
from contest.util.plurals import form, plural
from reports.kinds import check_offered
from sandbox.fuel.program import FuelProgram
from sandbox.vm.translation import NotTranslated
from tournament.certainty import certainty, default_contests, why_unknown
from tournament.derived_settings import format_of, is_computed
from tournament.field import Field, field_of
from tournament.runners import open_runner, runner_of
from tournament.runners.recorded import name_of
from trust.another_contest import NeverPlayed, OpenRunner
from trust.archive import files
from trust.archive.contents import Archive, ArchivedEntry, seed_of, settings_of, without_commands
from trust.archive.findings import Finding, step
from trust.check_page import checkers, readable
from trust.derived import announcement_of, asked, check_builds, interpreters
from trust.verify_entries import Verified, check_entries
from trust.verify_limits import (
    MAX_BUILD_BYTES,
    OutOfTimeError,
    memory_limit,
    time_for,
    time_limit,
)
from trust.verify_tournament import Claim, check
from trust.what_if import Change, what_if
from trust.without_bans import without_bans

T = TypeVar("T")
ProgressBar = Callable[[str, int], AbstractContextManager[ProgressCallback]]  # label, total


def verify(
    archive: Archive,
    progress_bar: ProgressBar,
    seconds: float | None = None,
    change: Change | None = None,
) -> Verified:
    """Compute the contest again and compare, for at most `seconds`; None: three times its own time.
    With a `change`, also compute what would be with it.

    Raises Differs, naming the first difference, GiveUp if the memory does not suffice, or NotFound
    for a change of a team that is not there.
    """
    usual = time_for(archive.contest, len(archive.entries))
    seconds = usual if seconds is None else seconds
    with memory_limit():  # a stranger's settings may be huge, too
        verification = _Verification(archive, progress_bar, change)
    try:
        with time_limit(seconds):
            verification.run()
    except OutOfTimeError:
        verification.result.missed.append(
            f"all that is not named here: the time was up after {seconds / 60:,.1f} minutes; "
            "`--minutes` allows more"
        )
    return verification.result


class _Verification:
    def __init__(self, archive: Archive, progress_bar: ProgressBar, change: Change | None) -> None:
        self._archive = archive
        self._change = change
        self._progress_bar = progress_bar
        with step("form"):
            self._settings = _settings_of(archive)
        self._is_computed = is_computed(self._settings)
        self._builder = builder_of(without_commands(self._settings), open_runner)
        self._lenient = builder_of(_lenient(without_commands(self._settings)), open_runner)
        if change and change.left_out and change.left_out not in self._claim.field.images:
            raise NotFound(f"there is no team {change.left_out} in this contest")
        self._same_version = archive.contest.written_by == __version__
        self._kind = runner_of(self._settings)
        # Why the settings refuse a program that had been accepted, by team.
        self._refused_now: dict[str, str] = {}
        # by the digests of builds; "" = it can play here
        self._why_not_here: Mapping[str, str] = {}
        self.result = Verified()

    def run(self) -> None:
        archive, checked, unchecked = self._archive, self.result.checked, self.result.unchecked
        # What is cheap comes first, for whoever has little time.
        late_bans = check_entries(archive, self._settings, self.result)
        with step("seed"):
            seed_of(archive)
        with step("decisions"):
            self._check_time_changes()
        with step("texts"):
            self._check_texts()
        with step("builds"):
            self._check_programs()
        with memory_limit():
            with step("games"):
                self._check_games()
            checked.append(
                f"draws, rankings{' and evolution' if archive.evolution else ''}: the same"
            )
            with step("asked"):
                self._check_asked()
            with step("announcement"):
                self._check_announcement()
        with memory_limit(), step("certainty"):
            self._check_certainty()
        decisions = archive.decisions
        if not (decisions.taken_out or decisions.played_again or archive.time_changes):
            checked.append("decisions of the organizer since the start: the archive has none")
        unchecked += self._decisions()
        unchecked.append(
            "names of organizations and people, the order of the entries, the names of the tools,"
            " and times: only the archive's digest vouches for them"
        )
        if late_bans:
            self._undo(late_bans)
        if self._change:
            self._play_changed(self._change)

    def _check_time_changes(self) -> None:
        seconds = self._settings.programs.seconds
        for change in self._archive.time_changes:
            if change.before != seconds or not 0 < change.after <= MAX_MOVE_SECONDS:
                raise Differs(
                    "time_changes.json: the time for a move cannot have been changed like that"
                )
            seconds = change.after

    def _check_texts(self) -> None:
        """Check rules and descriptions."""
        archive = self._archive
        if not self._same_version:
            self.result.missed.append(
                "rules, announcement and the page: knobeln"
                f" {files.shown(archive.contest.written_by)} wrote them, and this is knobeln"
                f" {__version__}"
            )
        elif archive.rules != rules_text(self._settings.game.name):
            raise Differs("rules.md: these are not the rules of the game")
        elif wrong := [
            path
            for path, ours in checkers().items()
            if readable(archive.checkers[path]) != readable(ours)
        ]:
            raise Differs(f"{wrong[0]}: this is not the file of this knobeln")
        most = self._settings.programs.MAX_SOURCE_BYTES
        for name, program in archive.programs.items():
            if sum(map(len, program.files.values())) > most:
                raise Differs(
                    f"programs/{name}/source has more than {most:,} bytes, which no program may"
                    " have"
                )
            try:
                description = self._builder.description(program.files, program.description)
            except ValueError as error:
                raise Differs(f"programs/{name}/source {error}") from None
            if description != program.description:
                raise Differs(
                    f"programs/{name}/description.txt is not the description in the program"
                )

    # --- programs ---------------------------------------------------------------------------------
    def _check_programs(self) -> None:
        """Compare the builds that play with what the teams sent. Raises Differs."""
        archive = self._archive
        counted = {entry.team for entry in archive.counted}
        wanted = {
            entry.build for entry in archive.entries if self._is_computed or entry.name in counted
        }
        if wanted != archive.builds.keys():
            strange = sorted(wanted ^ archive.builds.keys())[0]
            raise Differs(f"builds/{strange} is missing, or no entry has it")
        check_builds(archive, self._builder)
        self._why_not_here = {
            digest: self._kind.why_not_here(raw, self._settings)
            for digest, raw in archive.builds.items()
        }
        self.result.noticed.extend(_other_tools(archive.entries))
        with step("sources"):
            self._rebuild_all([e for e in archive.entries if self._why_not_here.get(e.build) == ""])
        for reason, names in _by_reason(
            (entry.name, self._why_not_here.get(entry.build)) for entry in archive.entries
        ):
            self.result.missed.append(
                f"what the {form(len(names), 'program', 'programs')} of {listed(names)} did: it"
                " cannot be computed here with the same counts, because each"
                f" {files.shown(reason)}. So the moves were compared with the rules alone"
            )
        recorded = [entry.name for entry in archive.entries if entry.build not in wanted]
        if recorded:
            self._check_recorded(recorded)
            which = f"the programs of {listed(recorded)}" if counted else "programs"
            text = (
                f"{which}: they talk with the referee and might answer differently another time; so"
                " their moves were recorded. If a failure of the server broke a group off, or it"
                " was played again in secret, nothing tells what they had answered before"
            )
            self.result.believed.append(Finding("recorded", text))

    def _check_recorded(self, names: Sequence[str]) -> None:
        """Programs whose time is counted must not pass for others. Raises Differs."""
        if not self._settings.programs.counted_languages:
            return
        entries = {entry.name: entry for entry in self._archive.entries}
        for name in names:
            program, entry = self._archive.programs[name], entries[name]
            try:
                image = self._builder.build(
                    program.files, program.description, with_trial=False
                ).image
            except ToolMissing as error:
                if entry.language in self._settings.programs.counted_languages:
                    self.result.missed.append(
                        f"whether the time of {name}'s program is counted: {error}"
                    )
                continue
            if isinstance(image, FuelProgram):
                raise Differs(
                    f"counted.json does not have {name}: the time of its program is counted"
                )

    def _rebuild_all(self, entries: Sequence[ArchivedEntry]) -> None:
        """Build these programs again, and report those that cannot be counted here."""
        if not entries:
            return
        archive = self._archive
        with (
            self._progress_bar("programs", len(entries)) as progress,
            ThreadPoolExecutor(cores()) as pool,
        ):

            def rebuild(entry: ArchivedEntry) -> str | None:
                progress(1)
                with suppress(NotTranslated):  # then the interpreter plays, with the same results
                    self._builder.prepare(self._builder.load(archive.builds[entry.build]))
                return self._compare(entry)

            reasons = list(pool.map(rebuild, entries))
        for name, refusal in sorted(self._refused_now.items()):
            text = (
                f"the settings refuse the program of {name} ({refusal}), which had been accepted;"
                " that can happen if a limit was changed after it came"
            )
            self.result.noticed.append(Finding("limits-changed", text))
        same = reasons.count(None)
        if same:
            self.result.checked.append(
                f"{plural(same, 'program')}, built again: the same, bit for bit"
            )
        named = zip((entry.name for entry in entries), reasons, strict=True)
        for reason, names in _by_reason(named):
            which = f"{len(names)} programs" if len(names) > 1 else f"the program of {names[0]}"
            self.result.missed.append(f"the way from source to build of {which}: {reason}")

    def _compare(self, entry: ArchivedEntry) -> str | None:
        """Build the program again. None: it is the same build; otherwise why that cannot be
        expected."""
        program, written_by = self._archive.programs[entry.name], self._archive.contest.written_by
        try:
            built = self._builder.build(program.files, program.description, with_trial=False)
        except ToolMissing as error:
            if self._is_computed:
                raise
            return str(error)
        if built.image is not None and built.report.image_digest == entry.build:
            return None
        if entry.tool != built.report.tool or not self._same_version:
            return (
                f"they were made with {files.shown(entry.tool)} and knobeln"
                f" {files.shown(written_by)}, here are {built.report.tool} and {__version__}."
                " Another compiler makes another build, so the archive's own builds played; to"
                " check them too, use the compiler that made them"
            )
        errors = [f.text for f in built.report.findings if f.severity is Severity.ERROR]
        if errors and self._is_lenient_build(entry):
            self._refused_now[entry.name] = errors[0]
            return None
        what = (
            f"is not accepted: {errors[0]}"
            if errors
            else f"has the digest {built.report.image_digest}"
        )
        claimed = f"the archive gives the build {entry.build} for the program of {entry.name}"
        raise Differs(f"{claimed}, but here it {what}")

    def _is_lenient_build(self, entry: ArchivedEntry) -> bool:
        """Whether this build is the program's, but for limits that do not change builds."""
        program = self._archive.programs[entry.name]
        built = self._lenient.build(program.files, program.description, with_trial=False)
        return built.image is not None and built.report.image_digest == entry.build

    # --- games and tables -------------------------------------------------------------------------
    @property
    def _claim(self) -> Claim:
        archive, seeds = self._archive, Seeds(seed_of(self._archive).value)
        images = {entry.name: entry.build for entry in archive.entries}
        field = Field(self._settings, format_of(self._settings), images, seeds)
        out = archive.decisions.out
        return Claim(field, archive.history, archive.ranking, archive.evolution, out)

    def _check_games(self) -> None:
        archive, claim = self._archive, self._claim
        images, seeds = claim.field.images, claim.field.seeds
        if not self._is_computed:
            self._check_faults()
        games = sum(len(outcome.matches) for outcome in archive.history)
        with self._progress_bar("games", games) as progress:

            def checking_runner(group: GroupOutcome) -> AbstractContextManager[Runner]:
                needed = {images[name] for name in group.plan.members} & archive.builds.keys()
                builds = dict[str, bytes]()
                for digest in needed:
                    builds[digest] = archive.builds[digest]
                    if sum(map(len, builds.values())) > MAX_BUILD_BYTES:
                        raise Differs(
                            f"its programs have more than {MAX_BUILD_BYTES:,} bytes together"
                        )
                return self._kind.open_checking(group, builds, self._settings, seeds, progress)

            check(claim, checking_runner)
        with step("decisions"):
            aside = self._check_aside()
        count = f"{plural(games, 'game')} in {plural(len(archive.history), 'round')}"
        again = sum(
            any(self._plays_here(images[name]) for name in match.players)
            for outcome in archive.history
            for match in outcome.matches
        )
        if self._is_computed or (
            again and not aside and all(map(self._plays_here, images.values()))
        ):
            self.result.checked.append(f"{count}, played again: the same to the last point")
            return
        self.result.checked.append(f"{count}: the moves keep to the rules, and give these points")
        if again:
            self.result.checked.append(
                f"{plural(again, 'game')} of these, in which the programs whose time is counted"
                " played again: the same moves, the same units"
            )

    def _check_aside(self) -> bool:
        """Whether a program was set aside. Raises Differs where the ledger does not have that
        decision."""
        games = self._games_aside()
        aside = (
            letter for letter in self._archive.letters if letter.effect is Effect.PROGRAM_SET_ASIDE
        )
        decided = {(letter.team, letter.digest) for letter in aside}
        for entry in self._archive.entries:
            if not games[entry.name]:
                continue
            if (entry.name, entry.build) not in decided:
                raise Differs(
                    f"ledger.txt does not have the decision to set {entry.name}'s program aside"
                )
            text = (
                f"that the engine failed three times at the same move of {entry.name}'s program: it"
                f" was set aside, and not asked in {plural(games[entry.name], 'game')}, which count"
                " as failed"
            )
            self.result.believed.append(Finding("set-aside", text))
        return bool(games)

    def _games_aside(self) -> Counter[str]:
        """In how many games each program was set aside."""
        games: Counter[str] = Counter()
        for outcome in self._archive.history:
            for group in outcome.groups:
                for match in group.matches:
                    games.update(_set_aside(match))
        return games

    def _plays_here(self, digest: str) -> bool:
        """Whether a program with this build was asked again."""
        return self._why_not_here.get(digest) == ""

    def _check_certainty(self) -> None:
        """Play the contests with other random numbers again."""
        archive, claimed = self._archive, self._archive.certainty
        if claimed is None:
            return
        seeds = Seeds(seed_of(archive).value)
        digests = {entry.name: entry.build for entry in archive.entries}
        field = field_of(self._settings, format_of(self._settings), digests, seeds, archive.history)
        contests, most = claimed.contests, default_contests(field, archive.history) or 0
        if not 1 <= contests <= most:
            raise Differs(
                f"certainty.json tells of {contests} contests, but at most {most} are played"
            )
        builds = {digest: archive.builds.get(digest, b"{}") for digest in field.images.values()}
        if reason := why_unknown(self._settings, builds):
            raise Differs(f"certainty.json should not be there: {reason}")
        if any(map(self._why_not_here.get, builds)):
            self.result.missed.append("how sure the ranking is: its games cannot be played here")
            return
        with (
            self._progress_bar("contests with other random numbers", contests) as progress,
            open_runner(builds, self._settings, seeds) as runner,
        ):
            computed = certainty(field, archive.history, contests, runner)
            progress(contests)
        if claimed != computed:
            raise Differs("certainty.json: other contests with other random numbers come out")
        self.result.checked.append(
            f"how sure the ranking is, by {plural(contests, 'contest')}: the same"
        )

    def _check_faults(self) -> None:
        """The sentences about faults in games in words are for a program's own team only."""
        for outcome in self._archive.history:
            for match in outcome.matches:
                for seat in match.result.seats:
                    if seat.stderr_tail or (
                        seat.fault and (seat.fault.reason or seat.fault.stderr_tail)
                    ):
                        wrong = (
                            "a sentence about a fault or a program's standard error, which no"
                            " archive has"
                        )
                        place = f"round {outcome.plan.number}: {files.shown(name_of(match))}"
                        raise Differs(f"{place}: there is {wrong}")

    def _check_asked(self) -> None:
        """Check what the page needs to ask programs again."""
        archive = self._archive
        wrong, strange = "rounds/{}/asked-{}.json: programs were told otherwise", set(archive.asked)
        for place, text in asked(archive):
            strange.discard(place)
            if archive.asked.get(place) != text:
                raise Differs(wrong.format(*place))
        if strange:
            raise Differs(wrong.format(*min(strange)))
        if archive.guests and not any(self._why_not_here.values()):
            here = interpreters(archive.builds, self._builder)
            for digest, module in archive.guests.items():
                if here.get(digest) != module:
                    raise Differs(
                        f"guests/{files.shown(digest)} is no interpreter of these programs"
                    )

    def _check_announcement(self) -> None:
        if not self._same_version:
            return
        computed = announcement_of(self._archive, self._settings).split("\n")
        archived = self._archive.announcement.split("\n")
        for number, (theirs, ours) in enumerate(zip_longest(archived, computed), start=1):
            if theirs != ours:
                raise Differs(
                    f"announcement.txt, line {number}: it says {_quoted(theirs)}, but"
                    f" {_quoted(ours)} follows"
                )
        self.result.checked.append("rules, descriptions and announcement: the same")

    def _undo(self, late_bans: Sequence[str]) -> None:
        """Compute the contest without the late bans."""
        what = f"what the contest would be without the late bans of {', '.join(late_bans)}"
        play = partial(without_bans, self._claim, late_bans)
        other = self._play_another("the contest without late bans", what, play)
        self.result = replace(self.result, without_late_bans=other)

    def _play_changed(self, change: Change) -> None:
        """Compute what would be with this change."""
        play = partial(what_if, self._claim, change, seed_of(self._archive))
        other = self._play_another(str(change), f"what would be in {change}", play)
        self.result = replace(self.result, what_if=other)

    def _play_another(
        self, label: str, what: str, play: Callable[[OpenRunner, AbstractSet[str]], T]
    ) -> T | None:
        """Play a contest that was not, as far as programs can be asked again here, and time and
        memory suffice; otherwise tell of `what`."""
        images, builds = self._claim.field.images, self._archive.builds
        aside = self._games_aside()
        silent = {name for name in images if aside[name] or not self._plays_here(images[name])}

        def open_group(names: AbstractSet[str], seeds: Seeds) -> AbstractContextManager[Runner]:
            needed = {images[name] for name in names}
            return open_runner({digest: builds[digest] for digest in needed}, self._settings, seeds)

        try:
            with memory_limit(), self._progress_bar(label, 1) as progress:
                other = play(open_group, silent)
                progress(1)
        except NeverPlayed:
            elsewhere = any(self._why_not_here.values())
            findings = self.result.missed if elsewhere else self.result.unchecked
            findings.append(
                f"{what}: it has games that were not played, and not all of their programs can be"
                f" asked again{' here' if elsewhere else ''}"
            )
        except (OutOfTimeError, GiveUp) as error:
            why = str(error) or "the time was up; `--minutes` allows more"
            self.result.missed.append(f"{what}: {why}")
        else:
            return other
        return None

    def _decisions(self) -> Iterator[str]:
        """Name the organizer's decisions: they follow from nothing, so they cannot be checked."""
        decisions = self._archive.decisions
        playing = {entry.name for entry in self._archive.entries}
        if absent := sorted(decisions.out - playing):
            yield f"that the organizer took {', '.join(absent)} out before the contest started"
        if out := sorted(decisions.out & playing):
            yield (
                f"that the organizer took {', '.join(out)} out, and from which group or draw on;"
                " what follows from it was computed"
            )
        for change in self._archive.time_changes:
            yield (
                f"that the time for a move was changed from {change.before:g} s to {change.after:g}"
                f" s on {change.at:{TIME_FORMAT}}; the moves and the points do not depend on it"
            )
        for number, group in dict.fromkeys(
            (rerun.round, rerun.group) for rerun in decisions.played_again
        ):
            place = f"round {number}" if group is None else f"group {group} of round {number}"
            if {entry.build for entry in self._archive.entries} <= self._archive.builds.keys():
                yield f"why {place} was played again"
            else:
                yield (
                    f"why {place} was played again; programs that talk with the referee may have"
                    " answered differently before"
                )


def _lenient(settings: Settings) -> Settings:
    """The settings without the limits that an organizer can change after programs have come."""
    return settings.changed(programs={"description": "none", "memory_mb": 0})


def _settings_of(archive: Archive) -> Settings:
    """The settings, which knobeln can play by. Raises Differs for others."""
    settings = settings_of(archive.contest)
    try:
        check_offered(settings.reports)
        format_of(settings)
    except ConfigError as error:
        raise Differs(f"contest.json: settings: {files.shown(error)}") from None
    return settings


def _other_tools(entries: Sequence[ArchivedEntry]) -> Iterator[Finding]:
    """The programs that were made by another tool than most others in their language."""
    for language in sorted({entry.language for entry in entries}):
        tools = Counter(entry.tool for entry in entries if entry.language == language)
        (usual, count), *_others = tools.most_common(1)
        for entry in entries:
            if entry.language == language and entry.tool != usual and count > 1:
                yield Finding(
                    "other-tool",
                    f"the program of {entry.name} was made with {files.shown(entry.tool)}, and most"
                    f" others in {files.shown(language)} with {files.shown(usual)}",
                )


def _by_reason(reasons: Iterable[tuple[str, str | None]]) -> Iterable[tuple[str, list[str]]]:
    """The programs by the reason for which something cannot be checked; those without one are left
    out."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in reasons:
        if reason:
            by_reason.setdefault(reason, []).append(name)
    return by_reason.items()


def _quoted(line: str | None) -> str:
    return "nothing" if line is None else f'"{files.shown(line)}"'


def _set_aside(match: Match) -> set[str]:
    """The programs that were not asked in this game, because our engine fails with them."""
    return {name for name, seat in match.sides if seat.verdict is Verdict.ASIDE}
