"""The rules for C programs: one function each, listed in three tuples, one for each stage of a
build. Pure.

A rule yields findings that tell what is wrong, where, and what the right form is:
- SOURCE_RULES examine the program as it was sent, before gcc sees it;
- TOKEN_RULES examine the output of the preprocessor (macros can write what the source does not
  show), or the source itself if gcc may not see it;
- OBJECT_RULES examine the compiled program before it is linked.
A report has the findings of all stages. Only a program that could make gcc read another file, or
write something else than its own instructions, or that is too long, is not given to gcc
(`keeps_from_compiler`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from compiler.elf import ObjectFacts
from compiler.source import SourceText, Token, TokenKind
from contest import language
from contest.games.game import MACHINE
from contest.language import gettext, ngettext, noted
from contest.model import Finding, Severity
from contest.schema.sections import Programs
from sandbox.vm.image import MEMORY_SIZE, MIN_STACK

LIBRARY = ("init_random", "log2", "next_random", "make_throw", "count_points")
COMPILER_ROUTINES = ("memcpy", "memmove", "memset", "memcmp")  # gcc calls them by itself
AVAILABLE_STATIC = MEMORY_SIZE - MIN_STACK

_KEEPING = (
    "include",
    "line marker",
    "control character",
    "assembler",
    "attribute",
    "too long",
    "elements",
)
_FILE_TESTS = ("__has_include", "__has_include_next", "__has_embed")
_NO_INCLUDE = noted(
    "a program is a single file without #include; the library routines need no declaration"
)
_NO_LINE = noted(
    "#line and line markers name other lines in messages; send the program as you wrote it"
)
_NO_IDENT = noted("#ident and #sccs write to the assembler; use a comment instead")
_DIRECTIVES = {  # forbidden ones: the rule, and what to do
    **dict.fromkeys(("include", "include_next", "import", "embed"), ("include", _NO_INCLUDE)),
    "line": ("line marker", _NO_LINE),  # also `# 1 "file"`
    **dict.fromkeys(("ident", "sccs"), ("assembler", _NO_IDENT)),
    "file pragma": ("include", noted("this #pragma reads a file; leave it out")),
}
_FILE_PRAGMAS = ("dependency", "pch_preprocess", "include_alias")
PASTED_PRAGMA = "_Pragma_of_macro"
"""What the preprocessor writes for the operator `_Pragma`, which it would carry out otherwise."""
_ASSEMBLER = ("asm", "__asm", "__asm__")
_ATTRIBUTE = ("__attribute__", "__attribute")
_RESERVED = ("_start", "knobeln_throw_door", "knobeln_seed_door", "__global_pointer$")
# what programs call most often of C's own library
_C_LIBRARY = frozenset(
    {
        "abort",
        "abs",
        "assert",
        "atof",
        "atoi",
        "calloc",
        "clock",
        "exit",
        "exp",
        "fabs",
        "fclose",
        "fflush",
        "fgets",
        "floor",
        "fopen",
        "fprintf",
        "fputs",
        "free",
        "fscanf",
        "getchar",
        "gets",
        "labs",
        "log",
        "malloc",
        "memcpy",
        "memset",
        "pow",
        "printf",
        "putchar",
        "puts",
        "qsort",
        "rand",
        "random",
        "realloc",
        "scanf",
        "sleep",
        "sprintf",
        "sqrt",
        "srand",
        "srandom",
        "sscanf",
        "strcat",
        "strcmp",
        "strcpy",
        "strlen",
        "time",
        "usleep",
    }
)
_DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_CONTROL = re.compile(f"[\x00-\x08\x0e-\x1f\x7f{_DIRECTIONS}]")
_MAX_FINDINGS = 20  # of one rule; more would tell nothing new
_FIVE = noted("init_random, log2, next_random, make_throw and count_points")


@dataclass(frozen=True)
class Expanded:
    """The output of the preprocessor, and the program, to find the lines."""

    program: SourceText
    tokens: Sequence[Token]
    elements: int | None  # None where the preprocessor did not run


SourceRule = Callable[[SourceText, Programs], Iterable[Finding]]
TokenRule = Callable[[Expanded, Programs], Iterable[Finding]]
ObjectRule = Callable[[ObjectFacts, Expanded, frozenset[str]], Iterable[Finding]]


def keeps_from_compiler(findings: Iterable[Finding]) -> bool:
    """Return whether gcc must not see a program with these findings."""
    return any(
        finding.rule in _KEEPING and finding.severity is Severity.ERROR for finding in findings
    )


def check_source(program: SourceText, settings: Programs) -> list[Finding]:
    long = list(_limited(too_long(program, settings)))
    return long or [found for rule in SOURCE_RULES for found in _limited(rule(program, settings))]


def check_tokens(expanded: Expanded, settings: Programs) -> list[Finding]:
    return [found for rule in TOKEN_RULES for found in _limited(rule(expanded, settings))]


def check_object(
    facts: ObjectFacts, expanded: Expanded, own_routines: frozenset[str]
) -> list[Finding]:
    """`own_routines`: the routines that gcc may call by itself."""
    return [
        found for rule in OBJECT_RULES for found in _limited(rule(facts, expanded, own_routines))
    ]


# --- the program as it was sent -------------------------------------------------------------------
def too_long(program: SourceText, settings: Programs) -> Iterator[Finding]:
    size = len(program.text.encode(errors="replace"))
    if size > settings.MAX_SOURCE_BYTES:
        text = gettext(
            "your program has %(size)s bytes, but at most %(max_source_bytes)s are read",
            size=language.number(size),
            max_source_bytes=language.number(settings.MAX_SOURCE_BYTES),
        )
        yield Finding("too long", Severity.ERROR, 0, text)


def control_characters(program: SourceText, _: Programs) -> Iterator[Finding]:
    for number, line in enumerate(program.physical_lines, 1):
        found = _CONTROL.search(line)
        if found:
            name = unicodedata.name(found[0], "control character")
            text = gettext(
                "an invisible character (%(name)s, U+%(ord)s); programs are plain text",
                name=name,
                ord=format(ord(found[0]), "04X"),
            )
            yield _at(program, "control character", number, text)


def directives(program: SourceText, _: Programs) -> Iterator[Finding]:
    """Forbid directives that read files (K55) or write to the assembler, in every form that a
    compiler might accept; and line markers, for which gcc would show lines of the file that they
    name."""
    for view in program.views:
        for line in view.live_lines:
            key = _key_of(*(line.directive or ("",)))
            if key in _DIRECTIVES:
                rule, text = _DIRECTIVES[key]
                yield _at(program, rule, line.number, gettext(text))


def _key_of(name: str, *words: str) -> str:
    """Return what `_DIRECTIVES` calls this directive."""
    if name[:1].isdigit():
        return "line"
    if name == "pragma" and any(word in _FILE_PRAGMAS for word in words[:2]):
        return "file pragma"
    return name


def file_tests(program: SourceText, _: Programs) -> Iterator[Finding]:
    for word in _FILE_TESTS:
        for number in program.lines_of(word):
            text = gettext("%(word)s asks for a file, but a program is a single file", word=word)
            yield _at(program, "include", number, text)


def pragma_operators(program: SourceText, _: Programs) -> Iterator[Finding]:
    for number in program.lines_of("_Pragma"):
        text = gettext(
            "_Pragma may read files, and a macro can hide which; write #pragma instead, or leave"
            " it out"
        )
        yield _at(program, "include", number, text)


def description(program: SourceText, settings: Programs) -> Iterator[Finding]:
    """Require a description of about 15 lines (K61)."""
    if settings.description == "none":
        return
    lines, wanted = len(program.description), MACHINE.description_lines
    block = program.description_block
    least = ngettext("%(num)s line", "%(num)s lines", wanted)
    form = gettext(
        "a description of at least %(least)s between #if 0 and #endif: its main ideas and"
        " techniques",
        least=least,
    )
    place = block.start - 1 if block and lines else 0
    yield from description_wanted(lines if block else 0, wanted, form, settings, place)


def description_wanted(
    lines: int, wanted: int, form: str, settings: Programs, place: int = 0
) -> Iterator[Finding]:
    """Yield what is wrong with a description of so many non-blank lines; `form`: the right one, for
    a sentence."""
    if wanted and not lines:
        severity = Severity.ERROR if settings.description == "require" else Severity.WARNING
        text = gettext("your program has no description; it needs %(form)s", form=form)
        yield Finding("description", severity, 0, text)
    elif lines < wanted:
        text = ngettext(
            "your description has %(num)s non-blank line; the rules ask for %(form)s",
            "your description has %(num)s non-blank lines; the rules ask for %(form)s",
            lines,
            form=form,
        )
        yield Finding("description", Severity.WARNING, place, text)


# --- the output of the preprocessor ---------------------------------------------------------------
def element_limit(expanded: Expanded, settings: Programs) -> Iterator[Finding]:
    """Limit the lexical elements (K56); the limit itself is allowed."""
    if expanded.elements is not None and expanded.elements > settings.MAX_ELEMENTS:
        allowed = gettext(
            "%(max_elements)s are allowed", max_elements=language.number(settings.MAX_ELEMENTS)
        )
        text = gettext(
            "%(elements)s lexical elements after preprocessing; %(allowed)s",
            elements=language.number(expanded.elements),
            allowed=allowed,
        )
        yield Finding("elements", Severity.ERROR, 0, text)


def pasted_pragmas(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    """Forbid a `_Pragma` that a macro puts together by `##`; the source does not show it."""
    if any(token.text == PASTED_PRAGMA for token in expanded.tokens):
        text = gettext(
            "a macro makes _Pragma, which may read files; write #pragma, or leave it out"
        )
        yield Finding("include", Severity.ERROR, 0, text)


def assembler(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    for word in _words(expanded, lambda word: word in _ASSEMBLER):
        text = gettext("%(word)s: programs are pure C, without assembler", word=word)
        yield _word(expanded, "assembler", word, text)


def builtins(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    prefixes = ("__builtin_", "__sync_", "__atomic_")
    for word in _words(expanded, lambda word: word.startswith(prefixes)):
        text = gettext("%(word)s is part of the compiler, not of C; write it yourself", word=word)
        yield _word(expanded, "builtin", word, text)


def attributes(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    """Forbid attributes, which C of 1989 lacks and which can change where a routine is, and what it
    is."""
    text = gettext("attributes are not C as of 1989; leave them out")
    for word in _words(expanded, lambda word: word in _ATTRIBUTE):
        yield _word(expanded, "attribute", word, text)
    specials = " ".join(
        each.text if each.kind is TokenKind.SPECIAL else "_" for each in expanded.tokens
    )
    if "[ [" in specials.replace("< :", "["):  # no C program of 1989 has it
        yield Finding("attribute", Severity.ERROR, 0, text)


def library_definitions(expanded: Expanded, _: Programs) -> Iterator[Finding]:
    """Forbid the library's source, complete or in part (K21)."""
    for name in dict.fromkeys(_defined_routines(expanded.tokens, LIBRARY)):
        yield _defines(expanded, name)


# --- the compiled program -------------------------------------------------------------------------
def forbidden_routines(
    facts: ObjectFacts, expanded: Expanded, own: frozenset[str]
) -> Iterator[Finding]:
    """Every routine must be in the program or among the five of the library (K52)."""
    pairs = pairwise(expanded.tokens)
    called = {a.text for a, b in pairs if a.kind is TokenKind.IDENTIFIER and b.text == "("}
    for name in sorted(facts.undefined - set(LIBRARY) - own):
        if name in COMPILER_ROUTINES and name not in called:
            continue
        yield _forbidden(expanded, name)


def calls_of_the_c_library(expanded: Expanded) -> list[Finding]:
    """Return what `forbidden_routines` would probably find, for a program that gcc could not
    compile."""
    pairs = pairwise(expanded.tokens)
    called = {name.text for name, after in pairs if after.text == "("} & _C_LIBRARY
    defined = set(_defined_routines(expanded.tokens, called))
    return [_forbidden(expanded, name) for name in sorted(called - defined)]


def _forbidden(expanded: Expanded, name: str) -> Finding:
    lines = expanded.program.lines_of(name)
    where = f" (lines {', '.join(map(str, lines[:_MAX_FINDINGS]))})" if len(lines) > 1 else ""
    text = gettext(
        "%(name)s%(where)s is not allowed: programs may call only %(five)s, and what they"
        " define themselves",
        name=name,
        where=where,
        five=gettext(_FIVE),
    )
    return _word(expanded, "forbidden routine", name, text)


def taken_names(facts: ObjectFacts, expanded: Expanded, _: frozenset[str]) -> Iterator[Finding]:
    """Forbid the machine's names; and the five as variables too, which the tokens do not show."""
    for name in sorted(facts.defined.intersection(LIBRARY)):
        yield _defines(expanded, name)
    for name in sorted(facts.defined.intersection(_RESERVED)):
        text = gettext("%(name)s belongs to the contest machine; take another name", name=name)
        yield _word(expanded, "reserved name", name, text)


def main_function(facts: ObjectFacts, expanded: Expanded, _: frozenset[str]) -> Iterator[Finding]:
    if "main" not in facts.functions:
        text = gettext("your program has no function main that could be started")
        yield _word(expanded, "main", "main", text)


def memory_finding(static_bytes: int) -> Finding:
    """Too much static data is refused when the program is linked, not when it runs (X08)."""
    text = gettext(
        "your variables and constants need %(value)s kB; of the %(memory_size)s kB of memory they"
        " may take %(available_static)s kB, the rest is for the stack",
        value=language.number(-(-static_bytes // 1024)),
        memory_size=language.number(MEMORY_SIZE // 1024),
        available_static=language.number(AVAILABLE_STATIC // 1024),
    )
    return Finding("memory", Severity.ERROR, 0, text)


SOURCE_RULES: tuple[SourceRule, ...] = (
    control_characters,
    directives,
    file_tests,
    pragma_operators,
    description,
)
TOKEN_RULES: tuple[TokenRule, ...] = (
    element_limit,
    pasted_pragmas,
    assembler,
    builtins,
    attributes,
    library_definitions,
)
OBJECT_RULES: tuple[ObjectRule, ...] = (
    forbidden_routines,
    taken_names,
    main_function,
)


# --- looking things up ----------------------------------------------------------------------------
def _limited(found: Iterable[Finding]) -> Iterator[Finding]:
    """Yield each finding once, and not too many."""
    unique = dict.fromkeys(found)
    yield from list(unique)[:_MAX_FINDINGS]


def _at(program: SourceText, rule: str, number: int, text: str) -> Finding:
    return Finding(rule, Severity.ERROR, number, text, program.quote(number))


def _word(expanded: Expanded, rule: str, word: str, text: str) -> Finding:
    """Return a finding at the first line with this word; at no line if macros put the word
    together."""
    lines = expanded.program.lines_of(word)
    return _at(expanded.program, rule, lines[0] if lines else 0, text)


def _defines(expanded: Expanded, name: str) -> Finding:
    text = gettext(
        "your program defines %(name)s, which belongs to the library: do not include knobellib.c,"
        " only call it",
        name=name,
    )
    return _word(expanded, "library source", name, text)


def _words(expanded: Expanded, wanted: Callable[[str], bool]) -> Iterable[str]:
    return dict.fromkeys(
        t.text for t in expanded.tokens if t.kind is TokenKind.IDENTIFIER and wanted(t.text)
    )


def _defined_routines(tokens: Sequence[Token], names: Collection[str]) -> Iterator[str]:
    """Yield those of these routines that are defined: after the parameters comes `{`, or the types
    of old-style ones."""
    closing = _closing(tokens)
    for at, token in enumerate(tokens):
        if token.text not in names:
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
    is_word = bool(following) and following[0].kind is TokenKind.IDENTIFIER
    return is_word and texts[0] not in (*_ATTRIBUTE, *_ASSEMBLER)


def _closing(tokens: Sequence[Token]) -> dict[int, int]:
    """For each `(` the matching `)`, by their indices among the tokens."""
    closing: dict[int, int] = {}
    open_ones: list[int] = []
    for at, token in enumerate(tokens):
        if token.text == "(":
            open_ones.append(at)
        elif token.text == ")" and open_ones:
            closing[open_ones.pop()] = at
    return closing
