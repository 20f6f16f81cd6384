"""A contest that was played: threads, and words to those of a round."""

import re
import smtplib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from itertools import islice
from pathlib import Path
from typing import cast

import pytest
from imapclient import IMAPClient
from sqlalchemy import delete, insert, select

from compiler.build import BuildResult
from contest.games.knobeln import rules_of
from contest.model import Rerun
from contest.schema.sections import KNOBELN_REPORTS
from knobellib.samples import house_strategies
from mailserver.team_secret import digest
from store import outbox, results, tables, teams
from store.results import Games
from tests.support.clocks import FixedClock
from tests.support.command_line import knobeln_in
from tests.support.contest_field import NOW, make_contest, settings
from tests.support.kit_on_disk import unpacked
from tests.support.mail_world import World, body_of, flat, from_line
from tests.support.servers import Dovecot, world_readable_folder
from tournament.worst_games import worst_games

NAMES = ("team_0001", "team_0002")
WITH_WHY, WITH_BOTH = "team_0003", "team_0004"
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
    small = small.changed(reports={"offered": (*KNOBELN_REPORTS, "WHY")})
    codes = ("DGP,GRR,LAP", "RSM", "WHY", "RSM,WHY")
    folder = make_contest(contest, 15, dict(islice(house.items(), 8)), small, codes)
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


# --- everybody's worst game -----------------------------------------------------------------------
def test_a_teams_worst_game_is_the_worst_of_all_rounds(world: World) -> None:
    with world.store.read() as tx:
        kept, rounds = results.get_worst_games(tx), results.finished_rounds(tx, Games.ALL)
    worst = [game for outcome in rounds for group in outcome.groups for game in worst_games(group)]
    leads: dict[str, int] = {}
    for game in worst:
        leads[game.entry] = min(game.lead, leads.get(game.entry, game.lead))
    assert {name: game.lead for name, game in kept.items()} == leads
    assert len({game.plan.round for game in kept.values()}) > 1


def test_games_of_a_round_that_is_to_be_played_again_are_no_worst_games(world: World) -> None:
    with suppress(Undone), world.store.write() as tx:
        results.order_rerun(tx, Rerun(0, NOW, 2, None, "because it is so"), {})
        left = results.get_worst_games(tx)
        raise Undone
    assert {game.plan.round for game in left.values()} == {1}


class Undone(Exception):
    """The transaction was a trial."""


def test_a_team_hears_what_decided_its_worst_game(world: World) -> None:
    told = flat(ask(world, "why"))
    assert "The worst game of team_0001 was that against team_" in told
    assert "No other throws cost it more of its lead: throw " in told


def test_anybody_may_ask_for_any_team_where_all_games_are_told(world: World) -> None:
    own, by_another = (body_of(ask(world, "why team_0001", name)) for name in NAMES)
    (by_a_stranger,) = world.send("Why did TEAM_0001 lose?", "", sender="joe@else.example")
    assert by_another == own == body_of(by_a_stranger)


def test_a_contest_that_has_none_says_so(world: World) -> None:
    """As one that was over before its server computed them."""
    with world.store.write() as tx:
        games = [game._asdict() for game in tx.execute(select(tables.worst_games))]
        tx.execute(delete(tables.worst_games))
    assert "What decided the games of this contest was not computed" in flat(ask(world, "why"))
    with world.store.write() as tx:
        tx.execute(insert(tables.worst_games), games)


def test_who_asks_for_it_gets_it_with_the_summary_or_by_itself(world: World) -> None:
    """Twice: the contest was played again."""
    alone, both = (
        [
            mail
            for mail in got(world, f"{name}@teams.example")
            if f"worst game of {name}" in body_of(mail)
        ]
        for name in (WITH_WHY, WITH_BOTH)
    )
    assert [mail["X-Knobeln-Report"] for mail in alone] == ["WHY", "WHY"]
    assert [mail["X-Knobeln-Report"] for mail in both] == ["RSM", "RSM"]
    own, _, rest = body_of(both[-1]).partition("The worst game of team_0004")
    assert own.startswith("You ")
    assert "fails: 2 disqualify" in rest


@pytest.mark.slow
def test_the_line_in_the_mail_plays_the_worst_game_again(world: World, tmp_path: Path) -> None:
    text = body_of(ask(world, "why"))
    line = next(line for line in text.splitlines() if "./knobeln" in line)
    *options, first, second = line.partition("|")[0].split()[1:]
    kit = unpacked(tmp_path, rules_of(world.settings.game))
    kit.make("knobeln")
    sources = [strategy.source for strategy in islice(house_strategies(), 8)]
    for name in (first, second):
        kit.add(name, sources[(int(name[-4:]) - 1) % 8])
    points = re.findall("[0-9]+", kit.play(*options, first, second).err)
    (told,) = re.findall("([0-9,]+) to ([0-9,]+) points", " ".join(text.split()))
    assert {number.replace(",", "") for number in told} <= set(points)
