"""Letters -> effects and answers, one letter per transaction. A bad letter is set aside, the loop goes on."""

from __future__ import annotations

import traceback

from contest.clock import Clock
from contest.config.settings import Settings
from contest.errors import StoreBusy
from contest.log import log
from contest.model import LetterState, StoredLetter
from contest.protocols import Renderer
from contest.store import Store, Transaction, letters, outbox
from mailserver import bounces
from mailserver.commands import COMMANDS, recognise
from mailserver.loop_protection import why_ignored
from mailserver.reading.letter import Letter, parse
from mailserver.replies import DAY, LetterContext

MAX_SAME_MESSAGE_ID = 20  # so many are compared: a stranger who repeats one costs no more


class _AlreadyDone(Exception):
    """Another process finished this letter first: our transaction must roll back."""


def handle_next(store: Store, settings: Settings, clock: Clock, renderer: Renderer) -> bool:
    """Handle the oldest NEW letter; False when there is none.

    What it changes, its answer and its state are one transaction. An exception of ours rolls that back and
    sets the letter aside as FAILED with the traceback. Raises StoreBusy: nothing has happened, try again.
    """
    with store.read() as tx:
        stored = letters.next_new(tx)
    if stored is None:
        return False
    try:
        _handle(store, stored, settings, clock, renderer)
    except _AlreadyDone:
        log.info("letter was handled elsewhere", letter=stored.id)
    except StoreBusy:
        raise
    except Exception:
        log.error("letter set aside", letter=stored.id, exc_info=True)
        with store.write() as tx:
            letters.fail(tx, stored.id, traceback.format_exc())
    return True


def _handle(store: Store, stored: StoredLetter, settings: Settings, clock: Clock, renderer: Renderer) -> None:
    letter = parse(stored.raw)
    with store.write() as tx:
        state, note = _effect(tx, stored, letter, settings, clock, renderer)
        if not letters.finish(tx, stored.id, state, note, letter.message_id):
            raise _AlreadyDone
    log.info("letter", letter=stored.id, state=str(state), note=note)


def _effect(
    tx: Transaction,
    stored: StoredLetter,
    letter: Letter,
    settings: Settings,
    clock: Clock,
    renderer: Renderer,
) -> tuple[LetterState, str]:
    came_back = bounces.note(tx, stored, settings, clock.now())
    if came_back:
        return LetterState.HANDLED, came_back
    reason = why_ignored(stored, letter, settings)
    if reason:
        return LetterState.IGNORED, reason
    earlier = _handled_copy(tx, letter)
    if earlier is not None:
        again = outbox.repeat(tx, earlier.id, clock.now(), DAY)
        return LetterState.IGNORED, f"duplicate of letter {earlier.id}" + (
            "; answered again" if again else ""
        )
    writer = letter.answer_to
    assert writer is not None, "why_ignored lets no letter without an address pass"  # noqa: S101
    context = LetterContext(tx, settings, renderer, clock.now(), stored, letter, writer, COMMANDS)
    return LetterState.HANDLED, recognise(letter.subject, settings).handle(context)


def _handled_copy(tx: Transaction, letter: Letter) -> StoredLetter | None:
    """The same letter, handled before (K51, M49). The same Message-ID over other words is new (M50).

    Whichever was handled counts, not which came first: one that was set aside may be put back after its copy.
    """
    if letter.message_id is None:
        return None
    known = letters.handled_with_message_id(tx, letter.message_id, MAX_SAME_MESSAGE_ID)
    return next((other for other in known if _says(parse(other.raw)) == _says(letter)), None)


def _says(letter: Letter) -> tuple[object, ...]:
    return letter.sender, letter.reply_to, letter.subject, letter.body, letter.attachments, letter.files
