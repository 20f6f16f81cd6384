"""From mailed files of any language to a program for the jail, and everything that its report says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from compiler import languages
from compiler.build_result import Builder, Built, Keepable
from compiler.images import build_image, is_image
from compiler.language_table import Language, languages_of
from compiler.languages import Outcome, Problem
from compiler.uploaded_files import Sent, description_findings, has_errors, report_on, take_apart
from contest.config.sections import Jail as JailSettings
from contest.config.sections import Programs
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.games.registry import game_of
from contest.model import BuildReport, Finding, GameJob, Severity, Trial
from contest.protocols import ArenaMaker
from contest.seeds import Seeds
from knobellib.samples import samples
from sandbox.program_folder import Bundle, Startable
from sandbox.sandbox import Jail

TRIAL_SEATS = 3  # in games that so many can play; two would not show what neighbours see of each other
YOU = "you"  # how the trial's opponents know the program


def program_builder(settings: Settings, open_arena: ArenaMaker) -> Builder:
    """For games whose programs are asked in words."""
    jail = Jail(settings.jail)
    known = languages_of(settings.programs)

    def build(files: Mapping[str, bytes], words: str) -> Built[Keepable]:
        return _with_trial(_built(files, words, jail, settings.programs, known), settings, open_arena)

    return build


def _built(
    files: Mapping[str, bytes], words: str, jail: Jail, settings: Programs, known: Sequence[Language]
) -> Built[Startable]:
    if settings.takes_images and is_image(files):
        return build_image(files, words, settings)
    return build_program(files, words, jail, settings, known)


def build_program(
    files: Mapping[str, bytes], words: str, jail: Jail, settings: Programs, known: Sequence[Language]
) -> Built[Bundle]:
    """The files as they were sent, built but not tried."""
    sent = take_apart(files, words)
    outcome = languages.examine(sent.files, jail, settings, known)
    findings = (*problem_findings(outcome), *description_findings(sent, settings))
    bundle = outcome.result if isinstance(outcome.result, Bundle) and not has_errors(findings) else None
    report = report_of(sent, outcome, findings, jail, bundle.digest if bundle else None)
    return Built(report, bundle, outcome.program)


def report_of(
    sent: Sent, outcome: Outcome, findings: Iterable[Finding], jail: Jail, image_digest: str | None
) -> BuildReport:
    """The facts that a report of a build in the jail has; none of its trial."""
    problem = outcome.result if isinstance(outcome.result, Problem) else None
    return report_on(
        sent,
        findings=tuple(findings),
        program=outcome.program,
        language=outcome.language.name if outcome.language else "",
        tool=_tool(outcome.language, jail),
        messages=problem.messages if problem else outcome.messages,
        image_digest=image_digest,
    )


def problem_findings(outcome: Outcome) -> tuple[Finding, ...]:
    """What kept the program from being built, as a finding."""
    if isinstance(outcome.result, Bundle):
        return ()
    rule = "compiler" if outcome.result.messages else "files"
    return (Finding(rule, Severity.ERROR, 0, outcome.result.text),)


def _tool(language: Language | None, jail: Jail) -> str:
    """The version of a language that is installed, "" otherwise."""
    here = language is not None and languages.usable([language])
    return languages.version(language, jail) if language and here else ""


# --- the trial game ---------------------------------------------------------------------------------------
def _with_trial(built: Built[Startable], settings: Settings, open_arena: ArenaMaker) -> Built[Startable]:
    """The build with one game against sample programs in its report (K45); a rejected program has none.

    The game decides nothing. Its chance comes from the source's digest: the same program has the same trial.
    """
    if built.image is None:
        return built
    info = game_of(settings.game, settings.programs).info
    seats = min(max(info.min_seats, TRIAL_SEATS), info.max_seats)
    known = trial_opponents(info.name, settings.jail)[: seats - 1]
    others: Sequence[tuple[str, Startable]] = known or ((f"{YOU}_again", built.image),)
    table = [(YOU, built.image), *(others[seat % len(others)] for seat in range(seats - 1))]
    seeds = Seeds(bytes.fromhex(built.report.source_digest))
    images = {program.digest: program.to_bytes() for _, program in table}
    job = GameJob(
        tuple(program.digest for _, program in table),
        tuple(seeds.stream(f"trial/seat/{seat}") for seat in range(seats)),
        names=tuple(name for name, _ in table),
        is_trial=True,
    )
    with open_arena(images, settings, seeds) as arena:
        (result,) = arena.play([job])
    trial = Trial(" and ".join(dict.fromkeys(job.names[1:])), result)
    report = replace(built.report, trial=trial, said=result.seats[0].said)
    return replace(built, report=report)


@cache
def trial_opponents(game_name: str, jail: JailSettings) -> tuple[tuple[str, Bundle], ...]:
    """The game's sample programs in shell, which is everywhere, by name. None where there are none."""
    programs = sorted(name for name in samples(game_name) if name.endswith(".sh"))
    return tuple((name.removesuffix(".sh"), _sample(game_name, name, jail)) for name in programs)


def _sample(game_name: str, name: str, jail: JailSettings) -> Bundle:
    built = languages.build({name: samples(game_name)[name]}, Jail(jail))
    if isinstance(built, Problem):
        raise ToolMissing(f"the sample program {name} cannot be built: {built.text} {built.messages}")
    return built
