"""`mail-preference LAP,DGP,...`: a team changes which reports it gets (K30), by its `<<FROM>>` line.

The codes stand in the subject, as in the form, or in the text behind `mail-preference:`. `none` is none.
"""

from __future__ import annotations

import re

from contest.config.settings import Settings
from contest.model import Phase, Team
from contest.registration_form import PREFERENCE
from contest.store import contest_state, teams
from mailserver import authentication
from mailserver.problem import Problem
from mailserver.reading.registration_form import sample_preferences, wrong_codes
from mailserver.reading.subject import words_behind
from mailserver.replies import Command, LetterContext

NONE = "none"

_SPELLED = PREFERENCE.replace("-", "[-_ ]?")
_IN_SUBJECT = re.compile(rf"{_SPELLED}(?![\w-])", re.IGNORECASE)
_IN_TEXT = re.compile(rf"\s*{_SPELLED}\s*:(.*)", re.IGNORECASE)


def recognises(subject: str, _settings: Settings) -> bool:
    return bool(_IN_SUBJECT.match(subject))


def handle(context: LetterContext) -> str:
    team = authentication.writer_of(context, COMMAND)
    if isinstance(team, str):
        return team
    if contest_state.state(context.tx).phase is Phase.FINISHED:
        return authentication.refuse(context, team.address, COMMAND, "finished", team=team)
    chosen = _chosen(context)
    if isinstance(chosen, Problem):
        return authentication.refuse(context, team.address, COMMAND, "problem", problem=chosen, team=team)
    return _change(context, team, chosen)


def _chosen(context: LetterContext) -> tuple[str, ...] | Problem:
    """What the letter asks for; a problem where that is not clear, because a guess would change something."""
    subject = _IN_SUBJECT.sub(PREFERENCE, context.letter.subject, count=1)
    in_subject = ",".join(words_behind(subject, PREFERENCE))
    in_text = [match[1] for line in context.letter.body.lines if (match := _IN_TEXT.fullmatch(line))]
    found = {codes for codes in map(read_codes, (in_subject, *in_text)) if codes}
    if len(found) != 1:
        text = (
            "There are no codes in it."
            if not found
            else "Its subject and its text ask for different reports."
        )
        return _wrong(context, text)
    (codes,) = found
    if codes == (NONE,):
        return ()
    offered = context.settings.reports.offered
    faults = tuple(wrong_codes(codes, offered))
    return _wrong(context, " ".join(faults)) if faults else codes


def read_codes(text: str) -> tuple[str, ...]:
    """The codes as they are written, parted by commas or blanks; (`none`,) for that word, () for nothing."""
    codes = tuple(re.findall(r"[^\s,;]+", text))
    return (NONE,) if tuple(map(str.casefold, codes)) == (NONE,) else codes


def _wrong(context: LetterContext, text: str) -> Problem:
    sample = sample_preferences(context.settings).replace(":", "", 1)
    return Problem(text, expected=f"Subject: {sample}\nor `{NONE}`, for no reports", lists_reports=True)


def _change(context: LetterContext, team: Team, chosen: tuple[str, ...]) -> str:
    teams.set_preferences(context.tx, team.id, chosen)
    before = team.registration.preferences
    is_running = contest_state.state(context.tx).phase is Phase.RUNNING
    context.answer(
        "preference_changed",
        team.address,
        team_id=team.id,
        team=team,
        before=before,
        now=chosen,
        is_running=is_running,
    )
    return f"mail-preference of {team.name}: {','.join(chosen) or 'none'} (was {','.join(before) or 'none'})"


COMMAND = Command("mail-preference", recognises, handle, lambda _settings: (PREFERENCE,), "CODES")
