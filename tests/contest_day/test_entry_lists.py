"""The lists of entries: the first when programs are no longer taken, the final one at the start."""

import email
import email.policy
from dataclasses import replace
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from contest.config.settings import Settings, frozen_digest, game_settings
from contest.errors import NumberAwaited
from contest.ledger.entry_list import EntryList, SealedEntry
from contest.ledger.receipts import PROOF_FILE, Effect, LedgerEntry
from contest.model import BanKind, LetterState, TeamState
from knobeln.context import ContestContext
from knobeln.day.run import contest_day
from knobeln.services import Services
from store import entry_lists, ledger, letters, outbox, submissions, teams
from tests.support.clocks import FixedClock
from tests.support.contest_field import NOW, House, make_contest, settings
from tests.support.mail_world import body_of, flat
from tests.support.organizer import organizer_acts

CLOSED = NOW - timedelta(hours=1)  # programs are no longer taken, and the contest has not started


def chosen(**tournament: object) -> Settings:
    return settings(workers=1, **tournament).model_copy(update={"game": game_settings({"L": 40})})


def closed(path: Path, house: House, count: int = 4, **tournament: object) -> ContestContext:
    """A contest between its last program and its start."""
    return replace(make_contest(path, count, house, chosen(**tournament)), clock=FixedClock(CLOSED))


def at_start(contest: ContestContext) -> ContestContext:
    return replace(contest, clock=FixedClock(NOW))


def list_mails(contest: ContestContext) -> list[EmailMessage]:
    return mails_of(contest, "entries")


def mails_of(contest: ContestContext, report: str) -> list[EmailMessage]:
    with contest.store.read() as tx:
        raw = [item.raw for item in outbox.queued_after(tx, 0)]
    mails = (email.message_from_bytes(each, policy=email.policy.default) for each in raw)
    return [
        mail
        for mail in mails
        if isinstance(mail, EmailMessage) and mail["X-Knobeln-Report"] == report
    ]


def test_all_teams_get_the_first_list_once_with_one_receipt(tmp_path: Path, house: House) -> None:
    contest = closed(tmp_path, house)
    services = Services(contest)
    assert services.list_entries() is True
    assert services.list_entries() is False
    mails = list_mails(contest)
    assert sorted(str(mail["To"]) for mail in mails) == [
        f"team_000{n}@teams.example" for n in range(1, 5)
    ]
    assert len({str(mail["X-Knobeln-Receipt"]).split()[0] for mail in mails}) == 1
    with contest.store.read() as tx:
        (listed,) = entry_lists.all_lists(tx)
        *_, last = ledger.entries(tx)
    frozen = frozen_digest(contest.settings)
    assert last == LedgerEntry(Effect.ENTRIES_LISTED, "", CLOSED, frozen, listed.list.root.hex())
    assert f"The root of this list, in hex:\n  {last.digest}\n" in body_of(mails[0])
    file, _proof = mails[0].iter_attachments()
    lines = file.get_content().split("\n")
    assert (
        EntryList.of(SealedEntry(*lines[at : at + 3]) for at in range(0, 12, 3)).root.hex()
        == last.digest
    )


def test_the_list_waits_for_letters_and_programs(tmp_path: Path, house: House) -> None:
    contest = closed(tmp_path, house)
    with contest.store.write() as tx:
        early = CLOSED - timedelta(hours=2)
        letter = letters.add(tx, raw=b"x", sender="", recipients=(), channel="test", now=early)
    assert Services(contest).list_entries() is True  # all teams are told which letter waits
    assert list_mails(contest) == []
    assert len(mails_of(contest, "programs-closed")) == 4
    assert Services(contest).list_entries() is False
    with contest.store.write() as tx:
        letters.finish(tx, letter, LetterState.HANDLED, "", None)
        waiting = submissions.add(tx, 1, letter, {"program.c": b"main(){}"}, CLOSED)
    assert Services(contest).list_entries() is False
    with contest.store.write() as tx:
        submissions.set_aside(tx, waiting.id)
    assert Services(contest).list_entries() is True


def test_letters_that_come_after_the_deadline_do_not_hold_up_the_list(
    tmp_path: Path, house: House
) -> None:
    contest = closed(tmp_path, house)
    with contest.store.write() as tx:
        letters.add(tx, raw=b"x", sender="", recipients=(), channel="test", now=CLOSED)
    assert Services(contest).list_entries() is True
    assert len(list_mails(contest)) == 4


@pytest.mark.parametrize("at", [NOW - timedelta(hours=3), NOW, NOW + timedelta(days=1)])
def test_there_is_no_first_list_before_programs_close_or_after_the_start(
    tmp_path: Path, house: House, at: datetime
) -> None:
    assert Services(replace(closed(tmp_path, house), clock=FixedClock(at))).list_entries() is False


def test_what_has_changed_is_in_the_final_list_with_the_reason(
    tmp_path: Path, house: House
) -> None:
    contest = closed(tmp_path, house)
    Services(contest).list_entries()
    reason = "two teams, one author"
    organizer_acts(
        contest,
        lambda organizer: organizer.take_out("team_0002", BanKind.DISQUALIFIED, reason),
    )
    with contest.store.write() as tx:
        teams.set_state(tx, teams.by_name(tx, "team_0003").id, TeamState.WITHDRAWN)
    contest_day(at_start(contest)).run()
    first, final = list_mails(contest)[0], list_mails(contest)[-1]
    (entries,) = (file for file in first.iter_attachments() if file.get_filename() == "entries.txt")
    assert "team_0002" in entries.get_content()
    assert "- team_0002 was removed: disqualified on 1994-05-14: two teams, one author." in flat(
        final
    )
    assert "- team_0003 was removed: it is withdrawn." in flat(final)
    assert "team_0001 has another program" not in flat(final)
    # Somebody else may have withdrawn it in its name.
    assert "team_0003@teams.example" in {str(mail["To"]) for mail in list_mails(contest)[4:]}
    with contest.store.read() as tx:
        effects = [entry.effect for entry in ledger.entries(tx)]
    last = [Effect.PROGRAMS_CLOSED, Effect.ENTRIES_LISTED, Effect.TAKEN_OUT, Effect.ENTRIES_FINAL]
    assert effects[-4:] == last


def test_without_a_number_and_without_objections_the_day_is_as_ever(
    tmp_path: Path, house: House
) -> None:
    contest = make_contest(tmp_path, 4, house, chosen())
    contest_day(contest).run()
    assert list_mails(contest) == []


def test_with_a_number_all_teams_get_the_final_list_in_any_case(
    tmp_path: Path, house: House
) -> None:
    contest = make_contest(tmp_path, 4, house, chosen(beacon="drand"))
    with pytest.raises(NumberAwaited):
        contest_day(contest).run()
    mails = list_mails(contest)
    assert len(mails) == 4
    assert "The public number is round" in flat(mails[0])
    assert "What has changed" not in flat(mails[0])
    assert "Nothing has changed" not in flat(mails[0])


def test_a_list_that_is_too_long_for_a_mail_is_not_in_it(
    tmp_path: Path, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reports.contest_reporter.MAX_LISTED", 3)
    contest = closed(tmp_path, house)
    Services(contest).list_entries()
    mail = list_mails(contest)[0]
    assert "4 teams take part. The list is too long for a mail" in flat(mail)
    assert "team_0002" not in body_of(mail)
    assert [file.get_filename() for file in mail.iter_attachments()] == [PROOF_FILE]
