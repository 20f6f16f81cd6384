"""`mail-preference LAP,DGP,...`: a team changes which reports it gets (K30), by its `<<FROM>>`
line.

The codes are in the subject, as in the form, or in the text after `mail-preference:`. `none`
cancels all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from contest.config.settings import Settings
from contest.language import gettext
from contest.ledger.receipts import Effect
from contest.mail.form import PREFERENCE
from contest.model import Phase, Team
from mailserver import authentication
from mailserver.authentication import team_command
from mailserver.command import Arguments, LetterContext
from mailserver.decision import Answer, Decision, Entry, SetReports
from mailserver.limits import Limit
from mailserver.problem import Problem
from mailserver.reading.letter import Letter, stripped
from mailserver.reading.registration_form import NONE, read_codes, sample_preferences, wrong_codes

_SPELLED = PREFERENCE.replace("-", "[-_ ]?")
_IN_SUBJECT = re.compile(rf"{_SPELLED}(?![\w-])", re.IGNORECASE)
_IN_TEXT = re.compile(rf"\s*{_SPELLED}\s*:(.*)", re.IGNORECASE)


def _set_preference(context: LetterContext, team: Team, arguments: Arguments) -> Decision:
    """The arguments are the codes in the subject."""
    if context.phase is Phase.FINISHED:
        return authentication.refuse(context, team.address, "finished", team=team)
    chosen = _chosen(context, arguments)
    if isinstance(chosen, Problem):
        return authentication.refuse(context, team.address, "problem", problem=chosen, team=team)
    before = team.registration.preferences
    written = [",".join(codes) or NONE for codes in (chosen, before)]
    return Decision(
        f"mail-preference of {team.name}: {written[0]} (was {written[1]})",
        Answer(
            "preference_changed",
            team.address,
            {
                "before": before,
                "now": chosen,
                "is_running": context.phase is Phase.RUNNING,
            },
            of_team=team,
        ),
        changes=(SetReports(team, chosen),),
        entries=(Entry(Effect.PREFERENCE_CHANGED, team.name),),
    )


def _codes_in(subject: str, _settings: Settings) -> Arguments | None:
    found = _IN_SUBJECT.match(subject)
    return stripped(subject[found.end() :].split()) if found else None


COMMAND = team_command(
    "mail-preference",
    _set_preference,
    lambda settings: (PREFERENCE,),
    arguments="CODES",
    reads=_codes_in,
    answers={"preference_changed": Limit.NONE},
    sample_arguments=lambda settings: ",".join(settings.reports.offered[:3]) or NONE,
    read_letter=lambda letter, settings: CodesInText(tuple(_codes_in_text(letter))),
)


@dataclass(frozen=True)
class CodesInText:
    """The codes after each `mail-preference:` in the text of a letter, as they are written."""

    lines: tuple[tuple[str, ...], ...]


def _codes_in_text(letter: Letter) -> Iterator[tuple[str, ...]]:
    for line in letter.body.lines:
        if found := _IN_TEXT.fullmatch(line):
            yield read_codes(found[1])


def _chosen(context: LetterContext, arguments: Arguments) -> tuple[str, ...] | Problem:
    """Return what the letter asks for; a problem where that is not clear, because a guess would
    change something."""
    in_text = context.said_as(CodesInText).lines
    found = {codes for codes in (read_codes(",".join(arguments)), *in_text) if codes}
    if len(found) != 1:
        text = (
            gettext("There are no codes in it.")
            if not found
            else gettext("Its subject and its text ask for different reports.")
        )
        return _wrong(context, text)
    (codes,) = found
    if codes == (NONE,):
        return ()
    offered = context.settings.reports.offered
    faults = tuple(wrong_codes(codes, offered))
    return _wrong(context, " ".join(faults)) if faults else codes


def _wrong(context: LetterContext, text: str) -> Problem:
    sample = sample_preferences(context.settings).replace(":", "", 1)
    return Problem(
        text,
        expected=gettext(
            "Subject: %(sample)s\nor `%(none)s`, for no reports", sample=sample, none=NONE
        ),
        lists_reports=True,
    )
