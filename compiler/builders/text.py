"""Text games: programs of any language, and container images (M11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from compiler import counted, images, languages
from compiler.builders.base import ProgramBuilder
from compiler.languages import Outcome, Problem, Wanted, languages_of
from compiler.python2 import failed_as_python_2
from compiler.trial import try_language
from compiler.uploaded_files import UploadedFiles, description_findings, has_errors, take_apart
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.games.game import TextProtocol
from contest.games.registry import game_of
from contest.interfaces.protocols import BuildResult, RunnerFactory, SparringOpponents
from contest.language import gettext
from contest.model import BuildReport, Finding, GameJob, Severity, TextBuildReport, Trial
from contest.schema.languages import Language
from contest.schema.sections import Programs
from knobellib.samples import samples
from sandbox.budget import Budget, TooSlow, paid_from, unlimited
from sandbox.executable import Executable, player_from_bytes
from sandbox.images.oci_image import OciImage
from sandbox.players import function
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox

TRIAL_SEATS = 3  # if so many can play; two would not show what neighbours see of each other
YOU = "you"  # the program's name in its trial game


class TextBuilder(ProgramBuilder[Executable]):
    name = "text"

    def __init__(self, settings: Settings, open_runner: RunnerFactory) -> None:
        super().__init__(settings, open_runner)
        self._info = game_of(settings.game, settings.programs).info
        has_function = TextProtocol.FUNCTION in self._info.protocols
        self._wanted = Wanted(self._info.program_name, function.NAME if has_function else "")
        self._sandbox = Sandbox()
        self._languages = languages_of(settings.programs)

    def at_home(self, opponents: Sequence[tuple[str, Executable]] = (), seed: str = "") -> None:
        super().at_home(opponents, seed)
        self._languages = tuple(map(languages.with_places, self._languages))

    def build(
        self, files: Mapping[str, bytes], text: str, *, with_trial: bool = True
    ) -> BuildResult[Executable]:
        uploaded = take_apart(files, text)
        if not with_trial:
            return self._untried(uploaded)
        with paid_from(Budget(self._settings.programs.build_seconds)):
            built = self._untried(uploaded)
            if not built.image:
                return built
            try:
                return replace(built, report=self._with_trial(built.report, built.image))
            except TooSlow:
                return self._refused_as_slow(built)

    def sparring_opponents(self) -> SparringOpponents:
        """Return the game's sample programs in the languages that are installed here."""
        return _samples(self._info.name, self._languages)

    def load(self, raw: bytes) -> Executable:
        return player_from_bytes(raw)

    def offered(self) -> frozenset[str]:
        """Return what is installed here, and what the contest's rules promise."""
        programs = self._settings.programs
        here = frozenset(row.name for row in languages.usable(self._languages))
        return here.union(programs.counted_languages, programs.further_languages)

    def language_of(self, files: Mapping[str, bytes]) -> str:
        if self._settings.programs.takes_images and images.is_image(files):
            return images.IMAGES
        try:
            own = take_apart(files, "").files
            return languages.recognise(own, self._languages, self._wanted).language.name
        except Problem:
            return super().language_of(files)

    def try_language(self, language: str) -> None:
        if language == images.IMAGES:
            images.try_images(self._settings.programs, self._sandbox)
        for row in self._languages:
            if row.name == language:
                try_language(row, self._settings)

    def _untried(self, uploaded: UploadedFiles) -> BuildResult[Executable]:
        programs = self._settings.programs
        outcome: Outcome[Executable]
        if is_of_image := programs.takes_images and images.is_image(uploaded.files):
            outcome = images.examine(uploaded.files, self._sandbox)
        else:
            outcome = counted.examine(
                uploaded.files, self._sandbox, programs, self._languages, self._wanted
            )
        language = outcome.language.name if outcome.language else ""
        findings = (*outcome.findings, *description_findings(uploaded, programs))
        built = outcome.result
        image = None if isinstance(built, Problem) or has_errors(findings) else built
        tool = languages.installed_version(outcome.language, self._sandbox)
        report = TextBuildReport(
            findings=findings,
            tool=tool,
            messages=outcome.messages,
            description_lines=uploaded.description_lines,
            source_digest=uploaded.digest_of(outcome.program),
            image_digest=image.digest if image else None,
            language=images.LANGUAGE if is_of_image else language,
            files=uploaded.facts,
            image=images.facts_of(image) if isinstance(image, OciImage) else None,
            counted_by=counted.counted_by(image, outcome.language, tool),
        )
        return BuildResult(report, image, outcome.program)

    def _refused_as_slow(self, built: BuildResult[Executable]) -> BuildResult[Executable]:
        """Not accepted: already in its trial game a unit takes longer than a unit may."""
        text = gettext(
            "when building and trying your program had taken %(seconds)s s of processor time, an"
            " answer of its trial game was still missing. Its units take more than a nanosecond"
            " each: it reads or writes memory here and there, so that no cache helps, or calls"
            " functions with many parameters or results",
            seconds=self._settings.programs.build_seconds,
        )
        finding = Finding("time", Severity.ERROR, 0, text)
        findings = (*built.report.findings, finding)
        report = replace(built.report, findings=findings, image_digest=None)
        return replace(built, report=report, image=None)

    def _with_trial(self, report: BuildReport, image: Executable) -> BuildReport:
        """Return the report with one game against sample programs in it (K45).

        The game decides nothing. Raises TooSlow.
        """
        seats = min(max(self._info.min_seats, TRIAL_SEATS), self._info.max_seats)
        with unlimited():
            ours = _trial_opponents(self._info.name)
        known = self._opponents or ours[: seats - 1]
        others: Sequence[tuple[str, Executable]] = known or ((f"{YOU}_again", image),)
        players = [(YOU, image), *(others[seat % len(others)] for seat in range(seats - 1))]
        seeds = self._trial_seeds(report.source_digest)
        raws = {program.digest: program.to_bytes() for _, program in players}
        job = GameJob(
            tuple(program.digest for _, program in players),
            tuple(seeds.stream(f"trial/seat/{seat}") for seat in range(seats)),
            names=tuple(name for name, _ in players),
            is_trial=True,
        )
        with self._open_runner(raws, self._settings, seeds) as runner:
            (result,) = runner([job])
        trial = Trial(" and ".join(dict.fromkeys(job.names[1:])), result)
        stderr = result.seats[0].stderr_tail
        findings = (*report.findings, *self._why_it_failed(report.language, stderr))
        return replace(report, trial=trial, stderr_tail=stderr, findings=findings)

    def _why_it_failed(self, language: str, stderr: str) -> Iterator[Finding]:
        """Yield a note about what an interpreter did not find in the trial game: a library, or what
        only Python 2 has."""
        texts = [
            languages.lacking_library(row, stderr)
            for row in self._languages
            if row.name == language
        ]
        if language == function.LANGUAGE:
            texts.append(failed_as_python_2(gettext("the program"), stderr))
        yield from (Finding("files", Severity.NOTE, 0, text) for text in texts if text)


@cache
def _trial_opponents(game_name: str) -> tuple[tuple[str, ProgramFolder], ...]:
    """Return the game's sample programs in shell, which every host has; () if the game has none."""
    found = []
    for name in sorted(name for name in samples(game_name) if name.endswith(".sh")):
        result = languages.build({name: samples(game_name)[name]}, Sandbox())
        if isinstance(result, Problem):
            raise ToolMissing(
                f"the sample program {name} cannot be built: {result.text} {result.messages}"
            )
        found.append((name.removesuffix(".sh"), result))
    return tuple(found)


@cache
def _samples(game_name: str, chosen: tuple[Language, ...]) -> SparringOpponents:
    built = {
        name.partition(".")[0]: counted.examine({name: data}, Sandbox(), Programs(), chosen).result
        for name, data in sorted(samples(game_name).items())
    }
    return {
        name: (result.digest, result.to_bytes())
        for name, result in built.items()
        if not isinstance(result, Problem)
    }
