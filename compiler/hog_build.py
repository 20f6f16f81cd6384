"""From a mailed strategy of Hog to what it is to the contest: its table and its goal (H1 to H3, H8, H16).

Everything is found out here: the program says neither how large it is nor what is in its table.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from compiler import languages
from compiler.build_result import Builder, BuildResult, Serializable
from compiler.language_table import Language, languages_of
from compiler.polyglot_build import problem_findings, report_of
from compiler.uploaded_files import description_findings, take_apart
from contest.config.sections import SandboxSettings
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.games.hog import FUNCTION, LABEL, MAX_DICE, MAX_NAME, SCORES, HogEntry, goal_for, name_objection
from contest.model import BuildReport, Finding, Severity
from contest.sanitize import sanitize
from contest.subprocesses.hog_solver import win_rates
from knobellib.samples import samples
from sandbox.players import Fault, FaultKind
from sandbox.players.function import LANGUAGE
from sandbox.players.table import Domain, constant, tabulate
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox

SECONDS = 300.0  # for each of the two times that a strategy is tabulated (H3)
DOMAIN = Domain(SCORES, SCORES, 0, MAX_DICE)
TRIAL_OPPONENTS = ("always_four", "always_six", "chaser")
HOG = "hog"


def strategy_builder(settings: Settings) -> Builder:
    """For Hog, whose strategies are Python functions."""
    sandbox = Sandbox(settings.jail)
    known = strategy_languages(settings)

    def build(files: Mapping[str, bytes], words: str) -> BuildResult[Serializable]:
        return _with_trial(build_strategy(files, words, sandbox, settings, known), settings.jail)

    return build


def strategy_languages(settings: Settings) -> tuple[Language, ...]:
    """Those whose functions can be called."""
    return tuple(row for row in languages_of(settings.programs) if row.name == LANGUAGE)


def build_strategy(
    files: Mapping[str, bytes], words: str, sandbox: Sandbox, settings: Settings, known: tuple[Language, ...]
) -> BuildResult[HogEntry]:
    """The files as they were sent, tabulated but not tried."""
    sent = take_apart(files, words)
    outcome = languages.examine(sent.files, sandbox, settings.programs, known)
    findings = [*problem_findings(outcome), *description_findings(sent, settings.programs)]
    label, table, said = "", b"", ""
    if isinstance(outcome.result, ProgramFolder):
        label, table, found, said = _read(outcome.result, sandbox)
        findings += found
    goal = goal_for(sent.size)
    rejected = any(finding.severity is Severity.ERROR for finding in findings)
    entry = None if rejected else HogEntry(table, goal)
    digest = hashlib.sha256(entry.to_bytes()).hexdigest() if entry else None
    report = report_of(sent, outcome, findings, sandbox, digest)
    return BuildResult(replace(report, goal=goal, player_name=label, said=said), entry, outcome.program)


def _read(bundle: ProgramFolder, sandbox: Sandbox) -> tuple[str, bytes, list[Finding], str]:
    """The strategy's name and table, what is wrong with them, and what it said on standard error."""
    label = constant(bundle, FUNCTION, LABEL, sandbox)
    if isinstance(label, Fault) and label.kind is not FaultKind.UNREADABLE:
        return "", b"", [_finding(label.sentence)], label.stderr_tail
    name, found = _named(label)
    table = tabulate(bundle, FUNCTION, DOMAIN, sandbox, SECONDS)
    if isinstance(table, Fault):
        return name, b"", [*found, _finding(table.sentence)], table.stderr_tail
    return name, table, found, ""


def _named(label: str | Fault) -> tuple[str, list[Finding]]:
    """The strategy's name in one line, and what is wrong with it (H2)."""
    if isinstance(label, Fault):
        return "", [_finding(f"{label.sentence}; {_RIGHT_LABEL}")]
    name = sanitize(label, one_line=True)
    why_illegal = name_objection(name)
    return ("", [_finding(f"{why_illegal}; {_RIGHT_LABEL}")]) if why_illegal else (name, [])


_RIGHT_LABEL = f"a strategy has a line such as {LABEL} = 'Always Four', with 1 to {MAX_NAME} characters"


def _finding(sentence: str) -> Finding:
    return Finding("strategy", Severity.ERROR, 0, sanitize(sentence))


# --- the trial --------------------------------------------------------------------------------------------
def _with_trial(built: BuildResult[HogEntry], sandbox: SandboxSettings) -> BuildResult[HogEntry]:
    """The build with its win rates against a few samples in the report; they decide nothing."""
    if built.image is None:
        return built
    others = trial_opponents(sandbox)
    pairs = [(0, number) for number in range(1, len(others) + 1)]
    rates = win_rates([built.image, *others.values()], pairs)
    report: BuildReport = replace(built.report, trial_rates=tuple(zip(others, rates, strict=True)))
    return replace(built, report=report)


@cache
def trial_opponents(sandbox: SandboxSettings) -> dict[str, HogEntry]:
    """The samples by name, tabulated once."""
    return {name: _sample(name, Sandbox(sandbox)) for name in TRIAL_OPPONENTS}


def _sample(name: str, sandbox: Sandbox) -> HogEntry:
    source = samples(HOG)[f"{name}.py"]
    bundle = languages.build({f"{name}.py": source}, sandbox)
    table = (
        tabulate(bundle, FUNCTION, DOMAIN, sandbox, SECONDS) if isinstance(bundle, ProgramFolder) else bundle
    )
    if not isinstance(table, bytes):
        raise ToolMissing(f"the sample strategy {name} cannot be built: {table}")
    return HogEntry(table, goal_for(len(source)))
