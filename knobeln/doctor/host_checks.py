"""Checks whether this host can run a contest, for `knobeln doctor`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from pathlib import Path

from compiler.languages import languages_of, usable
from compiler.toolchain import Toolchain
from compiler.trial import try_language
from contest.config.load import FILE_NAME
from contest.config.settings import Settings
from contest.errors import KnobelnError, ToolMissing
from contest.games.game import TEXT
from contest.games.registry import game_of
from contest.schema.languages import Language, further_languages
from contest.schema.sections import Contest
from contest.subprocesses import child_process
from contest.util.caches import usual_home, why_unusable
from contest.util.folders import shipped
from contest.util.plurals import plural
from knobeln.context import ContestContext
from knobeln.doctor import mail_checks
from knobeln.doctor.mail_checks import Note, check_delivery
from knobeln.privileges import User, user_for
from mailserver.intake.loopback import ADDRESS, require_loopback
from sandbox.executable import is_counted
from sandbox.fuel import engine
from sandbox.groups import limits_of_sandboxes
from sandbox.images.oci_image import image_cache
from sandbox.images.unpacking import require_tools
from sandbox.limits import MB
from sandbox.players.fuel import SECONDS_A_UNIT, seconds_until_aside
from sandbox.sandbox import Ending, Limits, Sandbox
from sandbox.self_test import require_tight
from sandbox.vm.translation import NotTranslated, translations
from store import submissions
from tournament.longest_day import LONGEST_OF_CERTAINTY, longest_first_round
from tournament.runners.machine import knobeln_engine

_MIN_DISK_BYTES = 500_000_000
_PACKAGES_SECONDS = 60.0
_LITTLE_MEMORY = Limits(address_space_bytes=64 * MB, work_bytes=MB, processes=32)
# Without a line's end to wait for, tail keeps all that it gets.
_MEMORY_OF_MANY = (
    "for i in 1 2 3 4 5 6; do head -c 40000000 /dev/zero | tail -n 1 > /dev/null & done; wait"
)


class Level(StrEnum):
    """How a check went: well; well, with something to think about; not."""

    OK = "ok"
    NOTE = "note"
    FAIL = "FAIL"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check. `text`: what was found, or what is wrong and how to fix it.

    `is_needed`: without it no contest with these settings can be run at all.
    """

    name: str
    level: Level
    text: str
    is_needed: bool = False

    @property
    def passed(self) -> bool:
        return self.level is not Level.FAIL


CheckResults = tuple[CheckResult, ...]


def check_host(path: Path, settings: Settings) -> tuple[CheckResult, ...]:
    """Run all checks but those of languages; those of the contest only if there is one in the
    folder."""
    is_c = game_of(settings.game, settings.programs).info.play.is_in_c
    checks: list[tuple[str, Callable[[], str], bool]] = [
        ("Python", lambda: sys.version.split()[0], False),
        ("system packages", _system_packages, False),
        ("the user", lambda: _user(path), False),
        ("the cache", _cache, False),
        ("the sandbox", _sandbox, True),
        ("limits of sandboxes", _limits, False),
        ("the compiler", lambda: Toolchain().version, is_c),
        ("the contest machine", lambda: f"built at {knobeln_engine()}", is_c),
        ("native code", _native_code, False),
        ("images", lambda: _images(settings), False),
        ("disk", lambda: _disk(path), True),
        ("this host's own address", _loopback, True),
    ]
    if is_process_1():
        checks.append(("process 1", _process_1, False))
    if (path / FILE_NAME).exists():
        checks.append(("the contest", lambda: _contest(path), False))
        if game_of(settings.game, settings.programs).info.play is TEXT:
            checks.append(("the longest day", lambda: _longest_day(path), False))
        checks += [(name, check, False) for name, check in mail_checks.checks(settings, path)]
        checks.append(("mails out", lambda: check_delivery(ContestContext.open(path)), False))
    return tuple(run_check(*check) for check in checks)


def run_check(name: str, check: Callable[[], str], is_needed: bool = False) -> CheckResult:
    """Run a check, which returns what it found, or raises KnobelnError with what is wrong."""
    try:
        text = check()
        return CheckResult(
            name, Level.NOTE if isinstance(text, Note) else Level.OK, text, is_needed
        )
    except KnobelnError as error:
        return CheckResult(name, Level.FAIL, str(error), is_needed)
    except Exception as error:  # it hides no other check
        return CheckResult(name, Level.FAIL, f"the check itself failed: {error!r}", is_needed)


def check_languages(settings: Settings) -> Iterator[CheckResult]:
    """Try each language of programs in the sandbox; name the tool to install if a language has
    none.

    A missing tool is not a failure: a contest can do without that language. Languages whose time
    can be counted are tried for all contests, so that they can be mended before there is one.
    """
    programs = settings.programs
    for language in languages_of(programs):
        what = f"programs in {language.name}"
        if language.is_counted:
            continue
        if usable([language]):
            yield run_check(what, partial(try_language, language, settings))
        else:
            text = f"not accepted: there is no {language.tool}; {_install(language)} to accept them"
            yield CheckResult(what, Level.NOTE, text)
    yield from _further_languages(settings)
    if not engine.is_installed():
        lack = f"needs wasmtime; {engine.INSTALL}"
        yield CheckResult(
            "counted time", Level.FAIL if programs.counted_languages else Level.NOTE, lack
        )
        return
    yield run_check("counted time", lambda: _engine(settings))
    counted = [row.as_counted() for row in programs.all_languages if row.counted]
    for language in usable(counted):
        yield _counted_language(language, settings)
    if lacking := [language for language in counted if not usable([language])]:
        what = f"counted time of {', '.join(language.name for language in lacking)}"
        line = _packages_line("--for-fuel")
        install = f"; run this as root:\n    {line}" if line else ""
        yield CheckResult(
            what, Level.NOTE, f"not accepted: no compiler makes WebAssembly of them{install}"
        )


def _further_languages(settings: Settings) -> Iterator[CheckResult]:
    """Try those that are installed and that this contest does not name: `init` would name them."""
    named = {language.name for language in settings.programs.all_languages}
    others = [language for language in further_languages() if language.name not in named]
    for language in usable(others):
        what = f"programs in {language.name}"
        tried = run_check(what, partial(try_language, language, settings))
        text = f"not accepted, programs.further_languages does not name it: {tried.text}"
        yield CheckResult(what, Level.NOTE, text)
    if lacking := [language for language in others if not usable([language])]:
        names = ", ".join(f"{language.name} ({language.package})" for language in lacking)
        text = f"more can be accepted, each by a package of Debian and Ubuntu: {names}"
        yield CheckResult("further languages", Level.NOTE, text)


def _install(language: Language) -> str:
    return f"apt install {language.package}" if language.package else "install it"


def _engine(settings: Settings) -> str:
    """What counts, and what the limit of an answer is at worst: a program in C that misses all
    caches."""
    programs = settings.programs
    compiled = [
        row.as_counted() for row in programs.all_languages if row.counted and row.counted.tool
    ]
    memory = programs.memory_mb or max(row.memory_mb for row in compiled)
    slowest = engine.nanoseconds_at_worst(Sandbox(), memory * MB)
    version_line = (
        f"{engine.name()}, in {engine.engine_folder()}; a unit takes {slowest:.1f} ns at worst, and"
        f" may take {SECONDS_A_UNIT * 1e9:g}, so an answer of {programs.fuel:,} units takes at most"
        f" {programs.fuel * SECONDS_A_UNIT:,.0f} s"
    )
    ends = engine.supported_until(engine.major_version())
    if datetime.now(UTC).date() > ends:
        return Note(
            f"{version_line}; its makers have not corrected this version since {ends}: upgrade"
            " wasmtime"
        )
    return version_line


def _counted_language(language: Language, settings: Settings) -> CheckResult:
    """Try it. A contest that does not count programs in this language can do without."""
    what = f"counted time of {language.name}"
    check = run_check(what, partial(try_language, language, settings))
    if check.passed:
        return check
    if language.name in settings.programs.counted_languages:
        without = f"Until it works, take {language.name} from programs.counted_languages."
        return replace(check, text=f"{check.text}\n{without}")
    return CheckResult(
        what, Level.NOTE, f"cannot be counted here, `init` leaves it out: {check.text}"
    )


def _cache() -> str:
    folder = usual_home()
    if reason := why_unusable(folder):
        raise ToolMissing(f"what is built is kept only until the host starts again: {reason}")
    return f"what is built is kept in {folder}"


def _packages_line(*words: str) -> str:
    """The one line that installs the packages of the system that are missing; "" where none is."""
    command = ["/bin/sh", str(shipped("tools/system-packages")), *words, "--print"]
    result = child_process.run(command, b"", _PACKAGES_SECONDS)
    return result.stdout.decode(errors="replace").strip()


def _system_packages() -> str:
    if line := _packages_line():
        raise ToolMissing(f"some are missing; run this as root:\n    {line}")
    return (
        "none is missing" if shutil.which("apt-get") else "not looked for: this host has no apt-get"
    )


def _sandbox() -> str:
    require_tight(Sandbox(), image_cache())
    return (
        "bubblewrap isolates programs (tried: no network, /proc/sys cannot be written, a filter"
        " refuses other system calls, the limits of memory and processes hold)"
    )


def _user(path: Path) -> str:
    if os.geteuid() != 0:
        return "an ordinary user"
    user = user_for(path)
    if isinstance(user, User):
        return f"root; `serve` and `run` go on as {user.name}"
    why = f": {user}" if user else ""
    return Note(
        "root, and `serve` and `run` stay root, which is a risk; give the contest to an ordinary"
        f" user{why}"
    )


def is_process_1() -> bool:
    """Whether the first process here is knobeln's, as in a container that was started without an
    init."""
    try:
        words = Path("/proc/1/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    names = [Path(os.fsdecode(word)).name for word in words[:2]]  # an interpreter, and what it runs
    return "knobeln" in names


def _process_1() -> str:
    return Note(
        "knobeln itself; nothing collects processes that have ended, until no other one can be"
        " started: run the container with --init, or let tini start knobeln"
    )


def _limits() -> str:
    """Try the limit of memory with processes of which each keeps to it.

    Weak limits are not a failure: contests can do with them.
    """
    limits = limits_of_sandboxes()
    if not limits.whole:
        return Note(f"weak: {limits.sentence}")
    result = Sandbox().run(["/bin/sh", "-c", _MEMORY_OF_MANY], limits=_LITTLE_MEMORY)
    if result.ending is not Ending.MEMORY_LIMIT:
        raise ToolMissing(
            f"{limits.sentence}, but a sandbox that used more than"
            f" {_LITTLE_MEMORY.memory_bytes // MB} MB ended with {result.ending} {result.code}:"
            f" {result.stderr.decode('utf-8', 'replace')}"
        )
    return limits.sentence


def _native_code() -> str:
    native = translations()
    try:
        native.check(Sandbox())
    except NotTranslated as error:
        raise ToolMissing(
            f"the interpreter plays programs, about four times slower: {error}"
        ) from None
    return f"programs are translated, and stored in {native.folder}"


def _images(settings: Settings) -> str:
    """Check that images can be unpacked. Only contests that take images need it."""
    try:
        require_tools()
    except ToolMissing as missing:
        if settings.programs.takes_images:
            raise
        return Note(f"none can play: {missing}")
    return "they are unpacked by skopeo and umoci, and run in the sandbox"


def _disk(path: Path) -> str:
    whole = path.resolve()
    folder = next(parent for parent in (whole, *whole.parents) if parent.exists())
    free = shutil.disk_usage(folder).free
    if free < _MIN_DISK_BYTES:
        raise KnobelnError(
            f"only {free / 1e6:,.0f} MB are free at {folder}, and a contest needs"
            f" {_MIN_DISK_BYTES / 1e6:,.0f}",
            hint="make room, or name a folder elsewhere",
        )
    return f"{free / 1e9:.1f} GB free"


def _loopback() -> str:
    require_loopback()
    return f"programs reach each other at {ADDRESS}"


def _longest_day(path: Path) -> str:
    """What the programs that are in now can take at worst (docs/clock.md)."""
    contest = ContestContext.open(path)
    settings, fuel = contest.settings, contest.settings.programs.fuel
    with contest.store.read() as tx:
        programs = {
            str(team): is_counted(submissions.image_of(tx, team, number)[1])
            for team, number in submissions.counting_numbers(tx).items()
        }
    seconds = longest_first_round(settings, programs)
    return (
        f"the games of the first round of {plural(len(programs), 'program')} take at most"
        f" {seconds:,.0f} s together, if each program uses all that it may, and sleeps as long as"
        f" it may; a counted program may take {seconds_until_aside(fuel):,.0f} s more in each game"
        " that is played at once; the group of one that is set aside is played again; to tell how"
        f" sure the ranking is takes at most {LONGEST_OF_CERTAINTY:,.0f} s"
    )


def _contest(path: Path) -> str:
    contest = ContestContext.open(path)
    contest.store.check_integrity()
    title, address = contest.settings.contest.title, contest.settings.contest.address
    sound = f"{title} in {path}: settings and database are sound"
    if address == Contest().address:
        return Note(f"{sound}; {address} is an address for trials: for others set contest.address")
    return sound
