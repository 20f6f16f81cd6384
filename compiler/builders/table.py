"""Hog: from a mailed strategy to its table and its goal (H1 to H3, H8, H15, H16).

We find both out ourselves: a strategy tells neither its size nor what is in its table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple

from compiler import languages
from compiler.builders.base import ProgramBuilder
from compiler.languages import Files, Problem, ProgramStart, Wanted, languages_of
from compiler.trial import try_language
from compiler.uploaded_files import description_findings, has_errors, take_apart
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.games.hog import (
    FUNCTION,
    LABEL,
    MAX_DICE,
    MAX_NAME,
    SCORES,
    TABULATION_SECONDS,
    Hog,
    HogEntry,
    goal_for,
    why_illegal_name,
)
from contest.interfaces.protocols import BuildResult, RunnerFactory, SparringOpponents
from contest.language import gettext
from contest.model import Finding, Severity, TableBuildReport
from contest.schema.sections import Programs
from contest.subprocesses.engine_pool import cores
from contest.subprocesses.hog_solver import win_rates, win_rates_by_digest
from contest.util.sanitize import sanitize
from knobellib.hog_course import own_files, with_course
from knobellib.samples import samples
from sandbox.players import AnswerFault, AnswerFaultKind
from sandbox.players.function import LANGUAGE
from sandbox.players.table import Domain, constant, tabulate
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox

DOMAIN = Domain(SCORES, SCORES, 0, MAX_DICE)
TRIAL_OPPONENTS = ("always_four", "always_six", "chaser")


def _right_label() -> str:
    return gettext(
        "a strategy has a line such as %(label)s = 'Always Four', with 1 to %(max_name)s"
        " characters",
        label=LABEL,
        max_name=MAX_NAME,
    )


class TableBuilder(ProgramBuilder[HogEntry]):
    name = "table"
    language = LANGUAGE
    win_rates = staticmethod(win_rates_by_digest)

    def __init__(self, settings: Settings, open_runner: RunnerFactory) -> None:
        super().__init__(settings, open_runner)
        self._sandbox = Sandbox()
        # Only of this language can functions be called.
        self._languages = tuple(
            row for row in languages_of(settings.programs) if row.name == LANGUAGE
        )

    def sparring_opponents(self) -> SparringOpponents:
        names = sorted(file.removesuffix(".py") for file in samples(Hog.info.name))
        with ThreadPoolExecutor(cores()) as pool:  # each thread waits for its sandbox
            made = [each.to_bytes() for each in pool.map(_sample, names)]
        return {
            name: (hashlib.sha256(raw).hexdigest(), raw)
            for name, raw in zip(names, made, strict=True)
        }

    def load(self, raw: bytes) -> HogEntry:
        return HogEntry.from_bytes(raw)

    def try_language(self, language: str) -> None:
        """Try Python with its packages, and compute win rates."""
        for row in self._languages:
            try_language(row, self._settings)
        _trial_rates(_sample(TRIAL_OPPONENTS[0]))

    def build(
        self, files: Mapping[str, bytes], text: str, *, with_trial: bool = True
    ) -> BuildResult[HogEntry]:
        uploaded, programs = take_apart(files, text), self._settings.programs
        outcome = languages.examine(
            uploaded.files,
            self._sandbox,
            settings=programs,
            languages=self._languages,
            build=_with_course,
            wanted=Wanted(Hog.info.program_name, FUNCTION),
        )
        reading = (
            _Reading()
            if isinstance(outcome.result, Problem)
            else _read(outcome.result, self._sandbox)
        )
        findings = (
            *outcome.findings,
            *_course_notes(uploaded.files, outcome.program),
            *description_findings(uploaded, programs),
            *reading.findings,
        )
        size = len(uploaded.files.get(outcome.program, b""))
        goal = goal_for(size)
        entry = None if has_errors(findings) else HogEntry(reading.table, goal)
        report = TableBuildReport(
            findings=findings,
            tool=languages.installed_version(outcome.language, self._sandbox),
            messages=outcome.messages,
            description_lines=uploaded.description_lines,
            source_digest=uploaded.digest_of(outcome.program),
            image_digest=hashlib.sha256(entry.to_bytes()).hexdigest() if entry else None,
            language=outcome.language.name if outcome.language else "",
            stderr_tail=reading.stderr_tail,
            files=uploaded.facts,
            source_bytes=size,
            goal=goal,
            player_name=reading.player_name,
            trial_rates=_trial_rates(entry) if entry and with_trial else (),
        )
        return BuildResult(report, entry, outcome.program)


def _with_course(
    files: Files, start: ProgramStart, sandbox: Sandbox, settings: Programs
) -> tuple[ProgramFolder, str]:
    """Build the strategy with the files of the hog_contest folder, which it may import."""
    return languages.program_folder(with_course(files), start, sandbox, settings)


def _course_notes(files: Files, program: str) -> Iterator[Finding]:
    """Yield what counts besides the strategy's own file, and what does not."""
    own = own_files(files)
    course = sorted(files.keys() - own.keys())
    others = sorted(own.keys() - {program})
    if course:
        text = gettext("%(names)s: ours is used, and counts nothing", names=", ".join(course))
        yield Finding("files", Severity.NOTE, 0, text)
    if program and others:
        text = gettext(
            "%(names)s: only the bytes of %(program)s count for the goal",
            names=", ".join(others),
            program=program,
        )
        yield Finding("files", Severity.NOTE, 0, text)


class _Reading(NamedTuple):
    """What a strategy's program folder gives."""

    player_name: str = ""
    table: bytes = b""
    findings: tuple[Finding, ...] = ()
    stderr_tail: str = ""


def _read(program_folder: ProgramFolder, sandbox: Sandbox) -> _Reading:
    label = constant(program_folder, FUNCTION, LABEL, sandbox, TABULATION_SECONDS)
    if isinstance(label, AnswerFault) and label.kind is not AnswerFaultKind.UNREADABLE:
        return _Reading(findings=(_finding(label.sentence),), stderr_tail=label.stderr_tail)
    name, findings = _player_name(label)
    table = tabulate(program_folder, FUNCTION, DOMAIN, sandbox, TABULATION_SECONDS)
    if isinstance(table, AnswerFault):
        return _Reading(
            name, findings=(*findings, _finding(table.sentence)), stderr_tail=table.stderr_tail
        )
    return _Reading(name, table, findings)


def _player_name(label: str | AnswerFault) -> tuple[str, tuple[Finding, ...]]:
    """Return the strategy's name in one line, and what is wrong with it (H2)."""
    if isinstance(label, AnswerFault):
        return "", (_finding(f"{label.sentence}; {_right_label()}"),)
    name = " ".join(sanitize(label).split())
    why_illegal = why_illegal_name(name)
    return ("", (_finding(f"{why_illegal}; {_right_label()}"),)) if why_illegal else (name, ())


def _finding(sentence: str) -> Finding:
    return Finding("strategy", Severity.ERROR, 0, sanitize(sentence))


def _trial_rates(entry: HogEntry) -> tuple[tuple[str, float], ...]:
    """Return how often the strategy beats a few samples; this decides nothing."""
    others = {name: _sample(name) for name in TRIAL_OPPONENTS}
    rates = win_rates(
        [entry, *others.values()], [(0, number) for number in range(1, len(others) + 1)]
    )
    return tuple(zip(others, rates, strict=True))


@cache
def _sample(name: str) -> HogEntry:
    """Return the sample, tabulated once in a process."""
    sandbox, file = Sandbox(), f"{name}.py"
    source = samples(Hog.info.name)[file]
    built = languages.build({file: source}, sandbox)
    if isinstance(built, Problem):
        raise ToolMissing(
            f"the sample strategy {name} cannot be built: {built.text} {built.messages}"
        )
    table = tabulate(built, FUNCTION, DOMAIN, sandbox, TABULATION_SECONDS)
    if isinstance(table, AnswerFault):
        raise ToolMissing(f"the sample strategy {name} cannot be tabulated: {table.sentence}")
    return HogEntry(table, goal_for(len(source)))
