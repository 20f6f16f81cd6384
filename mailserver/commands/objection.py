"""`objection`: something in the list of entries is wrong, and the organizer is to look at it.

The letter goes to the organizer as it came. The answer says at once what the ledger has about the receipts in
the letter, and about the team that wrote it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from contest.config.settings import Settings
from contest.ledger.receipts import Effect, LedgerEntry, receipts_in
from contest.model import Phase
from contest.store import entry_lists, ledger
from mailserver.authentication import FROM_LINE, claimed_by, proof_in
from mailserver.command import Arguments, Command, LetterContext, PartOfMail, by_template
from mailserver.for_organizer import pass_letter_on
from mailserver.limits import Limit

_PASSED_ON = "objection_passed_on"
_MAX_RECEIPTS = 20


class CheckedReceipt(NamedTuple):
    """A receipt in the letter. `entry`: what the ledger has; None if it is not a receipt of this ledger."""

    number: int
    entry: LedgerEntry | None


class Objection(Command):
    name = "objection"
    answers = by_template(objection=Limit.DROP)

    def subjects(self, settings: Settings) -> tuple[str, ...]:
        return ("objection",)

    def sample_body(self, settings: Settings, part: PartOfMail) -> str:
        return FROM_LINE

    def handle(self, context: LetterContext, arguments: Arguments) -> str:
        tx = context.tx
        proof = proof_in(tx, context.letter)
        team = proof.team if proof else claimed_by(context)
        facts: dict[str, Any] = {
            "team": team,
            "checked": list(_checked(context)),
            "listed": entry_lists.newest(tx),
            "is_final": context.phase is not Phase.OPEN,
        }
        mail = context.renderer.render(
            _PASSED_ON, writer=context.writer, is_proved=proof is not None, **facts
        )
        kind = _PASSED_ON if proof else f"unproved_{_PASSED_ON}"  # strangers do not use up the teams' share
        how = pass_letter_on(tx, context.stored, kind, mail, context.settings, context.now)
        return context.answer(
            "objection",
            team.address if team else context.writer,
            note=f"an objection of {team.name if team else 'no team'}, {how}",
            of_team=team,
            # Nobody but a team can make the ledger grow.
            receipt=context.record(Effect.OBJECTION, proof.team.name) if proof else None,
            **facts,
        )


COMMAND = Objection()


def _checked(context: LetterContext) -> Iterator[CheckedReceipt]:
    """The receipts in the letter's text and in its files, such as a mail of ours."""
    texts = ["\n".join(text.lines) for text in (context.letter.body, *context.letter.attachments)]
    texts += [file.data.decode(errors="replace") for file in context.letter.files]
    found = {receipt: None for text in texts for receipt in receipts_in(text)}
    for receipt in list(found)[:_MAX_RECEIPTS]:
        yield CheckedReceipt(receipt.number, ledger.entry_of(context.tx, receipt))
