"""Programs in any language: recognise them by their file names, and build them in the sandbox.

Builds and games run in the same sandbox (sandbox/sandbox.py), with the same tools.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from glob import glob
from pathlib import Path
from posixpath import normpath
from typing import Generic, TypeVar

from compiler.python2 import refused_as_python_2
from compiler.toolchain import again_if_killed, clean, trouble
from contest.errors import ToolMissing
from contest.language import gettext, number
from contest.mail.sent_files import right_name
from contest.model import Finding, Severity
from contest.programs.start import NoStart, Start, find_start, in_place
from contest.schema.languages import Language, further_languages, usual_languages
from contest.schema.sections import Programs
from contest.util.program_files import (
    MAX_FILES,
    colliding,
    command_words,
    is_safe_path,
    placeholder_values,
    suffix_of,
)
from contest.util.sanitize import sanitize
from sandbox.bubblewrap import PATH
from sandbox.budget import UsedUp, unlimited
from sandbox.fuel import engine, guests
from sandbox.limits import MB, PYTHON_PACKAGE_FOLDERS, WORK
from sandbox.players.function import LANGUAGE as PYTHON
from sandbox.program_folder import Needs, ProgramFolder
from sandbox.sandbox import Limits, Sandbox

_PLACES = Path(__file__).with_name("fault_place.c")
_INCLUDE_FOLDER = "/box/include"  # with headers of ours, in the sandbox
_MOST_DATA = 256 * MB  # of a program that wants more memory than it may have, and is told so
_IMPORT = "import importlib, sys; importlib.import_module(sys.argv[1])"
_TEXT_SUFFIXES = ("txt", "text", "md", "rst", "csv", "json", "h", "hpp", "html", "pdf", "docx")
_TEXT_CONTROLS = frozenset(b"\t\n\f\r")


class Problem(Exception):
    """Why a program was refused, in a sentence with the right form, and the compiler's messages, if
    any."""

    def __init__(self, text: str, messages: str = "") -> None:
        super().__init__(text)
        self.text, self.messages = text, messages


Files = Mapping[str, bytes]
Made = TypeVar("Made")
Made_co = TypeVar("Made_co", covariant=True)


@dataclass(frozen=True)
class Outcome(Generic[Made_co]):
    """The result of a build; `program` is the file that the program starts with, "" where no file
    is a program.

    `notes`: what the report says about the files, whatever became of them.
    """

    result: Made_co | Problem
    program: str = ""
    language: Language | None = None
    messages: str = ""  # from the compiler
    rule: str = "files"  # that was broken, if the compiler has nothing to say
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Why the program was not built, if it was not, and the notes."""
        notes = tuple(Finding("files", Severity.NOTE, 0, text) for text in self.notes)
        if not isinstance(self.result, Problem):
            return notes
        rule = "compiler" if self.messages else self.rule
        return (Finding(rule, Severity.ERROR, 0, self.result.text), *notes)


# --- the languages of a contest: with the packages of Python, and each with its clock -------------
def languages_of(settings: Programs) -> tuple[Language, ...]:
    """Return all languages of the contest; those of `counted_languages` as they are built to be
    counted."""
    return tuple(_with_clock(row, settings) for row in settings.all_languages)


def with_places(row: Language) -> Language:
    """Return the language for use at home: where a program faults, its standard error names
    function and line."""
    if row.is_counted or row.tool not in ("gcc", "g++"):
        return row
    return row.model_copy(update={"build": (*row.build, "-g", "-no-pie", _PLACES.name)})


def packages_of(language: Language, settings: Programs) -> tuple[str, ...]:
    """Return the packages that programs in this language may import besides the standard
    library."""
    return settings.python_packages if language.name == PYTHON else ()


def package_patterns(package: str) -> tuple[str, ...]:
    """Return where a package of Python may be on this host, with its facts."""
    return tuple(
        f"{folder}/{package}{rest}"
        for folder in PYTHON_PACKAGE_FOLDERS
        for rest in ("", ".*", "-*")
    )


def _with_clock(row: Language, settings: Programs) -> Language:
    if row.name in settings.counted_languages:
        return row.as_counted()
    return _with_packages(row, packages_of(row, settings))


def _with_packages(python: Language, packages: tuple[str, ...]) -> Language:
    """Show Python these packages: the folder or file, what was compiled for it, and its version.

    Debian's libraries for linear algebra are links through /etc/alternatives. A thread for each
    core would break the limits on address space and threads, and be no faster: a program has one
    core.
    """
    if not packages:
        return python
    patterns = (pattern for package in packages for pattern in package_patterns(package))
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    changes = {
        "folders": (*python.folders, *patterns, "/etc/alternatives/*.so*"),
        "environment": one_thread | python.environment,
    }
    return python.model_copy(update=changes)


# --- builds ---------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Wanted:
    """How a contest's programs start: `called` is the name of their file, "" = any; `function` is
    what the contest calls in it, "" = nothing."""

    called: str = ""
    function: str = ""


ANY = Wanted()
ProgramStart = Start[Language]
Build = Callable[[Files, ProgramStart, Sandbox, Programs], tuple[Made, str]]


def recognise(
    files: Files, languages: Sequence[Language] | None = None, wanted: Wanted = ANY
) -> ProgramStart:
    """Find what the program starts with, and its language. Text files may come with it. Raises
    Problem."""
    languages = usual_languages() if languages is None else languages
    names = sorted(files)
    strange = [name for name in names if not is_safe_path(name)]
    if strange:
        text = gettext(
            'the file name "%(name)s" cannot be used; %(right_name)s',
            name=sanitize(strange[0])[:80],
            right_name=right_name(),
        )
        raise Problem(text)
    if pair := colliding(names):
        text = gettext(
            "%(name)s and %(other)s are one file on some systems", name=pair[0], other=pair[1]
        )
        raise Problem(text)
    if any(suffix_of(name) in each.suffixes for name in names for each in languages):
        try:
            return find_start(files, languages, called=wanted.called, function=wanted.function)
        except NoStart as why:
            raise Problem(str(why)) from None
    known = ", ".join(f"{each.name} (.{', .'.join(each.suffixes)})" for each in usable(languages))
    text = gettext(
        "no program is among the files (%(names)s); its suffix would tell its language: %(known)s",
        names=", ".join(names),
        known=known,
    )
    raise Problem(f"{text}{_how_to_add_a_language(names)}")


def _how_to_add_a_language(names: Sequence[str]) -> str:
    """Return the end of a refusal, if one of the files may be a program: what its team can ask
    for."""
    suffixes = {suffix_of(name) for name in names} - {"", *_TEXT_SUFFIXES}
    for row in further_languages():
        if not suffixes.isdisjoint(row.suffixes):
            return gettext(
                '. The organizer can add %(language)s: further_languages = ["%(language)s"] in'
                " [programs] of contest.toml, and `%(install)s` on the contest host",
                language=row.name,
                install=f"apt install {row.package}",
            )
    if not suffixes:
        return ""
    return gettext(
        ". The organizer can add any language that has a free implementation: a table"
        " [[programs.languages]] in contest.toml"
    )


def usable(languages: Sequence[Language]) -> tuple[Language, ...]:
    """Return the languages whose tools are installed on this host, in a folder that the sandbox
    shows."""
    return tuple(language for language in languages if is_installed(language))


def is_installed(language: Language) -> bool:
    """Return whether programs in this language can be built and run here."""
    if not language.is_counted:
        return _tool(language) is not None
    if not engine.is_installed():
        return False
    return _tool(language) is not None if language.tool else language.name in guests.GUESTS


def version(language: Language, sandbox: Sandbox) -> str:
    """Return the first line that the language's tool prints about its version. Raises ToolMissing.

    Without a tool it is the guest's.
    """
    if not language.tool:
        return guests.GUESTS[language.name].facts.partition(",")[0].partition(" sha256")[0]
    values = _placeholders(language, Start("", language), language.memory_mb)
    result = sandbox.run(
        command_words(language.version, values),
        files=_encoded(language.files),
        environment=_environment(language, values),
        folders=_folders(language),
        limits=Limits(
            address_space_bytes=language.build_memory_mb * MB, processes=language.processes
        ),
    )
    output = (result.stdout or result.stderr).decode(errors="replace").strip()
    if not result.succeeded:
        raise ToolMissing(
            f"{language.tool} does not work in the sandbox ({result.ending}): {sanitize(output)}"
        )
    return sanitize(output.partition("\n")[0])


def has_package(package: str) -> bool:
    """Return whether the system's Python has this package, where sandboxes show it."""
    return any(map(glob, package_patterns(package)))


def system_package(package: str) -> str:
    """Return the package of Debian and Ubuntu that has this package of Python."""
    return f"python3-{package.lower().replace('_', '-')}"


def _try_import(package: str, language: Language, sandbox: Sandbox, settings: Programs) -> None:
    """Raises ToolMissing if the package cannot be imported in the sandbox, with the package of the
    system to install."""
    values = _placeholders(language, Start("", language), language.memory_mb)
    memory = language.reserved_mb + (settings.memory_mb or language.memory_mb)
    limits = Limits(
        address_space_bytes=memory * MB,
        reserved_bytes=language.untouched_mb * MB,
        processes=language.processes,
    )
    run = partial(
        sandbox.run,
        [values["tool"], "-c", _IMPORT, package],
        environment=_environment(language, values),
        folders=_folders(language),
        limits=limits,
    )
    result = again_if_killed(run, limits)
    if not result.succeeded:
        output = sanitize(result.stderr.decode(errors="replace")).strip().rpartition("\n")[2]
        raise ToolMissing(
            f"programs.python_packages promises {package}, which programs cannot import:"
            f" {output or result.ending}. Install it for {values['tool']} (Debian, Ubuntu: apt"
            f" install {system_package(package)}), or take it from the list"
        )


def installed_version(language: Language | None, sandbox: Sandbox) -> str:
    """Return the version of a language as its tool tells it; "" where the tool is not installed."""
    with unlimited():
        return version(language, sandbox) if language and usable([language]) else ""


def build(
    files: Files,
    sandbox: Sandbox,
    settings: Programs | None = None,
    languages: Sequence[Language] | None = None,
) -> ProgramFolder | Problem:
    """Build a program that the system runs, as in `examine`, with the usual settings."""
    chosen = languages or usual_languages()
    return examine(files, sandbox, settings or Programs(), chosen, program_folder).result


def examine(
    files: Files,
    sandbox: Sandbox,
    settings: Programs,
    languages: Sequence[Language],
    build: Build[Made],
    wanted: Wanted = ANY,
) -> Outcome[Made]:
    """Check the files as they were sent, and `build` the program that they are in the sandbox.

    `build` gives the compiler's messages, too. The same files give the same program, to the last
    bit, on every host with the same tools. Raises ToolMissing if the sandbox is at fault, never for
    anything that a program does.
    """
    program, language = "", None
    notes: tuple[str, ...] = ()
    try:
        start = recognise(files, languages, wanted)
        program, language = start.program, start.language
        _check_sizes(files, settings)
        files, repairs = readable(files, language)
        notes = (*filter(None, (start.why,)), *repairs)
        _check_texts(files, program)
        if not is_installed(language):
            text = gettext(
                "%(language)s is not installed on the contest host; languages that are: %(here)s",
                language=language.name,
                here=", ".join(other.name for other in usable(languages)) or "none",
            )
            if language.package:
                text += gettext(
                    ". The organizer can install it: `%(install)s`",
                    install=f"apt install {language.package}",
                )
            raise Problem(text)
        made, told = build(files, start, sandbox, settings)
    except UsedUp:
        text = gettext(
            "to build your program takes more than %(seconds)s s of processor time, all that there"
            " is for building and trying one",
            seconds=settings.build_seconds,
        )
        return Outcome(Problem(text), program, language, notes=notes)
    except Problem as problem:
        if language and language.name == PYTHON and problem.messages:
            problem.text = refused_as_python_2(files) or problem.text
        return Outcome(problem, program, language, problem.messages, notes=notes)
    return Outcome(made, program, language, told, notes=notes)


def compiled(
    files: Files, start: ProgramStart, sandbox: Sandbox, settings: Programs
) -> tuple[bytes, str]:
    """Run the language's build in the sandbox. Raises Problem.

    The bytes of the result, b"" if the language has none, and the compiler's messages.
    """
    language = start.language
    values = _placeholders(language, start, settings.memory_mb or language.memory_mb)
    # Between compiler and linker a module holds all its data, even the zeros. The linker says how
    # much it is.
    most = settings.MAX_RESULT_BYTES
    file_bytes = most + (max(int(values["bytes"]), _MOST_DATA) if language.is_counted else 0)
    limits = Limits(
        file_bytes=file_bytes,
        work_bytes=4 * most + file_bytes,
        output_bytes=most,
        address_space_bytes=language.build_memory_mb * MB,
        processes=max(language.processes, 32),
    )
    names = files.keys() - _included(files, language)
    command = command_words(language.build, values, names, language.suffixes)
    run = partial(
        sandbox.run,
        _then_show(command, language.result),
        files={
            **{f"{WORK}/{name}": data for name, data in files.items()},
            **_ours(language),
            **_encoded(language.files),
        },
        environment={**_environment(language, values), "SOURCE_DATE_EPOCH": "768916800"},
        folders=_folders(language),
        own_path=values["tool"] if language.finds_itself else "",
        limits=limits,
    )
    result = again_if_killed(run, limits)
    if result.succeeded:
        return result.stdout, clean(result.stderr)
    messages = clean(result.stderr)
    text = (
        trouble(result, limits, is_gcc=False)
        or lacking_library(language, messages)
        or gettext(
            "%(tool)s found errors in your program; its messages tell more", tool=language.tool
        )
    )
    raise Problem(text, messages)


def lacking_library(language: Language, messages: str) -> str:
    """Return a sentence about the library that the language's tool did not find; "" if it says
    nothing of one."""
    if not language.missing_library:
        return ""
    found = re.search(language.missing_library, messages)
    if found is None:
        return ""
    return gettext(
        "there is no %(library)s: a program in %(language)s has its own files and the standard"
        " library, and nothing is installed for it",
        library=next(filter(None, found.groups()), found[0]),
        language=language.name,
    )


def program_folder(
    files: Files, start: ProgramStart, sandbox: Sandbox, settings: Programs
) -> tuple[ProgramFolder, str]:
    """Build a program that the system runs; also the compiler's messages. Raises Problem."""
    files, start = in_place(files, start)
    language = start.language
    memory = settings.memory_mb or language.memory_mb
    values = _placeholders(language, start, memory)
    result, told = compiled(files, start, sandbox, settings)
    # if one is missing, no program may be blamed for it
    for package in packages_of(language, settings):
        _try_import(package, language, sandbox, settings)
    made = {language.result: result} if language.result else {}
    folder = ProgramFolder(
        language=language.name,
        program=start.program,
        files={**kept_files(files, language), **made},
        command=tuple(command_words(language.run, values)),
        needs=Needs(
            address_space=(language.reserved_mb + memory) * MB,
            processes=language.processes,
            environment=_environment(language, values),
            folders=_folders(language),
            untouched=language.untouched_mb * MB,
            files=language.files,
        ),
    )
    return folder, told


def _ours(language: Language) -> Files:
    """Files of ours that the build names, by their paths in the sandbox."""
    found = {f"{WORK}/{_PLACES.name}": _PLACES} if _PLACES.name in language.build else {}
    if _INCLUDE_FOLDER in language.build:
        headers = Path(__file__).with_name("include")
        found |= {
            f"{_INCLUDE_FOLDER}/{path.relative_to(headers)}": path for path in headers.rglob("*.h")
        }
    return {name: path.read_bytes() for name, path in found.items()}


_INCLUDE = re.compile(rb'^[ \t]{0,40}#[ \t]{0,40}include[ \t]{0,40}"([^"\n]{1,160})"', re.MULTILINE)


def _included(files: Files, language: Language) -> set[str]:
    """Return the sources that others include, so that they are compiled with these and not
    alone."""
    paths = set()
    sources = {name: data for name, data in files.items() if suffix_of(name) in language.suffixes}
    for name, data in sources.items():
        own_folder = name.rpartition("/")[0] or "."
        for written in _INCLUDE.findall(data):
            path = written.decode(errors="replace")
            if suffix_of(path) in language.suffixes:
                paths |= {normpath(f"{folder}/{path}") for folder in (".", own_folder)}
    return paths


def kept_files(files: Files, language: Language) -> Files:
    """Return the files that a built program needs: of one that was compiled, all but its
    sources."""
    if not language.result:
        return files
    return {name: data for name, data in files.items() if suffix_of(name) not in language.suffixes}


# --- files as they were sent ----------------------------------------------------------------------
_OWN_ENCODING = re.compile(rb"\A(?:[^\n]{0,200}\n)?[ \t\f]*#[^\n]{0,100}coding[:=]")
_ONLY_NEWLINES = ("shell",)


def readable(files: Files, language: Language) -> tuple[Files, tuple[str, ...]]:
    """Return the files as the language's tools can read them, and what was changed, as sentences.

    Old editors write comments in Latin-1, and shells stumble over the line ends of Windows.
    """
    changed = dict(files)
    notes = []
    for name in sorted(files):
        data = files[name]
        if suffix_of(name) not in language.suffixes:
            continue
        if not _is_utf8(data) and not (language.name == PYTHON and _OWN_ENCODING.match(data)):
            data = data.decode("cp1252", errors="replace").encode()
            notes.append(
                gettext("%(name)s is not in UTF-8; it was read as Windows-1252", name=name)
            )
        if language.name in _ONLY_NEWLINES and b"\r\n" in data:
            data = data.replace(b"\r\n", b"\n")
            notes.append(
                gettext("%(name)s has the line ends of Windows; they were changed", name=name)
            )
        changed[name] = data
    return changed, tuple(notes)


def _then_show(command: Sequence[str], result: str) -> list[str]:
    """Build, then print the result on standard output; whatever the build itself prints is a
    message."""
    show = f"exec cat {result}" if result else ":"
    return ["/bin/sh", "-c", f'"$@" >&2 && {show}', "sh", *(command or ["true"])]


def _check_sizes(files: Files, settings: Programs) -> None:
    """Raises Problem if these are too many files, or too large ones."""
    size = sum(map(len, files.values()))
    if len(files) > MAX_FILES:
        text = gettext(
            "these are %(files)s files; at most %(max_files)s are possible",
            files=len(files),
            max_files=MAX_FILES,
        )
        raise Problem(text)
    if size > settings.MAX_SOURCE_BYTES:
        text = gettext(
            "these are %(size)s bytes; all files together may have at most %(limit)s",
            size=number(size),
            limit=number(settings.MAX_SOURCE_BYTES),
        )
        raise Problem(text)


def _check_texts(files: Files, program: str) -> None:
    """Raises Problem if a file is no text, or the program empty."""
    if binary := next((name for name in sorted(files) if not _is_text(files[name])), ""):
        text = gettext(
            "%(binary)s is not text; a program and the files that it reads must be text (UTF-8)",
            binary=binary,
        )
        raise Problem(text)
    if not files[program].strip():
        raise Problem(gettext("%(program)s is empty", program=program))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_text(data: bytes) -> bool:
    is_readable = _is_utf8(data) or _OWN_ENCODING.match(data) is not None
    return is_readable and all(byte >= 32 or byte in _TEXT_CONTROLS for byte in data)


def _tool(language: Language) -> Path | None:
    """Return the tool's path inside the sandbox; follows links through /etc (Debian's
    alternatives).

    If the language needs other files, too, a compiler may be installed in several versions, of
    which only one has them.
    """
    found = shutil.which(language.tool, path=PATH)
    candidates = [Path(found)] if found else []
    if language.is_counted:
        candidates += sorted(
            Path("/usr/lib").glob(f"llvm-*/bin/{language.tool}"), key=_llvm, reverse=True
        )
    needs = language.counted.needs if language.is_counted and language.counted else ()
    for path in filter(None, map(_inside, candidates)):
        if all(glob(pattern.format(home=path.parent.parent)) for pattern in needs):
            return path
    return None


def _llvm(path: Path) -> int:
    number = path.parent.parent.name.partition("-")[2]
    return int(number) if number.isdecimal() else 0


def _inside(path: Path) -> Path | None:
    while path.is_symlink() and path.readlink().is_absolute():
        path = path.readlink()
    return path if path.is_relative_to("/usr") else None


def _placeholders(language: Language, start: ProgramStart, memory: int) -> Mapping[str, str]:
    """Return the values for the placeholders in a language's commands."""
    tool = _tool(language)
    if tool is None:
        raise ToolMissing(
            f"{language.name} is not installed: there is no {language.tool} in {PATH}"
        )
    return placeholder_values(
        str(tool),
        tool.parent.parent,
        program=start.program,
        result=language.result,
        memory_mb=memory,
        start_class=start.name,
    )


def _environment(language: Language, values: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of the tool and of programs. `values`: see `_placeholders`."""
    return {name: value.format(**values) for name, value in language.environment.items()}


def _encoded(files: Mapping[str, str]) -> Files:
    return {path: text.encode() for path, text in files.items()}


def _folders(language: Language) -> tuple[str, ...]:
    """Links that lead nowhere are left out: they cannot be shown."""
    found = {path for pattern in language.folders for path in glob(pattern)}
    return tuple(sorted(path for path in found if Path(path).exists()))
