"""The lines of a letter that are the form. Pure.

People fill a form in wherever their mail programs let them: above the letter that they answer,
below it, or within it, with `>` or another mark before each line, or without. Around it are
greetings, signatures, and our own sentences. The form is what is left; where a letter holds
several, it is what the writer wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from contest.language import gettext, noted
from contest.mail.form import ADDRESS, MEMBERS, TEAM_NAME
from contest.util.sanitize import quote
from mailserver.reading import members
from mailserver.reading.members import Line
from mailserver.reading.part_text import was_wrapped

NameOf = Callable[[str], str]
"""The name of the field that a line begins; "" if it begins none."""


class Names(NamedTuple):
    """`of`: with the name as it is written in our forms; `near`: with one that is nearly it.

    `blanks`: what our forms say where a team has to fill something in.
    """

    of: NameOf
    near: NameOf
    blanks: frozenset[str]

    def in_lines(self, lines: Sequence[Line]) -> set[str]:
        return {name for line in lines if (name := self.of(line.text))}

    def has_address(self, lines: Sequence[Line]) -> bool:
        """Return whether these are the lines of a form, and no part of one."""
        found = self.in_lines(lines)
        nearly = any(self.near(line.text) == ADDRESS for line in lines)
        return ADDRESS in found or bool(found and nearly)

    def holds_blank(self, lines: Iterable[Line]) -> bool:
        return any(blank in line.text for line in lines for blank in self.blanks)


_MANY_FIELDS = 4  # what has so many is a form; fewer may be examples, or a part
_MAX_ATTRIBUTION_LINES = 3
_MAX_ATTRIBUTION = 250  # characters of its first line
_MAX_CLOSING = 120

# --- marks of a quotation -------------------------------------------------------------------------
_QUOTED = re.compile(r"^(?:\s{0,8}>){1,20}")
_MARKS = re.compile(  # such as `|`, `:`, `JD>`; and a tab, by which mailx quotes
    r"(?:\s{0,3}(?:[^\W\d_]{1,15}>|[^\w\s])){1,20}| {4,16}(?! )"
)
_BLANKS = r"\s{0,3}"  # between its signs
_RULE = "---"  # above and below the form in our mails
_REST_INDENT = " " * 8  # more than any field or member of ours has
DASHES = re.compile(r"\s*(?:[-_=—–]{3,}|—)\s*")
_SIGNATURE = re.compile(r"\s*--\s?")

# --- the letter that is answered, without `>` -----------------------------------------------------
_HEADERS = """
    from sent date to cc bcc subject reply-to
    von gesendet datum an kopie betreff antwort
    de envoyé date envoyée à cc objet répondre
    enviado fecha para asunto
    da inviato data a oggetto
    van verzonden datum aan onderwerp
    enviada assunto
    fra sendt dato til emne kopi
    från skickat till ämne
    od wysłane wysłano data do temat
    odesláno komu předmět
    lähettäjä lähetetty vastaanottaja aihe
"""
_HEADER_NAMES = frozenset(_HEADERS.split())
_HEADER = re.compile(r"\W{0,4}([^\W\d_][\w-]{0,13})(?: (?:el|le|am|on))?[ *\u00a0]{0,3}:")
_MIN_HEADERS = 3
_ORIGINAL = re.compile(
    r"\W{0,3}-{2,}\s*(?:[^\W\d_]{1,15}\s){0,2}(?:"
    r"original|ursprünglich|ursprueng|message\s+d.origine|oorspronkelijk|oprindelig|oryginaln"
    r"|ursprung|forwarded|weitergeleitet|transf[ée]r|reenviad|inoltrat|encaminhad|doorgestuurd"
    r"|videresendt|vidarebefordra|przekazan)[\w-]{0,15}(?:\s[^\W\d_]{1,15}){0,2}\s*-{2,}\s*",
    re.IGNORECASE,
)
_OPENING = re.compile(r"\s*(?:on|am|le|el|il|op|em|den)\b(?=.*\d)", re.IGNORECASE)
_WROTE = re.compile(
    r"""
    (?:on|am|le|el|il|op|em|den)\b.*\b
      (?:wrote|schrieb|geschrieben|écrit|escribió|scritto|schreef|geschreven|escreveu|skrev)\b.*:\s*
    | .*\b(?:wrote|schrieb|a\s+écrit|escribió)\s?:\s*
    | .*\d[:.h]\d\d\b.*<[^\s<>@]+@[^\s<>@]+>.*:\s*
    """,
    re.IGNORECASE | re.VERBOSE,
)

# --- the end of the writer's own words ------------------------------------------------------------
_CLOSING_WORDS = r"""
    (?:
      (?:(?:best|kind|kindest|warm|warmest|with|many|all|the)\s+){0,3}(?:regards|wishes|greetings)
      | sincerely | yours(?:\s+(?:sincerely|faithfully|truly))? | cheers | bye | ciao
      | (?:many\s+)?thanks | thank\s+you | thx | best
      | (?:mit\s+)?(?:viele|beste|liebe|sch(?:ö|oe)ne|freundliche|herzliche|sonnige)[nr]?\s+
        gr(?:ü|ue|u)(?:ß|ss)e?n?
      | gr(?:ü|ue|u)(?:ß|ss)e? | mfg | mvg | lg | vg | glg
      | bis\s+(?:dann|bald|später) | (?:vielen|herzlichen)\s+dank | danke
      | (?:bien\s+)?cordialement | bien\s+à\s+vous | (?:mille\s+)?mercis? | salutations
      | bonne\s+(?:journée|soirée|réception) | amicalement
      | (?:un\s+)?saludos? | atentamente | (?:muchas\s+)?gracias
      | (?:(?:cordiali|distinti|cari|tanti)\s+)?saluti | grazie | a\s+presto
      | (?:met\s+)?(?:(?:vriendelijke|hartelijke)\s+)?groet(?:en|jes)? | (?:alvast\s+)?bedankt
      | (?:com\s+os\s+)?(?:melhores\s+)?cumprimentos | atenciosamente | obrigad[oa]
      | (?:med\s+)?(?:vänlig|venlig|vennlig)[at]?\s+(?:hälsning(?:ar)?|hilsen) | mvh
      | pozdrawiam
    )
"""
_CLOSING_ALONE = re.compile(rf"{_CLOSING_WORDS}[\s.,!:;()-]{{0,5}}", re.IGNORECASE | re.VERBOSE)
_CLOSING = re.compile(
    rf"{_CLOSING_WORDS}(?:[\s,.!–-]{{1,3}}[^\W\d_]{{1,20}}){{0,6}}[\s.,!:;()-]{{0,5}}",
    re.IGNORECASE | re.VERBOSE,
)
_DEVICE = re.compile(
    r"""
    \W{0,3}(?:
      (?:sent|gesendet|envoyé|enviado|inviato|verzonden|verstuurd|skickat|sendt|wysłano|wysłane)\s
        (?:from|with|via|von|mit|de|depuis|avec|desde|con|da|dal|tramite|met|vanaf|van|från|med|fra
           |do|z)\b.*
      | von\s.*\bgesendet\W*
      | (?:get|holen|hol|laden|téléchargez?|obtenir|obtenez|obtener|obtén|descarg\w{1,4}|scarica
         |diese\s+nachricht|cet\s+e-?mail)\b.*
      \b(?:iphone|ipad|ipod|ios|android\w*|samsung|galaxy|outlook|gmail|gmx|web\.de|yahoo|k-9|k9
         |fairemail|thunderbird|proton\w*|tutanota|tuta|mobil\w*|smartphone|handy
         |tele(?:fon|phone|fono)|téléphone|móvil|blackberry|mail|windows)\b.*
      | outlook\s+(?:für|for|pour|para|per|voor)\s.*
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


class FormLines(NamedTuple):
    """`lines`: those of the form. `unclear`: of those around it, each may be a member's name."""

    lines: tuple[Line, ...]
    remarks: tuple[str, ...] = ()
    unclear: tuple[Line, ...] = ()


class _Parts(NamedTuple):
    """A letter in two parts; the answered one may be in front of the other, or around it."""

    own: list[Line]
    answered: list[Line]


def form_in(lines: Sequence[Line], names: Names, lines_each: int) -> FormLines:
    """Return the lines of the form. `lines_each`: how many each member takes."""
    plain, quoted = _unquoted(lines, names)
    own, answered = _parts(plain, quoted, names)
    if names.has_address(own) or not any(names.of(line.text) for line in answered):
        return _own_form(own, names, lines_each, is_all=len(own) == len(lines))
    merged = _merged(plain, _unsigned(own), answered, names)
    chosen = _chosen(_blocks(merged, names), names)
    first = _first_field(chosen, names)
    end, unclear = _end(chosen, first, names, lines_each)
    return FormLines(tuple(chosen[first:end]), (), unclear)


def _own_form(own: list[Line], names: Names, lines_each: int, *, is_all: bool) -> FormLines:
    """Return the form in the writer's own words; what is left out around it is told."""
    own = _without_signature(own, names)
    chosen = _chosen(_blocks(own, names), names, with_parts=True)
    first = _first_field(chosen, names)
    end, unclear = _end(chosen, first, names, lines_each)
    remarks = [] if is_all else [gettext("quoted lines of another letter were left out")]
    remarks += _left_out(chosen[:first], _ABOVE)
    remarks += _left_out(chosen[end:], _BELOW)
    return FormLines(tuple(chosen[first:end]), tuple(remarks), unclear)


def _without_signature(own: list[Line], names: Names) -> list[Line]:
    """Return the lines above the mark of the signature, if there is a field above it."""
    has_field = False
    for at, line in enumerate(own):
        if has_field and _SIGNATURE.fullmatch(line.text):
            return own[:at]
        has_field = has_field or bool(names.of(line.text))
    return own


_ABOVE = noted("the words above the form were left out, from line %(number)s on: `%(text)s`")
_BELOW = noted("the words below the form were left out, from line %(number)s on: `%(text)s`")


def _left_out(lines: Sequence[Line], words: str) -> Iterator[str]:
    line = next((line for line in lines if line.text.strip()), None)
    if line is not None:
        yield gettext(words, number=line.number, text=quote(line.text))


# --- quoted lines ---------------------------------------------------------------------------------
def _unquoted(lines: Sequence[Line], names: Names) -> tuple[list[Line], set[int]]:
    """Return the lines without marks of quotation, and the numbers of those that were quoted.

    A quoted line that became too long with its mark goes on in the next one, with a mark or none.
    """
    mark = _quotation(lines, names)
    texts = [mark.sub("", line.text, count=1) for line in lines]
    is_marked = [text != line.text for text, line in zip(texts, lines, strict=True)]
    plain: list[Line] = []
    quoted: set[int] = set()
    for at, (line, text) in enumerate(zip(lines, texts, strict=True)):
        above = lines[at - 1].text if at else ""
        is_asked = bool(names.of(text)) or names.holds_blank([line])
        if not is_asked and _is_alone(is_marked, at) and _goes_on(above):
            plain.append(line)
        elif not is_asked and _is_below(is_marked, at) and was_wrapped(above, text):
            plain.append(Line(line.number, _REST_INDENT + text.lstrip()))
            quoted.add(line.number)
        else:
            plain.append(Line(line.number, text))
            quoted |= {line.number} if is_marked[at] else set()
    return plain, quoted


def _is_alone(is_marked: Sequence[bool], at: int) -> bool:
    """Return whether this line has a mark, and neither neighbour has one."""
    return is_marked[at] and is_marked[max(at - 1, 0) : at + 2].count(True) == 1


def _is_below(is_marked: Sequence[bool], at: int) -> bool:
    """Return whether the line above has a mark, and this one or the next."""
    return at > 0 and is_marked[at - 1] and any(is_marked[at : at + 2])


def _goes_on(above: str) -> bool:
    """Return whether a single line with `>` below this one says `more than`, as in `> 20 years of
    C`."""
    return bool(above.strip()) and not above.rstrip().endswith(":")


def _quotation(lines: Sequence[Line], names: Names) -> re.Pattern[str]:
    """Return the mark of quoted lines: `>`, or what stands before several fields instead.

    Signs such as `-`, or blanks, may stand before fields that nobody quotes. They are marks where
    they are before our rule, too.
    """
    ends = (line.text.rstrip() for line in lines)
    ruled = {_pattern(text.removesuffix(_RULE)) for text in ends if text.endswith(_RULE)}
    fields: dict[str, set[str]] = {}  # behind each mark
    for line in lines:
        match = _MARKS.match(line.text)
        name = names.of(line.text[match.end() :]) if match else ""
        pattern = _pattern(match[0]) if match else ""
        if name and (pattern in ruled or not names.of(_QUOTED.sub("", line.text, count=1))):
            fields.setdefault(pattern, set()).add(name)
    marks = [
        mark
        for mark, found in fields.items()
        if len(found) > 1 and mark.replace(_BLANKS, "").strip(">")
    ]
    marks.sort(key=len, reverse=True)
    alternatives = "|".join([*marks, _QUOTED.pattern])
    return re.compile(f"^(?:{alternatives}) ?")


def _pattern(mark: str) -> str:
    """Return what matches the mark, however many blanks are between its signs."""
    signs = "".join(mark.split())
    if not signs:
        return f" {{{len(mark)}}}"
    return "".join(f"{_BLANKS}{re.escape(sign)}" for sign in signs)


# --- whose lines ----------------------------------------------------------------------------------
def _parts(plain: Sequence[Line], quoted: set[int], names: Names) -> _Parts:
    """Return the writer's own lines, and those of the letter that is answered."""
    at = _answered_at(plain, quoted)
    head = [line for line in plain[:at] if line.number not in quoted]
    answered = [line for line in plain if line.number in quoted or line.number > at]
    return _Parts(_without_attributions(head, quoted, names), answered)


def _answered_at(plain: Sequence[Line], quoted: set[int]) -> int:
    """Return how many lines are above a letter that is answered below, without `>`."""
    headers = 0
    for at, line in enumerate(plain):
        if line.number in quoted:
            headers = 0
            continue
        headers = headers + 1 if _is_header(line.text) else 0
        if headers == _MIN_HEADERS:
            return at + 1 - headers
        if len(line.text) <= _MAX_CLOSING and _ORIGINAL.fullmatch(line.text.strip()):
            return at
        if _introduces(line.text) and not _is_quote_below(plain, at, quoted):
            return at
    return len(plain)


def _introduces(text: str) -> bool:
    """Return whether the line says of whom the following is, and when he wrote it."""
    return len(text) <= _MAX_ATTRIBUTION and _WROTE.fullmatch(text.strip()) is not None


def _begins_attribution(text: str) -> bool:
    return len(text) <= _MAX_ATTRIBUTION and _OPENING.match(text) is not None


def _is_header(text: str) -> bool:
    found = _HEADER.match(text)
    return found is not None and found[1].casefold() in _HEADER_NAMES


def _is_quote_below(plain: Sequence[Line], at: int, quoted: set[int]) -> bool:
    """Return whether the next line that says something is quoted, or there is none."""
    below = (line for line in plain[at + 1 : at + 4] if line.text.strip() or line.number in quoted)
    return next(below, plain[at]).number in quoted


def _without_attributions(head: Sequence[Line], quoted: set[int], names: Names) -> list[Line]:
    """Return the lines without `Joe wrote:` above a quotation."""
    kept: list[Line] = []
    for line in head:
        if kept and any(n in quoted for n in range(kept[-1].number + 1, line.number)):
            kept = _without_attribution(kept, names)
        kept.append(line)
    is_quote_last = bool(kept) and kept[-1].number + 1 in quoted
    return _without_attribution(kept, names) if is_quote_last else kept


def _without_attribution(lines: list[Line], names: Names) -> list[Line]:
    """Return the lines without the last words, if they introduce what follows and are no field."""
    end = len(lines)
    while end and not lines[end - 1].text.strip():
        end -= 1
    start = end
    while start and end - start < _MAX_ATTRIBUTION_LINES and lines[start - 1].text.strip():
        if start < end and lines[start - 1].number < lines[start].number - 1:
            break
        start -= 1
        if _introduces(lines[start].text) or _begins_attribution(lines[start].text):
            break
    words = lines[start:end]
    introduces = words and words[-1].text.rstrip().endswith(":")
    is_other = introduces and not any(names.of(line.text) for line in words)
    return lines[:start] if is_other else lines


# --- filled in within the letter that is answered -------------------------------------------------
def _unsigned(own: Sequence[Line]) -> list[Line]:
    """Return the lines without signatures, each of which goes on up to the next quotation."""
    kept: list[Line] = []
    number = 0  # of the line before
    is_signed = False
    for line in own:
        is_next = line.number == number + 1
        is_signed = (is_signed and is_next) or bool(_SIGNATURE.fullmatch(line.text))
        kept += [] if is_signed else [line]
        number = line.number
    return kept


def _merged(
    plain: Sequence[Line], own: Sequence[Line], answered: Sequence[Line], names: Names
) -> list[Line]:
    """Return the answered letter with what its writer wrote into it: a field of his own takes the
    place of ours, and so do lines below a field or a blank."""
    fields = _fields_of(own, names)
    asked = names.in_lines(answered)
    taken = _numbers(chain(*fields.values()))
    new = _numbers(chain(*(lines for name, lines in fields.items() if name not in asked)))
    written, theirs = _numbers(own) - taken, _numbers(answered) - taken
    kept: list[Line] = []
    early: list[Line] = []  # own fields above the form, which are not in it
    is_replaced = is_within = False
    above = 0  # the number of the line above that says something
    for line in plain:
        if line.number in new:
            (kept if is_within else early).append(line)
        elif line.number in written:
            _write_below(kept, line, above, names)
        elif line.number in theirs:
            name = names.of(line.text)
            if name and not is_within:
                kept += early
                is_within = True
            goes_on = is_replaced and not name and not DASHES.fullmatch(line.text)
            is_replaced = name in fields or goes_on
            kept += fields.get(name, [] if is_replaced else [line])
        if line.text.strip():
            above = line.number
    return kept


def _numbers(lines: Iterable[Line]) -> set[int]:
    return {line.number for line in lines}


def _write_below(kept: list[Line], line: Line, above: int, names: Names) -> None:
    """Keep a line of the writer's own that stands below a kept one; a blank gives way.

    `above`: the number of the line above it that says something. There may be blank lines between
    them if that one is a blank to fill in.
    """
    if not kept or kept[-1].number != above or not line.text.strip():
        return
    is_below_blank = names.holds_blank(kept[-1:])
    if above != line.number - 1 and not is_below_blank:
        return
    if is_below_blank and not names.of(kept[-1].text):
        kept.pop()
    kept.append(line)


def _fields_of(own: Sequence[Line], names: Names) -> Mapping[str, list[Line]]:
    """Return the fields among the writer's own lines, each with the lines directly below it."""
    fields: dict[str, list[Line]] = {}
    current: list[Line] = []
    for line in own:
        name = names.of(line.text)
        if name:
            current = fields.setdefault(name, [])
            current.append(line)
        elif current and line.text.strip() and current[-1].number == line.number - 1:
            current.append(line)
        else:
            current = []
    return fields


# --- which of several forms -----------------------------------------------------------------------
def _blocks(lines: Sequence[Line], names: Names) -> list[list[Line]]:
    """Return the lines between rules of dashes, marks of signatures and second forms."""
    found = [names.of(line.text) for line in lines]
    last_team = max((at for at, name in enumerate(found) if name == TEAM_NAME), default=0)
    blocks: list[list[Line]] = [[]]
    has_address = False
    for at, (line, name) in enumerate(zip(lines, found, strict=True)):
        is_second = name == ADDRESS and has_address and at < last_team
        is_rule = DASHES.fullmatch(line.text) or _SIGNATURE.fullmatch(line.text)
        if is_rule or is_second:
            blocks.append([])
            has_address = False
        if not is_rule:
            blocks[-1].append(line)
            has_address = has_address or name == ADDRESS
    return blocks


def _chosen(blocks: Sequence[list[Line]], names: Names, *, with_parts: bool = False) -> list[Line]:
    """Return the lines of the form: of the one that is filled in, where several are complete.

    Forms that differ stay both, so that their fields are given twice. `with_parts`: so do the
    blocks with a field or two, which may be examples of ours where the letter is not the writer's.
    """
    full: list[list[Line]] = []
    parts: list[list[Line]] = []
    for block in blocks:
        count = len(names.in_lines(block))
        if count:
            (full if count >= _MANY_FIELDS else parts).append(block)
    if full:
        filled = [block for block in full if not names.holds_blank(block)] or full[:1]
        filled += parts if with_parts else []
    else:
        filled = parts or list(blocks)
    different = {_words(block): block for block in reversed(filled)}
    return [line for block in reversed(different.values()) for line in block]


def _words(block: Sequence[Line]) -> tuple[str, ...]:
    return tuple(word for line in block for word in line.text.casefold().split())


# --- above and below ------------------------------------------------------------------------------
def _first_field(lines: Sequence[Line], names: Names) -> int:
    """Return where the form begins, perhaps with a field whose name is misspelled; 0 if there is
    none."""
    found = names.in_lines(lines)
    for at, line in enumerate(lines):
        if names.of(line.text) or (found and names.near(line.text) not in ("", *found)):
            return at
    return 0


def _end(
    lines: Sequence[Line], first: int, names: Names, lines_each: int
) -> tuple[int, tuple[Line, ...]]:
    """Return where the form ends, and the lines below it that may be meant as members."""
    found = [names.of(line.text) for line in lines]
    last = max((at for at, name in enumerate(found) if name), default=first)
    below = lines[last + 1 :]
    closing = _closing_at(below)
    if not found or found[last] != MEMBERS:
        return last + 1 + closing, ()
    tail = _tail_at(below[:closing], lines_each)
    words = _words(below[:tail])
    unclear = tuple(
        line
        for line in below[tail:closing]
        if members.names_one(line.text, lines_each) and not set(_words([line])) <= set(words)
    )
    return last + 1 + tail, unclear


def _closing_at(below: Sequence[Line]) -> int:
    """Before how many of the lines below a field its writer ends, with a greeting or with what
    telephones add.

    A member may be called `Best George`, so lines that are indented as the first are his team's.
    """
    top = next((line for line in below if line.text.strip()), None)
    indent = members.indent(top) if top else 0
    is_apart = True
    for at, line in enumerate(below):
        is_outside = members.indent(line) < indent
        if (is_outside or not indent) and is_closing(line.text, is_apart=is_outside or is_apart):
            return at
        is_apart = not line.text.strip()
    return len(below)


def _tail_at(below: Sequence[Line], lines_each: int) -> int:
    """Return how many of the lines below `team-members:` are members', as far as their look tells.

    What follows a blank line and is not indented as they are is other words. So is a name below
    others that have no blank lines between them.
    """
    full: list[Line] = []
    is_after_blank = is_list = False
    for at, line in enumerate(below):
        is_blank = not line.text.strip()
        if full and not is_blank and _is_other(line, full, lines_each, is_after_blank, is_list):
            return at
        is_list = is_list or (bool(full) and not is_blank and not is_after_blank)
        is_after_blank = is_blank
        if not is_blank:
            full.append(line)
    return len(below)


def _is_other(
    line: Line, full: Sequence[Line], lines_each: int, is_after_blank: bool, is_list: bool
) -> bool:
    """Return whether the line below these lines of members is none of them."""
    is_outside = members.indent(line) < members.indent(full[0])
    is_rest = not is_after_blank and was_wrapped(full[-1].text, line.text)
    if lines_each != members.WITH_BACKGROUND:
        is_likely = members.may_be_one(line.text, lines_each) and not (is_outside or is_list)
        is_aside = is_after_blank and (is_outside or not members.indent(line))
        is_sentence = members.is_sentence(line.text) and not is_rest
        return is_sentence or (is_aside and not is_likely)
    is_second = len(full) % 2 == 1
    is_aside = is_outside or (is_after_blank and not members.indent(line))
    is_likely = members.may_be_one(line.text, lines_each)
    return is_aside and not (is_second or is_rest or is_likely)


def is_closing(text: str, *, is_apart: bool) -> bool:
    """Return whether the writer's own words end here. `is_apart`: from the lines above, so that a
    name may stand behind the greeting."""
    short = text.strip()
    if not short or len(short) > _MAX_CLOSING:
        return False
    closing = _CLOSING if is_apart else _CLOSING_ALONE
    return bool(closing.fullmatch(short) or _DEVICE.fullmatch(short))
