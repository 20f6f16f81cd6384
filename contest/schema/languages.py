"""The languages of programs: the usual and the further ones (languages.toml), and the model, which
contest.toml uses, too."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cache
from importlib.resources import files
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from contest.util.program_files import LISTS, PLACEHOLDERS


def _word(word: str) -> str:
    if word in LISTS:
        return word
    try:
        word.format(**dict.fromkeys(PLACEHOLDERS, ""))
    except (KeyError, IndexError, ValueError, AttributeError):
        raise ValueError(
            f"{word!r}: in braces there can be {', '.join(f'{{{name}}}' for name in PLACEHOLDERS)};"
            f" {' and '.join(LISTS)} are words of their own; a brace itself is written twice"
        ) from None
    return word


_STANDARD = re.compile(r"(?:-std=|--edition |--release )([\w+]+)")
"""As compilers are told which standard of the language programs have."""

MAX_COUNTED_MEMORY_MB = 4_096  # that WebAssembly can address
Word = Annotated[str, AfterValidator(_word)]


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from None
    return text


class CountedBuild(BaseModel):
    """How programs of a language are built so that their time can be counted.

    With a `tool` it makes WebAssembly of them. Without, a guest reads the file
    (sandbox/fuel/guests.py), and `check` is a program for this guest that ends with an exit code if
    the file that it is given has mistakes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    tool: str = ""
    build: tuple[Word, ...] = ()
    needs: tuple[Word, ...] = Field(
        (), description="patterns of files without which the tool is of no use"
    )
    check: str = ""
    guest: str = Field("", description="the interpreter that reads the file, where no tool does")
    memory_mb: int = Field(
        0,
        ge=0,
        le=MAX_COUNTED_MEMORY_MB,
        description="memory of a running program; 0 = as otherwise",
    )


class Language(BaseModel):
    """A language of programs. Without `result` the build only looks for mistakes, and the file
    itself runs.

    The address space of a process is limited to `memory_mb` plus what its tool reserves without
    using it, because the kernel can limit nothing else for a single process.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    name: str = Field(
        min_length=1,
        max_length=30,
        description="the language's name; replaces a usual one of the same name",
    )
    suffixes: tuple[Annotated[str, Field(pattern=r"^[a-z0-9]{1,16}$")], ...] = Field(
        min_length=1, description="suffixes of its files' names, in small letters and without a dot"
    )
    tool: str = Field(min_length=1, description="the compiler or interpreter, below /usr")
    run: tuple[Word, ...] = Field(min_length=1, description="the command that runs a program")
    build: tuple[Word, ...] = Field(
        (), description="the command that compiles or checks; empty = not needed"
    )
    result: str = Field(
        "",
        pattern=r"^(\.[A-Za-z0-9_.-]{1,60})?$",
        description=(
            "the file that the build makes, beginning with a dot, unlike any file that is sent"
        ),
    )
    version: tuple[Word, ...] = Field(
        ("{tool}", "--version"), description="the command that prints the tool's version"
    )
    memory_mb: int = Field(256, ge=1, le=65_536, description="memory of a running program")
    reserved_mb: int = Field(
        64,
        ge=0,
        le=65_536,
        description="what the tool itself needs, on top of the memory of a program",
    )
    untouched_mb: int = Field(
        0,
        ge=0,
        le=65_536,
        description=(
            "address space that the tool reserves besides and never uses, so that it is no memory"
        ),
    )
    build_memory_mb: int = Field(512, ge=1, le=65_536, description="memory of the build")
    processes: int = Field(
        16, ge=1, le=256, description="processes and threads of a running program"
    )
    environment: dict[str, Word] = Field(
        default_factory=dict, description="environment variables for the build and the program"
    )
    folders: tuple[str, ...] = Field(
        (), description="folders outside /usr with settings of the tool; patterns"
    )
    files: dict[str, str] = Field(
        default_factory=dict,
        description="small files that the tool wants to see besides, by path, such as one of /proc",
    )
    sample: str = Field(
        "",
        description=(
            "a program that prints its first argument; `knobeln doctor` tries the language with it"
        ),
    )
    finds_itself: bool = Field(
        False,
        description=(
            "whether the tool looks for its own path in /proc, which a sandbox does not have"
        ),
    )
    imports_from_start: bool = Field(
        False,
        description="whether a program finds its modules in the folder of the file that starts",
    )
    package: str = Field(
        "", description="the package of Debian and Ubuntu that has the tool, for `knobeln doctor`"
    )
    missing_library: Annotated[str, AfterValidator(_pattern)] = Field(
        "",
        description=(
            "a pattern for what the tool says of a library that is not there; its groups are the"
            " library's name"
        ),
    )
    counted: CountedBuild | None = Field(
        None, description="how programs are built so that their time can be counted"
    )

    def __hash__(self) -> int:
        """The model's own could not hash the environment."""
        return hash((self.name, self.tool, self.suffixes))

    @model_validator(mode="after")
    def _result_is_made(self) -> Language:
        used = any("{result}" in word for word in (*self.run, *self.build))
        if used and not self.result:
            raise ValueError("a command contains {result}, but `result` does not name the file")
        if self.result and not self.build:
            raise ValueError(
                "`result` names the file that the build makes, but there is no `build`"
            )
        return self

    @property
    def is_counted(self) -> bool:
        """Whether its programs are run by the engine that counts, and by no command: see
        `as_counted`."""
        return not self.run

    def as_counted(self) -> Language:
        """Return the language, built so that its programs' time can be counted; `counted` must be
        there."""
        if self.counted is None:
            raise ValueError(f"the time of programs in {self.name} cannot be counted")
        changes = {
            "tool": self.counted.tool,
            "build": self.counted.build,
            "result": ".program.wasm" if self.counted.tool else "",
            "run": (),
            "version": ("{tool}", "--version"),
            "build_memory_mb": 2_048,
            "processes": 32,
            "environment": {},
            "memory_mb": self.counted.memory_mb or self.memory_mb,
        }
        return self.model_copy(update=changes)

    @property
    def told(self) -> str:
        """The language with its tool and standard, as in "C (gcc, gnu17)"."""
        guest = self.counted.guest if self.is_counted and self.counted else ""
        standard = _STANDARD.search(" ".join(self.build))
        facts = (self.tool or guest, standard and standard[1])
        return f"{self.name} ({', '.join(filter(None, facts))})"

    def without(self, suffixes: AbstractSet[str]) -> Language:
        """Return the language without these suffixes, which belong to another one."""
        return self.model_copy(
            update={"suffixes": tuple(s for s in self.suffixes if s not in suffixes)}
        )


def usual_languages() -> tuple[Language, ...]:
    """Return the languages that every contest takes, in the order of languages.toml."""
    return _table()["languages"]


def further_languages() -> tuple[Language, ...]:
    """Return the languages that a contest takes if `programs.further_languages` names them."""
    return _table()["further_languages"]


@cache
def _table() -> Mapping[str, tuple[Language, ...]]:
    text = files("contest.schema").joinpath("languages.toml").read_text(encoding="utf-8")
    kinds = tomllib.loads(text)
    return {kind: tuple(map(Language.model_validate, rows)) for kind, rows in kinds.items()}
