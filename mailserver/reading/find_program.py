"""The C program in a letter: its text, or its one attachment. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from contest.language import gettext, noted
from contest.mail.from_line import FROM_MARK, from_lines, has_from_line, without_from_line
from mailserver.problem import Problem, quote
from mailserver.reading.c_source_repair import is_prose, repaired, repaired_file, tokens
from mailserver.reading.letter import Letter, SentFile
from mailserver.reading.part_text import Text


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
    text = without_from_line(letter.body.lines)
    if letter.body.is_blank or (is_prose(text) if text else letter.files):
        return Problem(_no_program(letter.files), expected=gettext(_RIGHT_PROGRAM))
    program = repaired(letter.body)
    if isinstance(program, Text) and letter.page:
        page = repaired(letter.page)
        if isinstance(page, Text) and has_from_line(page.lines) and tokens(page) != tokens(program):
            words = gettext("the letter's text in HTML has another program; that of its plain text was taken")
            return program.told(words)
    return program


def _second_program(letter: Letter, attached: Text | Problem) -> Problem | None:
    """Why it is not clear whether the attached program counts; its `<<FROM>>` line may be in the text."""
    if not has_from_line(letter.body.lines):
        return None
    written = repaired(letter.body)
    if isinstance(attached, Text) and isinstance(written, Text) and tokens(written) == tokens(attached):
        return None
    if not is_prose(without_from_line(letter.body.lines)):
        return Problem(
            gettext(
                "There is a program attached, and another one is the text of the letter, so it is not "
                "clear which one counts."
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
            "There are different %(from_mark)s lines in %(places)s, so it is not clear which one counts.",
            from_mark=FROM_MARK,
            places=gettext(" and ").join(place or gettext("the text of the letter") for place in places),
        ),
        expected=gettext(
            "one %(from_mark)s line, in the text of the letter or in a comment of one file",
            from_mark=FROM_MARK,
        ),
    )


_RIGHT_PROGRAM = noted("the program as the text of the letter, or exactly one attachment (a file .c)")


def unreadable(letter: Letter) -> Problem:
    """Why the program in this letter could not be read."""
    return Problem(
        gettext("The program could not be read: %(problems)s.", problems="; ".join(letter.problems))
    )


def _no_program(files: Sequence[SentFile]) -> str:
    """What is wrong with attachments that are no programs, and what to do."""
    if not files:
        return gettext("There is no program in the letter.")
    names = [file.name or gettext("a file without a name") for file in files]
    found = next((advice for suffixes, advice in _ADVICE if names[0].lower().endswith(suffixes)), "")
    sentences = (
        gettext("There is no program in the letter."),
        gettext("No attached file (%(names)s) is a .c file.", names=quote(", ".join(names))),
        gettext(found) if found else "",
    )
    return " ".join(filter(None, sentences))


_ADVICE = (
    (
        (".zip", ".gz", ".tgz", ".tar", ".rar", ".7z", ".bz2", ".xz"),
        noted("Please send the program unpacked."),
    ),
    (
        (".doc", ".docx", ".odt", ".rtf", ".pdf", ".pages"),
        noted("Please save the program as plain text; a word processor's file is not one."),
    ),
    (("winmail.dat",), noted("Please let Outlook send plain text or HTML in place of `Rich Text`.")),
    ((".png", ".jpg", ".jpeg", ".gif", ".heic"), noted("A picture of a program cannot be compiled.")),
    ((".o", ".exe", ".out", ".com", ".obj"), noted("Please send the source text; it is compiled here.")),
)
