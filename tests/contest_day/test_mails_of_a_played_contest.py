"""A contest that was played: threads, and words to those of a round."""

import smtplib
from collections.abc import Iterator, Mapping
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from itertools import islice
from pathlib import Path
from typing import cast

import pytest
from imapclient import IMAPClient

from compiler.build import BuildResult
from mailserver.team_secret import digest
from store import outbox, teams
from tests.support.clocks import FixedClock
from tests.support.command_line import knobeln_in
from tests.support.contest_field import NOW, make_contest, settings
from tests.support.mail_world import World, from_line
from tests.support.servers import Dovecot, world_readable_folder

NAMES = ("team_0001", "team_0002")
ADDRESS = "team_0001@teams.example"
STRING = "k7qd-2mxw-9rtz-h4pc-8nvb"
WHY = ("--reason", "because it is so")


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("day") / "contest"


@pytest.fixture(scope="module")
def world(contest: Path, house: Mapping[str, BuildResult]) -> World:
    """A contest of three rounds that is over; round 1 was played twice. The first teams have
    strings."""
    small = settings(group_min=4, group_max=8, final_size=6)
    folder = make_contest(
        contest, 15, dict(islice(house.items(), 8)), small, ("DGP,GRR,LAP", "RSM")
    )
    with folder.store.write() as tx:
        for name in NAMES:
            team = teams.by_name(tx, name)
            teams.set_auth_digest(tx, team.id, digest(f"{STRING}-{name}"))
    knobeln_in(contest, "run", "--now")
    knobeln_in(contest, "run", "rerun", 1, *WHY)
    knobeln_in(contest, "run", "--now")
    return World(folder.store, folder.settings, folder.templates, FixedClock(NOW))


def ask(world: World, subject: str, name: str = NAMES[0]) -> EmailMessage:
    (mail,) = world.send(
        subject, from_line(name, f"{STRING}-{name}"), sender="joe@elsewhere.example"
    )
    assert mail["To"] == f"{name}@teams.example"
    return mail


def got(world: World, address: str) -> list[EmailMessage]:
    """All mails to this address."""
    with world.store.read() as tx:
        ids = [mail.id for mail in outbox.listing(tx, state=None, to=address, count=1_000)]
        items = [outbox.get(tx, item_id) for item_id in sorted(ids)]
    return [
        cast(EmailMessage, message_from_bytes(item.raw, policy=modern)) for item in items if item
    ]


# --- the mails of the day -------------------------------------------------------------------------
def test_the_organizers_own_words_go_to_the_teams_of_a_round(world: World, contest: Path) -> None:
    (contest / "words.txt").write_text("Well played!\n")
    tell = ("teams", "tell", "--subject", "The final", contest / "words.txt", "--round")
    told = [knobeln_in(contest, *tell, number, "--dry-run") for number in (1, 2)]
    assert "(dry run) 15 teams are told." in told[0].stderr
    assert "(dry run) 8 teams are told." in told[1].stderr
    assert "to the teams of round 2:" in " ".join(told[1].stdout.split())


def test_a_mail_server_sees_one_thread_of_a_team_and_one_of_summaries(world: World) -> None:
    ask(world, "status", NAMES[1])
    mails = got(world, f"{NAMES[1]}@teams.example")
    summaries = {number for number, mail in enumerate(mails, 1) if mail["List-Id"]}
    with world_readable_folder() as folder:
        server = Dovecot(folder)
        try:
            with smtplib.LMTP("127.0.0.1", server.lmtp, timeout=20) as client:
                for mail in mails:
                    client.sendmail("robot@contest.example", ["reader"], mail.as_bytes())
            with IMAPClient("127.0.0.1", server.imap, ssl=False, timeout=20) as reader:
                reader.login("reader", "secret")
                reader.select_folder("INBOX")
                threads = [set(numbers(thread)) for thread in reader.thread("REFS")]
        finally:
            server.stop()
    assert len(summaries) == 6
    assert sorted(threads, key=sorted) == [summaries, set(range(1, len(mails) + 1)) - summaries]


def numbers(thread: object) -> Iterator[int]:
    """The numbers of the mails in a thread as IMAP tells it."""
    if isinstance(thread, int):
        yield thread
    elif isinstance(thread, tuple):
        for part in thread:
            yield from numbers(part)
