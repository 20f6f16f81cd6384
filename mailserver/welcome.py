"""The mail that welcomes a team: its facts, and what is attached to it. Writes nothing."""

from __future__ import annotations

from datetime import datetime
from typing import TypedDict

from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.mail import knobeln_json
from contest.mail.form import record_text
from contest.model import Attachment, Team
from contest.model.mail_records import QuotedForm, WelcomeRecord
from mailserver.attachments import rules, software
from store import Transaction, decisions, ledger, submissions
from store.submissions import TeamsProgram


class WelcomeFacts(TypedDict):
    """The facts of the template `registration_accepted`, except `remarks`. `own`: the program of a
    team that comes back, and whether it counts."""

    team: Team
    string: str
    record: str
    has_rules: bool
    ledger_key: str
    own: TeamsProgram


def facts(tx: Transaction, team: Team, string: str, settings: Settings) -> WelcomeFacts:
    return WelcomeFacts(
        team=team,
        string=string,
        record=record_text(team.registration),
        has_rules=bool(rules(settings.game.name)),
        ledger_key=str(ledger.public_key(tx)),
        own=submissions.program_of(tx, team.id),
    )


def for_programs(
    welcome: WelcomeFacts, settings: Settings, *, is_short: bool = False
) -> tuple[Attachment, ...]:
    """Return the welcome as `knobeln.json`. `is_short`: the address has proved nothing."""
    team = welcome["team"]
    record = WelcomeRecord(
        team=knobeln_json.number_of(team),
        string=welcome["string"],
        counts=welcome["own"].counts,
        dates=dict(settings.dates),
        ledger_key=welcome["ledger_key"],
        quoted=knobeln_json.quoted(
            QuotedForm, settings, [team], registration=None if is_short else team.registration
        ),
    )
    return knobeln_json.file_for(team, settings, record)


def files(tx: Transaction, settings: Settings, now: datetime) -> tuple[Attachment, ...]:
    """An accepted team gets the library that its program is linked with, if there is one,
    the rules, and the dates for its calendar."""
    game = game_of(settings.game, settings.programs).info
    library = software(game) if game.play.is_in_c else ()
    return (*library, *rules(game.name), decisions.calendar_file(tx, settings, now))
