"""The rules for programs, one function each, and the three tuples in which they are listed. Pure.

A rule looks at what is known at its stage and says what is wrong, where, and what the right form is:
- SOURCE_RULES at the program as it was sent, before gcc sees it;
- TOKEN_RULES at what the preprocessor made of it (macros can write what the source does not show), or at the
  source itself where gcc was not allowed to see it;
- OBJECT_RULES at the compiled program, before it is linked.
All findings of all stages are reported together. Only a program that could make gcc read another file, or
write something else than its own instructions, is kept from gcc (`keeps_from_compiler`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from compiler.elf import ObjectFacts
from compiler.source import Line, Program
from compiler.tokens import Kind, Token
from contest.config.sections import Programs
from contest.model import Finding, Severity
from contest.plurals import plural
from sandbox.vm.image import MEMORY_SIZE, MIN_STACK

LIBRARY = ("init_random", "log2", "next_random", "make_throw", "count_points")
COMPILER_ROUTINES = ("memcpy", "memmove", "memset", "memcmp")  # gcc calls them by itself
AVAILABLE_STATIC = MEMORY_SIZE - MIN_STACK
# Those that change how a routine is compiled, not where or as what it is put into the program.
ALLOWED_ATTRIBUTES = frozenset(
    (
        *(
            "aligned",
            "always_inline",
            "cold",
            "const",
            "fallthrough",
            "flatten",
            "hot",
            "inline",
            "may_alias",
        ),
        *("noinline", "noreturn", "nothrow", "packed", "pure", "unused", "used"),
    )
)

_KEEPING = ("include", "line marker", "control character", "assembler", "attribute", "too long")
_INCLUDES = ("include", "include_next", "import", "embed")
_FILE_TESTS = ("__has_include", "__has_include_next", "__has_embed")
_FILE_PRAGMAS = ("dependency", "pch_preprocess", "include_alias")
_ASSEMBLER = ("asm", "__asm", "__asm__")
_ATTRIBUTE = ("__attribute__", "__attribute")
_RESERVED = ("_start", "knobeln_throw_door", "knobeln_seed_door", "__global_pointer$")
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CONTROL = re.compile(f"[\x00-\x08\x0e-\x1f\x7f{_DIRECTIONS}]")
_MOST = 20  # findings of one rule; more of the same would not tell more
_FIVE = "init_random, log2, next_random, make_throw and count_points"


@dataclass(frozen=True)
class Expanded:
    """What the preprocessor made of a program, and the program, to find the lines."""

    program: Program
    tokens: Sequence[Token]
    elements: int | None  # None where the preprocessor did not run


SourceRule = Callable[[Program, Programs], Iterable[Finding]]
TokenRule = Callable[[Expanded, Programs], Iterable[Finding]]
ObjectRule = Callable[[ObjectFacts, Expanded, frozenset[str]], Iterable[Finding]]


def keeps_from_compiler(findings: Iterable[Finding]) -> bool:
    """Whether a program with these findings is never given to gcc."""
    return any(finding.rule in _KEEPING and finding.severity is Severity.ERROR for finding in findings)


def check_source(program: Program, settings: Programs) -> list[Finding]:
    long = list(_limited(too_long(program, settings)))
    return long or [found for rule in SOURCE_RULES for found in _limited(rule(program, settings))]


def check_tokens(expanded: Expanded, settings: Programs) -> list[Finding]:
    return [found for rule in TOKEN_RULES for found in _limited(rule(expanded, settings))]


def check_object(facts: ObjectFacts, expanded: Expanded, own_routines: frozenset[str]) -> list[Finding]:
    """`own_routines`: what gcc may call by itself."""
    return [found for rule in OBJECT_RULES for found in _limited(rule(facts, expanded, own_routines))]


def in_source(program: Program) -> Expanded:
    """The stand-in for the preprocessor's output where it may not run."""
    return Expanded(program, tuple(program.code), None)


# --- the program as it was sent -----------------------------------------------------------------------------
def too_long(program: Program, settings: Programs) -> Iterator[Finding]:
    size = len(program.text.encode(errors="replace"))
    if size > settings.max_source_bytes:
        yield Finding(
            "too long",
            Severity.ERROR,
            0,
            f"your program has {size:,} bytes, but at most {settings.max_source_bytes:,} are read",
        )


def control_characters(program: Program, _: Programs) -> Iterator[Finding]:
    for number, line in enumerate(program.physical_lines, 1):
        found = _CONTROL.search(line)
        if found:
            name = unicodedata.name(found[0], "control character")
            text = f"an invisible character ({name}, U+{ord(found[0]):04X}); programs are plain text"
            yield _at(program, "control character", number, text)


def includes(program: Program, _: Programs) -> Iterator[Finding]:
    """K55, in every form that a compiler might take for one."""
    for view in program.views:
        for line in view.live_lines:
            if (line.directive or ("",))[0] in _INCLUDES:
                text = "a program is a single file without #include; the library routines need no declaration"
                yield _at(program, "include", line.number, text)


def file_tests(program: Program, _: Programs) -> Iterator[Finding]:
    for word in _FILE_TESTS:
        for number in program.lines_of(word):
            yield _at(program, "include", number, f"{word} asks for a file, but a program is a single file")


def file_pragmas(program: Program, _: Programs) -> Iterator[Finding]:
    for view in program.views:
        for line in view.live_lines:
            directive = line.directive or ()
            if directive[:1] == ("pragma",) and any(word in _FILE_PRAGMAS for word in directive[1:3]):
                yield _at(program, "include", line.number, "this #pragma reads a file; leave it out")
    for number in program.lines_of("_Pragma"):
        yield _at(program, "include", number, "_Pragma may read files; write #pragma, or leave it out")


def line_markers(program: Program, _: Programs) -> Iterator[Finding]:
    for view in program.views:
        for line in view.live_lines:
            if _is_line_marker(line):
                text = "#line and line markers would make the messages name wrong lines; leave them out"
                yield _at(program, "line marker", line.number, text)


def identifications(program: Program, _: Programs) -> Iterator[Finding]:
    """The text of #ident goes to the assembler as it is."""
    for view in program.views:
        for line in view.live_lines:
            if (line.directive or ("",))[0] in ("ident", "sccs"):
                text = "#ident and #sccs write to the assembler; use a comment instead"
                yield _at(program, "assembler", line.number, text)


def description(program: Program, settings: Programs) -> Iterator[Finding]:
    """K61: required, and about 15 lines long."""
    if settings.description == "none":
        return
    lines, wanted = len(program.description), settings.min_description_lines
    block = program.description_block
    least = plural(wanted, "line")
    form = f"a description of at least {least} between #if 0 and #endif: its main ideas and techniques"
    if block is None or lines == 0:
        severity = Severity.ERROR if settings.description == "require" else Severity.WARNING
        yield Finding("description", severity, 0, f"your program has no description; it needs {form}")
    elif lines < wanted:
        text = f"your description has {plural(lines, 'non-blank line')}; the rules ask for {form}"
        yield Finding("description", Severity.WARNING, block.first - 1, text)


# --- what the preprocessor made of it -----------------------------------------------------------------------
def element_limit(expanded: Expanded, settings: Programs) -> Iterator[Finding]:
    """K56: exactly the limit is allowed."""
    if expanded.elements is not None and expanded.elements > settings.max_elements:
        allowed = f"{settings.max_elements:,} are allowed"
        text = f"{expanded.elements:,} lexical elements after preprocessing; {allowed}"
        yield Finding("elements", Severity.ERROR, 0, text)


def assembler(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    for word in _words(expanded, lambda word: word in _ASSEMBLER):
        yield _word(expanded, "assembler", word, f"{word}: programs are pure C, without assembler")


def builtins(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    prefixes = ("__builtin_", "__sync_", "__atomic_")
    for word in _words(expanded, lambda word: word.startswith(prefixes)):
        yield _word(expanded, "builtin", word, f"{word} is part of the compiler, not of C; write it yourself")


def changing_macros(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    if lines := expanded.program.lines_of("__TIMESTAMP__"):
        text = "__TIMESTAMP__ would make each compilation another program; leave it out"
        yield _at(expanded.program, "timestamp", lines[0], text)


def attributes(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    allowed = ", ".join(sorted(ALLOWED_ATTRIBUTES))
    for name in dict.fromkeys(_attribute_names(expanded.tokens)):
        plain = name.removeprefix("__").removesuffix("__")
        if plain not in ALLOWED_ATTRIBUTES:
            text = f"the attribute {name} is not pure C and not harmless; allowed are {allowed}"
            yield _word(expanded, "attribute", name, text)
    if _has_double_bracket(expanded.tokens):
        yield Finding("attribute", Severity.ERROR, 0, "[[attributes]] are not C as of 1989; leave them out")


def library_definitions(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    """K21: a program must not bring the library's source, whole or in part."""
    for name in dict.fromkeys(_defined_routines(expanded.tokens)):
        yield _defines(expanded, name)


# --- the compiled program -----------------------------------------------------------------------------------
def forbidden_routines(facts: ObjectFacts, expanded: Expanded, own: frozenset[str]) -> Iterator[Finding]:
    """K52: everything that is called must be in the program or among the five."""
    called = _called(expanded.tokens)
    for name in sorted(facts.undefined - set(LIBRARY) - own):
        if name in COMPILER_ROUTINES and name not in called:
            continue
        lines = expanded.program.lines_of(name)
        where = f" (lines {', '.join(map(str, lines[:_MOST]))})" if len(lines) > 1 else ""
        text = f"{name}{where} is neither in your program nor a library routine; there are only {_FIVE}"
        yield _word(expanded, "forbidden routine", name, text)


def library_objects(facts: ObjectFacts, expanded: Expanded, _: frozenset[str]) -> Iterator[Finding]:
    """The five names as variables, too, which the tokens do not show."""
    for name in sorted(facts.defined.intersection(LIBRARY)):
        yield _defines(expanded, name)


def machine_names(facts: ObjectFacts, expanded: Expanded, _: frozenset[str]) -> Iterator[Finding]:
    for name in sorted(facts.defined):
        if name in _RESERVED:
            yield _word(
                expanded, "reserved name", name, f"{name} belongs to the contest machine; take another name"
            )


def main_function(facts: ObjectFacts, expanded: Expanded, _: frozenset[str]) -> Iterator[Finding]:
    if "main" not in facts.functions:
        yield _word(expanded, "main", "main", "your program has no function main that could be started")


def static_data(facts: ObjectFacts, _: Expanded, __: frozenset[str]) -> Iterator[Finding]:
    """X08: refused when it is compiled, not when it runs."""
    if facts.static_bytes > AVAILABLE_STATIC:
        yield memory_finding(facts.static_bytes)


def memory_finding(static_bytes: int) -> Finding:
    return Finding(
        "memory",
        Severity.ERROR,
        0,
        f"your variables and constants need {-(-static_bytes // 1024):,} kB; of the "
        f"{MEMORY_SIZE // 1024:,} kB of memory they may take {AVAILABLE_STATIC // 1024:,} kB, "
        "the rest is for the stack",
    )


SOURCE_RULES: tuple[SourceRule, ...] = (
    control_characters,
    includes,
    file_tests,
    file_pragmas,
    line_markers,
    identifications,
    description,
)
TOKEN_RULES: tuple[TokenRule, ...] = (
    element_limit,
    assembler,
    builtins,
    changing_macros,
    attributes,
    library_definitions,
)
OBJECT_RULES: tuple[ObjectRule, ...] = (
    forbidden_routines,
    library_objects,
    machine_names,
    main_function,
    static_data,
)


# --- looking things up --------------------------------------------------------------------------------------
def _limited(found: Iterable[Finding]) -> Iterator[Finding]:
    """Each line once, and not too many."""
    unique = dict.fromkeys(found)
    yield from list(unique)[:_MOST]


def _at(program: Program, rule: str, number: int, text: str) -> Finding:
    return Finding(rule, Severity.ERROR, number, text, program.quote(number))


def _word(expanded: Expanded, rule: str, word: str, text: str) -> Finding:
    """A finding where this word first stands; on no line when macros put it together."""
    lines = expanded.program.lines_of(word)
    return _at(expanded.program, rule, lines[0] if lines else 0, text)


def _defines(expanded: Expanded, name: str) -> Finding:
    text = f"your program defines {name}, which is the library's: do not include knobellib.c, only call it"
    return _word(expanded, "library source", name, text)


def _is_line_marker(line: Line) -> bool:
    directive = line.directive or ("",)
    return directive[0] == "line" or directive[0][:1].isdigit()


def _words(expanded: Expanded, wanted: Callable[[str], bool]) -> Iterable[str]:
    return dict.fromkeys(t.text for t in expanded.tokens if t.kind is Kind.IDENTIFIER and wanted(t.text))


def _attribute_names(tokens: Sequence[Token]) -> Iterator[str]:
    """The names in `__attribute__((name, name(arguments)))`: what follows `((` or a comma at that depth."""
    depth, expecting = -1, False  # -1: in no attribute
    for before, token in pairwise(tokens):
        if before.text in _ATTRIBUTE:
            depth = 0
        if depth < 0:
            continue
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if expecting and depth == 2 and token.kind is Kind.IDENTIFIER:
            yield token.text
        expecting = depth == 2 and token.text in ("(", ",")
        if depth <= 0:
            depth = -1


def _has_double_bracket(tokens: Sequence[Token]) -> bool:
    """`[[`, also written `<:<:`; no C program of 1989 has it."""
    specials = " ".join(token.text if token.kind is Kind.SPECIAL else "_" for token in tokens)
    return "[ [" in specials.replace("< :", "[")


def _called(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(a.text for a, b in pairwise(tokens) if a.kind is Kind.IDENTIFIER and b.text == "(")


def _defined_routines(tokens: Sequence[Token]) -> Iterator[str]:
    """Those of the five that are defined: after the parameters comes `{`, or the types of old-style ones."""
    closing = _closing(tokens)
    for at, token in enumerate(tokens):
        if token.text not in LIBRARY:
            continue
        opening = at + 1
        while opening < len(tokens) and tokens[opening].text == ")":  # int (log2) (int n)
            opening += 1
        after = closing.get(opening, len(tokens)) + 1
        if _begins_body(tokens[after : after + 2]):
            yield token.text


def _begins_body(following: Sequence[Token]) -> bool:
    texts = [token.text for token in following]
    if texts[:1] == ["{"] or texts == ["<", "%"]:
        return True
    is_word = bool(following) and following[0].kind is Kind.IDENTIFIER
    return is_word and texts[0] not in (*_ATTRIBUTE, *_ASSEMBLER)


def _closing(tokens: Sequence[Token]) -> dict[int, int]:
    """Where each `(` is closed, by their places among the tokens."""
    places: dict[int, int] = {}
    open_ones: list[int] = []
    for at, token in enumerate(tokens):
        if token.text == "(":
            open_ones.append(at)
        elif token.text == ")" and open_ones:
            places[open_ones.pop()] = at
    return places
