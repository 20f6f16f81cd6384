"""The control: an honest organizer is suspected of nothing."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from contest.schema.sections import Registration
from store import submissions, teams
from tests.support.archives import knobeln
from tests.support.kit_programs import receipts_of_kit
from tests.support.mail_world import REGISTER, START, flat, from_line
from tests.support.mailed_contest import (
    CLOSES,
    DARK,
    HEAVY,
    LIGHT,
    LOST,
    PROGRAMS,
    MailedContest,
    Stages,
    form_of,
    small_settings,
)
from tests.support.organizer import organizer_acts
from tests.support.organizers import Verify
from trust.for_teams import receipts

Stage = Callable[[str], MailedContest]


def test_an_honest_contest_is_clean_by_all_mails_of_all_teams(
    honest: Stages, verify: Verify, one_box: Callable[..., Path]
) -> None:
    said = verify(honest.archive, one_box(*map(honest.kept["played"].box, (*PROGRAMS, LOST))))
    assert (said.code, said.remarks) == (0, []), said.text
    assert "10 receipts: the ledger is the one that they were signed for" in said.text
    assert "of drand, signed by its chain, and not known before 1994-05-14 12:10 UT" in said.text
    assert (
        said.verdict == "Every result follows from the programs, the lists of entries and the draw."
    )


def test_the_verdict_is_in_json_too(honest: Stages) -> None:
    done = knobeln("verify", honest.archive, "--json")
    found = json.loads(done.stdout)
    assert (done.exit_code, found["eyes"], found["believed"]) == (0, 0, [])
    assert found["verdict"].startswith("Every result follows")


@pytest.mark.parametrize("team", [HEAVY, LOST])
def test_the_file_of_the_kit_finds_nothing_in_one_teams_mails(
    honest: Stages, team: str, tmp_path: Path
) -> None:
    file = receipts_of_kit(tmp_path)
    text = file.read_text()  # it is to know the stand-in's chain
    file.write_text(re.sub(r"^DRAND = .*$", f"DRAND = {receipts.DRAND!r}", text, flags=re.M))
    command = [sys.executable, "-I", file, honest.archive, honest.kept["played"].box(team)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "look at this" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("beacon", "number"),
    [
        ("none", ""),
        ("file", "a dragon"),
        ("lottery: 4 numbers of the 14th of May, 1994", "4 9 18 34"),
    ],
)
def test_with_another_beacon_the_draw_alone_is_believed(
    tmp_path: Path, verify: Verify, one_box: Callable[..., Path], beacon: str, number: str
) -> None:
    contest = MailedContest.create(tmp_path / "contest", small_settings(beacon=beacon))
    contest.take_part(PROGRAMS)
    contest.clock.at = CLOSES + timedelta(minutes=1)
    contest.tell_first_list()
    contest.clock.at = START
    contest.start()
    contest.clock.at += timedelta(minutes=11)
    if number:
        with contest.opened() as opened:
            organizer_acts(opened, lambda organizer: organizer.hand_in_number(number, "a test"))
        contest.play()
    boxes = one_box(*map(contest.box, PROGRAMS))
    said = verify(contest.publish(tmp_path / "archive"), boxes)
    assert (said.code, said.remarks) == (3, []), said.text
    assert said.text.count("  believed: ") == 1
    assert said.verdict == "Every result follows if you believe 1 thing, named below."
    receipts_of_all = 9 if number else 8  # that of the public number comes with the results
    assert (
        f"{receipts_of_all} receipts: the ledger is the one that they were signed for" in said.text
    )


# --- what only has to be believed -----------------------------------------------------------------
@pytest.mark.slow
def test_a_team_that_withdraws_and_a_team_that_comes_back_by_another_name_are_no_lie(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    contest = stage("open")
    for team in (LIGHT, DARK):
        contest.clock.at += timedelta(minutes=1)
        contest.send(team, "withdraw", from_line(team, contest.strings[team]))
    contest.send(DARK, REGISTER, form_of(DARK).replace(f"{DARK}\n", "the_grey_lords_of_knobeln\n"))
    said = verify(contest.go_on(tmp_path / "archive"))
    assert said.code == 3, said.text
    assert [each.split(",")[0] for each in said.remarks] == [
        f"the_grey_lords_of_knobeln plays a program that was accepted of {DARK}",
        f"{DARK} has withdrawn at 1994-03-24 12:08 UT",
        f"{LIGHT} has withdrawn at 1994-03-24 12:07 UT",
    ]


CAREFUL = Registration()
"""As every contest is that says nothing else: a form proves nothing."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [DARK, "lords_of_another_name"])
def test_a_form_in_the_name_of_a_withdrawn_team_is_no_lie_of_the_organizer(
    verify: Verify, tmp_path: Path, name: str
) -> None:
    contest = MailedContest.create(
        tmp_path / "contest", small_settings(beacon="drand", registration=CAREFUL)
    )
    contest.take_part(PROGRAMS)
    contest.clock.at += timedelta(minutes=1)
    contest.send(DARK, "withdraw", from_line(DARK, contest.strings[DARK]))
    contest.send(DARK, REGISTER, form_of(DARK).replace(f"{DARK}\n", f"{name}\n"))
    said = verify(contest.go_on(tmp_path / "archive"))
    (remark,) = said.remarks
    assert remark.startswith(f"{DARK} has withdrawn at ")
    (final,) = contest.mails(HEAVY, "entries")[-1:]
    assert DARK not in flat(final)
    with contest.opened() as opened, opened.store.read() as tx:
        assert [entry.name for entry in submissions.all_entries(tx)] == [HEAVY, LIGHT]
        assert teams.named(tx, DARK).state == "withdrawn"  # and nobody else can have its name


@pytest.mark.slow
def test_a_withdrawn_team_that_confirms_its_form_plays_and_the_archive_says_so(
    verify: Verify, tmp_path: Path
) -> None:
    contest = MailedContest.create(
        tmp_path / "contest", small_settings(beacon="drand", registration=CAREFUL)
    )
    contest.take_part(PROGRAMS)
    contest.clock.at += timedelta(minutes=1)
    contest.send(DARK, "withdraw", from_line(DARK, contest.strings[DARK]))
    contest.clock.at += timedelta(minutes=1)
    contest.send(DARK, REGISTER, form_of(DARK))
    (question,) = contest.mails(DARK, "registration-confirm")
    assert "a team with this mail-address has withdrawn" in flat(question)
    contest.send(DARK, f"Re: {question['Subject']}", "")
    assert "Version 1 of your program, which you sent before you withdrew, counts again." in flat(
        contest.mails(DARK, "registration-accepted")[-1]
    )
    said = verify(contest.go_on(tmp_path / "archive"))
    assert (said.code, said.remarks) == (0, []), said.text
    with contest.opened() as opened, opened.store.read() as tx:
        assert [entry.name for entry in submissions.all_entries(tx)] == list(PROGRAMS)


@pytest.mark.slow
def test_an_objection_and_what_became_of_it_is_told(
    stage: Stage, verify: Verify, tmp_path: Path
) -> None:
    contest = stage("listed")
    contest.clock.at += timedelta(minutes=1)
    contest.send(
        HEAVY, "objection", from_line(HEAVY, contest.strings[HEAVY]) + "My rank is too low.\n"
    )
    said = verify(contest.hold(tmp_path / "archive"))
    assert said.code == 3, said.text
    assert said.remarks == [
        f"{HEAVY} objected at 1994-05-14 10:02 UT; the final list has its program, the same as the"
        " first one"
    ]
