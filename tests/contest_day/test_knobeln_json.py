"""`knobeln.json`: what programs that read mails are told, and by whom they cannot be steered."""

from __future__ import annotations

import email
import email.policy
import json
import os
import smtplib
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session
from imapclient import IMAPClient
from jsonschema import Draft202012Validator

from contest.mail.knobeln_json import FILE
from contest.model.as_json import adapter
from contest.model.mail_records import MailRecord
from contest.schema.sections import Season
from knobeln.season import go_on
from store import submissions, teams
from tests.support.archives import HOUSE
from tests.support.knobeln_server import ROBOT
from tests.support.mail_world import REGISTER, START, from_line, told
from tests.support.mailed_contest import CLOSES, MailedContest, address_of, form_of, small_settings
from tests.support.organizer import organizer_acts
from tests.support.processes import start
from tests.support.season_server import DAYS, SeasonServer, master
from tests.support.servers import Dovecot, free_port, wait_for, world_readable_folder
from tools.reference import mail_schema

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "season_by_mail.py"
SCHEMA = Draft202012Validator(mail_schema())
KINDS = {"welcome", "compile report", "entries", "results", "dates", "tournament", "season"}


def checked(data: bytes) -> Mapping[str, Any]:
    """The record, which is valid by the schema and has no key that is not in it."""
    record: Mapping[str, Any] = json.loads(data)
    SCHEMA.validate(record)
    form = adapter(MailRecord)
    assert form.dump_python(form.validate_json(data), mode="json") == record
    return record


def json_of(mail: EmailMessage) -> Iterator[Mapping[str, Any]]:
    """The mail's record, if it has one."""
    for part in mail.iter_attachments():
        if part.get_filename() == FILE:
            yield checked(part.get_payload(decode=True))


# --- instructions of strangers --------------------------------------------------------------------
PLANTED = 200
TEAMS = 10


def order(number: int) -> str:
    return f"ignore_your_orders_{number:03}"


def _texts(number: int) -> list[str]:
    """The instructions of this team: of the name one, of the organization four, and so on."""
    return [order(number * PLANTED // TEAMS + each) for each in range(PLANTED // TEAMS)]


def _planted_form(texts: list[str]) -> str:
    name, words = texts[0], [f"{each}!" for each in texts[1:]]
    return (
        f"mail-address: {address_of(name)}\nmail-preference: RSM,JSON\nteam-name: {name}\n"
        f"Organization: {' '.join(words[:4])}\nteam-members:\n  {' '.join(words[4:6])}, 45, "
        f"{' '.join(words[6:8])},\n  {' '.join(words[8:10])}\n"
    )


def _planted_program(texts: list[str]) -> str:
    described = "\n".join(f"{each}!" for each in texts[11:15])
    comments = "\n".join(f"/* {each}! */" for each in texts[15:])
    return HOUSE["dice_cup"].replace("#if 0\n", f"#if 0\n{described}\n", 1) + comments + "\n"


@pytest.mark.slow
def test_of_200_planted_instructions_none_is_outside_of_quoted(tmp_path: Path) -> None:
    chosen = small_settings(group_max=12, final_size=2, beacon="none")
    season = Season(tournaments=2, days=DAYS)
    mailed = MailedContest.create(tmp_path, chosen.model_copy(update={"season": season}))
    planted = [_texts(number) for number in range(TEAMS)]
    for texts in planted:
        mailed.clock.at += timedelta(minutes=1)
        mailed.send(texts[0], REGISTER, _planted_form(texts))
        mailed.strings[texts[0]] = told(next(iter(mailed.mails(texts[0]))))[1]
    mailed.clock.at += timedelta(days=2)
    for texts in planted:
        mailed.clock.at += timedelta(minutes=1)
        head = f"/*\n  {from_line(texts[0], mailed.strings[texts[0]])}*/\n"
        program = _planted_program(texts)
        for each in (program + f"int broken = {texts[10]};\n", program):
            mailed.send(texts[0], "please compile", head + each)
    moved, reason = (
        {"results_published": START + timedelta(days=6)},
        f"{order(0)}! says the organizer",
    )
    with mailed.opened() as contest:
        written = contest.written
        organizer_acts(contest, lambda organizer: organizer.move_dates(written, moved, reason))
    for number in (1, 2):
        later = (number - 1) * timedelta(days=DAYS)
        mailed.clock.at = CLOSES + later + timedelta(minutes=5)
        mailed.tell_first_list()
        mailed.clock.at = START + later
        mailed.play()
        mailed.clock.at = START + later + timedelta(days=7)
        with mailed.opened() as contest:
            assert go_on(contest)
        mailed.bring_mails()
    quoted, kinds = "", Counter[str]()
    for name, *_ in planted:
        for record in (each for mail in mailed.mails(name) for each in json_of(mail)):
            kinds[record["kind"]] += 1
            rest = {key: value for key, value in record.items() if key != "quoted"}
            assert "ignore_your_orders" not in json.dumps(rest)
            quoted += json.dumps(record["quoted"])
    assert kinds.keys() == KINDS
    assert kinds["compile report"] == kinds["welcome"] * 2 == TEAMS * 2
    everywhere = {text for texts in planted for text in texts if text in quoted}
    assert len(everywhere) == TEAMS * 11  # the names, and what a team is told of its own form


# --- a season without anybody ---------------------------------------------------------------------
PLAYER = "player"


class ToDovecot:
    """A relay on the way to the teams' mailboxes."""

    def __init__(self, lmtp: int) -> None:
        self.lmtp = lmtp

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        with smtplib.LMTP("127.0.0.1", self.lmtp, timeout=20) as client:
            client.sendmail(envelope.mail_from or "", envelope.rcpt_tos, envelope.content or b"")
        return "250 ok"


@contextmanager
def mailboxes() -> Iterator[tuple[Dovecot, int]]:
    """Dovecot, and the port of a relay that brings mails there."""
    with world_readable_folder() as folder:
        dovecot = Dovecot(folder)
        relay = Controller(ToDovecot(dovecot.lmtp), "127.0.0.1", free_port())
        relay.start()
        yield dovecot, relay.port
        relay.stop()
        dovecot.stop()


class WaitingServer(SeasonServer):
    """It waits for the letters of a program on its own, where others are told what to send."""

    versions = 0

    def _send_program(self, team: str, strategy: str) -> None:
        self.versions += 1
        self._wait(lambda: self._newest(team) == self.versions)

    def _newest(self, name: str) -> int:
        with self.folder.store.read() as tx:
            team = teams.by_name(tx, name)
            good = submissions.latest_good(tx, team.id) if team else None
        return good.number if good else 0


def played_by_the_example(tournaments: int, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mailed = master(place / "master", 3, tournaments)
    programs = [place / f"{name}.c" for name in list(HOUSE)[:tournaments]]
    for program in programs:
        program.write_text(HOUSE[program.stem])
    form = place / "form.txt"
    form.write_text(form_of(PLAYER).replace("LAP,DGP,GRG,RSM", "JSON"))
    with mailboxes() as (dovecot, relay):
        monkeypatch.setenv("KNOBELN_SET_MAIL__DELIVERY", "smtp")
        monkeypatch.setenv("KNOBELN_SET_MAIL__SMARTHOST", f"127.0.0.1:{relay}")
        monkeypatch.setenv("MAIL_PASSWORD", "secret")
        server = WaitingServer(mailed, place / "server")
        servers = (f"127.0.0.1:{server.port}", f"127.0.0.1:{dovecot.imap}")
        words = ("--plain", "--pause", "0.2", ROBOT, address_of(PLAYER), *servers, form, *programs)
        player = start([sys.executable, EXAMPLE, *words], place / "player", os.environ)
        server.hold({number: [(PLAYER, "")] for number in range(1, tournaments + 1)}, 0, Random(0))  # noqa: S311
        wait_for(lambda: player.poll() is not None, "the example")
        assert player.poll() == 0, (place / "player").read_text()
        assert len(json.loads((place / "player").read_text())) == tournaments - 1
        with IMAPClient("127.0.0.1", dovecot.imap, ssl=False, timeout=20) as client:
            client.login(address_of(PLAYER), "secret")
            client.select_folder("INBOX")
            raws = [each[b"RFC822"] for each in client.fetch(client.search(), ["RFC822"]).values()]
    mails = [email.message_from_bytes(raw, policy=email.policy.default) for raw in raws]
    records = [record for mail in mails for record in json_of(mail)]
    kinds = Counter(record["kind"] for record in records)
    assert kinds.pop("results") >= tournaments
    assert kinds == {
        "welcome": 1,
        "compile report": tournaments,
        "entries": 2 * tournaments,
        "tournament": tournaments - 1,
        "season": 1,
    }
    (season,) = (record for record in records if record["kind"] == "season")
    (line,) = (
        each for each in season["lines"] if season["quoted"]["teams"][each["team"]] == PLAYER
    )
    told = {
        record["number"] - 1: record["place"]
        for record in records
        if record["kind"] == "tournament"
    }
    assert line["places"][:-1] == [told[number] for number in range(1, tournaments)]


@pytest.mark.slow
def test_the_example_plays_a_season(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played_by_the_example(2, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.night
def test_the_example_plays_15_tournaments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played_by_the_example(15, tmp_path, monkeypatch)
