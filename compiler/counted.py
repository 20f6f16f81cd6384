"""Programs whose time is counted: build them in the sandbox as WebAssembly, or check them for their
guest.

A module is compiled to machine code here, once, so that a module that the engine refuses is refused
in the report. Whatever a source does to a compiler, it does in the sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

from compiler import languages
from compiler.languages import ANY, Files, Outcome, Problem, ProgramStart, Wanted
from contest.games.game import TextProtocol
from contest.language import gettext, number
from contest.programs.start import in_place
from contest.schema.languages import CountedBuild, Language
from contest.schema.sections import Programs
from contest.util.program_files import suffix_of
from contest.util.sanitize import sanitize
from sandbox.executable import Executable
from sandbox.fuel import engine, guests
from sandbox.fuel.engine import NotCompiled
from sandbox.fuel.program import FuelProgram
from sandbox.limits import MB
from sandbox.players import AnswerFault, AnswerFaultKind
from sandbox.players.fuel import FuelPlayer
from sandbox.program_folder import ProgramFolder
from sandbox.sandbox import Sandbox

_NO_EXCEPTIONS = re.compile(r"cannot use '(?:try|throw)' with exceptions disabled")
_TOO_MUCH_DATA = re.compile(r"(?:maximum|initial) memory too small, (\d{1,18}) bytes needed")
_OTHER_TYPE = re.compile(r"function signature mismatch: (\w+)")
_THREADS = r"'(?:j?thread|\w*mutex|async|future|lock_guard|unique_lock|condition_variable\w*)'"
_NOT_THERE = re.compile(
    r"undefined symbol:"
    r" (?:(?:pthread_|thrd_|mtx_|cnd_)\w*|v?fork|exec[lv]\w*|system|popen|waitpid|wait|pipe|"
    r"kill|posix_spawn\w*|socket|connect|bind|listen|getaddrinfo|gethostby\w+|\w*(?:set|long)jmp)$|"
    r"\b(?:pthread|threads|sys/wait|spawn|netdb|sys/un|setjmp)\.h(?::\d+:|' file not found)|"
    r"<\w+> is not supported on this single threaded|"
    rf"(?:unknown type name|undeclared identifier) {_THREADS}|named {_THREADS} in namespace",
    re.MULTILINE,
)
_X86 = re.compile(r"only meant to be used on x86|\b[a-z0-9]{1,9}intrin\.h")
_CONSTANT_MATH = re.compile(
    r"non-constexpr function '(pow|sqrt|exp|log\w{0,3}|sin|cos|tan|floor|ceil|round|fabs|cbrt)\b"
)
_TOO_LARGE = re.compile(r"LLVM ERROR: out of memory|IO failure on output stream|File too large")
_GAVE_UP = re.compile(r"^0\.\s+Program arguments: clang", re.MULTILINE)  # its time was over
_VERSION = re.compile(r"\d+(?:\.\d+)+")


def examine(
    files: Files,
    sandbox: Sandbox,
    settings: Programs,
    chosen: Sequence[Language],
    wanted: Wanted = ANY,
) -> Outcome[FuelProgram | ProgramFolder]:
    """Like languages.examine; a program in a language that is counted becomes a FuelProgram.

    The same files give the same module, to the last bit, on every host with the same compiler.
    """
    return languages.examine(
        files, sandbox, settings=settings, languages=chosen, build=_built, wanted=wanted
    )


def _built(
    files: Files, start: ProgramStart, sandbox: Sandbox, settings: Programs
) -> tuple[FuelProgram | ProgramFolder, str]:
    language = start.language
    if language.counted is None or not language.is_counted:
        return languages.program_folder(files, start, sandbox, settings)
    files, start = in_place(files, start)
    if language.tool:
        return _compiled(files, start, sandbox, settings)
    return _checked_by_guest(files, start, language.counted, sandbox, settings), ""


def counted_by(program: Executable | None, language: Language | None, version: str) -> str:
    """Counter and compiler or guest, with versions; "" for a program that is not counted."""
    if not isinstance(program, FuelProgram) or language is None:
        return ""
    found = _VERSION.search(version)
    return (
        f"{program.counter},"
        f" {f'{language.tool} {found[0]}' if language.tool and found else version}"
    )


# --- compiled languages ---------------------------------------------------------------------------
def _compiled(
    files: Files, start: ProgramStart, sandbox: Sandbox, settings: Programs
) -> tuple[FuelProgram, str]:
    language = start.language
    memory = settings.memory_mb or language.memory_mb
    try:
        module, told = languages.compiled(files, start, sandbox, settings)
    except Problem as problem:
        reasons = " ".join(_reasons(problem.messages, memory))
        raise Problem(reasons or problem.text, problem.messages) from None
    made = FuelProgram(
        language=language.name,
        program=start.program,
        files=languages.kept_files(files, language),
        memory_bytes=memory * MB,
        module=_counted(module, told, sandbox, memory * MB),
    )
    return made, told


def _counted(module: bytes, told: str, sandbox: Sandbox, memory_bytes: int) -> bytes:
    """Return the module with its counter. Raises Problem, with what the compiler told, if it is not
    accepted."""
    if len(module) > Programs.MAX_MODULE_BYTES:
        reason = gettext(
            "your program has %(size)s bytes when compiled to WebAssembly; it may have at most"
            " %(limit)s",
            size=number(len(module)),
            limit=number(Programs.MAX_MODULE_BYTES),
        )
        raise Problem(reason, told)
    reason = ""
    for _ in range(2):  # as `again_if_killed` does
        try:
            counting = engine.counted_module(module, sandbox, memory_bytes)
            engine.machine_code(counting, sandbox, cpu_seconds=Programs.MACHINE_CODE_SECONDS)
        except NotCompiled as error:
            reason = str(error)
            if not error.may_be_ours:
                break
        else:
            return counting
    sentence = gettext(
        "your program was compiled to WebAssembly, but %(engine)s does not take it: %(reason)s",
        engine=engine.name(),
        reason=sanitize(reason),
    )
    raise Problem(sentence, told)


def _reasons(stderr: str, memory: int) -> Iterator[str]:
    """Yield what the program uses that WebAssembly lacks, as sentences, from the compiler's
    messages."""
    if _NO_EXCEPTIONS.search(stderr):
        yield gettext(
            "programs in C++ whose time is counted have no exceptions (try, catch, throw): return"
            " an error instead"
        )
    if _NOT_THERE.search(stderr):
        yield gettext(
            "programs whose time is counted have no threads, no other processes, no network, and no"
            " setjmp and longjmp"
        )
    if _X86.search(stderr):
        yield gettext(
            "programs whose time is counted are compiled to WebAssembly, which has no instructions"
            " of x86: leave out <x86intrin.h> and headers like it"
        )
    if found := _CONSTANT_MATH.search(stderr):
        yield gettext(
            "the compiler of counted programs computes no std::%(function)s in a constant: write"
            " `const` in place of `constexpr`, or the number itself",
            function=found[1],
        )
    if found := _TOO_MUCH_DATA.search(stderr):
        yield gettext(
            "the data of your program need %(needed)s MB of memory, and it may have %(memory)s MB",
            needed=number(-(-int(found[1]) // MB)),
            memory=number(memory),
        )
    if _GAVE_UP.search(stderr):
        yield gettext("the compiler used more than its time or its memory on your program")
    if _TOO_LARGE.search(stderr):
        yield gettext("your program is too large: its compiler had not enough memory")
    if found := _OTHER_TYPE.search(stderr):
        yield gettext(
            "%(function)s is declared or called with other parameters than it has; WebAssembly"
            " checks that. Include its header, or declare it with its parameters",
            function=found[1],
        )


# --- languages with a guest -----------------------------------------------------------------------
def _checked_by_guest(
    files: Files, start: ProgramStart, how: CountedBuild, sandbox: Sandbox, settings: Programs
) -> FuelProgram:
    """Let the guest itself look for mistakes: another version of the language would find others."""
    language = start.language
    guest = guests.GUESTS[language.name]
    made = FuelProgram(
        language=language.name,
        program=start.program,
        files=files,
        memory_bytes=(settings.memory_mb or language.memory_mb) * MB,
        guest=guest.facts,
    )
    name = f"check.{language.suffixes[0]}"
    while name in files:
        name = f"_{name}"
    sources = {each: data for each, data in files.items() if suffix_of(each) in language.suffixes}
    checker = replace(made, program=name, files={name: how.check.encode(), **sources})
    with closing(
        FuelPlayer(checker, sandbox, TextProtocol.ARGV, Programs.CHECK_FUEL, Programs.CHECK_FUEL)
    ) as player:
        player.begin()
        answer = player.move(tuple(sorted(sources)))
    if not isinstance(answer, AnswerFault) or answer.kind is AnswerFaultKind.NO_ANSWER:
        return made
    stderr = sanitize(answer.stderr_tail)
    tool = languages.version(language, sandbox)
    text = gettext("%(tool)s found errors in your program; its messages tell more", tool=tool)
    raise Problem(text, stderr or answer.sentence)
