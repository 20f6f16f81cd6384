"""Two witnesses sign the ledger by mail, each with the kit's script; what an organizer can do about
them."""

import base64
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from contest.ledger.receipts import Effect
from contest.schema.sections import Witness
from knobellib.kits import knobeln_kit
from knobeln.services import Services
from store import ledger
from tests.support.archives import knobeln
from tests.support.clocks import FixedClock
from tests.support.drand_network import stand_in
from tests.support.mail_world import OPENS, START, flat, from_line
from tests.support.mailed_contest import (
    CHAIN,
    CLOSES,
    DARK,
    HEAVY,
    KNOWN,
    PROGRAMS,
    MailedContest,
    Stages,
    address_of,
    small_settings,
)
from tests.support.organizers import Forgery, Said

NAMES = ("first_witness", "second_witness")


BY_CLOCK = """
import runpy, sys, time
now = float(sys.argv.pop(1))
time.time = lambda: now
runpy.run_path("witness.py", run_name="__main__")
"""
"""Runs the witness's script by the clock of the contest."""


@dataclass
class Witnessed:
    """A contest, and the folders in which its witnesses have the files of the kit and their
    keys."""

    contest: MailedContest
    homes: Path
    fork: MailedContest | None = None  # as it was before the deadline

    def run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        now = self.contest.clock.at.timestamp()
        command = [sys.executable, "-c", BY_CLOCK, str(now), *arguments]
        return subprocess.run(
            command, cwd=self.homes / name, capture_output=True, text=True, check=False
        )

    def asked(self, name: str) -> Any:
        """The newest mail to this witness that asks for a signature."""
        with self.contest.opened() as contest:
            Services(contest).handle_letters()
        self.contest.bring_mails()
        return self.questions(name)[-1]

    def questions(self, name: str) -> list[Any]:
        """All such mails, the oldest ledger first."""
        mails = [
            mail for mail in self.contest.mails(name) if str(mail["Subject"]).startswith("cosign")
        ]
        return sorted(mails, key=lambda mail: int(str(mail["Subject"]).split()[1].rstrip(":")))

    def sign(self, name: str, mail: Any) -> subprocess.CompletedProcess[str]:
        (self.homes / name / "mail.eml").write_bytes(mail.as_bytes())
        return self.run(name, "mail.eml")

    def answer(self, name: str, mail: Any, text: str) -> str:
        self.contest.send(name, f"Re: {mail['Subject']}", text)
        answers = [each for each in self.contest.mails(name) if "signature" in str(each["Subject"])]
        return flat(max(answers, key=lambda each: str(each["Date"])))

    def signs(self, name: str, *, quoted: bool = False) -> str:
        """The witness signs what it was asked for last; returns the server's answer."""
        mail = self.asked(name)
        done = self.sign(name, mail)
        assert done.returncode == 0, done.stderr
        line = done.stdout
        # as some mailers do
        broken = "".join(f"> {line[at : at + 60]}\n" for at in range(0, len(line), 60))
        return self.answer(
            name, mail, f"Here it is:\n\n{broken if quoted else line}\nBest regards\n"
        )


@pytest.fixture(scope="module")
def witnessed(honest: Stages, tmp_path_factory: pytest.TempPathFactory) -> tuple[Witnessed, Path]:
    """The second witness forgets to sign the final list."""
    place = tmp_path_factory.mktemp("witnessed")
    contest = MailedContest(place / "contest", FixedClock(OPENS), {})
    found = Witnessed(contest, place / "homes")
    named = []
    with stand_in(CHAIN, honest.url):
        kit = {file.name: file.data for file in knobeln_kit(small_settings().game).files}
        for name in NAMES:
            (found.homes / name).mkdir(parents=True)
            for file in ("receipts.py", "witness.py"):
                (found.homes / name / file).write_bytes(kit[file])
            done = found.run(name, "new", name)
            named.append(Witness(key=done.stdout.strip(), address=address_of(name)))
        found.contest = contest = MailedContest.create(
            contest.place, small_settings(beacon="drand", witnesses=named)
        )
        contest.take_part(PROGRAMS)
        found.fork = contest.copied(place / "fork")
        contest.clock.at = CLOSES + timedelta(minutes=1)
        contest.tell_first_list()
        for name in NAMES:
            assert "has signed the ledger of" in found.signs(name, quoted=name == NAMES[1])
        contest.clock.at = START + timedelta(seconds=5)
        contest.start()
        found.signs(NAMES[0])
        contest.clock.at = KNOWN
        contest.play()
        for name in NAMES:
            found.signs(name)
        archive = contest.publish(place / "archive")
    return found, archive


def verified(archive: Path) -> Said:
    """By `verify` alone: the page does not check witnesses."""
    done = knobeln("verify", archive)
    return Said(done.exit_code, done.output)


def change(witnessed: tuple[Witnessed, Path]) -> Forgery:
    return Forgery(witnessed[0].contest.folder, witnessed[1])


def test_verify_counts_who_has_signed_and_a_missing_witness_is_a_remark(
    witnessed: tuple[Witnessed, Path],
) -> None:
    said = verified(witnessed[1])
    assert said.code == 3
    found = re.search("witnesses have signed the ledger: .*", said.text)
    assert found
    told = re.sub(r" \(\d{4}-\d\d-\d\d \d\d:\d\d UT\)", "", found[0])
    assert told.endswith(": 2 of 2 at the deadline, 1 of 2 with the final list, 2 of 2 at the end")
    assert said.remarks == [
        "the witness second_witness has not signed the ledger with the final list"
    ]


def test_a_witness_who_signs_late_is_told(
    witnessed: tuple[Witnessed, Path], tmp_path: Path
) -> None:
    """The first one signs the ledger of the deadline when the results are known."""
    contest = witnessed[0].contest.copied(tmp_path / "contest")
    homes = shutil.copytree(witnessed[0].homes, tmp_path / "homes")
    key = homes / NAMES[0] / "witness.key"
    key.write_text(json.dumps({**json.loads(key.read_text()), "signed": {}}))
    late = Witnessed(contest, homes)
    line = late.sign(NAMES[0], late.questions(NAMES[0])[0]).stdout
    forgery = Forgery(contest.folder, witnessed[1])
    with forgery.json("cosignatures.json") as notes:
        drop_a_signature(notes)
        notes[0] += line
    said = verified(forgery.publish(tmp_path / "archive"))
    assert said.code == 3
    assert (
        "the witness first_witness has signed the ledger at the deadline late, at 1994-05-14"
        " 12:11 UT"
    ) in said.remarks


def test_no_archive_has_the_address_of_a_witness(witnessed: tuple[Witnessed, Path]) -> None:
    for file in witnessed[1].glob("*.json"):
        assert "witness@" not in file.read_text()


def test_witnesses_show_without_any_mail_that_the_ledger_was_edited_and_signed_again(
    witnessed: tuple[Witnessed, Path], tmp_path: Path
) -> None:
    forgery = change(witnessed)
    del forgery.ledger[forgery.place_of(Effect.REGISTRATION_ACCEPTED, DARK)]
    said = verified(forgery.publish(tmp_path / "archive"))
    assert said.code == 1
    assert "cosignatures.json has something else than checkpoints of ledger.txt" in said.text


def drop_a_signature(notes: list[str]) -> None:
    notes[0] = "".join(line for line in notes[0].splitlines(True) if "first_witness" not in line)


def take_it_from_another_moment(notes: list[str]) -> None:
    line = next(line for line in notes[0].splitlines(True) if "second_witness" in line)
    notes[1] += line


def change_the_time(notes: list[str]) -> None:
    line = notes[1].splitlines()[-1]
    raw = bytearray(base64.b64decode(line.split()[2]))
    raw[11] ^= 1
    notes[1] = notes[1].replace(line.split()[2], base64.b64encode(raw).decode())


def leave_out_the_contests_own(notes: list[str]) -> None:
    notes[0] = "".join(
        line for line in notes[0].splitlines(True) if "\N{EM DASH} knobeln/" not in line
    )


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (drop_a_signature, 3),
        (list.clear, 3),
        (take_it_from_another_moment, 1),
        (change_the_time, 1),
        (leave_out_the_contests_own, 1),
    ],
)
def test_signatures_of_witnesses_that_are_missing_or_wrong(
    witnessed: tuple[Witnessed, Path],
    tmp_path: Path,
    wrong: Callable[..., Any],
    code: int,
) -> None:
    forgery = change(witnessed)
    with forgery.json("cosignatures.json") as notes:
        wrong(notes)
    if wrong is list.clear:
        del forgery.files["cosignatures.json"]
    said = verified(forgery.publish(tmp_path / "archive"))
    assert said.code == code
    if code == 3:
        assert "the witness first_witness has not signed the ledger at the deadline" in said.remarks
    else:
        assert "cosignatures.json has something else" in said.text


def test_a_witness_who_is_not_named_any_more_was_named_in_the_frozen_settings(
    witnessed: tuple[Witnessed, Path], tmp_path: Path
) -> None:
    forgery = change(witnessed)
    with forgery.json("contest.json") as facts:
        del facts["settings"]["tournament"]["witnesses"][1]
    said = verified(forgery.publish(tmp_path / "archive"))
    assert said.code == 1
    assert "settings are not those that ledger.txt has with the final list" in said.text


def test_a_witness_refuses_another_ledger_than_the_one_that_it_signed(
    witnessed: tuple[Witnessed, Path],
) -> None:
    """The contest goes on from before its deadline in another way: more letters, the same key."""
    first, fork = NAMES[0], Witnessed(witnessed[0].fork, witnessed[0].homes)
    before = (fork.homes / first / "witness.key").read_text()
    fork.contest.clock.at = CLOSES + timedelta(minutes=1)
    fork.contest.tell_first_list()
    done = fork.sign(first, fork.asked(first))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Nothing is signed: you have signed a later ledger, of 11 entries.\n"
    for codes in ("LAP", "none", "RSM", "LGP"):
        fork.contest.send(
            HEAVY, f"mail-preference {codes}", from_line(HEAVY, fork.contest.strings[HEAVY])
        )
    fork.contest.clock.at = START + timedelta(seconds=5)
    fork.contest.start()
    mail = fork.asked(first)
    done = fork.sign(first, mail)
    assert (
        done.stderr
        == "Nothing is signed: it does not contain the ledger of 11 entries that you signed.\n"
    )
    assert (fork.homes / first / "witness.key").read_text() == before
    for part in mail.iter_attachments():
        part.set_content("nothing", filename=part.get_filename())
    assert (
        "Nothing is signed: no mail here has a receipt of this contest"
        in fork.sign(first, mail).stderr
    )
    assert fork.run(first, "no.eml").returncode == 1
    assert fork.run(first).returncode == fork.run(first, "new", "two words").returncode == 2
    assert "File exists" in fork.run(first, "new", "another").stderr  # no key is ever written over
    # Who has another key of that name has not signed.
    (fork.homes / "third").mkdir()
    for file in ("receipts.py", "witness.py"):
        (fork.homes / "third" / file).write_bytes((fork.homes / first / file).read_bytes())
    fork.run("third", "new", NAMES[1])
    mail = fork.asked(NAMES[1])
    line = fork.sign("third", mail).stdout
    assert "second_witness" in line
    assert "found no signature of a witness" in fork.answer(NAMES[1], mail, line)


def test_a_program_that_knows_nothing_of_us_accepts_what_witnesses_have_signed(
    witnessed: tuple[Witnessed, Path],
) -> None:
    tlog = pytest.importorskip("aics_tlog", reason="aics-tlog is for Python 3.12 and later")
    found, archive = witnessed
    with found.contest.opened() as contest, contest.store.read() as tx:
        key = tlog.parse_vkey(str(ledger.public_key(tx)))
        named = [tlog.parse_vkey(each.key) for each in contest.settings.tournament.witnesses]
    counts = []
    for note in json.loads((archive / "cosignatures.json").read_text()):
        checked = tlog.verify_checkpoint(tlog.parse_note(note), key, named)
        assert checked.ok
        counts.append(checked.cosignature_count)
        changed = note.replace("\n", "\n1", 1)  # of another number of entries
        assert not tlog.verify_checkpoint(tlog.parse_note(changed), key, named).ok
    assert counts == [2, 1, 2]
