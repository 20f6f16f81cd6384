"""Repairs of a C program in a letter: undo what people and mailers put around and into it. Pure.

Every repair rests on C, or on the announcement (K43: a program begins with the comment of its
`<<FROM>>` line). Nothing changes inside of comments, strings and `#if 0`. Text that could mean two
things stays as it is for the compiler, or becomes a problem with line numbers.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import accumulate, islice

from contest.language import gettext, ngettext
from contest.mail.sent_files import (
    FROM_MARK,
    begins_with_mark,
    is_marked,
    lines_named,
    plain,
    without_from_line,
)
from contest.util.sanitize import ZERO_WIDTH, without_zero_width
from mailserver.problem import Problem
from mailserver.reading.html import unescaped
from mailserver.reading.part_text import (
    SEPARATOR,
    SIGNATURE_MARK,
    Lines,
    Repair,
    Text,
    from_quoted_printable,
    separated_remark,
    unquoted,
    was_wrapped,
    without_end,
)

_MIN_DOUBLED_LINES = 6  # in fewer, every second line may be blank by chance
_MAX_QUOTE_DEPTH = 5
_MAX_RULE_CHARACTERS = 200
_ESCAPED_MARK = html.escape(FROM_MARK)
_STATEMENT = re.compile(r"[;{}]|^\s*#|/\*")  # a line with one of these may be C
_HEADING = re.compile(r"[A-Za-z_][\w\s*]*\([\w\s,*]*\)\s*")  # `main()` above its brace
_CONDITIONAL = re.compile(
    r"\s*#\s*(?:/\*.*?\*/\s*)?(?P<name>if|ifn?def|el\w+|endif)\b"
    r"(?P<never>\s*+(?:\(\s*+)?0\s*+(?:\)\s*+)?(?:/[/*].*)?$)?"
)
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_RULE = re.compile(r"(?:[-=~+*]{2,}|_{5,}|[-_=~*+]{5,}|--[^;{}]*--)\s*")
_LINE = re.compile(r"[^\n]+")
_WORDS = re.compile(r"\w++(?>(?: ++\w++)*)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_FENCE = re.compile(r" {0,3}```[ \t]*(?:[A-Za-z+]{1,20})?[ \t]*")
_MAILBOX_FROM = ">From "
_ENCODED = re.compile(r"=3D|=20[ \t]*$")  # in quoted-printable: an equals sign, a blank at the end
_ENCODED_WHOLE = re.compile(r"=(?:[0-9A-F]{2}|[ \t]*$)")
_LINK = re.compile(r" ?<(?:https?://|mailto:)([\w./@+-]{1,201}+)>")
_DOUBLE, _SINGLE = "\u201c\u201d\u201e\u201f", "\u2018\u2019\u201a\u201b\u00b4"
_TYPOGRAPHIC = re.compile(f"[{_DOUBLE}{_SINGLE}\u2013\u2014\u2026]")
_DASHES = {"\u2014": "--", "\u2212": "-", "\u2026": "..."}
_DASHES_AS_TYPED = str.maketrans(_DASHES)
_NOT_AS_TYPED = re.compile(f"[{_DOUBLE}{_SINGLE}{''.join(_DASHES)}]")
_UNSEEN = re.compile(ZERO_WIDTH)

_KEYWORD_NAMES = """
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register return short signed sizeof static struct switch typedef union unsigned void
    volatile while
"""
_KEYWORDS = frozenset(_KEYWORD_NAMES.split())

# What is not code. Each alternative takes all that the one before has looked at in vain, so the
# time is linear.
_PIECE = re.compile(
    rf"""
    (?P<comment>   /\*(?s:.*?)(?:\*/|\Z) | //[^\n]* )
  | (?P<string>    "[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)" | '[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)' )
  | (?P<double>    ["{_DOUBLE}][^"{_DOUBLE}\\\n]*+(?>(?:\\.[^"{_DOUBLE}\\\n]*+)*)["{_DOUBLE}] )
  | (?P<single>    ['{_SINGLE}](?:[^'{_SINGLE}\\\n]|\\[^\n][0-9a-fA-F]{{0,3}})['{_SINGLE}] )
  | (?P<open>      ["'{_DOUBLE}{_SINGLE}][^\n]* )
    """,
    re.VERBOSE,
)


def repaired(text: Text) -> Text | Problem:
    """The program in the text of a letter, with what was done to it."""
    found = text.after(*_REPAIRS, without_end)
    return _foreign_signs(found.lines) or found


def repaired_file(text: Text) -> Text | Problem:
    """The program in an attached file, which hardly any mailer changes."""
    found = text.after(_separated, _plain_mark, _without_mailbox_signs, _untypographic)
    return _foreign_signs(found.lines) or found


def fenced(text: Text) -> Text | None:
    """The program that stands in the letter between two lines of three backticks, as assistants and
    forums write it; None if there is none, or if there is C elsewhere."""
    fences = [number for number, line in enumerate(text.lines) if _FENCE.fullmatch(line)]
    if not fences or len(fences) % 2:
        return None
    pairs = list(zip(fences[::2], fences[1::2], strict=True))
    blocks = [text.lines[begin + 1 : end] for begin, end in pairs]
    programs = [block for block in blocks if not is_prose(block)]
    around = without_from_line(tuple(_outside(text.lines, pairs)))
    if len(programs) != 1 or not is_prose(around):
        return None
    words = gettext("the program was taken from between the lines of three backticks")
    return replace(text, lines=programs[0]).told(words)


def _outside(lines: Lines, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """The lines that are in none of the blocks, which begin and end with these."""
    ends = [0, *(end + 1 for _, end in pairs)]
    begins = [*(begin for begin, _ in pairs), len(lines)]
    return [line for end, begin in zip(ends, begins, strict=True) for line in lines[end:begin]]


def tokens(text: Text) -> str:
    """The program without comments and blanks: of the same program it is the same."""
    return "".join("".join(t.split()) for kind, t in _pieces(text.lines) if kind != "comment")


def signed_off(text: Text) -> Text:
    """A text in any language without the writer's signature."""
    return text.after(_without_signature)


# --- what C is and what is not --------------------------------------------------------------------
def _pieces(lines: Lines) -> Iterator[tuple[str, str]]:
    """The text outside of `#if 0`, as (kind, text) in order; kinds are "code" and the groups of
    _PIECE."""
    text = _without_prose(lines)
    done = 0
    for match in _PIECE.finditer(text):
        if match.start() > done:
            yield "code", text[done : match.start()]
        yield match.lastgroup or "", match[0]
        done = match.end()
    if done < len(text):
        yield "code", text[done:]


def _without_prose(lines: Lines) -> str:
    """The text outside of `#if 0`; lines stay."""
    return "\n".join(
        "" if prose else line for line, prose in zip(lines, _prose(lines), strict=True)
    )


def _prose(lines: Lines) -> Iterator[bool]:
    """For each line, whether it is in an `#if 0` block."""
    depth = 0
    for line in lines:
        found = _CONDITIONAL.match(line)
        name = found["name"] if found else ""
        if name == "endif" or (depth == 1 and name.startswith("el")):
            depth = max(depth - 1, 0)
        yield depth > 0
        if name.startswith("if") and (depth or (found and found["never"])):
            depth += 1


def _blanked(lines: Lines) -> str:
    """The text with blanks for comments and strings, and without what is in `#if 0`; lines stay."""
    return _PIECE.sub(_blank, _without_prose(lines))


def _blank(piece: re.Match[str]) -> str:
    text = piece[0]
    if piece.lastgroup in ("double", "single"):
        return text
    return _LINE.sub(lambda line: " " * len(line[0]), text) if "\n" in text else " " * len(text)


def _code(lines: Lines) -> list[str]:
    """The lines with blanks for comments, strings, directives and everything in `#if 0`."""
    shown = _blanked(lines).replace("<%", " {").replace("%>", " }")  # digraphs
    code, continued = [], False
    for line, sent in zip(shown.split("\n"), lines, strict=True):
        directive = continued or line.lstrip()[:1] == "#"
        continued = directive and sent.endswith("\\")
        code.append("" if directive else line)
    return code


def _end(code: Sequence[str]) -> int:
    """The number of lines up to the last one on which a declaration ends outside of all braces.

    0 without such a line, or if braces do not match: nothing is certain then.
    """
    depth = end = 0
    for number, line in enumerate(code, 1):
        depth += line.count("{") - line.count("}")
        if depth == 0 and re.search("[;}]", line):
            end = number
    return 0 if depth else end


def _may_end(lines: Lines) -> Iterator[bool]:
    """For each line, whether a program can end with it: outside of all braces, comments and
    conditionals."""
    depth = conditionals = 0
    is_declared = False  # whether a declaration has ended outside of all braces
    for line, code, is_open in zip(lines, _code(lines), _open_comments(lines), strict=True):
        directive = _CONDITIONAL.match(line)
        if directive:
            conditionals += {"if": 1, "en": -1}.get(directive["name"][:2], 0)
        depth += code.count("{") - code.count("}")
        is_declared = is_declared or (depth == 0 and re.search("[;}]", code) is not None)
        yield is_declared and depth == 0 and conditionals == 0 and not is_open


def _open_comments(lines: Lines) -> list[bool]:
    """For each line, whether it ends within a comment."""
    ends: list[bool] = []
    is_open = False
    for kind, text in _pieces(lines):
        ends += [kind == "comment"] * text.count("\n")
        is_open = kind == "comment" and _is_open(text)
    return [*ends, is_open]


def _is_open(comment: str) -> bool:
    """Whether the comment of `/*` does not end."""
    return comment.startswith("/*") and (comment == "/*/" or not comment.endswith("*/"))


def _mark(lines: Lines) -> int:
    """Where the first `<<FROM>>` line is, counted from 0, an unquoted one if there is one; -1 =
    nowhere."""
    marked = [n for n, line in enumerate(lines) if is_marked(line)]
    return next((n for n in marked if begins_with_mark(lines[n])), marked[0] if marked else -1)


def is_prose(lines: Lines) -> bool:
    """Whether nothing in these lines looks like C."""
    return not any(map(_may_be_c, lines))


def _may_be_c(line: str) -> bool:
    return (_STATEMENT.search(line) or _HEADING.fullmatch(line)) is not None


# --- the repairs, in their order ------------------------------------------------------------------
def _undoubled(lines: Lines) -> tuple[Lines, str]:
    """Remove the blank lines that Outlook writes after each line; after a backslash one would end a
    macro."""
    if len(lines) < _MIN_DOUBLED_LINES or any(line.strip() for line in lines[1::2]):
        return lines, ""
    return lines[::2], gettext(
        "the blank lines that your mailer had put between all lines were left out"
    )


def _unescaped(lines: Lines) -> tuple[Lines, str]:
    """`&lt;&lt;FROM&gt;&gt;`, and no `<` anywhere: a mailer wrote HTML's signs into plain text."""
    text = "\n".join(lines)
    if _ESCAPED_MARK not in text or "<" in text:
        return lines, ""
    return tuple(unescaped(text).split("\n")), gettext(
        "HTML's signs (`&lt;`) in the plain text were read as what they mean"
    )


def _plain_mark(lines: Lines) -> tuple[Lines, str]:
    """Take invisible characters out of the `<<FROM>>` line. It is for us, so C needs none of
    them."""
    result = tuple(plain(line) if is_marked(line) else line for line in lines)
    if result == tuple(lines):
        return lines, ""
    return result, gettext(
        "invisible characters were taken out of the %(from_mark)s line", from_mark=FROM_MARK
    )


def _answered(lines: Lines) -> tuple[Lines, str]:
    """A program that was quoted, or forwarded, once or a few times."""
    inner = lines
    for _ in range(_MAX_QUOTE_DEPTH):
        inner = _quoted_program(inner)
    return inner, gettext(
        "the quoted program was taken out of the letter"
    ) if inner is not lines else ""


def _quoted_program(lines: Lines) -> Lines:
    """The quoted lines around a quoted `<<FROM>>`, when all else is words; all lines where it is
    not so."""
    mark = _mark(lines)
    if mark < 0 or not lines[mark].startswith(">"):
        return lines
    first, end = mark, mark + 1
    while first > 0 and _is_quoted(lines, first - 1):
        first -= 1
    while end < len(lines) and _is_quoted(lines, end):
        end += 1
    if not is_prose(lines[:first]) or not is_prose(lines[end:]):
        return lines
    return unquoted(_joined_quotes(lines[first:end]))[0]


def _is_quoted(lines: Lines, number: int) -> bool:
    """Whether the line is quoted; so is a blank line, or the end of a wrapped one, between quoted
    lines."""
    if lines[number].startswith(">"):
        return True
    before, after = lines[number - 1 : number], lines[number + 1 : number + 2]
    if not (before and after and before[0].startswith(">") and after[0].startswith(">")):
        return False
    return not lines[number].strip() or was_wrapped(before[0], lines[number])


def _joined_quotes(lines: Lines) -> Lines:
    """Join a line without `>` between quoted lines to the one before: it is the rest of that."""
    result: list[str] = []
    for line in lines:
        if line.startswith(">") or not line.strip():
            result.append(line)
        else:
            result[-1] = result[-1].rstrip() + " " + line
    return result


def _without_head(lines: Lines) -> tuple[Lines, str]:
    """Omit words and quoted lines above the comment of the `<<FROM>>` line, which begins the
    program (K43)."""
    mark = _mark(lines)
    first = next(
        (
            n
            for n in range(mark, max(mark - 5, -1), -1)
            if re.search(r"^(?!>).*/\*|^\s*//", lines[n])
        ),
        0,
    )
    above = [line for line in lines[:first] if line.strip()]
    words = [line for number, line in enumerate(lines[:first]) if not _is_quoted(lines, number)]
    if mark < 0 or not above or not is_prose(words):
        return lines, ""
    return lines[first:], ngettext(
        "%(num)s line above the program was left out",
        "%(num)s lines above the program were left out",
        len(above),
    )


def _without_signature(lines: Lines) -> tuple[Lines, str]:
    """Cut a signature if the program above is complete; a line `-- ` may also be part of a
    description."""
    marks = [number for number, line in enumerate(lines) if line == SIGNATURE_MARK]
    if marks and _mark(lines) >= 0:
        may_end = list(_may_end(lines))
        # from here on
        words = next((n for n in range(len(lines), 0, -1) if _may_be_c(lines[n - 1])), 0)
        marks = [number for number in marks if number >= words or (number and may_end[number - 1])]
    kept = lines[: marks[0]] if marks else lines
    cut = len(lines) - len(kept)
    return kept, ngettext(
        "the signature (%(num)s line from `-- ` on) was left out",
        "the signature (%(num)s lines from `-- ` on) was left out",
        cut,
    ) if cut else ""


def _without_tail(lines: Lines) -> tuple[Lines, str]:
    """Omit text that cannot be C below the last brace: signs, quoted lines, words without `;`
    (M64)."""
    if _mark(lines) < 0:
        return lines, ""
    code = _code(lines)
    cut = _first_rule(lines, code)
    cut = _first_word(lines, code[:cut])
    below = sum(1 for line in lines[cut:] if line.strip())
    remark = ngettext(
        "%(num)s line below the program was left out",
        "%(num)s lines below the program were left out",
        below,
    )
    return lines[:cut], remark if below else ""


def _first_word(lines: Lines, code: Sequence[str]) -> int:
    """Where words follow the last declaration; a macro's name could be one. len(code) = nowhere."""
    end = _end(code)
    first = next((n for n in range(end, len(code)) if code[n].strip()), len(code))
    words = set(re.findall(r"\w+", "\n".join(code[first:])))
    return len(code) if not end or words.intersection(_DEFINED.findall("\n".join(lines))) else first


def _first_rule(lines: Lines, code: Sequence[str]) -> int:
    """Where signs, or quoted lines to the end, follow a complete declaration; len(lines) =
    nowhere."""
    depth, last = 0, ""  # the last line with code on it
    quoted = _trailing_quotes(lines)
    for number, line in enumerate(code):
        if depth == 0 and line.strip():
            if last.endswith(("}", ";")) and _RULE.fullmatch(line.strip()[:_MAX_RULE_CHARACTERS]):
                return number
            if number == quoted and last.endswith(("}", ";", ":")):  # `Joe wrote:`
                return number
        depth += line.count("{") - line.count("}")
        last = line.rstrip() or last
    return len(lines)


def _trailing_quotes(lines: Lines) -> int:
    """Where the quoted lines at the end begin."""
    quoted = len(lines)
    while quoted and (not lines[quoted - 1].strip() or lines[quoted - 1].startswith(">")):
        quoted -= 1
    return next((n for n in range(quoted, len(lines)) if lines[n].strip()), len(lines))


def _without_mailbox_signs(lines: Lines) -> tuple[Lines, str]:
    """Undo `>From x`, as mailboxes write `From x`; after a complete statement, C has no `>`
    there."""
    if not any(line.startswith(_MAILBOX_FROM) for line in lines):
        return lines, ""
    result, before = list(lines), ";"
    for number, line in enumerate(_blanked(lines).split("\n")):
        if line.startswith(_MAILBOX_FROM) and before in ";{}":
            result[number] = lines[number][1:]
        before = line.rstrip()[-1:] or before
    changed = [number for number, line in enumerate(result, 1) if line != lines[number - 1]]
    if not changed:
        return lines, ""
    return tuple(result), gettext(
        "the `>` of `>From` was taken out of %(lines_named)s", lines_named=lines_named(changed)
    )


def _decoded(lines: Lines) -> tuple[Lines, str]:
    """Text that is still quoted-printable in part: C has no `=3D`, and no `=20` between two
    statements."""
    if not any(_ENCODED.search(line) for line in lines):
        return lines, ""
    code = _blanked(lines)
    if "=3D" in code and all(map(_ENCODED_WHOLE.match, re.findall(r"=[^\n]{0,2}", code))):
        try:
            text = from_quoted_printable("\n".join(lines).encode()).decode()
        except UnicodeDecodeError:
            return lines, ""
        return tuple(text.split("\n")), gettext(
            "the text was still quoted-printable, and was decoded"
        )
    blanks = (
        r"=20(?=[ \t]*$)"
        if "=3D" in code
        else r"(?<=[;{}])[ \t]*=20(?=[ \t]*$)|^[ \t]*=20(?=[ \t]*$)"
    )
    encoded = re.compile(f"=3D|{blanks}")
    result, before = [], ";"
    for line, shown in zip(lines, code.split("\n"), strict=True):
        is_certain = shown.strip() != "=20" or before in ";{}"
        result.append(_at_the_same_places(encoded, shown, line) if is_certain else line)
        before = shown.replace("=20", "").rstrip()[-1:] or before
    changed = [number for number, line in enumerate(result, 1) if line != lines[number - 1]]
    if not changed:
        return lines, ""
    remark = gettext(
        "what was left over from quoted-printable (`=3D`, `=20`) was decoded in %(lines_named)s",
        lines_named=lines_named(changed),
    )
    return tuple(result), remark


def _at_the_same_places(encoded: re.Pattern[str], shown: str, line: str) -> str:
    """The line with `=` for `=3D`, and a blank for `=20`, where `shown` has what is encoded."""
    pieces = []
    done = 0
    for found in encoded.finditer(shown):
        pieces += [line[done : found.end() - 3], "=" if found[0].endswith("3D") else " "]
        done = found.end()
    return "".join([*pieces, line[done:]])


def _separated(lines: Lines) -> tuple[Lines, str]:
    """U+2028 and U+2029 end lines in some editors. In C they do so nowhere, and in code they are an
    error."""
    if not any(map(SEPARATOR.search, lines)):
        return lines, ""
    result: list[str] = []
    ends: list[int] = []
    for line, shown in zip(lines, _blanked(lines).split("\n"), strict=True):
        start = 0
        for found in SEPARATOR.finditer(shown):
            result.append(line[start : found.start()])
            ends.append(len(result))
            start = found.end()
        result.append(line[start:])
    if not ends:
        return lines, ""
    return tuple(result), separated_remark(ends)


def _unlinked(lines: Lines) -> tuple[Lines, str]:
    """Undo `p.to<http://p.to>`: Outlook takes a structure's member for the name of a host."""
    result = tuple(map(_without_links, lines))
    changed = sum(a != b for a, b in zip(lines, result, strict=True))
    return (
        result,
        ngettext(
            "links that your mailer had added were taken out of %(num)s line",
            "links that your mailer had added were taken out of %(num)s lines",
            changed,
        )
        if changed
        else "",
    )


def _without_links(line: str) -> str:
    """The line without each link that repeats the word before it, to which it may add a slash."""
    kept = []
    done = 0
    for link in _LINK.finditer(line):
        address = link[1]
        if line.endswith((address, address.removesuffix("/") or address), done, link.start()):
            kept.append(line[done : link.start()])
            done = link.end()
    return "".join([*kept, line[done:]])


def _untypographic(lines: Lines) -> tuple[Lines, str]:
    """Replace typographic signs in code: C has none, so what they stand for is certain."""
    result, changed = _in_code(lines, _NOT_AS_TYPED, _as_typed)
    return result, ngettext(
        "typographic signs became those of C in %(num)s line",
        "typographic signs became those of C in %(num)s lines",
        changed,
    ) if changed else ""


def _visible(lines: Lines) -> tuple[Lines, str]:
    result, changed = _in_code(lines, _UNSEEN, lambda kind, text: without_zero_width(text))
    return result, ngettext(
        "invisible characters were taken out of %(num)s line",
        "invisible characters were taken out of %(num)s lines",
        changed,
    ) if changed else ""


def _as_typed(kind: str, text: str) -> str:
    match kind:
        case "double":
            return f'"{text[1:-1]}"'
        case "single":
            return f"'{text[1:-1]}'"
        case _:
            return text.translate(_DASHES_AS_TYPED)


def _in_code(
    lines: Lines, signs: re.Pattern[str], change: Callable[[str, str], str]
) -> tuple[Lines, int]:
    """Take these signs, which are not in ASCII, by `change` out of code and typographic quotations.

    Returns the lines, and how many of them changed.
    """
    if not any(map(signs.search, lines)):
        return lines, 0
    text = "".join(
        change(kind, piece)
        if kind in ("code", "double", "single") and not piece.isascii()
        else piece
        for kind, piece in _pieces(lines)
    )
    triples = zip(lines, text.split("\n"), _prose(lines), strict=True)
    result = tuple(old if is_prose else new for old, new, is_prose in triples)
    return result, sum(old != new for old, new in zip(lines, result, strict=True))


def _rejoined_lines(lines: Lines) -> tuple[Lines, str]:
    """Join lines that a mailer has broken, where only the joined line can be C."""
    result: list[list[str]] = []  # the pieces of each line
    joined: list[int] = []
    kind, last = "", ""  # how the line before ended, and its last piece as it was sent
    unclosed = ""
    macros = _KEYWORDS.union(_DEFINED.findall("\n".join(lines)))
    for line, ends_in in zip(lines, _ends(lines), strict=True):
        broken = kind and line[:1] not in (" ", "\t", "#") and was_wrapped(last, line)
        if broken and _CERTAIN[kind](unclosed, line, macros):
            result[-1].append(line)
            joined.append(len(result))
            unclosed = _unclosed(f"{unclosed} {line}")
        else:
            result.append([line])
            kind = ends_in
            unclosed = '"' if kind == "string" else ""
        last = line
    numbers = lines_named(dict.fromkeys(joined)) if joined else ""
    return tuple(map(_joined, result)), gettext(
        "lines that your mailer had broken were joined again: %(numbers)s", numbers=numbers
    ) if joined else ""


def _joined(pieces: Sequence[str]) -> str:
    return " ".join([*(piece.rstrip(" ") for piece in pieces[:-1]), pieces[-1]])


def _unclosed(line: str) -> str:
    """The sign that begins what is not over at the end of the line, such as a string; "" = all is
    over.

    What stands between it and the end does not matter to what follows, so nobody has to read it
    again.
    """
    *_, (kind, last) = _pieces([line])
    if kind == "open":
        return last[0]
    return last[:2] if kind == "comment" and (_is_open(last) or last.startswith("//")) else ""


def _ends(lines: Lines) -> list[str]:
    """For each line whether it ends within a "string", a "comment" of `//`, a "directive"; "" =
    else."""
    ends = [""] * len(lines)
    directive = False
    for number, (line, prose) in enumerate(zip(lines, _prose(lines), strict=True)):
        directive = not prose and (directive or line.lstrip()[:1] == "#")
        ends[number] = "directive" if directive else ""
        directive = directive and line.endswith("\\")
    number = 0
    for kind, text in _pieces(lines):
        if kind == "comment" and text.startswith("//"):
            ends[number] = "comment"
        elif kind == "open" and text[0] == '"':
            ends[number] = "string"
        number += text.count("\n")
    return ends


def _completes_string(unclosed: str, rest: str, _macros: AbstractSet[str]) -> bool:
    return _unclosed(f"{unclosed} {rest}") != '"'


def _is_no_code(_unclosed: str, rest: str, macros: AbstractSet[str]) -> bool:
    """Three names in a row, none of which is a keyword or a macro, are never C: it is the comment's
    end."""
    code = "".join(text if kind == "code" else ";" for kind, text in _pieces([rest]))
    for words in map(str.split, _WORDS.findall(code)):
        for before, second, third in zip(words, words[1:], words[2:], strict=False):
            first = _NAME.search(before)  # `nd` of `2nd`
            are_names = first and _NAME.match(second) and _NAME.match(third)
            if first and are_names and macros.isdisjoint((first[0], second, third)):
                return True
    return False


def _completes_directive(_unclosed: str, rest: str, _macros: AbstractSet[str]) -> bool:
    """Whether it completes a directive: it closes more parentheses than it opens, or ends with a
    backslash."""
    depths = accumulate((sign == "(") - (sign == ")") for sign in rest)
    return rest.endswith("\\") or min(depths, default=0) < 0


_CERTAIN: dict[str, Callable[[str, str, AbstractSet[str]], bool]] = {
    "string": _completes_string,
    "comment": _is_no_code,
    "directive": _completes_directive,
}


_REPAIRS: tuple[Repair, ...] = (
    _separated,
    _undoubled,
    _unescaped,
    _plain_mark,
    _answered,
    _without_head,
    _without_signature,
    _without_tail,
    _decoded,
    _without_mailbox_signs,
    _unlinked,
    _visible,
    _untypographic,
    _rejoined_lines,
)


# --- what cannot be repaired ----------------------------------------------------------------------
def _foreign_signs(lines: Lines) -> Problem | None:
    """Signs outside ASCII in code. C has none of them, and they could stand for several things."""
    if all(map(str.isascii, lines)):
        return None
    found: dict[str, list[int]] = {}
    number = 1
    for kind, text in _pieces(lines):
        if kind in ("code", "open") and not text.isascii():
            for n, line in enumerate(text.split("\n"), number):
                for sign in dict.fromkeys(_FOREIGN.findall(line)):
                    found.setdefault(sign, []).append(n)
        number += text.count("\n")
    if not found or (_mark(lines) < 0 and not any(map(_TYPOGRAPHIC.match, found))):
        return None
    return Problem(
        gettext(
            "There are signs in the code of the program that C does not have: %(signs)s. Your"
            " mailer or a word processor may have put them there, and I cannot be sure what they"
            " stood for. Please switch off its `smart punctuation` or `AutoCorrect`, or attach the"
            " program.",
            signs="; ".join(
                _named(sign, numbers) for sign, numbers in islice(found.items(), _MAX_SIGNS)
            ),
        ),
        expected=gettext(
            "plain ASCII signs in code, or the program as one attached file that ends in .c"
        ),
    )


def _named(sign: str, numbers: Sequence[int]) -> str:
    """The sign's name in Unicode, its likely replacement, and its place."""
    name = unicodedata.name(sign, f"U+{ord(sign):04X}")
    where = lines_named(dict.fromkeys(numbers))
    instead = _INSTEAD.get(sign) or unicodedata.normalize("NFKC", sign)
    if not instead.isascii() or not instead.strip():
        return gettext("%(name)s in %(where)s", name=name, where=where)
    return gettext("%(name)s in %(where)s (write `%(sign)s`)", name=name, where=where, sign=instead)


_FOREIGN = re.compile(r"[^\x00-\x7f]")
_MAX_SIGNS = 5
_INSTEAD = dict(
    zip(
        "\u2265\u2264\u2260\u00d7\u00f7\u00ab\u00bb",
        (">=", "<=", "!=", "*", "/", "<<", ">>"),
        strict=True,
    )
)
_INSTEAD |= dict.fromkeys(_DOUBLE, '"') | dict.fromkeys(_SINGLE, "'")
