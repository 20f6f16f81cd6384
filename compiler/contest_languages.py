"""The languages of a contest on this host: with the packages of Python, and each with its clock."""

from __future__ import annotations

from contest.schema.languages import Language
from contest.schema.sections import Programs
from sandbox.places import PYTHON_PACKAGE_FOLDERS
from sandbox.players.function import LANGUAGE as PYTHON


def languages_of(settings: Programs) -> tuple[Language, ...]:
    """All languages of the contest; those of `counted_languages` as they are built to be counted."""
    return tuple(_with_clock(row, settings) for row in settings.all_languages)


def packages_of(language: Language, settings: Programs) -> tuple[str, ...]:
    """The packages that programs in this language may import besides the standard library."""
    return settings.python_packages if language.name == PYTHON else ()


def package_patterns(package: str) -> tuple[str, ...]:
    """Where a package of Python may be on this host, with its facts."""
    return tuple(
        f"{folder}/{package}{rest}" for folder in PYTHON_PACKAGE_FOLDERS for rest in ("", ".*", "-*")
    )


def _with_clock(row: Language, settings: Programs) -> Language:
    if row.name in settings.counted_languages:
        return row.as_counted()
    return _with_packages(row, packages_of(row, settings))


def _with_packages(python: Language, packages: tuple[str, ...]) -> Language:
    """Show Python these packages: the folder or file, what was compiled for it, and its version.

    Debian's libraries for linear algebra are links through /etc/alternatives. A thread for each core would
    break the limits on address space and threads, and be no faster: a program has one core.
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
