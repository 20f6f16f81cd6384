"""Every limit that a program can meet, as sentences, with the numbers of the places that enforce
them."""

from __future__ import annotations

from collections.abc import Iterator

from contest.config.settings import Settings
from contest.games import hog
from contest.games.game import MACHINE, TABLE, TEXT, GameInfo, TextProtocol
from contest.games.registry import game_of
from contest.language import decimal, gettext, number
from contest.programs import archive
from contest.schema.languages import Language
from contest.schema.sections import Programs
from contest.util import program_files
from contest.util.clock import sleep_seconds
from sandbox import players
from sandbox.images import oci_image, unpacking
from sandbox.limits import COMPILER, MB, PREPROCESSOR, Limits
from sandbox.players import function, lines, table
from sandbox.vm.image import MEMORY_SIZE


def limits_of(settings: Settings) -> tuple[str, ...]:
    """The limits of a contest with these settings, in the language of the caller."""
    programs = settings.programs
    game = game_of(settings.game, programs).info
    return tuple(_limits(programs, game))


def _limits(programs: Programs, game: GameInfo) -> Iterator[str]:
    yield gettext(
        "Source: at most %(bytes)s bytes, all files of a program together.",
        bytes=number(programs.MAX_SOURCE_BYTES),
    )
    if game.play is not MACHINE:
        yield from _of_files()
    yield from _of_compilers()
    if game.play is MACHINE:
        yield from _of_machine(programs)
    if game.play is TEXT:
        yield from _of_talking(programs, game)
    if game.play is TABLE:
        yield from _of_tables(programs)
    if programs.takes_images and game.play is TEXT:
        yield from _of_images(programs)
    yield gettext(
        "In an hour at most %(compiled)s programs of a team are compiled; if more wait, only the"
        " newest. At most %(practices)s letters with programs to practise are played.",
        compiled=programs.MAX_COMPILES_PER_HOUR,
        practices=programs.MAX_PRACTICES_PER_HOUR,
    )


def _of_files() -> Iterator[str]:
    yield gettext(
        "At most %(files)s files. The path of a file has at most %(characters)s characters and"
        " %(parts)s parts.",
        files=program_files.MAX_FILES,
        characters=program_files.MAX_PATH_CHARS,
        parts=program_files.MAX_DEPTH,
    )
    yield gettext(
        "An archive: at most %(entries)s entries, and %(bytes)s bytes when it is unpacked.",
        entries=number(archive.MAX_ENTRIES),
        bytes=number(archive.MAX_BYTES),
    )


def _of_compilers() -> Iterator[str]:
    yield gettext(
        "A compiler has %(seconds)s s of processor time. By the clock it has %(wall_seconds)s s; if"
        " it does not end by then, no program is refused for that: it is tried again.",
        seconds=COMPILER.cpu_seconds,
        wall_seconds=_seconds(COMPILER.wall_seconds),
    )


def _of_machine(programs: Programs) -> Iterator[str]:
    yield gettext(
        "The compiler has %(memory)s MB of memory. The preprocessor has %(seconds)s s of processor"
        " time, and writes at most %(bytes)s bytes.",
        memory=number(COMPILER.address_space_bytes // MB),
        seconds=PREPROCESSOR.cpu_seconds,
        bytes=number(PREPROCESSOR.output_bytes),
    )
    yield gettext(
        "At most %(elements)s lexical elements after preprocessing.",
        elements=number(programs.MAX_ELEMENTS),
    )
    yield gettext(
        "In a game: %(kilobytes)s kB of memory, and %(instructions)s machine instructions.",
        kilobytes=number(MEMORY_SIZE // 1024),
        instructions=number(programs.max_instructions),
    )


def _of_talking(programs: Programs, game: GameInfo) -> Iterator[str]:
    names = programs.counted_languages
    counted = [row.as_counted() for row in programs.all_languages if row.name in names]
    timed = [row for row in programs.all_languages if row.name not in names]
    if counted:
        yield gettext(
            "Counted time: %(fuel)s units for an answer, and %(game_fuel)s for all answers of a"
            " game. The module that a compiler makes has at most %(bytes)s bytes, and %(seconds)s s"
            " are there to translate it; to look for mistakes in other programs there are"
            " %(check_fuel)s units.",
            fuel=number(programs.fuel),
            game_fuel=number(programs.game_fuel),
            bytes=number(programs.MAX_MODULE_BYTES),
            seconds=programs.MACHINE_CODE_SECONDS,
            check_fuel=number(programs.CHECK_FUEL),
        )
    yield from (_of_counted(row, programs) for row in counted)
    if timed:
        yield gettext(
            "Processor time: %(seconds)s s for an answer. In a game a program may sleep for"
            " %(sleep_seconds)s s, all its answers together; to wait for a busy computer is no"
            " sleep. What a compiler makes has at most %(bytes)s bytes.",
            seconds=_seconds(programs.seconds),
            sleep_seconds=_seconds(programs.sleep_seconds),
            bytes=number(programs.MAX_RESULT_BYTES),
        )
    if timed and TextProtocol.STDIO in game.protocols:
        yield gettext(
            "A process that plays one game after another has %(seconds)s s of processor time for"
            " all of them.",
            seconds=number(lines.CPU_SECONDS),
        )
    if TextProtocol.FUNCTION in game.protocols:
        yield gettext(
            "To import a file with a function there are %(seconds)s s of processor time.",
            seconds=_seconds(function.IMPORT_SECONDS),
        )
    yield from (_of_timed(row, programs) for row in timed)
    if timed:
        yield _of_folder()
    yield gettext(
        "To build and try a program may take %(build_seconds)s s of processor time.",
        build_seconds=number(programs.build_seconds),
    )
    yield gettext(
        "An answer has at most %(bytes)s bytes. A trial game is broken off after %(seconds)s s.",
        bytes=number(players.MAX_ANSWER_BYTES),
        seconds=_seconds(programs.TRIAL_SECONDS),
    )


def _of_counted(row: Language, programs: Programs) -> str:
    memory = number(programs.memory_mb or row.memory_mb)
    if not row.tool:
        return gettext(
            "%(language)s: %(memory)s MB of memory; no other processes or threads.",
            language=row.name,
            memory=memory,
        )
    return gettext(
        "%(language)s: %(memory)s MB of memory; no other processes or threads; %(build_memory)s MB"
        " for the compiler.",
        language=row.name,
        memory=memory,
        build_memory=number(row.build_memory_mb),
    )


def _of_timed(row: Language, programs: Programs) -> str:
    memory = programs.memory_mb or row.memory_mb
    return gettext(
        "%(language)s: %(memory)s MB of memory, that is %(space)s MB of address space with what the"
        " language reserves; %(processes)s processes and threads; %(build_memory)s MB for the"
        " compiler.",
        language=row.name,
        memory=number(memory),
        space=number(memory + row.reserved_mb + row.untouched_mb),
        processes=row.processes,
        build_memory=number(row.build_memory_mb),
    )


def _of_folder() -> str:
    usual = Limits()
    return gettext(
        "Where time is not counted, a program can have %(files)s files open, and write files of up"
        " to %(file)s MB, together %(all)s MB.",
        files=usual.open_files,
        file=number(usual.file_bytes // MB),
        all=number(usual.work_bytes // MB),
    )


def _of_tables(programs: Programs) -> Iterator[str]:
    yield gettext(
        "All scores together: %(seconds)s s of processor time and %(sleep_seconds)s s of sleep, the"
        " import of the file included; and as much again, as they are asked twice.",
        seconds=_seconds(programs.seconds),
        sleep_seconds=_seconds(programs.sleep_seconds),
    )
    python = (row for row in programs.all_languages if row.name == function.LANGUAGE)
    yield from (_of_timed(row, programs) for row in python)
    yield _of_folder()
    yield gettext(
        "PLAYER_NAME has at most %(characters)s characters, and to read it there are %(seconds)s s"
        " of processor time, %(sleep_seconds)s s of sleep. Numbers of dice are from 0 to"
        " %(dice)s.",
        characters=hog.MAX_NAME,
        seconds=_seconds(table.CONSTANT_SECONDS),
        sleep_seconds=_seconds(sleep_seconds(table.CONSTANT_SECONDS)),
        dice=hog.MAX_DICE,
    )


def _of_images(programs: Programs) -> Iterator[str]:
    if programs.max_image_bytes:
        yield gettext(
            "The archive of a container image has at most %(bytes)s bytes.",
            bytes=number(programs.max_image_bytes),
        )
    yield gettext(
        "A container image has at most %(unpacked)s bytes and %(files)s files and links when it is"
        " unpacked, %(variables)s variables, and %(words)s words in its command. It has %(space)s"
        " MB of address space, and %(processes)s processes and threads.",
        unpacked=number(unpacking.UNPACKED_BYTES),
        variables=number(oci_image.MAX_VARIABLES),
        words=number(oci_image.MAX_WORDS),
        files=number(unpacking.MAX_FILES),
        space=number(oci_image.ADDRESS_SPACE_BYTES // MB),
        processes=oci_image.PROCESSES,
    )


def _seconds(seconds: float) -> str:
    return decimal(f"{seconds:g}")
