"""Organizers who choose their luck: the secret number, the public number, or the moment."""

import hashlib
import hmac
import json
import mailbox
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from contest.config.load import FILE_NAME
from contest.ledger.entry_list import EntryList, SealedEntry
from contest.ledger.receipts import Effect
from contest.ledger.signatures import is_signed
from contest.public_number import drand
from contest.public_number.drand import QUICKNET
from contest.seeds import ContestSeed
from store import contest_state, decisions, entry_lists, ledger, results, teams
from store.tables import contest as contest_table
from tests.support.archives import knobeln
from tests.support.check_page import must_agree, page_on
from tests.support.drand_network import signed_round
from tests.support.kit_programs import receipts_of_kit
from tests.support.mail_world import START
from tests.support.mailed_contest import (
    DARK,
    HEAVY,
    KNOWN,
    LIGHT,
    MailedContest,
    Stages,
    small_settings,
)
from tests.support.organizers import Forgery, Verify, frozen
from trust.for_teams import receipts

Stage = Callable[[str], MailedContest]


def seed_of(contest: MailedContest) -> ContestSeed:
    with contest.opened() as opened, opened.store.read() as tx:
        return contest_state.state(tx).seed


# --- the secret number ----------------------------------------------------------------------------
@pytest.mark.slow
def test_a_secret_number_that_was_chosen_afterwards_is_not_that_of_the_welcomes(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    contest = stage("drawn")
    with contest.opened() as opened, opened.store.write() as tx:
        tx.execute(update(contest_table).values(seed=b"with this one my friend is first"))
    contest.play()
    archive = contest.publish(tmp_path / "archive")
    said = verify(archive)
    assert said.code == 1
    assert "ledger.txt does not begin with this secret number's sha256" in said.text
    forgery = Forgery(contest.folder, archive)
    with forgery.json("contest.json") as facts:
        forgery.ledger[0] = replace(forgery.ledger[0], letter=facts["seed_commitment"])
    archive = forgery.publish(tmp_path / "forged")
    assert verify(archive).code == 0  # by itself it is in order
    said = verify(archive, contest.box(LIGHT))
    assert said.code == 1
    assert "as the sha256 of the secret number, not " in said.text


@pytest.mark.slow
def test_a_number_and_a_key_that_were_changed_in_mid_contest_are_noticed(
    stage: Callable[[str], MailedContest], verify: Verify, tmp_path: Path
) -> None:
    """With another title, so that the mails from before look like those of another contest."""
    contest = stage("listed")
    toml = contest.folder / FILE_NAME
    toml.write_text(
        re.sub("^title = .*", 'title = "Another contest"', toml.read_text(), flags=re.M)
    )
    with contest.opened() as opened, opened.store.write() as tx:
        tx.execute(update(contest_table).values(seed=bytes(32), signing_key=bytes(32)))
    archive = contest.hold(tmp_path / "archive")
    for mails in (None, contest.box(LIGHT)):
        said = verify(archive, mails)
        assert said.code == 1
        assert "does not begin with" in said.text


# --- playing in advance ---------------------------------------------------------------------------
def test_nothing_can_be_played_before_the_public_number(stage: Stage) -> None:
    contest = stage("final")
    with pytest.raises(
        ValueError, match="no seed before its entries are final and its number is drawn"
    ):
        _ = seed_of(contest).value
    contest.start()  # it is waiting again
    with contest.opened() as opened, opened.store.read() as tx:
        assert results.all_rounds(tx) == ()


@pytest.mark.slow
def test_contests_that_are_played_in_advance_are_not_the_real_one(
    stage: Stage, honest: Stages
) -> None:
    """Copies with each team dropped or not: without the number they show the draws of other
    contests."""
    seeds = {seed_of(honest.kept["played"]).value}
    for dropped in (None, HEAVY, DARK):
        copy = stage("listed")
        toml = copy.folder / FILE_NAME
        toml.write_text(toml.read_text().replace('beacon = "drand"', 'beacon = "none"'))
        if dropped:
            with copy.opened() as opened, opened.store.write() as tx:
                team = teams.by_name(tx, dropped)
                assert team is not None
                decisions.ban(tx, team.id, decisions.BanKind.DROPPED, "", copy.clock.now())
        copy.clock.at = START + timedelta(seconds=5)  # the very same moment
        copy.start()
        seeds.add(seed_of(copy).value)
    assert len(seeds) == 4


def test_no_name_of_a_dummy_team_can_be_chosen_for_its_draws(honest: Stages) -> None:
    """Every name makes another root, but the seed is made of the number too, which is not known
    yet."""
    with honest.kept["final"].opened() as opened, opened.store.read() as tx:
        state, final = contest_state.state(tx), entry_lists.all_lists(tx)[-1].list
    guesses = set()
    for number in range(100):
        dummy = SealedEntry(f"dummy_{number}", "ab" * 32, "cd" * 32)
        tried = replace(state.seed, entries_root=EntryList.of([*final.entries, dummy]).root)
        with pytest.raises(ValueError, match="no seed"):
            _ = tried.value
        guesses.add(replace(tried, number=b"a guess", is_open=False).value)
    chosen = replace(seed_of(honest.kept["played"]), entries_root=tried.entries_root).value
    assert len(guesses) == 100
    assert chosen not in guesses


# --- starting again -------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_contest_that_was_started_anew_after_a_bad_draw_has_two_final_lists(
    stage: Stage, honest: Stages, verify: Verify, one_box: Callable[..., Path], tmp_path: Path
) -> None:
    contest = stage("listed")  # a copy that was kept for this
    contest.clock.at = START + timedelta(minutes=20)
    contest.start()
    contest.clock.at = START + timedelta(minutes=31)
    contest.play()
    archive = contest.publish(tmp_path / "archive")
    assert verify(archive).code == 0  # by itself it is in order
    first, second = honest.kept["played"].box(HEAVY), contest.box(HEAVY)
    said = verify(archive, one_box(second, first))
    assert said.code == 1
    assert "have different receipts of one entry" in said.text
    said = verify(archive, first)
    assert "the final list of entries" in said.text
    assert "announces round 214582 of drand, but the archive uses round 214622" in said.text


# --- another public number ------------------------------------------------------------------------
def use_number(forgery: Forgery, source: str, value: bytes) -> None:
    """Put another public number into seal and ledger, with the seed that follows."""
    with forgery.json("seal.json") as seal, forgery.json("contest.json") as contest:
        secret, root = bytes.fromhex(contest["seed"]), bytes.fromhex(seal["entries_root"])
        seal["source"], seal["number"] = source, value.hex()
        seal["seed"] = hmac.digest(secret, root + value, "sha256").hex()
    place = forgery.place_of(Effect.NUMBER_DRAWN)
    forgery.ledger[place] = replace(forgery.ledger[place], digest=hashlib.sha256(value).hexdigest())


def next_round(forgery: Forgery) -> None:
    source = signed_round(json.loads(json.loads(forgery.files["seal.json"])["source"])["round"] + 1)
    use_number(forgery, source, bytes.fromhex(json.loads(source)["randomness"]))


def next_round_with_another_date(forgery: Forgery) -> None:
    next_round(forgery)
    with forgery.json("contest.json") as contest:
        contest["settings"]["dates"]["contest_starts"] = "1994-05-14T12:00:30Z"


def forged_signature(forgery: Forgery) -> None:
    source = json.loads(json.loads(forgery.files["seal.json"])["source"])
    signature = bytes(range(48))
    randomness = hashlib.sha256(signature).digest()
    source |= {"signature": signature.hex(), "randomness": randomness.hex()}
    use_number(forgery, json.dumps(source), randomness)


def any_text(forgery: Forgery) -> None:
    with forgery.json("contest.json") as contest:
        contest["settings"]["tournament"]["beacon"] = "file"
    use_number(forgery, "a dragon", b"a dragon")


def number_before_its_draw(forgery: Forgery) -> None:
    place = forgery.place_of(Effect.NUMBER_DRAWN)
    forgery.ledger[place] = replace(forgery.ledger[place], at=START + timedelta(minutes=5))


def number_before_the_final_list(forgery: Forgery) -> None:
    forgery.ledger.insert(1, forgery.ledger.pop(forgery.place_of(Effect.NUMBER_DRAWN)))


def other_settings(forgery: Forgery) -> None:
    with forgery.json("contest.json") as contest:
        contest["settings"]["game"]["L"] = 41


Wrong = Callable[[Forgery], None]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (next_round, "but round 214582 of chain"),
        (forged_signature, "the chain of drand has not signed this round"),
        (
            any_text,
            "title, dates, rules or settings are not those that ledger.txt has with the final",
        ),
        (
            number_before_its_draw,
            "has the public number at 1994-05-14 12:05 UT, but it was drawn at 1994-05-14 12:10",
        ),
        (
            number_before_the_final_list,
            "does not have the public number once, after the final list",
        ),
        (
            other_settings,
            "title, dates, rules or settings are not those that ledger.txt has with the final",
        ),
    ],
)
def test_an_archive_with_another_number_is_refused(
    forgery: Forgery, verify: Verify, tmp_path: Path, wrong: Callable[..., Any], words: str
) -> None:
    wrong(forgery)
    said = verify(forgery.publish(tmp_path / "archive"))
    assert said.code == 1
    assert words in said.text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            next_round_with_another_date,
            "announces round 214582 of drand, but the archive uses round 214583",
        ),
        (any_text, "promises a number of drand, but the archive uses none of it"),
        (number_before_the_final_list, "the ledger was changed: up to entry"),
    ],
)
def test_the_mails_of_one_team_show_which_number_was_promised(
    forgery: Forgery, honest: Stages, verify: Verify, tmp_path: Path, wrong: Wrong, words: str
) -> None:
    wrong(forgery)
    said = verify(forgery.publish(tmp_path / "archive"), honest.kept["played"].box(HEAVY))
    assert said.code == 1
    assert words in said.text


def test_another_chain_than_the_promised_one_is_noticed(
    forgery: Forgery,
    honest: Stages,
    verify: Verify,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(receipts, "DRAND", ("0" * 64, *receipts.DRAND[1:]))
    said = verify(forgery.publish(tmp_path / "archive"), honest.kept["played"].box(HEAVY))
    assert said.code == 1
    assert "promises a number of drand's chain" in said.text


def a_lottery_in(contest: MailedContest, beacon: str, source: str, value: str) -> Forgery:
    """The honest archive, as if this lottery had been announced and written so."""
    forgery = Forgery(contest.folder, contest.publish(contest.place / "archive"))
    with forgery.json("contest.json") as facts:
        facts["settings"]["tournament"]["beacon"] = beacon
    forgery.ledger = frozen(forgery.files, forgery.ledger)
    use_number(forgery, source, value.encode())
    return forgery


@pytest.mark.parametrize("source", ["4 9 18/34 41 45", "49 18 34 41 45"])
def test_a_lottery_in_another_shape_is_refused(
    stage: Callable[[str], MailedContest], verify: Verify, tmp_path: Path, source: str
) -> None:
    """The seed follows from the text that the organizer likes best, with the numbers of the
    newspaper."""
    draw = "".join(each.strip().replace(" ", ".") + "./" for each in source.split("/"))
    forgery = a_lottery_in(stage("played"), "lottery: 6 numbers of May 14", source, draw)
    said = verify(forgery.publish(tmp_path / "archive"))
    assert said.code == 1
    assert "the announced draw has 6 numbers, with a slash between parts; these are" in said.text


def test_another_lottery_than_the_promised_one_is_noticed(tmp_path: Path) -> None:
    contest = MailedContest.create(
        tmp_path / "contest", small_settings(beacon="lottery: 6 numbers of May 14")
    )
    contest.register(HEAVY)
    with contest.opened() as opened, opened.store.read() as tx:
        commitment = contest_state.state(tx).seed.commitment
        leaves = [entry.leaf() for entry in ledger.entries(tx)]
        key = ledger.public_key(tx).key
    honest = receipts.Ledger(commitment, key, leaves, "lottery: 6 numbers of May 14")
    mails = receipts.read_mails(contest.box(HEAVY))
    assert receipts.check(honest, mails, is_signed) == (1, [], 0)
    with pytest.raises(
        receipts.Wrong, match="promises the draw 6 numbers of May 14, but the archive uses lot"
    ):
        receipts.check(honest._replace(beacon="lottery: 6 numbers of May 15"), mails, is_signed)


def test_a_chain_of_the_organizers_own_is_not_drand(
    honest: Stages, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """To whoever knows the real one, which the stand-in is not."""
    monkeypatch.setattr(drand, "QUICKNET", QUICKNET)
    done = knobeln("verify", honest.archive)
    assert done.exit_code == 1
    assert f"of chain {QUICKNET.hash} counts" in done.output
    must_agree(done.exit_code, done.output, page_on(honest.archive))
    kit = [
        sys.executable,
        "-I",
        receipts_of_kit(tmp_path),
        honest.archive,
        honest.kept["played"].box(HEAVY),
    ]
    checked = subprocess.run(kit, capture_output=True, text=True, check=False)
    assert checked.returncode == 1
    assert "promises a number of drand's chain" in checked.stderr


# --- a list that comes too late -------------------------------------------------------------------
def test_a_final_list_that_was_sent_when_the_number_was_known_is_shown(
    stage: Callable[[str], MailedContest], honest: Stages, verify: Verify
) -> None:
    """Its date says noon, but the team's provider has noted when it came."""
    for key, mail in mailbox.Maildir(box := stage("played").box(HEAVY), create=False).items():
        if "final list" in str(mail["Subject"]):
            mail.replace_header(
                "Received", f"from contest.example by teams.example; {format_datetime(KNOWN)}"
            )
            mailbox.Maildir(box, create=False)[key] = mail
    said = verify(honest.archive, box)
    assert said.code == 3
    assert "with the final list arrived when its public number was known already" in said.text


def test_a_final_list_that_was_never_sent_is_shown(
    stage: Stage, honest: Stages, verify: Verify
) -> None:
    box = mailbox.Maildir(stage("played").box(HEAVY), create=False)
    for key, mail in box.items():
        if "final list" in str(mail["Subject"]):
            box.remove(key)
    said = verify(honest.archive, Path(box._path))  # type: ignore[attr-defined]
    assert "no mail here has the final list of entries of 1994-05-14T12:00:05.000000Z" in said.text
