"""Raw bytes -> Letter: who wrote, what about, and the text. Pure, bounded, never raises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from contest.file_names import IMAGE_NAME, MAX_FILES, RIGHT_NAME, is_archive, is_safe
from mailserver.intake.envelope import CUT_FIELD, why_cut
from mailserver.problem import Problem, quote, visible
from mailserver.reading import addresses, mime_parts
from mailserver.reading.c_source_repair import FROM_MARK, is_prose, mended, signed_off
from mailserver.reading.mime_parts import Headers, Part, TooComplex
from mailserver.reading.part_text import Text, decode, file_bytes, is_flowed, rejoined, without_signature

_LONGEST_SUBJECT = 200
_MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,200}@[!-;=?A-~]{1,200}>")  # printable, without <, > and @
_C_TYPES = {"text/x-c", "text/x-csrc", "text/x-c-code", "text/csrc"}
MAX_FILE_BYTES = 2_000_000  # of all attached files that are looked into; a contest's own limit is lower
# What mailers add by themselves: no file that anybody meant to send.
_ADDED = {
    "application/pgp-signature",
    "application/pgp-keys",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "text/vcard",
    "text/x-vcard",
}
_FORKS = {"application/applefile", "application/mac-resource-fork"}  # beside a file of an old Macintosh
_CLOSED = (
    (
        {
            "multipart/encrypted",
            "application/pgp-encrypted",
            "application/pkcs7-mime",
            "application/x-pkcs7-mime",
        },
        "it is encrypted, or signed in a way that hides its text; please send it as it is, or with the "
        "signature beside the text",
    ),
    (
        {"application/ms-tnef", "application/vnd.ms-tnef"},
        "Outlook has packed it into a file winmail.dat that nobody else can open; please let it send plain "
        "text or HTML in place of `Rich Text`",
    ),
    (
        {"message/rfc822", "message/global"},
        "its text is in another letter that is attached; please send the program itself",
    ),
    (
        {"message/partial", "message/external-body"},
        "it is only a part of a letter; please send it as one piece",
    ),
    (
        {"text/enriched", "text/richtext"},
        "its text is in an old form (text/enriched); please send plain text",
    ),
)
_PLAIN_NAME = re.compile(r"(?i)^[^.]+$|\.txt$")
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\v\f\r")
_ALMOST_FROM = re.compile(r"<\s*from\s*>", re.IGNORECASE)
_COMMENT_MARKS = ("/*", "*/")
_ROBOTS = {"mailer-daemon", "postmaster", "noreply", "no-reply", "donotreply", "do-not-reply"}


@dataclass(frozen=True)
class SentFile:
    """An attached file: its name exactly as sent, its bytes or why they cannot be read, what was mended."""

    name: str
    data: bytes = field(repr=False)
    problem: str = ""
    remark: str = ""


@dataclass(frozen=True)
class Letter:
    """What a letter says. `automatic` tells why no answer may go out, "" = a person wrote it."""

    sender: str | None  # the one address of the one From field, None where that is not so
    reply_to: str | None
    subject: str  # decoded, in one line, without invisible characters
    message_id: str | None
    automatic: str
    body: Text
    attachments: tuple[Text, ...] = ()  # C programs only
    problems: tuple[str, ...] = ()  # why text could not be read
    files: tuple[SentFile, ...] = ()  # everything attached, C programs too

    @property
    def answer_to(self) -> str | None:
        """Where an answer to the writer goes."""
        return self.reply_to or self.sender

    @property
    def form_lines(self) -> tuple[str, ...]:
        """The body for the registration, without a signature (also one whose blank was lost)."""
        return without_signature(self.body.lines, ("-- ", "--"))


def parse(raw: bytes) -> Letter:
    """The letter in these bytes, whatever they are."""
    try:
        headers, body = mime_parts.split(raw)
    except TooComplex as error:
        return Letter(None, None, "", None, "", Text(()), problems=(f"{error}",))
    if too_large := why_cut(headers.first(CUT_FIELD)):
        return _letter(headers, Text(()), problems=(too_large,))
    try:
        return _read(headers, mime_parts.tree(headers, body))
    except TooComplex as error:
        return _letter(headers, Text(()), problems=(f"{error}",))


def _read(headers: Headers, root: Part) -> Letter:
    leaves = tuple(root.leaves())
    files = tuple(leaf for leaf in leaves if _is_file(leaf))
    body = _body(leaves)
    programs = tuple(decode(leaf) for leaf in leaves if _is_program(leaf)) or _renamed(body, files)
    problems = [text.problem for text in (body, *programs) if text.problem]
    if body.is_blank and not programs:
        problems += _hindrances(root)
    return _letter(headers, body, programs, tuple(problems), tuple(map(_sent_file, files)))


def _letter(
    headers: Headers,
    body: Text,
    attachments: tuple[Text, ...] = (),
    problems: tuple[str, ...] = (),
    files: tuple[SentFile, ...] = (),
) -> Letter:
    return Letter(
        _only_mailbox(headers, "From"),
        _only_mailbox(headers, "Reply-To"),
        visible(headers.text("Subject"))[:_LONGEST_SUBJECT],
        _message_id(headers),
        _automatic(headers),
        body,
        attachments,
        problems,
        files,
    )


# --- headers ----------------------------------------------------------------------------------------------
def _only_mailbox(headers: Headers, name: str) -> str | None:
    fields = headers.all(name)
    return addresses.mailbox(fields[0]) if len(fields) == 1 else None


def _message_id(headers: Headers) -> str | None:
    found = headers.first("Message-ID").strip()
    return found if found.isascii() and _MESSAGE_ID.fullmatch(found) else None


def _automatic(headers: Headers) -> str:
    """Signs of a machine (RFC 3834, RFC 2919, and the older habits)."""
    submitted = headers.first("Auto-Submitted").partition(";")[0].strip().lower()
    precedence = headers.first("Precedence").strip().lower()
    sender = _only_mailbox(headers, "From") or ""
    reasons = (
        (submitted not in ("", "no"), "an automatic answer (Auto-Submitted)"),
        (precedence in ("bulk", "list", "junk"), "a mass mail (Precedence)"),
        (any(headers.all(name) for name in ("List-Id", "List-Post", "List-Unsubscribe")), "from a list"),
        (any(headers.all(n) for n in ("X-Autoreply", "X-Autorespond")), "an automatic answer (X-Autoreply)"),
        (headers.content_type == "multipart/report", "a delivery report"),
        (headers.first("Return-Path").strip() == "<>", "a bounce (Return-Path <>)"),
        (sender.partition("@")[0].lower() in _ROBOTS, "from a robot's address"),
    )
    return next((reason for applies, reason in reasons if applies), "")


# --- parts ------------------------------------------------------------------------------------------------
def _is_program(leaf: Part) -> bool:
    headers = leaf.headers
    named = headers.file_name.lower().endswith(".c") and headers.content_type not in _FORKS
    return named or headers.content_type in _C_TYPES


def _is_file(leaf: Part) -> bool:
    headers = leaf.headers
    sent = bool(headers.sent_file_name) or headers.disposition == "attachment"
    return sent and headers.content_type not in _ADDED | _FORKS and not _is_decoration(leaf)


def _is_decoration(leaf: Part) -> bool:
    """A picture that belongs to an HTML text, such as the emblem below a signature."""
    headers = leaf.headers
    shown = headers.disposition != "attachment" and bool(headers.first("Content-ID"))
    return shown and headers.content_type.startswith("image/")


def _sent_file(leaf: Part) -> SentFile:
    sent = file_bytes(leaf)
    return SentFile(leaf.headers.sent_file_name, sent.data, sent.problem, sent.remark)


def _body(leaves: Sequence[Part]) -> Text:
    """The text that a reader would see: the first plain one, or what HTML shows. No file, if it can be."""
    plain = next(_shown(leaves, "text/plain"), None)
    page = next(_shown(leaves, "text/html"), None)
    if plain is None:
        return decode(page) if page else Text(())
    text = decode(plain)
    if page is None or is_flowed(plain):
        return text
    lines, repair = rejoined(text.lines, decode(page).lines)
    return replace(text, lines=tuple(lines), repairs=(*text.repairs, *([repair] if repair else ())))


def _shown(leaves: Sequence[Part], content_type: str) -> Iterator[Part]:
    shown = [
        leaf
        for leaf in leaves
        if leaf.headers.content_type == content_type
        and leaf.headers.disposition != "attachment"
        and not _is_program(leaf)
        and leaf.body.strip()
    ]
    return iter(sorted(shown, key=lambda leaf: bool(leaf.headers.sent_file_name)))


def _renamed(body: Text, files: Sequence[Part]) -> tuple[Text, ...]:
    """The one attached text that says whose program it is, where no file `.c` and no body does."""
    if any(FROM_MARK in line for line in body.lines):
        return ()
    texts = (decode(leaf) for leaf in files if _PLAIN_NAME.search(leaf.headers.file_name))
    programs = [text for text in texts if any(FROM_MARK in line for line in text.lines)]
    return tuple(
        replace(text, repairs=(f"the attached file {text.name} was read as the program", *text.repairs))
        for text in programs
    )


def _hindrances(root: Part) -> Iterator[str]:
    """Why a letter with neither text nor program may still hold one."""
    types = [part.headers.content_type for part in root.walk()]
    return (why for kinds, why in _CLOSED if not kinds.isdisjoint(types))


def find_program(letter: Letter) -> Text | Problem:
    """The C program that a letter brings: its body, or its one attachment (K50, M25, M26)."""
    marked = any(FROM_MARK in line for line in letter.body.lines)
    if letter.problems:
        return _unread(letter)
    if len(letter.attachments) > 1:
        return Problem(
            f"There are {len(letter.attachments)} programs attached, but a program is a single file.",
            expected=_RIGHT_PROGRAM,
        )
    if letter.attachments and marked:
        return Problem(
            f"There is a program attached, and the text of the letter holds a {FROM_MARK} line as well, so "
            "it is not clear which one counts.",
            expected=f"the {FROM_MARK} line in the attached program only, or no attachment",
        )
    if letter.attachments:
        return letter.attachments[0]
    text = _without_from_line(letter.body.lines) if letter.files else letter.body.lines
    if letter.body.is_blank or (letter.files and (not text or is_prose(text))):
        return Problem("There is no program in the letter." + _about(letter.files), expected=_RIGHT_PROGRAM)
    return mended(letter.body)


_RIGHT_PROGRAM = "the program as the text of the letter, or exactly one attachment (a file .c)"


def _unread(letter: Letter) -> Problem:
    return Problem("The program could not be read: " + "; ".join(letter.problems) + ".")


def _about(files: Sequence[SentFile]) -> str:
    """What is wrong with attachments that are no programs, and what to do."""
    if not files:
        return ""
    names = [file.name or "without a name" for file in files]
    advice = next((words for suffixes, words in _ADVICE if names[0].lower().endswith(suffixes)), "")
    return f" What was attached ({quote(', '.join(names))}) is no file .c.{advice}"


_ADVICE = (
    ((".zip", ".gz", ".tgz", ".tar", ".rar", ".7z", ".bz2", ".xz"), " Please send the program unpacked."),
    (
        (".doc", ".docx", ".odt", ".rtf", ".pdf", ".pages"),
        " Please save the program as plain text; a word processor's file is not one.",
    ),
    ((".png", ".jpg", ".jpeg", ".gif", ".heic"), " A picture of a program cannot be compiled."),
    ((".o", ".exe", ".out", ".com", ".obj"), " Please send the source text; it is compiled here."),
)


# --- programs in any language -----------------------------------------------------------------------------
@dataclass(frozen=True)
class Files:
    """What a letter brings as a program in any language, and what its writer says about it (B14, B21).

    `marked` are the lines, of the letter's text or of one file, among which the `<<FROM>>` line is to be
    found; `marked_in` is that file's name, "" = the letter's text. The files hold it as it was sent, so
    whoever publishes them has to take the string out (K42).
    """

    files: Mapping[str, bytes] = field(repr=False)  # by name, byte for byte as sent
    text: tuple[str, ...]  # the letter's text without signature and `<<FROM>>` line
    marked: tuple[str, ...] = field(repr=False)
    marked_in: str = ""
    repairs: tuple[str, ...] = ()


def find_files(letter: Letter, text_is: str = "", *, images: bool = False) -> Files | Problem:
    """The files of a program in any language, attached under their own names (U7, H1, L16).

    Where a contest says what its program is called, such as `final_strategy.py`, it may be the letter's text
    instead of an attachment: `text_is` is that name, "" = the program must be attached. With `images` it may
    be the archive of a container image, or a line of the letter's text that names one (M11), which becomes
    the file IMAGE_NAME.
    """
    if letter.problems and not letter.files:
        return _unread(letter)
    body = signed_off(letter.body)
    if not letter.files and text_is and not body.is_blank:
        data = "\n".join(body.lines) + "\n"
        return Files({text_is: data.encode()}, (), body.lines, text_is, body.repairs)
    named = [found[1] for line in body.lines if (found := _IMAGE_LINE.fullmatch(line))] if images else []
    if named:
        return _named(letter, body, named)
    problem = next(_file_problems(letter.files, images), None)
    if problem:
        return problem
    # A text part with a file name is a file, also where a mailer shows it as the letter's text.
    said = () if letter.body.name else body.lines
    files = {file.name: file.data for file in letter.files}
    sources = {"": said} | {
        name: tuple(data.decode("latin-1").split("\n"))
        for name, data in files.items()
        if not is_archive(name)
    }
    repairs = tuple(f"{file.name}: {file.remark}" for file in letter.files if file.remark)
    return _declared(files, sources, repairs)


_IMAGE_LINE = re.compile(r"(?i)[ \t]*image[ \t]*:[ \t]*(\S+)[ \t]*")


def _named(letter: Letter, body: Text, named: Sequence[str]) -> Files | Problem:
    """An image by the name in the letter's text; whatever is attached besides would not be looked at."""
    if len(set(named)) > 1 or letter.files:
        return Problem(
            "There is more than one program: " + ", ".join((*named, *(file.name for file in letter.files))),
            expected="one line `image: NAME` and no attached file, or an attached program and no such line",
        )
    said = tuple(line for line in body.lines if not _IMAGE_LINE.fullmatch(line))
    return _declared({IMAGE_NAME: f"{named[0]}\n".encode()}, {"": said}, body.repairs)


def _declared(
    files: Mapping[str, bytes], sources: Mapping[str, tuple[str, ...]], repairs: tuple[str, ...]
) -> Files | Problem:
    """These files, when it is clear which of the sources (lines by file name, "" = the text) says whose."""
    claims = {name: _from_lines(lines) for name, lines in sources.items()}
    claiming = [name for name, claim in claims.items() if claim]
    if len({frozenset(claims[name]) for name in claiming}) > 1:
        places = " and ".join(name or "the text of the letter" for name in claiming)
        return Problem(
            f"There are different {FROM_MARK} lines in {places}, so it is not clear which one counts.",
            expected=f"one {FROM_MARK} line, in the text of the letter or in a comment of one file",
        )
    almost = (name for name, lines in sources.items() if any(map(_ALMOST_FROM.search, lines)))
    place = claiming[0] if claiming else next(almost, "")
    return Files(files, _without_from_line(sources[""]), sources[place], place, repairs)


def _from_lines(lines: tuple[str, ...]) -> set[str]:
    return {" ".join(line.strip(" \t\r/*#").split()) for line in lines if FROM_MARK in line}


def _without_from_line(lines: tuple[str, ...]) -> tuple[str, ...]:
    """What is left for people to read, also without the marks of a comment around the line."""
    number = next((n for n, line in enumerate(lines) if FROM_MARK in line), None)
    if number is None:
        return _trimmed(lines)
    before, after = lines[:number], lines[number + 1 :]
    if before and after and (before[-1].strip(), after[0].strip()) == _COMMENT_MARKS:
        before, after = before[:-1], after[1:]
    return _trimmed((*before, *after))


def _trimmed(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Without blank lines at both ends."""
    full = [number for number, line in enumerate(lines) if line.strip()]
    return lines[full[0] : full[-1] + 1] if full else ()


def _file_problems(files: tuple[SentFile, ...], images: bool) -> Iterator[Problem]:
    """What is wrong with the attached files, the names first; none = they can be taken."""
    right = _RIGHT_FILES + (_OR_IMAGE if images else "")
    if not files:
        yield Problem("There is no file attached to the letter.", expected=right)
    if len(files) > MAX_FILES:
        yield Problem(f"There are {len(files)} files attached; at most {MAX_FILES} can be taken.")
    # How large an archive may be is the contest's own affair.
    size = sum(len(file.data) for file in files if not (images and is_archive(file.name)))
    if size > MAX_FILE_BYTES:
        yield Problem(f"The attached files have {size:,} bytes; all together may have {MAX_FILE_BYTES:,}.")
    for file in files:
        if not is_safe(file.name):
            named = (
                f"The file name `{quote(file.name)}` cannot be used." if file.name else "A file has no name."
            )
            yield Problem(named, expected=RIGHT_NAME)
    # Some file systems take `A.py` and `a.py` for one file.
    names = [file.name.casefold() for file in files]
    for file in files:
        if names.count(file.name.casefold()) > 1:
            yield Problem(f"There are several files named {file.name}.", expected="each name only once")
        elif file.problem:
            yield Problem(f"The file {file.name} could not be read: {file.problem}.", expected=right)
        elif is_archive(file.name) and not images:
            yield Problem(f"The file {file.name} is an archive, and this contest takes none.", expected=right)
        elif not is_archive(file.name) and not _CONTROLS.isdisjoint(file.data):
            yield Problem(f"The file {file.name} is no text.", expected=right)


_RIGHT_FILES = (
    "the program as an attached file, whose suffix tells its language (e.g. program_3.py),\n"
    "and beside it text files that it reads, if any"
)
_OR_IMAGE = (
    ";\nor the archive of a container image, e.g. player.tar.gz, and nothing beside it;\n"
    "or a line `image: NAME` in the text of the letter, if the organizer has pulled it"
)
