"""A clock that was a year ahead for a minute, or that goes back, holds nothing up afterwards."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from contest.model import LetterQuestion, LetterState, Outgoing, Pause, Scope
from contest.schema.sections import Mail, Registration
from mailserver.limits import DAY, HOUR, MINUTE
from store import answers, decisions, letters, outbox, practices
from store.answers import Counted
from store.outbox import End
from store.session import Transaction
from tests.support.due_mails import due_mails, end
from tests.support.mail_world import OPENS, REGISTER, World, form_of_one, registered

NOW = OPENS + timedelta(days=5)
AHEAD = NOW + timedelta(days=365)


@pytest.fixture
def open_world(make_world: Callable[..., World]) -> World:
    """A contest with the usual settings, on the open internet."""
    return make_world(mail=Mail(), registration=Registration())


def arrived(tx: Transaction, raw: bytes) -> int:
    return letters.add(tx, raw=raw, sender="joe@a.example", recipients=(), channel="smtp", now=NOW)


# --- through the handler --------------------------------------------------------------------------
def test_a_mailbox_is_answered_after_it_had_its_mails_of_a_day_in_another_year(
    open_world: World,
) -> None:
    counts = [len(open_world.send("help", f"{number}", at=AHEAD)) for number in range(8)]
    assert 0 in counts  # the limit is used up
    assert len(open_world.send("help", "again", at=NOW)) == 1


def test_what_is_told_once_in_a_day_is_told_again(open_world: World) -> None:
    first, second = (open_world.send("no command", f"{number}", at=AHEAD) for number in range(2))
    assert (len(first), len(second)) == (1, 0)
    assert len(open_world.send("no command", "again", at=NOW)) == 1


def test_forms_of_another_year_are_not_many_forms_of_this_hour(open_world: World) -> None:
    def form(number: int) -> str:
        return form_of_one(f"team{number}", f"joe{number}@a.example")

    for number in range(4):
        later = NOW + timedelta(days=20)  # registration is open then, too
        open_world.send(REGISTER, form(number), sender=f"joe{number}@a.example", at=later)
    assert "asked" in open_world.notes[-1]
    open_world.send(REGISTER, form(5), sender="joe5@a.example", at=NOW)
    assert "asked" not in open_world.notes[-1]


def test_a_letter_that_waits_for_another_year_is_handled(world: World) -> None:
    with world.store.write() as tx:
        letter = arrived(tx, b"From: joe@a.example\nSubject: help\n\n")
        letters.wait(tx, letter, "all", AHEAD + MINUTE, "")
    world.clock.at = NOW
    assert world.handle_next()
    assert world.states() == {LetterState.HANDLED: 1}


# --- in the store ---------------------------------------------------------------------------------
def test_answers_that_are_dated_later_do_not_count(world: World) -> None:
    world.send("help", "", at=AHEAD)
    with world.store.read() as tx:
        (answer,) = answers.to_letter(tx, 1)
        wanted = [Counted(Scope.MAILBOX, NOW - DAY, unproved=False, templates=None)]
        like = replace(answer, at=NOW, letter_id=2)
        assert answers.newest(tx, like, wanted, [0]) == [[]]
        assert answers.count_letters(tx, like, [Scope.MAILBOX], [answer.template], HOUR) == (0,)
        then = replace(answer, letter_id=2)
        assert answers.newest(tx, then, wanted, [0]) == [[AHEAD]]
        assert answers.count_letters(tx, then, [Scope.MAILBOX], [answer.template], HOUR) == (1,)


def test_letters_are_kept_for_a_list_of_another_year_no_longer(world: World) -> None:
    with world.store.write() as tx:
        letters.keep_for_list(tx, arrived(tx, b"x"), AHEAD + DAY)
        assert letters.is_any_overdue(tx, NOW - DAY, NOW)
        letters.keep_for_list(tx, arrived(tx, b"y"), NOW + DAY)
        letters.keep_for_list(tx, arrived(tx, b"x"), NOW + DAY)
        assert not letters.is_any_overdue(tx, NOW - DAY, NOW)


@pytest.mark.parametrize(
    ("queued", "count"), [(AHEAD, 0), (NOW, 1), (NOW - HOUR, 1), (NOW - 2 * DAY, 0)]
)
def test_mails_count_within_a_time_that_ends_now(
    world: World, queued: datetime, count: int
) -> None:
    with world.store.write() as tx:
        outbox.put(tx, Outgoing("key", "kind", "joe@a.example", "x", "x\n"), world.settings, queued)
        assert outbox.sent_within(tx, "joe@a.example", ("kind",), DAY, NOW) == count


@pytest.mark.parametrize(("repeated", "count"), [(AHEAD, 1), (NOW - MINUTE, 0), (NOW - DAY, 1)])
def test_an_answer_that_was_repeated_in_another_year_is_repeated(
    world: World, repeated: datetime, count: int
) -> None:
    with world.store.write() as tx:
        letter = arrived(tx, b"x")
        mail = Outgoing("key", "kind", "joe@a.example", "x", "x\n", letter_id=letter)
        outbox.put(tx, mail, world.settings, NOW - 2 * DAY)
        for at in (repeated, NOW):
            for item in due_mails(tx, AHEAD):
                end(tx, item, End.SENT, at, "ok")
            again = outbox.repeat(tx, letter, at, HOUR)
        assert again == count


@pytest.mark.parametrize(
    ("asked", "is_good"), [(AHEAD, False), (NOW + HOUR, True), (NOW - 2 * DAY, False)]
)
def test_a_token_of_another_year_is_no_good(world: World, asked: datetime, is_good: bool) -> None:
    order = LetterQuestion(1, "joe@a.example")
    with world.store.write() as tx:
        decisions.ask_confirmation(tx, "digest", order, asked)
        assert (decisions.take_confirmation(tx, "digest", NOW, DAY) == order) == is_good


@pytest.mark.parametrize(("asked", "count"), [(AHEAD, 0), (NOW, 1), (NOW - DAY, 0)])
def test_practice_games_of_another_year_are_not_those_of_this_hour(
    world: World, asked: datetime, count: int
) -> None:
    registered(world)
    with world.store.write() as tx:
        practices.add(tx, 1, 1, asked, files={"a.c": b""})
        assert practices.asked_within(tx, 1, HOUR, NOW) == count


@pytest.mark.parametrize(
    ("since", "until", "is_over"),
    [
        (NOW - MINUTE, NOW + MINUTE, False),
        (NOW - HOUR, NOW, True),
        (AHEAD, AHEAD + MINUTE, True),
        (NOW - MINUTE, None, False),
        (AHEAD, None, False),
    ],
)
def test_a_pause_that_ends_by_itself_does_not_last_for_a_year(
    since: datetime, until: datetime | None, is_over: bool
) -> None:
    assert Pause(since, "", until).is_over(NOW) == is_over
