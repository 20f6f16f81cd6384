"""Which of a program's files it starts with, by rules that a team can follow. Pure.

Sources are looked at without their comments and texts, in linear time, and never run. A team's kit
has this module, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Generic, Protocol, TypeVar

from contest.language import gettext, listed
from contest.util.program_files import folders_above, suffix_of


class StartingLanguage(Protocol):
    """What must be known of a language, to find the start of programs in it."""

    @property
    def name(self) -> str: ...

    @property
    def suffixes(self) -> Sequence[str]: ...

    @property
    def imports_from_start(self) -> bool: ...


Language_ = TypeVar("Language_", bound=StartingLanguage)
Files = Mapping[str, bytes]
Rule = Callable[[], tuple[Sequence[str], str]]
"""The files that the rule chooses, and what the report says about it."""


class NoStart(Exception):
    """Why it is not clear what starts the program, or nothing can; a sentence that says what to
    do."""


@dataclass(frozen=True)
class Start(Generic[Language_]):
    """`program`: the file that starts; `name`: the class in it that does, in Java.

    `why`: the rule by which it was chosen, as a sentence; "" for the only source of a program.
    """

    program: str
    language: Language_
    name: str = ""
    why: str = ""
    is_imported: bool = False  # the contest calls a function in it


def find_start(
    files: Files, languages: Sequence[Language_], *, called: str = "", function: str = ""
) -> Start[Language_]:
    """Return the start of a program with these files, at least one of them in one of the languages.

    `called`: what the contest calls the file, "" = anything; `function`: what it calls in the file.
    Files with tests are looked at where nothing else starts. Raises NoStart.
    """
    program = {name: data for name, data in files.items() if not _is_test(name)}
    try:
        start = _start(program, languages, called, function)
    except NoStart:
        start = _start(files, languages, called, function)
    return replace(start, is_imported=bool(function))


def _start(
    files: Files, languages: Sequence[Language_], called: str, function: str
) -> Start[Language_]:
    used = []
    for language in languages:
        names = sorted(name for name in files if suffix_of(name) in language.suffixes)
        if names:
            used.append((language, names))
    if not used:
        raise NoStart(gettext("there is no program among the files"))
    if len(used) == 1:
        ((language, names),) = used
        return _in_language(files, names, language, called, function)
    mains = [
        (language, name)
        for language, names in used
        for name in names
        if _stem(name) == "main" or (called and _base(name) == called)
    ]
    if len(mains) != 1:
        texts = [f"{language.name} ({', '.join(names)})" for language, names in used]
        raise NoStart(
            gettext(
                "there are programs in several languages: %(programs)s. Leave out what does not"
                " belong to your program, or call the file that it starts with `main`, such as"
                " main.%(suffix)s",
                programs="; ".join(texts),
                suffix=used[0][0].suffixes[0],
            )
        )
    ((language, name),) = mains
    why = _because(name, gettext("of its name"))
    return Start(name, language, _class_of(files, name, language), why)


def in_place(files: Files, start: Start[Language_]) -> tuple[Files, Start[Language_]]:
    """Return the files as the program sees them.

    Python and others import from the folder of the start. So the files of this folder are also in
    the working folder: names of modules and of files mean the same, wherever a team starts its
    program at home. Python's folders with modules are packages, also without the file that says so.
    Of what is compiled into one program, tests and what starts otherwise are left out.
    """
    if not start.language.imports_from_start:
        return _linked(files, start)
    above = _above_package(files, start)
    if start.language.name == "Python":
        sources = [name for name in files if suffix_of(name) in start.language.suffixes]
        packages = {folder for name in sources for folder in folders_above(name)}
        files = {f"{folder}/__init__.py": b"" for folder in packages} | dict(files)
    folder = start.program.rpartition("/")[0]
    if not folder:
        return files, start
    seen = {**files, **_below(files, above), **_below(files, folder)}
    program = start.program.removeprefix(f"{folder}/")
    is_python = start.language.name == "Python"
    if is_python and not start.is_imported and _RELATIVE_IMPORT.search(files[start.program]):
        path = start.program.removeprefix(f"{above}/")
        package = path.rpartition("/")[0].replace("/", ".")
        program = _LAUNCHER
        seen[program] = _LAUNCH.format(package=package, path=path).encode()
    return seen, replace(start, program=program)


def _linked(files: Files, start: Start[Language_]) -> tuple[Files, Start[Language_]]:
    """Return the files of a program that is compiled as one."""
    language = start.language
    sources = [
        name
        for name, data in files.items()
        if name == start.program or not _is_apart(name, data, language)
    ]
    named = {name: _by_its_class(name, files, language) for name in sources}
    moved = {named[name]: files[name] for name in sources}
    return moved, replace(start, program=named[start.program])


_RELATIVE_IMPORT = re.compile(rb"^from[ \t]{1,20}\.", re.MULTILINE)
_LAUNCHER = "start_of_package.py"
_LAUNCH = """import {package}

__package__, __file__ = "{package}", "{path}"
with open(__file__, "rb") as source:
    exec(compile(source.read(), __file__, "exec"))
"""
"""Starts a module as `python -m` does: by its path alone it would not know its package."""


def _below(files: Files, folder: str) -> Files:
    """Return the files in a folder, by their paths in it; "" = all."""
    head = f"{folder}/" if folder else ""
    return {name.removeprefix(head): data for name, data in files.items() if name.startswith(head)}


def _above_package(files: Files, start: Start[Language_]) -> str:
    """Return the folder that the package of the start is in."""
    above = start.program.rpartition("/")[0]
    is_relative = _RELATIVE_IMPORT.search(files[start.program]) is not None
    if is_relative and f"{above}/__init__.py" not in files:
        return above.rpartition("/")[0]
    while above and f"{above}/__init__.py" in files:
        above = above.rpartition("/")[0]
    return above


def _in_language(
    files: Files, names: Sequence[str], language: Language_, called: str, function: str
) -> Start[Language_]:
    if language.name == "Java":
        return _java(files, names, language)
    if len(names) == 1:
        return Start(names[0], language)
    is_linked = language.name in _LINKED
    by_contents = partial(_by_contents, files, names, language, function)
    rules: list[Rule] = [
        lambda: (_with_base(names, called), gettext("it is called as the contest says")),
        lambda: (_of_package(files, names), gettext("package.json names it")),
        lambda: (_mains(names, language), gettext("of its name")),
        by_contents,
    ]
    if function:  # says more than names
        rules.insert(1, by_contents)
    if not is_linked:
        rules.append(
            lambda: (_not_loaded(files, names, language), gettext("no other file loads it"))
        )
    for rule in rules:
        candidates, why = rule()
        nearest = _nearest(candidates)
        if len(nearest) == 1:
            others = [name for name in candidates if is_linked and name != nearest[0]]
            if others:
                why = gettext("it has a function main; left out is %(files)s", files=listed(others))
            return Start(nearest[0], language, why=_because(nearest[0], why))
        if nearest and is_linked:
            raise NoStart(
                gettext(
                    "%(files)s each have a function main; a program has one, so leave the others"
                    " out",
                    files=listed(nearest),
                )
            )
    if is_linked:
        # A macro may define it. If nothing does, the linker says so.
        return Start(names[0], language)
    raise NoStart(
        gettext(
            "it is not clear which of %(files)s the program starts with: call that file"
            " main.%(suffix)s",
            files=listed(names),
            suffix=language.suffixes[0],
        )
    )


def _because(name: str, why: str) -> str:
    return gettext("the program starts with %(program)s, because %(why)s", program=name, why=why)


# --- names ----------------------------------------------------------------------------------------
_LINKED = ("C", "C++", "C#", "Fortran")
"""Languages whose files are all compiled into one program, whatever their names are."""
_MAINS = {
    **dict.fromkeys(_LINKED, ()),
    "JavaScript": ("main", "index"),
    "PHP": ("main", "index"),
    "Python": ("main", "__main__"),
}


def _mains(names: Sequence[str], language: StartingLanguage) -> list[str]:
    return [name for name in names if _stem(name) in _MAINS.get(language.name, ("main",))]


_TEST_FOLDERS = frozenset(("test", "tests", "__tests__"))
_TEST = re.compile(r"tests?|conftest|test_.*|.*_test|.*[.-](?:test|spec)|[A-Z]\w*Tests?")
_TEST_LIBRARY = re.compile(
    rb"\borg\.(?:junit|testng)\b|\bNUnit\.Framework\b|\busing Xunit\b|gtest/gtest\.h|catch2?/catch"
)


def _is_test(name: str) -> bool:
    """Return whether its name says that it only tries the others."""
    path = PurePosixPath(name)
    return not _TEST_FOLDERS.isdisjoint(path.parts[:-1]) or _TEST.fullmatch(path.stem) is not None


def _is_apart(name: str, data: bytes, language: StartingLanguage) -> bool:
    """Return whether a source is no part of the program that starts with another one."""
    if suffix_of(name) not in language.suffixes:
        return False
    if language.name in ("C", "C++") and _C_MAIN.search(_code(data)):
        return True
    return _is_test(name) and _TEST_LIBRARY.search(data) is not None


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _stem(name: str) -> str:
    return PurePosixPath(name).stem.lower()


def _with_base(names: Sequence[str], called: str) -> list[str]:
    return [name for name in names if called and _base(name) == called]


def _nearest(names: Sequence[str]) -> list[str]:
    """Return those in the fewest folders."""
    depth = min((name.count("/") for name in names), default=0)
    return [name for name in names if name.count("/") == depth]


def _of_package(files: Files, names: Sequence[str]) -> list[str]:
    """Return what package.json calls the main file, of programs for Node."""
    try:
        main = json.loads(files.get("package.json", b"null"))["main"].removeprefix("./")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []
    return [name for name in names if name in (main, f"{main}.js", f"{main}/index.js")]


# --- contents -------------------------------------------------------------------------------------
_NOT_CODE = re.compile(
    r'/\*(?s:.*?)(?:\*/|\Z)|//[^\n]*|"""(?s:.*?)(?:"""|\Z)'
    r"|\"(?>(?:\\.|[^\"\\\n])*)\"?|'(?>(?:\\.|[^'\\\n])*)'?"
)
"""Comments and texts of languages like C. A text without an end goes to the end of its line."""
_C_MAIN = re.compile(r"(?<![\w.>])main[ \t\n]{0,20}\((?![ \t]{0,20}\)[ \t]{0,20};)")
_MAIN_FUNCTIONS = {
    "C": _C_MAIN,
    "C++": _C_MAIN,
    "C#": re.compile(r"\bstatic\b[^;{}()]{0,80}\bMain\s{0,20}\("),
    "Go": re.compile(r"\bfunc\s{1,20}main\s{0,20}\("),
    "Haskell": re.compile(r"^main\b", re.MULTILINE),
    "Rust": re.compile(r"\bfn\s{1,20}main\s{0,20}\("),
}
_FORTRAN_PROGRAM = re.compile(r"^[ \t]{0,60}program[ \t]{1,20}\w", re.MULTILINE | re.IGNORECASE)
_PASCAL_UNIT = re.compile(r"^[ \t]{0,60}unit[ \t]{1,20}\w", re.MULTILINE | re.IGNORECASE)
_RUN_AS_MAIN = re.compile(r"^if\s{1,20}\(?__name__\s{0,20}==", re.MULTILINE)


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _code(data: bytes) -> str:
    """Return the text without comments and without what is in quotes."""
    return _NOT_CODE.sub(" ", _text(data))


def _by_contents(
    files: Files, names: Sequence[str], language: StartingLanguage, function: str
) -> tuple[list[str], str]:
    """Return the files that have what a program in the language starts with, and the rule about
    it."""
    if pattern := _MAIN_FUNCTIONS.get(language.name):
        main_files = [name for name in names if pattern.search(_code(files[name]))]
        return main_files, gettext("it is the only one with a function main")
    if language.name in ("Fortran", "Pascal"):
        main_files = [name for name in names if _is_main_program(_text(files[name]), language)]
        return main_files, gettext("it is the only one with a main program")
    if language.name == "Python" and function:
        defined = re.compile(rf"^(?:def\s{{1,20}}{function}\b|{function}\s{{0,20}}=)", re.MULTILINE)
        main_files = [name for name in names if defined.search(_text(files[name]))]
        return main_files, gettext("it is the only one with a function %(name)s", name=function)
    if language.name == "Python":
        main_files = [name for name in names if _RUN_AS_MAIN.search(_text(files[name]))]
        return main_files, gettext("it is the only one with `if __name__ == ...`")
    return [], ""


def _is_main_program(text: str, language: StartingLanguage) -> bool:
    """Return whether it is no module of Fortran, and no unit of Pascal, whose programs need no
    heading."""
    if language.name == "Fortran":
        return _FORTRAN_PROGRAM.search(text) is not None
    return _PASCAL_UNIT.search(text) is None


_PYTHON_IMPORT = re.compile(
    r"^[ \t]{0,60}(?:from[ \t]{1,20}\.{0,5}([\w.]{0,160})[ \t]{1,20}import[ \t]{1,20}"
    r"\(?([\w, \t]{0,400})|import[ \t]{1,20}([\w., \t]{1,400}))",
    re.MULTILINE,
)
_OCAML_MODULE = re.compile(r"\b[A-Z]\w{0,63}\b")
_NAMED_FILE = re.compile(r"""["'./ ]([A-Za-z0-9_][A-Za-z0-9_-]{0,63})(?:\.\w{1,8})?(?=["'\s;)])""")


def _not_loaded(files: Files, names: Sequence[str], language: StartingLanguage) -> list[str]:
    """Return the files that no other one names where it loads files."""
    mentioned_by: dict[str, set[str]] = {}
    for name in names:
        for word in _mentioned(files[name], language):
            mentioned_by.setdefault(word, set()).add(name)
    return [name for name in names if not mentioned_by.get(_own_name(name), set()) - {name}]


def _own_name(name: str) -> str:
    """Return what other files call this one: a package by its folder."""
    path = PurePosixPath(name)
    return path.parent.name if path.stem in ("__init__", "index", "mod") else path.stem


def _mentioned(data: bytes, language: StartingLanguage) -> Iterator[str]:
    if language.name == "Python":
        for match in _PYTHON_IMPORT.finditer(_text(data)):
            for words in match.groups():
                yield from re.findall(r"\w{1,64}", words or "")
    elif language.name == "OCaml":
        for match in _OCAML_MODULE.finditer(_text(data)):
            yield from (match[0], match[0][0].lower() + match[0][1:])
    else:
        yield from (match[1] for match in _NAMED_FILE.finditer(_text(data)))


# --- Java -----------------------------------------------------------------------------------------
_PACKAGE = re.compile(r"^\s{0,20}package\s{1,20}([\w.]{1,200})\s{0,20};", re.MULTILINE)
_TYPE = re.compile(r"\b(?:class|interface|enum|record)\s{1,20}(\w{1,100})")
_JAVA_MAIN = re.compile(
    r"\bvoid\s{1,20}main\s{0,20}\(\s{0,20}(?:final\s{1,20})?(?:java\.lang\.)?String\b"
)
_STATIC = re.compile(r"\bstatic\b")
_BRACE_OR_TYPE = re.compile(rf"[{{}}]|{_TYPE.pattern}")


def _java(files: Files, names: Sequence[str], language: Language_) -> Start[Language_]:
    classes = [
        (name, start_class) for name in names if (start_class := _class_of(files, name, language))
    ]
    mains = [name_and_class for name_and_class in classes if _stem(name_and_class[0]) == "main"]
    chosen = classes if len(classes) == 1 else mains
    if len(chosen) == 1:
        ((name, start_class),) = chosen
        is_plain = len(names) == 1 and start_class == PurePosixPath(name).stem
        why = gettext(
            "the program starts with the class %(name)s in %(program)s, which has the method main",
            name=start_class,
            program=name,
        )
        return Start(name, language, start_class, "" if is_plain else why)
    if classes:
        raise NoStart(
            gettext(
                "%(classes)s each have a method main: leave out all but one, or call the class that"
                " the program starts with Main",
                classes=listed([start_class for _, start_class in classes]),
            )
        )
    raise NoStart(
        gettext(
            "no class in %(files)s has a method `public static void main(String[] args)`, so the"
            " program could never start",
            files=listed(names),
        )
    )


_PUBLIC = re.compile(
    r"^[ \t]{0,20}public\s{1,20}(?:(?:final|abstract|sealed)\s{1,20})?"
    r"(?:class|interface|enum|record)\s{1,20}(\w{1,100})",
    re.MULTILINE,
)


def _by_its_class(name: str, files: Files, language: StartingLanguage) -> str:
    """Return the path at which a source in Java has the name of its public class, as javac wants
    it."""
    is_source = language.name == "Java" and suffix_of(name) in language.suffixes
    public = _PUBLIC.search(_code(files[name])) if is_source else None
    path = str(PurePosixPath(name).with_name(f"{public[1]}.java")) if public else name
    return name if path in files else path


def _class_of(files: Files, name: str, language: StartingLanguage) -> str:
    """Return the class in a file in Java that has the method main, with its package; "" if none
    has."""
    if language.name != "Java":
        return ""
    code = _code(files[name])
    main = next(
        (match for match in _JAVA_MAIN.finditer(code) if _is_static(code, match.start())), None
    )
    if main is None:
        return ""
    package = _PACKAGE.search(code)
    own = _type_around(code, main.start())
    return f"{package[1]}.{own}" if package and own else own


def _is_static(code: str, position: int) -> bool:
    """Return whether `static` is among the words before the method's type, in either order."""
    before = code[max(0, position - 120) : position]
    return _STATIC.search(re.split(r"[;{}]", before)[-1]) is not None


def _type_around(code: str, position: int) -> str:
    """Return the class that a place in the code is in; that of a class within another one has a
    dollar sign."""
    depth, pending = 0, ""
    open_types: list[tuple[int, str]] = []
    for match in _BRACE_OR_TYPE.finditer(code, 0, position):
        if match[1]:
            pending = match[1]
        elif match[0] == "{":
            if pending:
                open_types.append((depth, pending))
            depth += 1
            pending = ""
        else:
            depth -= 1
            while open_types and open_types[-1][0] >= depth:
                open_types.pop()
    return "$".join(name for _, name in open_types)
