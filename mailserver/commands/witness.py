"""Witnesses sign the ledger, too: each is sent it at the moments that matter, and answers by a
letter.

Who signs does not matter to us, but with which key: the organizer has named it before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from contest.config.settings import Settings
from contest.interfaces.protocols import Renderer
from contest.language import speaking
from contest.ledger.notes import VerifierKey, cosigned, in_one_piece, read_note
from contest.ledger.signatures import is_signed
from contest.model import Outgoing, Phase
from contest.schema.sections import Witness
from mailserver.attachments import MAX_LEDGER_BYTES, ledger_files
from mailserver.command import Arguments, Command, LetterContext
from mailserver.decision import Answer, Decision, KeepCosignature
from mailserver.limits import Limit
from mailserver.reading.letter import Letter, arguments_after
from store import Store, Transaction, contest_state, ledger, outbox

NAME = "cosign"


def ask(store: Store, settings: Settings, renderer: Renderer, now: datetime) -> None:
    """Send each witness the ledger as it was at the moments that matter, once."""
    if not settings.tournament.witnesses:
        return
    with store.read() as tx:
        if not _due(tx, settings):
            return
    with store.write() as tx:
        for number, witness in _due(tx, settings):
            ledger.ask_witness(tx, number, witness.key)
            if witness.address:
                files = ledger_files(tx, MAX_LEDGER_BYTES, number)
                with speaking(settings.contest.language):
                    mail = renderer.render(
                        "witness",
                        name=NAME,
                        number=number,
                        script="python3 witness.py MAIL",
                        ledger_key=str(ledger.public_key(tx)),
                    )
                key = f"witness/{number}/{witness.address}"
                outgoing = Outgoing(
                    key, "witness", witness.address, mail.subject, mail.body, attachments=files
                )
                outbox.put(tx, outgoing, settings, now)


def _due(tx: Transaction, settings: Settings) -> list[tuple[int, Witness]]:
    is_over = contest_state.state(tx).phase is Phase.FINISHED
    asked = {(number, str(key)) for number, key, _ in ledger.cosignatures_asked(tx)}
    wanted = sorted(ledger.to_be_cosigned(tx, is_over=is_over))
    named = settings.tournament.witnesses
    return [
        (number, each) for number in wanted for each in named if (number, each.key) not in asked
    ]


@dataclass(frozen=True)
class Cosignatures:
    """What may be cosignatures in a letter: (the witness's key, the cosignature)."""

    found: tuple[tuple[str, bytes], ...]


def _read_cosignatures(letter: Letter, settings: Settings) -> Cosignatures:
    texts = ["\n".join(text.lines) for text in (letter.body, *letter.attachments)]
    texts += [file.data.decode(errors="replace") for file in letter.files]
    texts = list(map(in_one_piece, texts))
    found = []
    for witness in settings.tournament.witnesses:
        key = VerifierKey.of_witness(witness.key)
        found += [(witness.key, each) for text in texts for each in key.signatures_in(text)]
    return Cosignatures(tuple(found))


def _cosign(context: LetterContext, _arguments: Arguments) -> Decision:
    cosignatures = context.said_as(Cosignatures).found
    signed = []
    changes = []
    for number, key, before in ledger.cosignatures_asked(context.tx):
        if before:
            continue
        candidates = [signature for name, signature in cosignatures if name == str(key)]
        signature = _made_by(key, ledger.note_of(context.tx, number), candidates)
        if signature:
            signed.append((number, key.name))
            changes.append(KeepCosignature(number, str(key), signature))
    note = "; ".join(
        f"{name} has signed the ledger up to entry {number}" for number, name in signed
    )
    return Decision(
        note or "a letter without a cosignature that is missing",
        Answer("cosigned", context.writer, {"signed": signed}),
        changes=tuple(changes),
    )


def _made_by(key: VerifierKey, note: str, candidates: Sequence[bytes]) -> bytes | None:
    """Return the one among these that is a cosignature of this checkpoint by this key."""
    checkpoint, _ = read_note(note)
    for candidate in candidates:
        try:
            _, message, signature = cosigned(checkpoint, candidate)
        except ValueError:
            continue
        if is_signed(key.key, message, signature):
            return candidate
    return None


COMMAND = Command(
    NAME,
    _cosign,
    reads=lambda subject, settings: (
        arguments_after(subject, NAME) if settings.tournament.witnesses else None
    ),
    read_letter=_read_cosignatures,
    answers={"cosigned": Limit.DROP},
)
