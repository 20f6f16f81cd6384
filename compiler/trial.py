"""Tries whether this host can build a language now, with the language's sample program."""

from __future__ import annotations

from contextlib import closing, suppress

from compiler import counted
from compiler.languages import Problem, packages_of, usable, version
from contest.config.settings import Settings
from contest.errors import ToolMissing
from contest.games.game import TEXT, TextProtocol
from contest.games.registry import game_of
from contest.schema.languages import Language, further_languages
from contest.schema.sections import Programs
from contest.util.sanitize import sanitize
from sandbox.fuel.program import FuelProgram
from sandbox.players.fuel import FuelPlayer
from sandbox.sandbox import Sandbox

_SAMPLE_ANSWER = "fit"
_SAMPLE_SECONDS = 20


def try_language(language: Language, settings: Settings) -> str:
    """Build and run the language's sample program in the sandbox, and import its packages.

    Returns what was found, with the tool's version. Raises ToolMissing if anything does not work.
    """
    sandbox = Sandbox()
    tool = version(language, sandbox)
    if not language.sample:
        return f"{tool}; not tried, because programs.languages has no sample for it"
    files = {f"sample.{language.suffixes[0]}": language.sample.encode()}
    made = counted.examine(files, sandbox, settings.programs, [language]).result
    if isinstance(made, Problem):
        raise ToolMissing(
            f"{tool}; a small program cannot be built: {made.text} {made.messages}".strip()
        )
    if isinstance(made, FuelProgram):
        units = [_units_of(made, sandbox, settings.programs) for _ in range(2)]
        if units[0] != units[1]:
            raise ToolMissing(
                f"{tool}; the same program took {units[0]:,} units, and then {units[1]:,}"
            )
        by = (
            f"{made.counter}, {made.guest}"
            if made.guest
            else counted.counted_by(made, language, tool)
        )
        return f"{by}; a small program takes {units[0]:,} units"
    with made.open(
        sandbox, [_SAMPLE_ANSWER], cpu_seconds=_SAMPLE_SECONDS, answer_bytes=1_000
    ) as process:
        answer = process.finish(_SAMPLE_SECONDS)
        ended = process.close()
    if answer.text != _SAMPLE_ANSWER:
        stderr = sanitize(ended.stderr.decode(errors="replace")).strip()
        raise ToolMissing(
            f"{tool}; a small program {ended.description} and printed {answer.text!r}: {stderr}"
        )
    return f"{tool}; a small program works"


def with_counted_time(settings: Settings) -> Settings:
    """Return the settings with the languages whose time can be counted, if programs of the game
    talk.

    They are those that can be counted on this computer, and that need none of the contest's
    packages; all others have processor time, so that no program is refused. The first time on a
    computer this makes the guests, which takes a minute.
    """
    programs = settings.programs
    if game_of(settings.game, programs).info.play is not TEXT:
        return settings
    rows = [row for row in programs.all_languages if row.counted and not packages_of(row, programs)]
    here: tuple[str, ...] = ()
    for row in usable([row.as_counted() for row in rows]):
        with suppress(ToolMissing):
            try_language(row, settings)
            here += (row.name,)
    return settings.changed(programs={"counted_languages": here})


def with_languages_here(settings: Settings) -> Settings:
    """Return the settings with the further languages whose tools are on this computer, if programs
    of the game talk."""
    if game_of(settings.game, settings.programs).info.play is not TEXT:
        return settings
    here = tuple(row.name for row in usable(further_languages()))
    return settings.changed(programs={"further_languages": here})


def _units_of(program: FuelProgram, sandbox: Sandbox, limits: Programs) -> int:
    with closing(
        FuelPlayer(program, sandbox, TextProtocol.ARGV, limits.fuel, limits.game_fuel)
    ) as player:
        player.begin()
        answer = player.move((_SAMPLE_ANSWER,))
        if answer != _SAMPLE_ANSWER:
            raise ToolMissing(f"a small program in {program.language} answered {answer!r}")
        return sum(player.usage().answer_fuel)
