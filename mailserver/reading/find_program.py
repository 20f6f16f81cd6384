"""The program in a letter: a C text, or files in any language. Pure."""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from unicodedata import normalize

from contest.language import gettext, noted, number
from contest.mail.sent_files import (
    FROM_MARK,
    from_lines,
    has_from_line,
    right_name,
    without_from_line,
)
from contest.programs.archive import (
    IsImage,
    NotUnpacked,
    is_program_archive,
    unpacked,
)
from contest.util.program_files import (
    IMAGE_NAME,
    MAX_FILES,
    colliding,
    is_archive,
    is_safe,
    is_safe_path,
)
from contest.util.sanitize import quote
from mailserver.problem import Problem
from mailserver.reading.c_source_repair import (
    fenced,
    is_prose,
    repaired,
    repaired_file,
    signed_off,
    tokens,
)
from mailserver.reading.letter import Letter
from mailserver.reading.mime_parts import decode_text
from mailserver.reading.part_text import SentFile, Text, decode_file


@dataclass(frozen=True)
class MailedProgram:
    """The program in a letter, and what its writer says about it (B14, B21).

    `marked`: the lines of the letter's text, or of one file, that have the `<<FROM>>` line.
    `marked_in`: the name of that file, "" = the letter's text. The files still have the string in
    them: take it out before you publish them (K42).
    """

    files: Mapping[str, bytes] = field(repr=False)  # by name, byte for byte as sent
    marked: Sequence[str] = field(repr=False)
    repairs: tuple[str, ...] = ()
    program: str = ""  # which of the files it is, "" = not known
    marked_in: str = ""
    description: str = ""  # the letter's text without signature and `<<FROM>>` line


def find_program(letter: Letter) -> Text | Problem:
    """The C program that a letter brings: its body, or its one attachment (K50, M25, M26)."""
    if letter.problems:
        return unreadable(letter)
    different = len({attached.lines for attached in letter.attachments})
    if different > 1:
        return Problem(
            gettext(
                "There are %(attachments)s programs attached, but a program is a single file.",
                attachments=different,
            ),
            expected=gettext(_RIGHT_PROGRAM),
        )
    if letter.attachments:
        program = repaired_file(letter.attachments[0])
        return _second_program(letter, program) or program
    return _written_program(letter)


def _written_program(letter: Letter) -> Text | Problem:
    """The program that is the text of the letter."""
    text = without_from_line(letter.body.lines)
    block = fenced(letter.body)
    if block:
        return repaired(block)
    if letter.body.is_blank or (is_prose(text) if text else letter.files):
        return Problem(_no_program(letter.files, text), expected=gettext(_RIGHT_PROGRAM))
    program = repaired(letter.body)
    if isinstance(program, Text) and letter.page:
        page = repaired(letter.page)
        if isinstance(page, Text) and has_from_line(page.lines) and tokens(page) != tokens(program):
            words = gettext(
                "the letter's text in HTML has another program; that of its plain text was taken"
            )
            return program.told(words)
    return program


def _second_program(letter: Letter, attached: Text | Problem) -> Problem | None:
    """Why it is not clear whether the attached program counts; its `<<FROM>>` line may be in the
    text."""
    if not has_from_line(letter.body.lines):
        return None
    written = repaired(letter.body)
    if (
        isinstance(attached, Text)
        and isinstance(written, Text)
        and tokens(written) == tokens(attached)
    ):
        return None
    if not is_prose(without_from_line(letter.body.lines)):
        return Problem(
            gettext(
                "There is a program attached, and another one is the text of the letter, so it is"
                " not clear which one counts."
            ),
            expected=gettext(_RIGHT_PROGRAM),
        )
    file = letter.attachments[0]
    if has_from_line(file.lines) and from_lines(file.lines) != from_lines(letter.body.lines):
        return different_from_lines((file.name or gettext("the attached program"), ""))
    return None


def different_from_lines(places: Iterable[str]) -> Problem:
    """The `<<FROM>>` lines in these files differ; "" = the text of the letter."""
    return Problem(
        gettext(
            "There are different %(from_mark)s lines in %(places)s, so it is not clear which one"
            " counts.",
            from_mark=FROM_MARK,
            places=gettext(" and ").join(
                place or gettext("the text of the letter") for place in places
            ),
        ),
        expected=gettext(
            "one %(from_mark)s line, in the text of the letter or in a comment of one file",
            from_mark=FROM_MARK,
        ),
    )


_RIGHT_PROGRAM = noted(
    "the program as the text of the letter, or exactly one attachment (a file .c)"
)


def unreadable(letter: Letter) -> Problem:
    """Why the program in this letter could not be read."""
    return Problem(
        gettext("The program could not be read: %(problems)s.", problems="; ".join(letter.problems))
    )


def c_file(file: SentFile) -> Text | Problem:
    """The C program in this file, as if it were attached to a letter."""
    text = decode_file(file)
    return Problem(text.problem) if text.problem else repaired_file(text)


def _no_program(files: Sequence[SentFile], text: Sequence[str]) -> str:
    """What is wrong with attachments, or links, that are no programs, and what to do."""
    if not files:
        return " ".join((gettext("There is no program in the letter."), *_of_links(text)))
    names = [file.name or gettext("a file without a name") for file in files]
    found = next(
        (advice for suffixes, advice in _ADVICE if names[0].lower().endswith(suffixes)), ""
    )
    sentences = (
        gettext("There is no program in the letter."),
        gettext("No attached file (%(names)s) is a .c file.", names=quote(", ".join(names))),
        gettext(found) if found else "",
    )
    return " ".join(filter(None, sentences))


def _of_links(text: Sequence[str]) -> Iterator[str]:
    """What to do where a letter has a link in place of a program."""
    if any(map(_LINK.search, text)):
        yield gettext("I follow no links: please put the program itself into the letter.")


_LINK = re.compile(r"\bhttps?://", re.IGNORECASE)
_ADVICE = (
    (
        (".zip", ".gz", ".tgz", ".tar", ".rar", ".7z", ".bz2", ".xz"),
        noted("Please send the program unpacked."),
    ),
    (
        (".doc", ".docx", ".odt", ".rtf", ".pdf", ".pages"),
        noted("Please save the program as plain text; a word processor's file is not one."),
    ),
    (
        (".eml", ".msg"),
        noted("Please send the program itself in place of a letter that has it."),
    ),
    (
        ("winmail.dat",),
        noted("Please let Outlook send plain text or HTML in place of `Rich Text`."),
    ),
    (
        (".png", ".jpg", ".jpeg", ".gif", ".heic"),
        noted("A picture of a program cannot be compiled."),
    ),
    (
        (".o", ".exe", ".out", ".com", ".obj"),
        noted("Please send the source text; it is compiled here."),
    ),
)


# --- files in any language ------------------------------------------------------------------------
MAX_NAME_CHARS = 255  # that are looked at
MAX_FILE_BYTES = 2_000_000  # of all attached files together; a contest's own limit is lower

_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\v\f\r")
_ALMOST_FROM = re.compile(r"<\s*from\s*>", re.IGNORECASE)


def find_files(
    letter: Letter, text_is: str = "", *, images: bool = False
) -> MailedProgram | Problem:
    """The files of a program in any language, attached under their own names (U7, H1, L16).

    Where a contest says what its program is called, such as `final_strategy.py`, it may be the
    letter's text instead of an attachment: `text_is` is that name, "" = the program must be
    attached. With `images` it may be the archive of a container image, or a line of the letter's
    text that names one (M11), which becomes the file IMAGE_NAME.
    """
    if letter.problems and not letter.files:
        return unreadable(letter)
    body = signed_off(letter.body)
    if not letter.files and text_is and not body.is_blank:
        data = "\n".join(body.lines) + "\n"
        return MailedProgram({text_is: data.encode()}, body.lines, body.repairs, marked_in=text_is)
    named = _named_images(body) if images else []
    if named:
        return _image_by_name(letter, body, named)
    # an equal copy says nothing more
    sent = _named(tuple(dict.fromkeys(map(_renamed, letter.files))), text_is)
    sent = unpacked_files(sent, images=images)
    problem = next(_file_problems(sent, body.lines, images=images), None)
    if problem:
        return problem
    # A text part with a file name is a file, also where a mailer shows it as the letter's text.
    text = () if letter.body.name else body.lines
    return _of_files(sent, text)


def _named_images(body: Text) -> list[str]:
    """The names in lines `image: NAME`."""
    return [found[1] for line in body.lines if (found := _IMAGE_LINE.fullmatch(line))]


def _of_files(sent: Sequence[SentFile], text: tuple[str, ...]) -> MailedProgram | Problem:
    """The program in these files; `text`: the letter's."""
    files = {file.name: file.data for file in sent}
    sources = {"": text}
    for name, data in files.items():
        if not is_archive(name):
            sources[name] = tuple(decode_text(data, "")[0].split("\n"))
    repairs = tuple(f"{file.name}: {file.remark}" for file in sent if file.remark)
    return _with_from_line(files, sources, repairs)


_COPY = re.compile(
    r"(?:(?:Copy of|Kopie von) )?(.{1,200}?)"
    r"(?: ?\(\d{1,3}\)| - (?:Copy|Kopie)(?: ?\(\d{1,3}\))?| copy(?: \d{1,3})?)?"
    r"(\.[A-Za-z0-9.]{1,20})"
)


_HIDDEN_SUFFIX = re.compile(  # Windows shows a file `bot.py.txt` as `bot.py`
    r"(\.(?:py|js|mjs|c|cc|cpp|h|hpp|rs|java|pl|sh|cs|go|rb|php|lua|ml|hs|lisp|pas|f90))\.txt$",
    re.IGNORECASE,
)
_NEARLY_SAFE = re.compile(r"\w[\w .,()+&'!-]{0,80}")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


def _renamed(file: SentFile) -> SentFile:
    """The file by its own name, where a browser or a desktop has named a copy: `a (1).py` is
    `a.py`; and by a name that every system takes."""
    found = _COPY.fullmatch(file.name[:MAX_NAME_CHARS])
    name = f"{found[1]}{found[2]}" if found else file.name
    name = _HIDDEN_SUFFIX.sub(r"\1", name)
    if _NEARLY_SAFE.fullmatch(name):
        name = _UNSAFE.sub("_", normalize("NFKD", name).encode("ascii", "ignore").decode())
    if name == file.name or not is_safe(name):
        return file
    remark = gettext("it was called `%(name)s`", name=quote(file.name))
    return replace(file, name=name, remark="; ".join(filter(None, (file.remark, remark))))


def unpacked_files(sent: tuple[SentFile, ...], *, images: bool) -> tuple[SentFile, ...]:
    """The files, with those of an archive in its place; of one that is refused, why.

    With `images`, an archive that is no program's is that of a container image.
    """
    found: list[SentFile] = []
    for file in sent:
        if file.problem or not is_program_archive(file.name):
            found.append(file)
        else:
            found += _unpacked(file, images)
    return tuple(found)


def _unpacked(file: SentFile, images: bool) -> Sequence[SentFile]:
    try:
        program = unpacked(file.name, file.data)
    except IsImage:
        return [file]
    except NotUnpacked as why:
        # A large archive, or one with links, may be that of an image.
        return [file] if images and is_archive(file.name) else [replace(file, problem=str(why))]
    first, *rest = (SentFile(data, name=path) for path, data in program.files.items())
    if program.left_out:
        words = gettext(
            "%(archive)s: left out was %(names)s",
            archive=file.name,
            names=quote(", ".join(program.left_out)),
        )
        first = replace(first, remark=words)
    return [first, *rest]


def _named(files: tuple[SentFile, ...], program: str) -> tuple[SentFile, ...]:
    """The files; the only one is the program if it has no name, and the contest knows that."""
    if not program or len(files) != 1 or files[0].name:
        return files
    words = gettext("the attached file without a name was read as the program")
    remark = "; ".join(filter(None, (words, files[0].remark)))
    return (replace(files[0], name=program, remark=remark),)


_IMAGE_LINE = re.compile(r"(?i)[ \t]*image[ \t]*:[ \t]*(\S+)[ \t]*")


def _image_by_name(letter: Letter, body: Text, named: Sequence[str]) -> MailedProgram | Problem:
    """An image by the name in the letter's text; whatever is attached besides would not be looked
    at."""
    if len(set(named)) > 1 or letter.files:
        return Problem(
            gettext(
                "There is more than one program: %(names)s",
                names=", ".join((*named, *(file.name for file in letter.files))),
            ),
            expected=gettext(
                "one line `image: NAME` and no attached file, or an attached program and no such"
                " line"
            ),
        )
    text = tuple(line for line in body.lines if not _IMAGE_LINE.fullmatch(line))
    return _with_from_line({IMAGE_NAME: f"{named[0]}\n".encode()}, {"": text}, body.repairs)


def _with_from_line(
    files: Mapping[str, bytes], sources: Mapping[str, tuple[str, ...]], repairs: tuple[str, ...]
) -> MailedProgram | Problem:
    """These files, if all `<<FROM>>` lines in the sources agree.

    `sources`: lines by the name of the file that they are in, "" = the text of the letter.
    """
    found = {name: from_lines(lines) for name, lines in sources.items() if has_from_line(lines)}
    if len(set(found.values())) > 1:
        return different_from_lines(found)
    almost = (name for name, lines in sources.items() if any(map(_ALMOST_FROM.search, lines)))
    place = next(iter(found), "") if found else next(almost, "")
    words = "\n".join(without_from_line(sources[""]))
    return MailedProgram(files, sources[place], repairs, marked_in=place, description=words)


def _file_problems(
    files: tuple[SentFile, ...], text: Sequence[str], *, images: bool
) -> Iterator[Problem]:
    """What is wrong with the attached files, the names first; none = they can be taken.

    `text`: the letter's.
    """
    right = gettext(_RIGHT_FILES) + (gettext(_OR_IMAGE) if images else "")
    if not files:
        yield Problem(
            " ".join((gettext("There is no file attached to the letter."), *_of_links(text))),
            expected=right,
        )
    yield from _size_problems(files, images)
    for file in files:
        if not is_safe_path(file.name):
            yield _name_problem(file.name)
    pair = colliding(file.name for file in files) or ()
    names = [file.name for file in files]
    for file in files:
        if names.count(file.name) > 1 or file.name in pair:
            yield Problem(
                gettext("There are several files named %(file)s.", file=file.name),
                expected=gettext("each name only once"),
            )
        elif why := _why_not_taken(file, images):
            yield Problem(why, expected=right)


def _size_problems(files: Sequence[SentFile], images: bool) -> Iterator[Problem]:
    if len(files) > MAX_FILES:
        yield Problem(
            gettext(
                "There are %(files)s files attached; at most %(max_files)s can be taken.",
                files=len(files),
                max_files=MAX_FILES,
            )
        )
    # How large an archive may be is the contest's own affair.
    size = sum(len(file.data) for file in files if not (images and is_archive(file.name)))
    if size > MAX_FILE_BYTES:
        yield Problem(
            gettext(
                "The attached files have %(size)s bytes; all together may have %(max_file_bytes)s.",
                size=number(size),
                max_file_bytes=number(MAX_FILE_BYTES),
            )
        )


def _name_problem(name: str) -> Problem:
    if name:
        sentence = gettext("The file name `%(file)s` cannot be used.", file=quote(name))
    else:
        sentence = gettext("A file has no name.")
    return Problem(sentence, expected=right_name())


def _why_not_taken(file: SentFile, images: bool) -> str:
    """What is wrong with the contents of a file, as a sentence; "" if nothing is."""
    if file.problem:
        return gettext(
            "The file %(file)s could not be read: %(problem)s.",
            file=file.name,
            problem=file.problem,
        )
    if is_archive(file.name):
        if images:
            return ""
        return gettext(
            "The file %(file)s is the archive of a container image, and this contest takes none.",
            file=file.name,
        )
    if file.data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return gettext("The file %(file)s is in UTF-16: please save it as UTF-8.", file=file.name)
    if _CONTROLS.isdisjoint(file.data):
        return ""
    return gettext("The file %(file)s is no text.", file=file.name)


_RIGHT_FILES = noted(
    "the program as an attached file, whose suffix tells its language (e.g. program_3.py),\nwith"
    " its other files, if any;\nor all its files in one .zip or .tar.gz"
)
_OR_IMAGE = noted(
    ";\nor the archive of a container image, e.g. player.tar.gz, and nothing else;\nor a line"
    " `image: NAME` in the text of the letter, if the organizer has listed it"
)
