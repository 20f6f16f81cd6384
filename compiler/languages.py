"""Programs in any language: which there are, how to know them by their names, and how to build them.

A build and every run happen in the jail (sandbox/sandbox.py), with the same tools.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path, PurePosixPath

from compiler import messages, retry_if_killed
from compiler.language_table import LANGUAGES, Language
from contest.config.sections import Programs
from contest.errors import ToolMissing
from contest.file_names import MAX_FILES, RIGHT_NAME, is_safe
from contest.sanitize import sanitize
from sandbox.bubblewrap import PATH, WORK
from sandbox.program_folder import Needs, ProgramFolder
from sandbox.sandbox import Ending, Limits, Sandbox, SandboxResult

MB = 1024 * 1024
MAX_RESULT = 16 * MB  # bytes of a compiled program
_TEXT_CONTROLS = frozenset(b"\t\n\f\r")


@dataclass(frozen=True)
class Problem:
    """Why a program was not taken, in a sentence with the right form; and what the compiler said, if any."""

    text: str
    messages: str = ""


@dataclass(frozen=True)
class Outcome:
    """What became of the files that were sent; `program` is "" where none of them is one."""

    result: ProgramFolder | Problem
    program: str = ""
    language: Language | None = None
    messages: str = ""  # of the compiler, for a program that was built


def recognise(
    names: Iterable[str], languages: Sequence[Language] = LANGUAGES
) -> tuple[str, Language] | Problem:
    """The one file that is a program, and its language. Other files may lie beside it."""
    names = sorted(names)
    strange = [name for name in names if not is_safe(name)]
    if strange:
        return Problem(f"the file name {_quoted(strange[0])} cannot be used; {RIGHT_NAME}")
    programs = [(name, language) for name in names for language in languages if _is_in(name, language)]
    if len(programs) == 1:
        return programs[0]
    if programs:
        several = " and ".join(name for name, _ in programs)
        return Problem(
            f"there are {len(programs)} programs, {several}; send one program, with text files at most"
        )
    return Problem(
        f"{_none_of(names)}; the suffix of a program's name tells its language: {_known(usable(languages))}"
    )


def usable(languages: Sequence[Language] = LANGUAGES) -> tuple[Language, ...]:
    """The languages whose tools are installed on this computer, where the jail shows them."""
    return tuple(language for language in languages if _tool(language) is not None)


def version(language: Language, sandbox: Sandbox) -> str:
    """The first line of what the language's tool says of itself; raises ToolMissing without it."""
    words = _words(language, "", language.memory)
    result = sandbox.run(
        [word.format(**words) for word in language.version],
        environment=_environment(language, words),
        folders=_folders(language),
        limits=Limits(address_space_bytes=language.build_memory * MB, processes=language.processes),
    )
    said = (result.stdout or result.stderr).decode(errors="replace").strip()
    if not result.succeeded:
        raise ToolMissing(f"{language.tool} does not work in the jail ({result.ending}): {sanitize(said)}")
    return sanitize(said.partition("\n")[0])


def build(
    files: Mapping[str, bytes],
    sandbox: Sandbox,
    settings: Programs | None = None,
    languages: Sequence[Language] = LANGUAGES,
) -> ProgramFolder | Problem:
    """What was sent, built in the jail; as `examine`, for those who need no more."""
    return examine(files, sandbox, settings or Programs(), languages).result


def examine(
    files: Mapping[str, bytes], sandbox: Sandbox, settings: Programs, languages: Sequence[Language]
) -> Outcome:
    """Look at what was sent, and build it in the jail.

    The same files give the same bundle, to the last bit, on every computer with the same tools. Raises
    ToolMissing where the jail is at fault, never for anything that a program does.
    """
    found = recognise(files, languages)
    if isinstance(found, Problem):
        return Outcome(found)
    program, language = found
    problem = _unfit(files, program, settings) or _not_here(language, languages)
    if problem:
        return Outcome(problem, program, language)
    return _build(files, program, language, sandbox, settings)


def _build(
    files: Mapping[str, bytes], program: str, language: Language, sandbox: Sandbox, settings: Programs
) -> Outcome:
    memory = settings.memory_mb or language.memory
    words = _words(language, program, memory)
    command = [word.format(**words) for word in language.build]
    limits = Limits(
        file_bytes=MAX_RESULT,
        work_bytes=4 * MAX_RESULT,
        output_bytes=MAX_RESULT,
        address_space_bytes=language.build_memory * MB,
        processes=max(language.processes, 32),
    )
    result = retry_if_killed.run(
        sandbox,
        _then_show(command, language.result),
        files={f"{WORK}/{name}": data for name, data in files.items()},
        environment={**_environment(language, words), "SOURCE_DATE_EPOCH": "768916800"},
        folders=_folders(language),
        limits=limits,
    )
    if not result.succeeded:
        problem = Problem(_trouble(result, language, limits), messages.clean(result.stderr))
        return Outcome(problem, program, language)
    made = {language.result: result.stdout} if language.result else {}
    bundle = ProgramFolder(
        language=language.name,
        program=program,
        files={**_needed(files, program, language), **made},
        command=tuple(word.format(**words) for word in language.run),
        needs=Needs(
            (language.reserved + memory) * MB,
            language.processes,
            _environment(language, words),
            _folders(language),
        ),
    )
    return Outcome(bundle, program, language, messages.clean(result.stderr))


def _needed(files: Mapping[str, bytes], program: str, language: Language) -> Mapping[str, bytes]:
    """What lies beside a running program: of a compiled one the source is not needed."""
    return {name: data for name, data in files.items() if not (language.result and name == program)}


def _then_show(command: Sequence[str], result: str) -> list[str]:
    """The build, and then its result on standard output; what the build itself prints is a message."""
    show = f"exec cat {result}" if result else ":"
    return ["/bin/sh", "-c", f'"$@" >&2 && {show}', "sh", *(command or ["true"])]


def _is_in(name: str, language: Language) -> bool:
    return PurePosixPath(name).suffix.lower().removeprefix(".") in language.suffixes


def _unfit(files: Mapping[str, bytes], program: str, settings: Programs) -> Problem | None:
    """What is wrong with these files before anybody reads them."""
    size = sum(map(len, files.values()))
    if len(files) > MAX_FILES:
        return Problem(f"these are {len(files)} files; at most {MAX_FILES} can be taken")
    if size > settings.max_source_bytes:
        limit = settings.max_source_bytes
        return Problem(f"these are {size:,} bytes; all files together may have at most {limit:,}")
    binary = [name for name in sorted(files) if not _is_text(files[name])]
    if binary:
        return Problem(f"{binary[0]} is no text; a program and the files beside it are text (UTF-8)")
    return None if files[program].strip() else Problem(f"{program} is empty")


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return all(byte >= 32 or byte in _TEXT_CONTROLS for byte in data)


def _not_here(language: Language, languages: Sequence[Language]) -> Problem | None:
    if _tool(language) is not None:
        return None
    here = ", ".join(other.name for other in usable(languages)) or "none"
    return Problem(f"{language.name} is not installed on the contest computer; languages that are: {here}")


def _trouble(result: SandboxResult, language: Language, limits: Limits) -> str:
    if result.ending in (Ending.CPU_LIMIT, Ending.WALL_LIMIT):
        return f"the {language.name} compiler used more than {limits.cpu_seconds} s on your program"
    if result.ending is Ending.OUTPUT_LIMIT:
        return f"your program is larger than {MAX_RESULT // MB} MB when compiled, or its messages are endless"
    return f"{language.tool} found errors in your program; its messages tell more"


def _tool(language: Language) -> Path | None:
    """The tool's place inside the jail; links by way of /etc (Debian's alternatives) are followed here."""
    found = shutil.which(language.tool, path=PATH)
    path = Path(found) if found else None
    while path and path.is_symlink() and path.readlink().is_absolute():
        path = path.readlink()
    return path if path and path.is_relative_to("/usr") else None


def _words(language: Language, program: str, memory: int) -> Mapping[str, str]:
    tool = _tool(language)
    if tool is None:
        raise ToolMissing(f"{language.name} is not installed: there is no {language.tool} in {PATH}")
    stem = PurePosixPath(program).stem
    return {
        "tool": str(tool),
        "home": str(tool.parent.parent),
        "program": program,
        "stem": stem,
        "result": language.result,
        "memory": str(memory),
    }


def _environment(language: Language, words: Mapping[str, str]) -> dict[str, str]:
    return {name: value.format(**words) for name, value in language.environment}


def _folders(language: Language) -> tuple[str, ...]:
    return tuple(sorted(path for pattern in language.folders for path in glob(pattern)))


def _quoted(name: str) -> str:
    return f'"{sanitize(name)[:80]}"'


def _none_of(names: Sequence[str]) -> str:
    if not names:
        return "there is no file"
    return f"{names[0]} is no program" if len(names) == 1 else f"none of {', '.join(names)} is a program"


def _known(languages: Sequence[Language]) -> str:
    return ", ".join(f"{language.name} (.{', .'.join(language.suffixes)})" for language in languages)
