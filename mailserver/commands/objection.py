"""`objection`: something in the list of entries is wrong, and the organizer is to look at it.

The letter goes to the organizer as it came. The answer says at once what the ledger has about the
receipts in the letter, and about the team that wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from contest.config.settings import Settings
from contest.ledger.receipts import Effect, LedgerEntry, notes_in
from contest.model import Phase, Team
from mailserver.authentication import claimed_by, from_line_alone, team_of
from mailserver.command import Arguments, Command, LetterContext
from mailserver.decision import Answer, Decision, Entry, PassedOn
from mailserver.limits import Limit
from mailserver.proof import AuthFailure
from mailserver.reading.letter import Letter
from store import entry_lists, ledger, teams

_PASSED_ON = "objection_passed_on"
_MAX_RECEIPTS = 20


def _object(context: LetterContext, _arguments: Arguments) -> Decision:
    checked, listed = list(_checked(context)), entry_lists.newest(context.tx)
    proved = _proved_by(context, (entry for _, entry in checked if entry))
    team = proved or claimed_by(context)
    is_final = context.phase is not Phase.OPEN
    facts = {"checked": checked, "listed": listed, "is_final": is_final}
    # strangers do not use up the teams' share
    kind = _PASSED_ON if proved else f"unproved_{_PASSED_ON}"
    who = {"writer": context.writer, "is_proved": proved is not None, "team": team}
    to = team.address if team else context.writer
    return Decision(
        f"an objection of {team.name if team else 'no team'}",
        Answer("objection", to, facts, of_team=team),
        entries=(Entry(Effect.OBJECTION, proved.name),) if proved else (),
        before=(PassedOn(_PASSED_ON, kind, {**who, **facts}),),
    )


def _proved_by(context: LetterContext, receipts: Iterable[LedgerEntry]) -> Team | None:
    """Return the team that has written: by its string, or by the receipt of a program of it.

    Somebody else may have withdrawn it, or asked for another string, in its name.
    """
    if context.proof.team:
        return context.proof.team
    named = team_of(context.tx, context.from_line, context.proof)
    if isinstance(named, AuthFailure) and named.withdrawn:
        return named.withdrawn
    owners = (entry.team for entry in receipts if entry.effect is Effect.PROGRAM_ACCEPTED)
    return next(filter(None, (teams.by_name(context.tx, name) for name in owners)), None)


@dataclass(frozen=True)
class Receipts:
    """The receipts in a letter's text and in its files, such as a mail of ours: number and note of
    each."""

    found: tuple[tuple[int, str], ...]


def _read_receipts(letter: Letter, _settings: Settings) -> Receipts:
    texts = ["\n".join([*text.lines, ""]) for text in (letter.body, *letter.attachments)]
    texts += [file.data.decode(errors="replace") for file in letter.files]
    found = dict.fromkeys(note for text in texts for note in notes_in(text))
    return Receipts(tuple(found)[:_MAX_RECEIPTS])


COMMAND = Command(
    "objection",
    _object,
    lambda settings: ("objection",),
    read_letter=_read_receipts,
    answers={"objection": Limit.DROP},
    sample_body=from_line_alone,
)


def _checked(context: LetterContext) -> Iterator[tuple[int, LedgerEntry | None]]:
    """Yield the number of each receipt in the letter, and what the ledger has; None if it is not a
    receipt of this ledger."""
    for number, note in context.said_as(Receipts).found:
        yield number, ledger.entry_of(context.tx, number, note)
