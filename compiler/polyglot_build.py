"""From mailed files of any language to a program for the jail, and everything that its report says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from compiler import languages
from compiler.build_result import Builder, BuildResult, Serializable
from compiler.images import build_image, is_image
from compiler.language_table import Language, languages_of
from compiler.languages import Outcome, Problem
from compiler.uploaded_files import UploadedFiles, description_findings, has_errors, report_on, take_apart
from contest.config.sections import Programs, SandboxSettings
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.games.registry import game_of
from contest.model import BuildReport, Finding, GameJob, Severity, Trial
from contest.protocols import RunnerFactory
from contest.seeds import Seeds
from knobellib.samples import samples
from sandbox.program_folder import Executable, ProgramFolder
from sandbox.sandbox import Sandbox

TRIAL_SEATS = 3  # in games that so many can play; two would not show what neighbours see of each other
YOU = "you"  # how the trial's opponents know the program


def program_builder(settings: Settings, open_runner: RunnerFactory) -> Builder:
    """For games whose programs are asked in words."""
    sandbox = Sandbox(settings.jail)
    known = languages_of(settings.programs)

    def build(files: Mapping[str, bytes], words: str) -> BuildResult[Serializable]:
        return _with_trial(_built(files, words, sandbox, settings.programs, known), settings, open_runner)

    return build


def _built(
    files: Mapping[str, bytes], words: str, sandbox: Sandbox, settings: Programs, known: Sequence[Language]
) -> BuildResult[Executable]:
    if settings.takes_images and is_image(files):
        return build_image(files, words, settings)
    return build_program(files, words, sandbox, settings, known)


def build_program(
    files: Mapping[str, bytes], words: str, sandbox: Sandbox, settings: Programs, known: Sequence[Language]
) -> BuildResult[ProgramFolder]:
    """The files as they were sent, built but not tried."""
    sent = take_apart(files, words)
    outcome = languages.examine(sent.files, sandbox, settings, known)
    findings = (*problem_findings(outcome), *description_findings(sent, settings))
    bundle = (
        outcome.result if isinstance(outcome.result, ProgramFolder) and not has_errors(findings) else None
    )
    report = report_of(sent, outcome, findings, sandbox, bundle.digest if bundle else None)
    return BuildResult(report, bundle, outcome.program)


def report_of(
    sent: UploadedFiles,
    outcome: Outcome,
    findings: Iterable[Finding],
    sandbox: Sandbox,
    image_digest: str | None,
) -> BuildReport:
    """The facts that a report of a build in the jail has; none of its trial."""
    problem = outcome.result if isinstance(outcome.result, Problem) else None
    return report_on(
        sent,
        findings=tuple(findings),
        program=outcome.program,
        language=outcome.language.name if outcome.language else "",
        tool=_tool(outcome.language, sandbox),
        messages=problem.messages if problem else outcome.messages,
        image_digest=image_digest,
    )


def problem_findings(outcome: Outcome) -> tuple[Finding, ...]:
    """What kept the program from being built, as a finding."""
    if isinstance(outcome.result, ProgramFolder):
        return ()
    rule = "compiler" if outcome.result.messages else "files"
    return (Finding(rule, Severity.ERROR, 0, outcome.result.text),)


def _tool(language: Language | None, sandbox: Sandbox) -> str:
    """The version of a language that is installed, "" otherwise."""
    here = language is not None and languages.usable([language])
    return languages.version(language, sandbox) if language and here else ""


# --- the trial game ---------------------------------------------------------------------------------------
def _with_trial(
    built: BuildResult[Executable], settings: Settings, open_runner: RunnerFactory
) -> BuildResult[Executable]:
    """The build with one game against sample programs in its report (K45); a rejected program has none.

    The game decides nothing. Its chance comes from the source's digest: the same program has the same trial.
    """
    if built.image is None:
        return built
    info = game_of(settings.game, settings.programs).info
    seats = min(max(info.min_seats, TRIAL_SEATS), info.max_seats)
    known = trial_opponents(info.name, settings.jail)[: seats - 1]
    others: Sequence[tuple[str, Executable]] = known or ((f"{YOU}_again", built.image),)
    table = [(YOU, built.image), *(others[seat % len(others)] for seat in range(seats - 1))]
    seeds = Seeds(bytes.fromhex(built.report.source_digest))
    images = {program.digest: program.to_bytes() for _, program in table}
    job = GameJob(
        tuple(program.digest for _, program in table),
        tuple(seeds.stream(f"trial/seat/{seat}") for seat in range(seats)),
        names=tuple(name for name, _ in table),
        is_trial=True,
    )
    with open_runner(images, settings, seeds) as runner:
        (result,) = runner.play([job])
    trial = Trial(" and ".join(dict.fromkeys(job.names[1:])), result)
    report = replace(built.report, trial=trial, said=result.seats[0].said)
    return replace(built, report=report)


@cache
def trial_opponents(game_name: str, sandbox: SandboxSettings) -> tuple[tuple[str, ProgramFolder], ...]:
    """The game's sample programs in shell, which is everywhere, by name. None where there are none."""
    programs = sorted(name for name in samples(game_name) if name.endswith(".sh"))
    return tuple((name.removesuffix(".sh"), _sample(game_name, name, sandbox)) for name in programs)


def _sample(game_name: str, name: str, sandbox: SandboxSettings) -> ProgramFolder:
    built = languages.build({name: samples(game_name)[name]}, Sandbox(sandbox))
    if isinstance(built, Problem):
        raise ToolMissing(f"the sample program {name} cannot be built: {built.text} {built.messages}")
    return built
