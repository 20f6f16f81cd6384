"""`please compile`: finds out whose program it is, and queues it for the compiler (K43-K49).

A program for the contest machine is a single C text. For other games we take the attached files as
they are, in any language (B14, U7, H1). The report follows when it is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from textwrap import dedent

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.language import gettext, noted, number
from contest.ledger.receipts import Effect
from contest.mail.form import sample
from contest.mail.sent_files import FROM_LINE, has_from_line
from contest.model import Submission, SubmissionState, Team
from contest.schema.sections import Window
from contest.util.program_files import IMAGE_NAME, is_archive
from contest.util.sanitize import quote
from mailserver import authentication
from mailserver.command import Command, LetterContext, PartOfMail
from mailserver.decision import Answer, Decision, Entry, Submit
from mailserver.limits import Limit
from mailserver.problem import Problem
from mailserver.reading.find_program import MailedProgram, find_files, find_program
from mailserver.reading.letter import Letter
from mailserver.team_secret import FromLine, find_from_line, possible_strings
from store import Transaction, decisions, submissions, teams

_MARKED_LINE = re.compile(rb"^.*<<FROM>>.*$", re.MULTILINE)
C_PROGRAM = "program.c"  # what a program for the contest machine is called


def sample_body(_settings: Settings, part: PartOfMail) -> str:
    """The text of a letter with a program: the indented lines at the beginning of the part about
    it."""
    _, team_name, string = FROM_LINE.split()
    lines = part("_program_letter", team_name=team_name, string=string).split("\n")
    sample = takewhile(lambda line: not line or line.startswith(" "), lines)
    return dedent("\n".join(sample)).strip()


@dataclass(frozen=True)
class PossibleString:
    """Something in a program that has the form of an authentification string: its file and line."""

    digest: str
    file: str
    line: int


@dataclass(frozen=True)
class SentProgram:
    """The program in a letter, or what is wrong with it.

    `from_line`: of the program, or what is wrong with either; `strings`: what may be strings in its
    files.
    """

    program: MailedProgram | Problem
    from_line: FromLine | Problem
    strings: tuple[PossibleString, ...] = ()


def read_program(letter: Letter, settings: Settings) -> SentProgram:
    """The program that a letter brings for this contest's game."""
    info = game_of(settings.game, settings.programs).info
    if info.play.is_in_c:
        program = _c_text(letter)
    else:
        program = find_files(letter, info.program_name, images=settings.programs.takes_images)
    if isinstance(program, Problem):
        return SentProgram(program, from_line=program)
    # Nobody takes a program that is too long, and so nobody reads it.
    is_short = source_bytes(program) <= settings.programs.MAX_SOURCE_BYTES
    strings = strings_in(program.files) if is_short else ()
    return SentProgram(program, find_from_line(program.marked), strings)


def strings_in(files: Mapping[str, bytes]) -> tuple[PossibleString, ...]:
    """What may be an authentification string in these files of a program (K42).

    That of the `<<FROM>>` line is cut out. An archive of an image is not published.
    """
    found: list[PossibleString] = []
    for name, data in files.items():
        if not is_archive(name):
            found += _strings_in(name, data.decode("latin-1"))
    return tuple(found)


def _strings_in(name: str, text: str) -> Iterator[PossibleString]:
    line, counted_to = 1, 0
    for place, digest in possible_strings(text):
        line += text.count("\n", counted_to, place)
        counted_to = place
        yield PossibleString(digest, name, line)


def receive(
    context: LetterContext, take: Callable[[LetterContext, Team, MailedProgram], Decision]
) -> Decision:
    """Find out which team sent the program in the letter, and call `take` with both."""
    sent = context.said_as(SentProgram)
    program = sent.program
    if isinstance(program, Problem):
        return _refuse(context, context.writer, "problem", problem=program)
    writer = authentication.team_of(context.tx, sent.from_line, context.proof)
    if isinstance(writer, Team):
        if problem := told_secret(context.tx, sent.strings):
            return _refuse(context, writer.address, "problem", problem=problem, team=writer)
        return take(context, writer, program)
    if writer.problem:
        return _refuse(
            context, context.writer, "problem", problem=_with_right_place(writer.problem, program)
        )
    for reason, team in (("old name", writer.renamed), ("withdrawn", writer.withdrawn)):
        if team:
            return _refuse(context, team.address, reason, team=team)
    return _unknown(context, writer.named)


def source_bytes(program: MailedProgram) -> int:
    """The size of the program's files; that of an image is the organizer's affair."""
    return sum(len(data) for name, data in program.files.items() if not is_archive(name))


def told_secret(tx: Transaction, strings: Sequence[PossibleString]) -> Problem | None:
    """What is wrong where an authentification string is in a program: everybody will read the
    program."""
    known = teams.auth_digests_among(tx, {each.digest for each in strings})
    told = next((each for each in strings if each.digest in known), None)
    if told is None:
        return None
    where = (
        ""
        if told.file == C_PROGRAM
        else gettext(" (This is about the file %(name)s.)", name=quote(told.file))
    )
    why = gettext(
        "An authentification string is in this line. Programs are published after the contest, "
        "and then everybody would know it. Please take it out, and send the program again. The "
        "string belongs in the <<FROM>> line only, from which it is cut out.%(where)s",
        where=where,
    )
    return Problem(why, told.line)


def _c_text(letter: Letter) -> MailedProgram | Problem:
    program = find_program(letter)
    if isinstance(program, Problem):
        return program
    source = "\n".join(program.lines) + "\n"
    is_elsewhere = letter.attachments or has_from_line(letter.body.lines)
    marked = (
        letter.body.lines if is_elsewhere and not has_from_line(program.lines) else program.lines
    )
    return MailedProgram({C_PROGRAM: source.encode()}, marked, program.repairs, C_PROGRAM)


def _with_right_place(problem: Problem, program: MailedProgram) -> Problem:
    """Adapt the problem to any language, where the `<<FROM>>` line need not be in a comment of
    C."""
    if program.program:
        return problem
    if program.marked_in and problem.line:
        problem = replace(
            problem,
            text=gettext(
                "%(problem)s (This is about the file %(marked_in)s.)",
                problem=problem.text,
                marked_in=program.marked_in,
            ),
        )
    words = gettext("as a line of the letter's text, or in a comment of one of the files")
    return replace(problem, expected=f"{FROM_LINE}\n\n{words}")


def _take(context: LetterContext, team: Team, program: MailedProgram) -> Decision:
    phase = context.phase
    ban = decisions.ban_of(context.tx, team.id)
    if ban is not None:
        return _refuse(context, team.address, str(ban.kind), team=team)
    window = context.settings.dates.compilation(phase, context.stored.received_at)
    if window is not Window.OPEN:
        return _refuse(context, team.address, window, team=team)
    if source_bytes(program) > context.settings.programs.MAX_SOURCE_BYTES:
        return _refuse(context, team.address, "too long", team=team)
    problem = _image_problem(program.files, team, context.settings)
    if problem:
        return _refuse(context, team.address, "problem", problem=problem, team=team)
    same = _unchanged(context.tx, team, program)
    if same:
        return Decision(
            f"the program of {team.name} is unchanged: version {same.number}",
            Answer(
                "compile_unchanged",
                team.address,
                {
                    "number": same.number,
                    "is_queued": same.state is SubmissionState.QUEUED,
                },
                of_team=team,
            ),
        )
    number = submissions.next_number(context.tx, team.id)
    return Decision(
        f"version {number} of {team.name} queued for the compiler",
        changes=(Submit(team, program),),
    )


def _unchanged(tx: Transaction, team: Team, program: MailedProgram) -> Submission | None:
    """The version that has these files already: the newest one, if it counts or waits; else the one
    that counts, if nothing waits.

    A program that was rejected is compiled again, as the organizer may have changed the limits. So
    is the name of an image: another image may be behind it now.
    """
    if IMAGE_NAME in program.files:
        return None
    waiting = submissions.queued_of(tx, team.id)
    found = submissions.get(tx, waiting[-1]) if waiting else submissions.latest_good(tx, team.id)
    is_same = found and _content(found.files, found.description) == _content(
        program.files, program.description
    )
    return found if is_same else None


def _content(files: Mapping[str, bytes], description: str) -> tuple[object, ...]:
    """The program without its `<<FROM>>` lines, to compare two programs."""
    kept = {
        name: data if is_archive(name) else _MARKED_LINE.sub(b"", data)
        for name, data in files.items()
    }
    return kept, description


def _image_problem(files: Mapping[str, bytes], team: Team, settings: Settings) -> Problem | None:
    """Why this contest does not take the image among these files (M11); the compiler looks into it
    later."""
    size = sum(len(data) for name, data in files.items() if is_archive(name))
    most = settings.programs.max_image_bytes
    if size > most:
        too_large = noted(
            "The archive of your image has %(size)s bytes. It may have %(max_bytes)s; gzip it, and"
            " build it on a smaller base image (slim, alpine, scratch)."
        )
        none_taken = noted(
            "The archive of your image has %(size)s bytes. This contest takes no archives of"
            " images, only names of images that the organizer has listed."
        )
        text = gettext(too_large if most else none_taken, size=number(size), max_bytes=number(most))
        return Problem(text)
    name = files.get(IMAGE_NAME, b"").decode(errors="replace").strip()
    listed = {row.image for row in settings.programs.registry_images if row.team == team.name}
    if not name or name in listed:
        return None
    sentences = [
        gettext("The organizer has listed no image `%(name)s` for your team.", name=quote(name))
    ]
    if listed:
        sentences.append(gettext("Listed for you: %(listed)s.", listed=", ".join(sorted(listed))))
    if most:
        sentences.append(gettext("You can also send the archive of the image itself, attached."))
    else:
        address = settings.contest.organizer_address
        sentences.append(
            gettext(
                "Ask the organizer (%(organizer_address)s) to list it.", organizer_address=address
            )
        )
    return Problem(" ".join(sentences))


_LATE = (Window.TOO_LATE, Window.RUNNING, Window.FINISHED)


def _refuse(
    context: LetterContext,
    to: str,
    reason: str,
    *,
    problem: Problem | None = None,
    team: Team | None = None,
) -> Decision:
    effect = Effect.PROGRAM_LATE if reason in _LATE else Effect.PROGRAM_REFUSED
    return Decision(
        f"program refused: {reason}",
        Answer(
            "compile_refused",
            to,
            {
                "is_stranger": team is None and _may_register(context),
                "form": sample(context.settings).text,
                "reason": reason,
                "problem": problem,
                "own": submissions.program_of(context.tx, team.id) if team else None,
            },
            of_team=team,
        ),
        entries=(Entry(effect, team.name),) if team else (),
    )


def _may_register(context: LetterContext) -> bool:
    """Whether nothing shows that the writer has a team, and one could still register."""
    if context.proof.team is not None:
        return False
    phase = context.phase
    window = context.settings.dates.registration(phase, context.stored.received_at)
    return window is Window.OPEN and authentication.claimed_by(context) is None


def _unknown(context: LetterContext, named: Team | None) -> Decision:
    """Send the writer one text whatever was wrong, and a notice to the named team if it exists
    (S01)."""
    return Decision(
        "program refused: wrong authentification",
        Answer(
            "wrong_authentification",
            context.writer,
            {
                "is_stranger": _may_register(context),
                "form": sample(context.settings).text,
            },
        ),
        after=authentication.notices(context, named),
    )


COMMAND = Command(
    "compile",
    lambda context, _arguments: receive(context, _take),
    lambda settings: ("please compile", "compile"),
    read_letter=read_program,
    answers={
        "compile_refused": Limit.DROP,
        "wrong_authentification": Limit.DROP,
        "compile_unchanged": Limit.DROP,
    },
    sample_body=sample_body,
)
