"""Practice: `please test` tries a program without entering it, `please play TEAM` is a friendly match.

Neither counts for anything. Both are bounded for each team, and rest while the contest runs.
"""

from __future__ import annotations

from dataclasses import replace

from contest.config.settings import Settings
from contest.file_names import IMAGE_NAME, is_archive
from contest.model import Phase, Team, TeamState
from contest.store import contest_state, practices, submissions, teams
from mailserver import authentication
from mailserver.commands import compile as compile_command
from mailserver.commands.compile import Sent
from mailserver.reading.subject import words_behind
from mailserver.replies import HOUR, Command, LetterContext

TEST = "please test"
PLAY = "please play"
ALLOW = "allow friendly matches"
REFUSE = "refuse friendly matches"


def _is_on(settings: Settings) -> bool:
    return settings.programs.max_practices_per_hour > 0


# --- please test -------------------------------------------------------------------------------------------
def _recognises_test(subject: str, settings: Settings) -> bool:
    return subject == TEST and _is_on(settings)


def _handle_test(context: LetterContext) -> str:
    return compile_command.receive(context, _queue_test)


def _queue_test(context: LetterContext, team: Team, program: Sent) -> str:
    objection = _objection(context, team)
    if not objection and any(is_archive(name) or name == IMAGE_NAME for name in program.files):
        objection = "an image"
    if not objection and sum(map(len, program.files.values())) > context.settings.programs.max_source_bytes:
        objection = "too long"
    if objection:
        return authentication.refuse(context, team.address, TEST_COMMAND, objection, team=team)
    practices.add(
        context.tx,
        team.id,
        context.stored.id,
        context.now,
        files=program.files,
        program=program.program,
        repairs=program.repairs,
        reply_to=context.letter.message_id,
    )
    return f"a test of {team.name} queued"


def _objection(context: LetterContext, team: Team) -> str:
    """Why there is no practice for this team now; "" = there is."""
    if contest_state.state(context.tx).phase is Phase.RUNNING:
        return "running"
    if context.stored.received_at < context.settings.dates.compilation_opens:
        return "practice too early"
    asked = practices.asked_since(context.tx, team.id, context.now - HOUR)
    return "practice too often" if asked >= context.settings.programs.max_practices_per_hour else ""


# --- please play -------------------------------------------------------------------------------------------
def _recognises_play(subject: str, settings: Settings) -> bool:
    return (subject == PLAY or subject.startswith(f"{PLAY} ")) and _is_on(settings)


def _handle_play(context: LetterContext) -> str:
    team = authentication.writer_of(context, PLAY_COMMAND)
    if isinstance(team, str):
        return team
    names = words_behind(context.letter.subject, PLAY)
    other = teams.by_name(context.tx, names[0]) if len(names) == 1 else None
    objection = _objection(context, team) or _match_objection(context, team, other, len(names))
    if objection or other is None:
        return authentication.refuse(context, team.address, PLAY_COMMAND, objection, team=team)
    practices.add(
        context.tx,
        team.id,
        context.stored.id,
        context.now,
        other_id=other.id,
        reply_to=context.letter.message_id,
    )
    return f"a friendly match of {team.name} against {other.name} queued"


def _match_objection(context: LetterContext, team: Team, other: Team | None, names: int) -> str:
    """Whether a team is there and does not want to play is one answer, and so nobody can find out."""
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


# --- who plays friendly matches ----------------------------------------------------------------------------
def _recognises_consent(subject: str, settings: Settings) -> bool:
    return subject in (ALLOW, REFUSE) and _is_on(settings)


def _handle_consent(context: LetterContext) -> str:
    team = authentication.writer_of(context, CONSENT_COMMAND)
    if isinstance(team, str):
        return team
    is_friendly = REFUSE not in context.letter.subject.casefold()
    teams.set_friendly(context.tx, team.id, is_friendly)
    context.answer(
        "friendly_matches",
        team.address,
        team_id=team.id,
        team=replace(team, is_friendly=is_friendly),
        has_program=submissions.latest_good(context.tx, team.id) is not None,
    )
    return f"{team.name} {'plays' if is_friendly else 'does not play'} friendly matches"


TEST_COMMAND = Command("test", _recognises_test, _handle_test, lambda s: (TEST,) if _is_on(s) else ())
PLAY_COMMAND = Command("play", _recognises_play, _handle_play, lambda s: (PLAY,) if _is_on(s) else (), "TEAM")
CONSENT_COMMAND = Command(
    "friendly", _recognises_consent, _handle_consent, lambda s: (ALLOW, REFUSE) if _is_on(s) else ()
)
