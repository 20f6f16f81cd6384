"""Raw letter -> Reading: everything that the letter says by itself, before the database is asked.
Pure.

All reading of a stranger's text is here, so that it can be done outside of a transaction, and in a
process whose time is limited (`mailserver/reader_process.py`). What follows from a reading is the
handler's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from contest.config.settings import Settings
from contest.language import speaking
from contest.mail.sent_files import FROM_MARK
from contest.model import StoredLetter
from mailserver import bounces
from mailserver.bounces import BounceSigns
from mailserver.command import Arguments
from mailserver.commands import recognise, understand
from mailserver.commands.compile import SentProgram
from mailserver.problem import Problem
from mailserver.reading.authentication_results import Authenticity, authenticity
from mailserver.reading.letter import Letter, network_of, parse
from mailserver.team_secret import FromLine, find_from_line


@dataclass(frozen=True)
class Reading:
    """What a letter says.

    `from_line`: that of its text, or what is wrong with it. `from_lines`: all that are right in
    form, in its program, its text and its files. `said`: what its command reads from it, see
    `Command.read_letter`. `content`: the sha256 of what its writer wrote; copies of one letter have
    the same.
    """

    letter: Letter
    command: str  # the name of the command that it means
    arguments: Arguments  # of the command
    is_exact: bool  # its subject is the command's
    from_line: FromLine | Problem
    from_lines: tuple[FromLine, ...]
    said: object
    content: str
    network: str  # of the letter's sender, "" = not known
    authenticity: Authenticity
    bounce: BounceSigns


Read = Callable[[StoredLetter, Settings, str], Reading]
"""Reads a letter, with sentences in this language. Raises TooHardToRead."""


class TooHardToRead(Exception):
    """The letter cannot be read within the limits of time and memory, or our reader fails with
    it."""


def read(stored: StoredLetter, settings: Settings, language: str) -> Reading:
    """Return what the letter says, with sentences in this language."""
    with speaking(language):
        letter = parse(stored.raw)
        from_lines = _from_lines(letter)
        exact = recognise(letter.subject, settings)
        meant = understand(exact, letter, settings, is_signed=bool(from_lines))
        said = meant.command.read_letter(letter, settings)
        return Reading(
            letter=letter,
            command=meant.command.name,
            arguments=meant.arguments,
            is_exact=meant is exact,
            from_line=find_from_line(letter.body.lines),
            from_lines=(*_of_program(said), *from_lines),
            said=said,
            content=_digest(letter),
            network=network_of(stored.client, letter.headers.all("Received")),
            authenticity=_authenticity(letter, settings),
            bounce=bounces.signs(stored, letter, settings),
        )


def _authenticity(letter: Letter, settings: Settings) -> Authenticity:
    """Return what our mail server says about the author. It knows nothing of a guess of ours."""
    author = letter.sender if letter.is_author else None
    return authenticity(letter.headers, author, settings.mail.authserv_id)


def _from_lines(letter: Letter) -> tuple[FromLine, ...]:
    marked = (file.data for file in letter.files if FROM_MARK.encode() in file.data)
    texts = [text.lines for text in (letter.body, *letter.attachments)]
    texts += [tuple(data.decode(errors="replace").splitlines()) for data in marked]
    return tuple(line for line in map(find_from_line, texts) if isinstance(line, FromLine))


def _of_program(said: object) -> tuple[FromLine, ...]:
    """Return the line of a program, which may be in an archive, where only its reader looks."""
    if isinstance(said, SentProgram) and isinstance(said.from_line, FromLine):
        return (said.from_line,)
    return ()


def _digest(letter: Letter) -> str:
    """Copies of one letter differ in their bytes: in the Received fields, and where a relay encoded
    one of them anew. So we compare what was written, and not our remarks on it, which depend on the
    language."""
    texts = [(text.lines, text.name) for text in (letter.body, *letter.attachments)]
    files = [(file.name, hashlib.sha256(file.data).hexdigest()) for file in letter.files]
    written = (letter.sender, letter.reply_to, letter.subject, texts, files)
    return hashlib.sha256(repr(written).encode(errors="surrogatepass")).hexdigest()
