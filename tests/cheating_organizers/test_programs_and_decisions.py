"""Organizers who swap programs, or decide with the results in sight."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from contest.config.load import FILE_NAME
from contest.ledger.receipts import Effect, LedgerEntry
from contest.model import BanKind
from store.tables import builds
from tests.support.check_page import without_late_bans
from tests.support.mail_world import START, flat, from_line
from tests.support.mailed_contest import CLOSES, DARK, KNOWN, LIGHT, MailedContest, Stages
from tests.support.organizer import organizer_acts
from tests.support.organizers import Forgery, Verify

Stage = Callable[[str], MailedContest]


# --- programs -------------------------------------------------------------------------------------
def swap_the_source(forgery: Forgery) -> None:
    source = f"programs/{DARK}/source/program.c"
    forgery.files[source] = forgery.files[f"programs/{LIGHT}/source/program.c"]
    description = f"programs/{DARK}/description.txt"
    forgery.files[description] = forgery.files[f"programs/{LIGHT}/description.txt"]


def swap_source_and_build(forgery: Forgery) -> None:
    swap_the_source(forgery)
    with forgery.json("entries.json") as entries:
        by_name = {entry["name"]: entry for entry in entries}
        old, by_name[DARK]["build"] = by_name[DARK]["build"], by_name[LIGHT]["build"]
    del forgery.files[f"builds/{old}"]


def swap_the_build_of_an_unknown_compiler(forgery: Forgery) -> None:
    """Nobody has this compiler, so nobody can build the program again."""
    with forgery.json("entries.json") as entries:
        by_name = {entry["name"]: entry for entry in entries}
        old, by_name[DARK]["build"] = by_name[DARK]["build"], by_name[LIGHT]["build"]
        by_name[DARK]["tool"] = "gcc 99"
    del forgery.files[f"builds/{old}"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (swap_the_source, f"programs/{DARK}/source is none of the accepted programs in ledger.txt"),
        (
            swap_source_and_build,
            "entries.json has not the entries of the final list in entry_lists.json",
        ),
        (
            swap_the_build_of_an_unknown_compiler,
            "entries.json has not the entries of the final list",
        ),
    ],
)
def test_a_program_that_was_swapped_in_the_archive_is_noticed(
    forgery: Forgery, verify: Verify, tmp_path: Path, wrong: Callable[[Forgery], None], words: str
) -> None:
    wrong(forgery)
    said = verify(forgery.publish(tmp_path / "archive"))
    assert said.code == 1
    assert words in said.text


def test_a_program_that_is_entered_as_if_it_had_come_before_is_told(
    forgery: Forgery, verify: Verify, tmp_path: Path
) -> None:
    """Otherwise nothing would say that the newest program of a team does not play."""
    place = forgery.place_of(Effect.PROGRAM_ACCEPTED, DARK)
    playing = forgery.ledger[place]
    back = replace(playing, at=playing.at - timedelta(hours=1), digest="ab" * 32)
    forgery.ledger.insert(place + 1, back)
    said = verify(forgery.publish(tmp_path / "archive"))
    assert said.code == 3
    (remark,) = said.remarks
    assert "program accepted; it was dated back, or the clock was changed" in remark


def swap_build(contest: MailedContest) -> None:
    """In the database: DARK plays the build of LIGHT."""
    with contest.opened() as opened, opened.store.write() as tx:
        _of_heavy, of_light, of_dark = tx.execute(select(builds).order_by(builds.c.id)).all()
        changed = update(builds).where(builds.c.id == of_dark.id)
        tx.execute(changed.values(image_digest=of_light.image_digest))


def forget_the_newest_program(contest: MailedContest) -> None:
    """In the database: the newest program, which is DARK's, was never accepted."""
    with contest.opened() as opened, opened.store.write() as tx:
        newest = select(func.max(builds.c.id)).scalar_subquery()
        tx.execute(update(builds).where(builds.c.id == newest).values(accepted=False))


@pytest.mark.slow
def test_a_program_that_was_swapped_before_the_start_is_told_to_all_teams_and_noticed(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    contest = stage("listed")
    swap_build(contest)
    said = verify(contest.hold(tmp_path / "archive"))
    assert f"{DARK} has another program" in flat(contest.mails(LIGHT, "entries")[-1])
    assert said.code == 1
    assert f"for the program of {DARK}, but here it has the digest" in said.text


@pytest.mark.slow
def test_a_program_that_was_swapped_behind_the_final_list_is_noticed(
    stage: Callable[[str], MailedContest], verify: Verify, tmp_path: Path
) -> None:
    contest = stage("drawn")
    swap_build(contest)
    contest.play()
    said = verify(contest.publish(tmp_path / "archive"))
    assert said.code == 1
    assert "entries.json has not the entries of the final list in entry_lists.json" in said.text


@pytest.mark.slow
def test_a_team_that_was_left_off_the_list_is_noticed_although_nobody_heard_its_objection(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    contest = stage("open")
    forget_the_newest_program(contest)
    contest.clock.at = CLOSES + timedelta(minutes=1)
    contest.tell_first_list()
    *_, proof = contest.mails(DARK, "compile-report")[-1].iter_attachments()
    contest.send(DARK, "objection", from_line(DARK, contest.strings[DARK]) + proof.get_content())
    assert "program accepted" in flat(contest.mails(DARK, "objection")[-1])
    said = verify(contest.hold(tmp_path / "archive"))
    assert said.code == 1
    assert (
        f"{DARK} is not on the final list, but a program of it was accepted in ledger.txt"
        in said.text
    )


@pytest.mark.slow
def test_an_older_program_than_the_newest_is_told(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    contest = stage("open")
    contest.clock.at += timedelta(minutes=1)
    contest.send_program(DARK, "dice_cup")
    forget_the_newest_program(contest)
    said = verify(contest.go_on(tmp_path / "archive"), contest.box(DARK))
    assert said.code == 3, said.text
    assert any(
        f"an older program of {DARK} has played: the newest that" in each for each in said.remarks
    )


@pytest.mark.slow
def test_a_program_that_came_in_time_and_was_refused_as_late_is_told(
    stage: Callable[[str], MailedContest], verify: Verify, tmp_path: Path
) -> None:
    contest = stage("open")
    toml = contest.folder / FILE_NAME
    honest = toml.read_text()
    too_early = f"compilation_closes = {contest.clock.at:%Y-%m-%dT%H:%M:%SZ}"
    toml.write_text(re.sub("compilation_closes = .*", too_early, honest))
    contest.clock.at += timedelta(minutes=1)
    contest.send_program(DARK, "dice_cup")
    toml.write_text(honest)
    said = verify(contest.go_on(tmp_path / "archive"), contest.box(DARK))
    assert said.code == 3, said.text
    assert any(
        f"a program of {DARK} was refused as late that came at" in each for each in said.remarks
    )


# --- decisions ------------------------------------------------------------------------------------
def first_in(archive: Path) -> str:
    ranking = json.loads((archive / "ranking.json").read_text())
    return str(ranking[0]["entry"])


@pytest.fixture(scope="module")
def winner(honest: Stages) -> str:
    """Who had won, which is another team from time to time, as chance has it."""
    return first_in(honest.archive)


@pytest.fixture(scope="module")
def banned(honest: Stages, winner: str, tmp_path_factory: pytest.TempPathFactory) -> Stages:
    """The results did not please: the winner was disqualified afterwards, and the first round
    played again."""
    place = tmp_path_factory.mktemp("banned")
    contest = honest.kept["played"].copied(place / "contest")
    contest.clock.at = KNOWN + timedelta(hours=1)
    with contest.opened() as opened:
        organizer_acts(opened, lambda organizer: organizer.rerun(1, None, "without it"))
        organizer_acts(
            opened,
            lambda organizer: organizer.take_out(winner, BanKind.DISQUALIFIED, "it was first"),
        )
    contest.play()
    contest.publish(place / "archive")
    return Stages(place, honest.url, {"played": contest})


@pytest.fixture
def forgery_of_banned(banned: Stages) -> Forgery:
    return Forgery(banned.kept["played"].folder, banned.archive)


def test_a_ban_with_the_results_in_sight_is_shown(
    banned: Stages, winner: str, verify: Verify
) -> None:
    said = verify(banned.archive, banned.kept["played"].box(LIGHT))
    assert said.code == 3
    told = " ".join(said.remarks)
    assert (
        f"{winner} was taken out by the organizer at 1994-05-14 13:11 UT, after the public number"
        " was known" in told
    )
    assert (
        "a part of the contest was ordered to be played again by the organizer at 1994-05-14 13:11"
        in told
    )


def test_a_winner_who_was_banned_late_would_be_first_without_the_ban(
    banned: Stages, winner: str, verify: Verify
) -> None:
    """That is how the contest had ended. The page says the same, as `verify` here compares both."""
    heir = first_in(banned.archive)
    said = verify(banned.archive)
    assert f"  without the late bans of {winner}, from the same seed:\n" in said.text
    assert without_late_bans(said.text)[0] == f"{winner} would be first instead of {heir}"


def place_of_the_ban(forgery: Forgery) -> int:
    """Where the ledger has the ban, from 0."""
    (place,) = (n for n, each in enumerate(forgery.ledger) if each.effect == Effect.TAKEN_OUT)
    return place


def call_it_the_teams_wish(forgery: Forgery) -> None:
    with forgery.json("decisions.json") as decisions:
        decisions["taken_out"][0]["kind"] = BanKind.DROPPED


def let_it_in_again(forgery: Forgery) -> None:
    """After the last game."""
    late = KNOWN + timedelta(hours=2)
    banned_team = forgery.ledger[place_of_the_ban(forgery)].team
    forgery.ledger.append(LedgerEntry(Effect.REINSTATED, banned_team, late))
    with forgery.json("decisions.json") as decisions:
        decisions["taken_out"][0]["lifted_at"] = f"{late:%Y-%m-%dT%H:%M:%SZ}"


def move_it_before_the_final_list(forgery: Forgery) -> None:
    ban = forgery.ledger.pop(place_of_the_ban(forgery))
    forgery.ledger.insert(forgery.place_of(Effect.ENTRIES_FINAL), ban)


@pytest.mark.parametrize(
    "wrong", [call_it_the_teams_wish, let_it_in_again, move_it_before_the_final_list]
)
def test_no_way_to_ban_the_winner_late_hides_that_it_would_be_first(
    forgery_of_banned: Forgery,
    winner: str,
    verify: Verify,
    tmp_path: Path,
    wrong: Callable[[Forgery], None],
) -> None:
    """The page says the same, as `verify` here compares both."""
    wrong(forgery_of_banned)
    said = verify(forgery_of_banned.publish(tmp_path / "archive"))
    assert said.code == 3
    assert without_late_bans(said.text)[0].startswith(f"{winner} would be first instead of ")


def test_a_ban_that_is_dated_back_is_shown(
    forgery_of_banned: Forgery, verify: Verify, tmp_path: Path
) -> None:
    forgery, early = forgery_of_banned, START - timedelta(hours=1)
    place = place_of_the_ban(forgery)
    forgery.ledger[place] = replace(forgery.ledger[place], at=early)
    with forgery.json("decisions.json") as decisions:
        decisions["taken_out"][0]["at"] = f"{early:%Y-%m-%dT%H:%M:%SZ}"
    said = verify(forgery.publish(tmp_path / "archive"))
    words = (
        "the ledger has an entry of 1994-05-14 11:00 UT behind one of 1994-05-14 13:11 UT: taken"
        " out by"
    )
    assert any(words in remark for remark in said.remarks), said.text
    assert any("after the public number was known" in remark for remark in said.remarks)


def hide_in_decisions(forgery: Forgery) -> None:
    with forgery.json("decisions.json") as decisions:
        decisions["taken_out"] = []


def hide_in_ledger(forgery: Forgery) -> None:
    del forgery.ledger[place_of_the_ban(forgery)]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (hide_in_decisions, r"round 1, group 1: (\w+ against )?{banned}( against \w+)? is missing"),
        (
            hide_in_ledger,
            "ledger.txt does not have the decision about {banned} of 1994-05-14 13:11 UT",
        ),
    ],
)
def test_a_ban_that_is_hidden_is_noticed(
    forgery_of_banned: Forgery,
    winner: str,
    verify: Verify,
    tmp_path: Path,
    wrong: Callable[[Forgery], None],
    words: str,
) -> None:
    wrong(forgery_of_banned)
    said = verify(forgery_of_banned.publish(tmp_path / "archive"))
    assert said.code == 1
    assert re.search(words.format(banned=winner), said.text)


def test_a_ban_that_is_moved_before_the_final_list_breaks_every_receipt_of_it(
    forgery_of_banned: Forgery, banned: Stages, verify: Verify, tmp_path: Path
) -> None:
    move_it_before_the_final_list(forgery_of_banned)
    said = verify(forgery_of_banned.publish(tmp_path / "archive"), banned.kept["played"].box(LIGHT))
    assert said.code == 1
    assert "the ledger was changed: up to entry" in said.text
