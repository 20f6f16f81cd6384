"""`please compile`: whose program is it, may it come now; then it is queued for the compiler (K43-K49).

A program for the contest machine is a single C text; of the other games the attached files are taken as they
are, in any language (B14, U7, H1). The report follows when it is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from contest.config.settings import Settings
from contest.file_names import IMAGE_NAME, is_archive
from contest.games.registry import game_of
from contest.model import Team
from contest.store import contest_state, decisions, submissions
from mailserver import authentication, deadlines
from mailserver.deadlines import Window
from mailserver.problem import Problem, quote
from mailserver.reading.letter import Letter, find_files, find_program
from mailserver.replies import Command, LetterContext

FORM = "please compile"

C_PROGRAM = "program.c"  # what a program for the contest machine is called


def recognises(subject: str, _settings: Settings) -> bool:
    return subject == FORM


@dataclass(frozen=True)
class Sent:
    """What a letter brings, and the lines among which the `<<FROM>>` line is to be found."""

    files: Mapping[str, bytes]
    marked: Sequence[str]
    repairs: tuple[str, ...]
    program: str = ""  # where it is known which of the files that is
    marked_in: str = ""  # the name of the file that the marked lines stand in, "" = the letter's text
    description: str = ""


def handle(context: LetterContext) -> str:
    return receive(context, _take)


def receive(context: LetterContext, take: Callable[[LetterContext, Team, Sent], str]) -> str:
    """Find the program in the letter and the team that it comes from, and hand both on."""
    program = _sent(context)
    if isinstance(program, Problem):
        return _refuse(context, context.writer, "problem", problem=program)
    writer = authentication.team_of(context.tx, program.marked)
    if isinstance(writer, Team):
        return take(context, writer, program)
    if writer.problem:
        return _refuse(context, context.writer, "problem", problem=_in_its_place(writer.problem, program))
    for reason, team in (("old name", writer.renamed), ("withdrawn", writer.withdrawn)):
        if team:
            return _refuse(context, team.address, reason, team=team)
    return _unknown(context, writer.named)


def _sent(context: LetterContext) -> Sent | Problem:
    info = game_of(context.settings.game, context.settings.programs).info
    if info.play.takes == "c source":
        return _c_text(context.letter)
    return _files(context.letter, info.program_name, context.settings.programs.takes_images)


def _c_text(letter: Letter) -> Sent | Problem:
    program = find_program(letter)
    if isinstance(program, Problem):
        return program
    source = "\n".join(program.lines) + "\n"
    return Sent({C_PROGRAM: source.encode()}, program.lines, program.repairs, C_PROGRAM)


def _files(letter: Letter, program_name: str, images: bool) -> Sent | Problem:
    found = find_files(letter, program_name, images=images)
    if isinstance(found, Problem):
        return found
    words = "\n".join(found.text)
    return Sent(found.files, found.marked, found.repairs, marked_in=found.marked_in, description=words)


def _in_its_place(problem: Problem, program: Sent) -> Problem:
    """The right form of the `<<FROM>>` line: in a game of any language a comment of C is not the only one."""
    if program.program:
        return problem
    place = f" (This is about the file {program.marked_in}.)" if program.marked_in and problem.line else ""
    return replace(problem, text=problem.text + place, expected=_ANY_FROM_LINE)


_ANY_FROM_LINE = (
    f"{authentication.FROM_LINE}\n\nas a line of the letter's text, or in a comment of one of the files"
)


def _take(context: LetterContext, team: Team, program: Sent) -> str:
    limit = context.settings.programs.max_source_bytes
    phase = contest_state.state(context.tx).phase
    ban = decisions.ban_of(context.tx, team.id)
    if ban is not None:
        return _refuse(context, team.address, str(ban.kind), team=team)
    window = deadlines.compilation(context.settings.dates, phase, context.stored.received_at)
    if window is not Window.OPEN:
        return _refuse(context, team.address, window, team=team)
    if sum(len(data) for name, data in program.files.items() if not is_archive(name)) > limit:
        return _refuse(context, team.address, "too long", team=team)
    problem = _image_problem(program.files, team, context.settings)
    if problem:
        return _refuse(context, team.address, "problem", problem=problem, team=team)
    submission = submissions.add(
        context.tx,
        team.id,
        context.stored.id,
        program.files,
        context.stored.received_at,
        program=program.program,
        description=program.description,
        repairs=program.repairs,
        reply_to=context.letter.message_id,
    )
    return f"version {submission.number} of {team.name} queued for the compiler"


def _image_problem(files: Mapping[str, bytes], team: Team, settings: Settings) -> Problem | None:
    """Whether there is an image that this contest does not take (M11). What is in it, the compiler sees."""
    most = settings.programs.max_image_bytes
    size = sum(len(data) for name, data in files.items() if is_archive(name))
    if size > most:
        return Problem(f"The archive of your image has {size:,} bytes." + _room(most))
    name = files.get(IMAGE_NAME, b"").decode(errors="replace").strip()
    pulled = {row.image for row in settings.programs.pulled_images if row.team == team.name}
    if name and name not in pulled:
        known = f" Pulled for you: {', '.join(sorted(pulled))}." if pulled else ""
        return Problem(
            f"The organizer has pulled no image `{quote(name)}` for your team.{known}"
            + (_OR_ARCHIVE if most else _ASK.format(settings.contest.organizer_address))
        )
    return None


def _room(most: int) -> str:
    if most:
        return (
            f" It may have {most:,}; gzip it, and build it on a smaller base image (slim, alpine, scratch)."
        )
    return " This contest takes no archives of images, only names of images that the organizer has pulled."


_OR_ARCHIVE = " You can also send the archive of the image itself, attached."
_ASK = " Ask the organizer ({}) to pull it."


def _refuse(
    context: LetterContext, to: str, reason: str, *, problem: Problem | None = None, team: Team | None = None
) -> str:
    counts = submissions.latest_good(context.tx, team.id) if team else None
    sent = context.answer(
        "compile_refused",
        to,
        team_id=team.id if team else None,
        reason=reason,
        problem=problem,
        team=team,
        version=counts.number if counts else None,
    )
    return f"program refused: {reason}" + ("" if sent else "; too many answers to this address")


def _unknown(context: LetterContext, named: Team | None) -> str:
    """One text to the writer whatever was wrong, and a notice to a team that was really named (S01)."""
    sent = context.answer("wrong_authentification", context.writer)
    authentication.notify(context, named, COMMAND)
    return "program refused: wrong authentification" + ("" if sent else "; too many answers to this address")


COMMAND = Command("compile", recognises, handle, forms=lambda _settings: (FORM, "compile"))
