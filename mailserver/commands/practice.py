"""`please test`, `please play TEAM`, `allow friendly matches`: games outside the contest, which count for
nothing. They rest while the contest runs."""

from __future__ import annotations

from dataclasses import replace

from contest.ledger.receipts import Effect
from contest.model import Phase, Team, TeamState
from contest.store import practices, submissions, teams
from contest.util.program_files import IMAGE_NAME, is_archive
from mailserver import authentication
from mailserver.authentication import team_command
from mailserver.command import Arguments, Command, LetterContext
from mailserver.commands.compile import receive, sample_body
from mailserver.limits import HOUR, Limit
from mailserver.reading.find_program import MailedProgram

ALLOW, REFUSE = "allow friendly matches", "refuse friendly matches"


def _why_not_now(context: LetterContext, team: Team) -> str:
    """Why this team cannot practise now; "" = it can. The template `command_refused` has words for each."""
    if context.phase is Phase.RUNNING:
        return "running"
    if context.stored.received_at < context.settings.dates.compilation_opens:
        return "practice too early"
    asked = practices.asked_since(context.tx, team.id, context.now - HOUR)
    return "practice too often" if asked >= context.settings.programs.MAX_PRACTICES_PER_HOUR else ""


def _test(context: LetterContext, team: Team, program: MailedProgram) -> str:
    """Try a program without entering it."""
    reason = _why_not_now(context, team)
    if not reason and any(is_archive(name) or name == IMAGE_NAME for name in program.files):
        reason = "an image"
    if not reason and sum(map(len, program.files.values())) > context.settings.programs.MAX_SOURCE_BYTES:
        reason = "too long"
    if reason:
        return authentication.refuse(context, team.address, reason, team=team)
    practices.add(
        context.tx,
        team.id,
        context.stored.id,
        context.now,
        files=program.files,
        program=program.program,
        description=program.description,
        repairs=program.repairs,
        reply_to=context.letter.message_id,
    )
    return f"a test of {team.name} queued"


TEST = Command(
    "test",
    lambda context, _arguments: receive(context, _test),
    lambda _settings: ("please test",),
    sample_body=sample_body,
)


def _play(context: LetterContext, team: Team, arguments: Arguments) -> str:
    other = teams.by_name(context.tx, arguments[0]) if len(arguments) == 1 else None
    reason = _why_not_now(context, team) or _why_no_match(context, team, other, len(arguments))
    if reason or other is None:
        return authentication.refuse(context, team.address, reason, team=team)
    practices.add(
        context.tx,
        team.id,
        context.stored.id,
        context.now,
        other_id=other.id,
        reply_to=context.letter.message_id,
    )
    return f"a friendly match of {team.name} against {other.name} queued"


def _why_no_match(context: LetterContext, team: Team, other: Team | None, names: int) -> str:
    """Why the two cannot play; "" = they can. A team that does not want to play looks like one that does not
    exist, so nobody can find out which teams there are."""
    if names != 1:
        return "one team"
    if other and other.id == team.id:
        return "itself"
    if submissions.latest_good(context.tx, team.id) is None:
        return "no program"
    is_there = other is not None and other.state is TeamState.ACTIVE and other.is_friendly
    if not is_there or other is None or submissions.latest_good(context.tx, other.id) is None:
        return "not friendly"
    return ""


PLAY = team_command("play", _play, lambda _settings: ("please play",), arguments="TEAM")


def _set_friendly(context: LetterContext, team: Team, arguments: Arguments) -> str:
    """The argument is the subject."""
    is_friendly = arguments == (ALLOW,)
    teams.set_friendly(context.tx, team.id, is_friendly)
    return context.answer(
        "friendly_matches",
        team.address,
        note=f"{team.name} {'plays' if is_friendly else 'does not play'} friendly matches",
        of_team=team,
        receipt=context.record(Effect.FRIENDLY_CHANGED, team.name),
        team=replace(team, is_friendly=is_friendly),
        has_program=submissions.latest_good(context.tx, team.id) is not None,
    )


FRIENDLY = team_command(
    "friendly",
    _set_friendly,
    lambda _settings: (ALLOW, REFUSE),
    reads=lambda subject, _settings: (subject.casefold(),) if subject.casefold() in (ALLOW, REFUSE) else None,
    answers={"friendly_matches": Limit.NONE},
)
