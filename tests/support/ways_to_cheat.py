"""Ways of an organizer to cheat, each carried out on a contest that is honest in all else.

A way goes on from the honest contest at a stage, and ends with an archive. So the mails of the
teams are those that this organizer has sent.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from sqlalchemy import func, select, update

from contest.config.load import FILE_NAME
from contest.ledger.receipts import Effect, LedgerEntry
from contest.model import BanKind
from knobeln.archive.season import SEASON
from store.tables import builds
from tests.support.archives import HOUSE
from tests.support.drand_network import signed_round
from tests.support.kinds_of_contests import forgery_of
from tests.support.mail_world import START, from_line
from tests.support.mailed_contest import (
    CLOSES,
    DARK,
    HEAVY,
    KNOWN,
    LIGHT,
    PROGRAMS,
    MailedContest,
)
from tests.support.organizer import organizer_acts
from tests.support.organizers import Forgery, frozen

STRATEGY = "grim"  # that the organizer likes better
FRIEND = "the_grey_lords_of_knobeln"
OWN_ADDRESS = "dark@organizer.example"


@dataclass
class Hands:
    """What an organizer has: the honest contest at each stage, and a place for the archive."""

    stage: Callable[[str], MailedContest]
    archive: Path

    def forgery(self, contest: MailedContest) -> Forgery:
        """The archive of this contest, which the organizer changes."""
        return forgery_of(contest, contest.publish(self.archive.with_name("honest")))

    def forgery_after(self, way: Way) -> tuple[MailedContest, Forgery]:
        """A contest of this way, and its archive, which the organizer changes, too."""
        hands = Hands(self.stage, self.archive.with_name("unforged"))
        contest = way(hands)
        return contest, forgery_of(contest, hands.archive)


Way = Callable[[Hands], MailedContest]


@contextmanager
def in_secret(contest: MailedContest, team: str) -> Iterator[None]:
    """What is done in a team's name; its answers are deleted before the team has them."""
    box = contest.box(team)
    kept = shutil.copytree(box, box.with_name("kept"))
    yield
    shutil.rmtree(box)
    kept.rename(box)


def rewrite(contest: MailedContest, **values: datetime | int) -> None:
    """Change settings in contest.toml by hand."""
    file = contest.folder / FILE_NAME
    text = before = file.read_text()
    for name, value in values.items():
        written = f"{value:%Y-%m-%dT%H:%M:%SZ}" if isinstance(value, datetime) else value
        text = re.sub(f"^{name} = .*$", f"{name} = {written}", text, flags=re.M)
    assert text != before
    file.write_text(text)


def with_mails_of(contest: MailedContest, other: MailedContest, team: str) -> None:
    """The team has the mails that it has in the other contest."""
    shutil.rmtree(contest.box(team))
    shutil.copytree(other.box(team), contest.box(team))


def arrived(contest: MailedContest, team: str, at: datetime) -> None:
    """The newest list of entries arrived at this time, as the team's provider says."""
    lists = [
        file
        for file in (contest.box(team) / "new").iterdir()
        if b"X-Knobeln-Report: entries" in file.read_bytes()
    ]
    newest = max(lists, key=lambda file: file.stat().st_mtime_ns)
    header = rb"(?<=by teams\.example; ).*"
    newest.write_bytes(re.sub(header, format_datetime(at).encode(), newest.read_bytes(), count=1))


def forget_newest(contest: MailedContest) -> None:
    """In the database: the newest program, which is DARK's, was never accepted."""
    with contest.opened() as opened, opened.store.write() as tx:
        newest = select(func.max(builds.c.id)).scalar_subquery()
        tx.execute(update(builds).where(builds.c.id == newest).values(accepted=False))


def take_out(contest: MailedContest, team: str, kind: BanKind = BanKind.DISQUALIFIED) -> None:
    with contest.opened() as opened:
        organizer_acts(opened, lambda organizer: organizer.take_out(team, kind, "so"))


def played(contest: MailedContest, hands: Hands) -> MailedContest:
    contest.clock.at = max(contest.clock.at, KNOWN)
    contest.play()
    contest.publish(hands.archive)
    return contest


def later(contest: MailedContest, **by: float) -> MailedContest:
    contest.clock.at += timedelta(**by)
    return contest


# --- the calendar ---------------------------------------------------------------------------------
def started(hands: Hands, at: datetime, *, listed: datetime | None = None) -> MailedContest:
    """A contest that starts at this moment. `listed`: when the first list goes out, if it does."""
    contest = hands.stage("open")
    if listed:
        contest.clock.at = listed
        contest.tell_first_list()
    contest.clock.at = at
    contest.start()
    return played(contest, hands)


def announced(hands: Hands, start: datetime) -> Hands:
    """The same, with a contest whose announced start was changed by hand."""

    def stage(name: str) -> MailedContest:
        contest = hands.stage(name)
        rewrite(contest, contest_starts=start)
        return contest

    return replace(hands, stage=stage)


def started_before_the_deadline(hands: Hands) -> MailedContest:
    return started(hands, CLOSES - timedelta(days=1))


def started_before_its_date(hands: Hands) -> MailedContest:
    return started(hands, CLOSES + timedelta(seconds=5))


def started_with_the_deadline(hands: Hands) -> MailedContest:
    return started(announced(hands, CLOSES), CLOSES + timedelta(seconds=5))


def started_a_minute_after_the_deadline(hands: Hands) -> MailedContest:
    return started(
        announced(hands, CLOSES + timedelta(minutes=1)),
        CLOSES + timedelta(seconds=65),
        listed=CLOSES + timedelta(seconds=35),
    )


def listed_in_the_last_minute(hands: Hands) -> MailedContest:
    return started(hands, START + timedelta(seconds=5), listed=START - timedelta(seconds=75))


def listed_never(hands: Hands) -> MailedContest:
    return started(hands, START + timedelta(seconds=5))


def listed_in_time_by_a_forged_ledger(hands: Hands) -> MailedContest:
    """As before, but the archive says that the list came in time."""
    contest, forgery = hands.forgery_after(listed_in_the_last_minute)
    at = CLOSES + timedelta(minutes=1)
    for effect in (Effect.PROGRAMS_CLOSED, Effect.ENTRIES_LISTED):
        place = forgery.place_of(effect)
        forgery.ledger[place] = replace(forgery.ledger[place], at=at)
    with forgery.json("entry_lists.json") as lists:
        lists[0]["at"] = f"{at:%Y-%m-%dT%H:%M:%SZ}"
    forgery.publish(hands.archive)
    return contest


def started_again(hands: Hands) -> MailedContest:
    """The results were seen, the database put back, and the contest started once more."""
    seen = hands.stage("listed")
    seen.clock.at = START + timedelta(seconds=5)
    seen.start()
    again = hands.stage("listed")
    shutil.rmtree(again.place / "boxes")
    shutil.copytree(seen.place / "boxes", again.place / "boxes")
    again.clock.at = START + timedelta(minutes=30)
    again.start()
    again.clock.at = START + timedelta(minutes=45)
    return played(again, hands)


def listed_late_to_one_team(hands: Hands) -> MailedContest:
    contest = hands.stage("listed")
    arrived(contest, DARK, START - timedelta(minutes=5))
    contest.hold(hands.archive)
    return contest


def listed_to_all_but_one_team(hands: Hands) -> MailedContest:
    contest = hands.stage("listed")
    with_mails_of(contest, hands.stage("open"), DARK)
    contest.hold(hands.archive)
    return contest


def held_back_the_final_list(hands: Hands) -> MailedContest:
    contest = hands.stage("final")
    for team in PROGRAMS:
        arrived(contest, team, KNOWN + timedelta(minutes=1))
    return played(contest, hands)


def moved_the_deadline_for_a_friend(hands: Hands) -> MailedContest:
    """By hand, an hour back, when the friend is late; nobody is told."""
    contest = hands.stage("open")
    closes = CLOSES + timedelta(minutes=50)
    rewrite(contest, compilation_closes=closes)
    contest.clock.at = CLOSES + timedelta(minutes=30)
    contest.send_program(HEAVY, STRATEGY)
    contest.clock.at = closes + timedelta(minutes=1)
    contest.tell_first_list()
    contest.hold(hands.archive)
    return contest


def started_two_days_late(hands: Hands) -> MailedContest:
    contest = hands.stage("listed")
    contest.clock.at = START + timedelta(days=2)
    contest.start()
    return played(later(contest, minutes=15), hands)


def called_a_program_late(hands: Hands) -> MailedContest:
    """A better program of the team is kept back until programs are no longer taken."""
    contest = hands.stage("open")
    contest.clock.at = CLOSES + timedelta(seconds=30)
    contest.send_program(DARK, STRATEGY)
    contest.go_on(hands.archive)
    return contest


def made_anew(hands: Hands) -> MailedContest:
    """With another secret number, when the public one is known: the clock is set back, and all
    programs are sent again. The teams have the mails of the contest that they took part in."""
    seen = hands.stage("played")
    with seen.opened() as opened:
        chosen = opened.settings
    contest = type(seen).create(hands.archive.with_name("anew"), chosen, seen.files)
    contest.form = seen.form
    contest.take_part(PROGRAMS)
    contest.go_on(hands.archive)
    for team in PROGRAMS:
        with_mails_of(contest, seen, team)
    return contest


# --- in a team's name -----------------------------------------------------------------------------
def withdrew_the_team(hands: Hands) -> MailedContest:
    contest = later(hands.stage("open"), minutes=1)
    with in_secret(contest, DARK):
        contest.send(DARK, "withdraw", from_line(DARK, contest.strings[DARK]))
    contest.go_on(hands.archive)
    return contest


def withdrew_the_team_that_objected(hands: Hands) -> MailedContest:
    contest = later(hands.stage("open"), minutes=1)
    words = from_line(DARK, contest.strings[DARK])
    with in_secret(contest, DARK):
        contest.send(DARK, "withdraw", words)
    contest.clock.at = CLOSES + timedelta(minutes=1)
    contest.tell_first_list()
    later(contest, minutes=1).send(DARK, "objection", words)
    contest.hold(hands.archive)
    return contest


def sent_the_older_program_again(hands: Hands) -> MailedContest:
    contest = later(hands.stage("open"), minutes=1)
    contest.send_program(DARK, "dice_cup")
    later(contest, minutes=1)
    with in_secret(contest, DARK):
        contest.send_program(DARK, "pavlov")
    contest.go_on(hands.archive)
    return contest


def sent_a_worse_program(hands: Hands) -> MailedContest:
    """Another one than the team has ever sent."""
    contest = later(hands.stage("open"), minutes=1)
    with in_secret(contest, DARK):
        contest.send_program(DARK, STRATEGY)
    contest.go_on(hands.archive)
    return contest


def damaged_its_program(hands: Hands) -> MailedContest:
    """A better program of the team is damaged before it is entered, so it is refused."""
    contest = later(hands.stage("open"), minutes=1)
    name, data = contest.files.get(STRATEGY, ("grim.c", HOUSE[STRATEGY].encode()))
    words = from_line(DARK, contest.strings[DARK])
    contest.send(DARK, "please compile", words, {name: b"(((\n" + data})
    contest.go_on(hands.archive)
    return contest


def refused_its_program_by_a_date(hands: Hands) -> MailedContest:
    """The deadline is moved, a better program of the team refused, and the deadline put back."""
    contest = later(hands.stage("open"), hours=1)
    before = (contest.folder / FILE_NAME).read_text()
    rewrite(contest, compilation_closes=contest.clock.at)
    contest.send_program(DARK, STRATEGY)
    (contest.folder / FILE_NAME).write_text(before)
    contest.go_on(hands.archive)
    return contest


def dated_its_program_back(hands: Hands) -> MailedContest:
    """A better program of the team is entered as if it had come before the one that it has."""
    contest = later(hands.stage("open"), hours=-1)
    contest.send_program(DARK, STRATEGY)
    contest.go_on(hands.archive)
    return contest


def took_its_objection_out(hands: Hands) -> MailedContest:
    """The team objects, and has a receipt of it; the archive's ledger has no objection."""

    def objected(hands: Hands) -> MailedContest:
        contest = later(hands.stage("listed"), minutes=1)
        contest.send(DARK, "objection", from_line(DARK, contest.strings[DARK]))
        contest.hold(hands.archive)
        return contest

    contest, forgery = hands.forgery_after(objected)
    del forgery.ledger[forgery.place_of(Effect.OBJECTION, DARK)]
    forgery.publish(hands.archive)
    return contest


def entered_a_friend_as_two_teams(hands: Hands) -> MailedContest:
    contest = later(hands.stage("open"), minutes=1)
    contest.register(FRIEND)
    later(contest, minutes=1).send_program(FRIEND, PROGRAMS[HEAVY])
    contest.go_on(hands.archive)
    return contest


def took_over_the_name(hands: Hands) -> MailedContest:
    """The team is withdrawn, and its name registered anew, with a program of the organizer."""
    contest = later(hands.stage("open"), minutes=1)
    with in_secret(contest, DARK):
        contest.send(DARK, "withdraw", from_line(DARK, contest.strings[DARK]))
        contest.register(DARK)
        later(contest, minutes=1).send_program(DARK, STRATEGY)
    contest.go_on(hands.archive)
    return contest


def moved_its_mails(hands: Hands) -> MailedContest:
    """All later mails of the team go to an address of the organizer."""
    contest = later(hands.stage("open"), minutes=1)
    words = from_line(DARK, contest.strings[DARK])
    with in_secret(contest, DARK):
        contest.send(DARK, f"change address {OWN_ADDRESS}", words)
        (question,) = contest.mails(OWN_ADDRESS)
        contest.send(OWN_ADDRESS, f"Re: {question['Subject']}", "")
    contest.go_on(hands.archive)
    return contest


def stopped_its_reports(hands: Hands) -> MailedContest:
    contest = later(hands.stage("open"), minutes=1)
    with in_secret(contest, DARK):
        contest.send(DARK, "mail-preference none", from_line(DARK, contest.strings[DARK]))
    contest.go_on(hands.archive)
    return contest


def told_it_another_ledger(hands: Hands) -> MailedContest:
    """The team's mails are those of a contest in which nothing was changed."""
    contest = later(hands.stage("open"), minutes=1)
    contest.send_program(DARK, STRATEGY)
    contest.go_on(hands.archive)
    with_mails_of(contest, hands.stage("played"), DARK)
    return contest


def sent_it_no_results(hands: Hands) -> MailedContest:
    contest = hands.stage("played")
    with_mails_of(contest, hands.stage("final"), DARK)
    contest.publish(hands.archive)
    return contest


def wrote_it_other_results(hands: Hands) -> MailedContest:
    contest = hands.stage("played")
    for file in (contest.box(DARK) / "new").iterdir():
        text = file.read_bytes()
        if b"X-Knobeln-Report: RSM" in text:
            file.write_bytes(text.replace(b" 1. ", b" 9. "))
    contest.publish(hands.archive)
    return contest


# --- lists, programs, decisions -------------------------------------------------------------------
def left_off(hands: Hands) -> MailedContest:
    contest = hands.stage("open")
    forget_newest(contest)
    contest.go_on(hands.archive)
    return contest


def left_off_as_if_withdrawn(hands: Hands) -> MailedContest:
    contest, forgery = hands.forgery_after(left_off)
    place = forgery.place_of(Effect.PROGRAMS_CLOSED)
    at = forgery.ledger[place].at - timedelta(hours=1)
    forgery.ledger.insert(place, LedgerEntry(Effect.WITHDRAWN, DARK, at, "ab" * 32))
    forgery.publish(hands.archive)
    return contest


def played_an_older_program(hands: Hands) -> MailedContest:
    contest = later(hands.stage("open"), minutes=1)
    contest.send_program(DARK, "dice_cup")
    forget_newest(contest)
    contest.go_on(hands.archive)
    return contest


def played_another_build(hands: Hands) -> MailedContest:
    """DARK plays the build of LIGHT, made by a compiler that nobody has."""
    contest = hands.stage("listed")
    with contest.opened() as opened, opened.store.write() as tx:
        _heavy, light, dark = tx.execute(select(builds).order_by(builds.c.id)).all()
        report = {**dark.report, "tool": "gcc 99.1", "image_digest": light.image_digest}
        changed = update(builds).where(builds.c.id == dark.id)
        tx.execute(changed.values(image_digest=light.image_digest, report=report))
    contest.hold(hands.archive)
    return contest


def played_other_builds_of_another_compiler(hands: Hands) -> MailedContest:
    """As before, and all programs are said to be made by that compiler."""
    contest, forgery = hands.forgery_after(played_another_build)
    with forgery.json("entries.json") as entries:
        for entry in entries:
            entry["tool"] = "gcc 99.1"
    forgery.publish(hands.archive)
    return contest


def took_out_before_the_start(hands: Hands) -> MailedContest:
    contest = later(hands.stage("listed"), minutes=1)
    take_out(contest, DARK)
    contest.hold(hands.archive)
    return contest


def took_out_with_the_number_known(hands: Hands) -> MailedContest:
    contest = hands.stage("drawn")
    take_out(contest, DARK)
    return played(contest, hands)


def took_out_as_if_it_wished_it(hands: Hands) -> MailedContest:
    contest = hands.stage("drawn")
    take_out(contest, DARK, BanKind.DROPPED)
    return played(contest, hands)


def hid_a_ban(hands: Hands) -> MailedContest:
    contest, forgery = hands.forgery_after(took_out_with_the_number_known)
    with forgery.json("decisions.json") as decisions:
        decisions["taken_out"] = []
    del forgery.ledger[forgery.place_of(Effect.TAKEN_OUT, DARK)]
    forgery.publish(hands.archive)
    return contest


def changed_a_number_before_the_list(hands: Hands) -> MailedContest:
    """Of the rules, when all programs are there; nobody is told."""
    contest = hands.stage("open")
    rewrite(contest, L=41, seconds=200)
    contest.go_on(hands.archive)
    return contest


def changed_the_rules_after_the_list(hands: Hands) -> MailedContest:
    contest = hands.stage("listed")
    file = contest.folder / FILE_NAME
    file.write_text(file.read_text().replace('title = "', 'title = "Another '))
    contest.hold(hands.archive)
    return contest


def let_a_friend_in_by_a_clock_that_is_set_back(hands: Hands) -> MailedContest:
    """A program that somebody has sent after the first list, as if it had come before the
    deadline."""
    contest = hands.stage("listed")
    contest.clock.at = CLOSES - timedelta(minutes=5)
    contest.send_program(HEAVY, STRATEGY)
    contest.hold(hands.archive)
    return contest


def moved_the_deadline(hands: Hands) -> MailedContest:
    """By hand, a day forward, before the first list; nobody is told."""
    contest = hands.stage("open")
    closes = CLOSES - timedelta(days=1)
    rewrite(contest, compilation_closes=closes)
    contest.clock.at = closes + timedelta(minutes=1)
    contest.tell_first_list()
    contest.hold(hands.archive)
    return contest


def waited_with_the_number(hands: Hands) -> MailedContest:
    """The number is known for two days before the contest goes on."""
    contest = hands.stage("final")
    contest.clock.at = KNOWN + timedelta(days=2)
    return played(contest, hands)


def played_a_round_again(hands: Hands) -> MailedContest:
    contest = hands.stage("played")
    with contest.opened() as opened:
        organizer_acts(opened, lambda organizer: organizer.rerun(1, None, "so"))
    return played(later(contest, minutes=1), hands)


def hid_a_round_that_was_played_again(hands: Hands) -> MailedContest:
    contest, forgery = hands.forgery_after(played_a_round_again)
    with forgery.json("decisions.json") as decisions:
        decisions["played_again"] = []
    del forgery.ledger[forgery.place_of(Effect.PLAYED_AGAIN)]
    forgery.publish(hands.archive)
    return contest


# --- the archive ----------------------------------------------------------------------------------
def forged(change: Callable[[Forgery], None]) -> Way:
    def way(hands: Hands) -> MailedContest:
        contest = hands.stage("played")
        forgery = hands.forgery(contest)
        change(forgery)
        forgery.publish(hands.archive)
        return contest

    return way


def other_points(forgery: Forgery) -> None:
    with forgery.json("rounds/1/group-1.json") as group:
        seats = group["matches"][0]["result"]["seats"]
        seats[0]["points"], seats[1]["points"] = seats[1]["points"] + 1, seats[0]["points"]


def swapped_games(forgery: Forgery) -> None:
    """The first and the last one."""
    paths = [path for path in forgery.files if "/group-" in path]
    groups = [json.loads(forgery.files[path]) for path in paths]
    first, *_, last = (match for group in groups for match in group["matches"])
    first["result"], last["result"] = last["result"], first["result"]
    for path, group in zip(paths, groups, strict=True):
        forgery.files[path] = json.dumps(group, indent=1, ensure_ascii=False).encode() + b"\n"


def other_generation(forgery: Forgery) -> None:
    text = forgery.files["evolution.json"].decode()
    value = json.loads(text)
    value["generations"] = value["generations"][:-1]
    forgery.files["evolution.json"] = json.dumps(value, indent=1).encode() + b"\n"


def no_ledger(forgery: Forgery) -> None:
    forgery.files["ledger.txt"] = b""
    forgery.ledger = []


def dated_back(forgery: Forgery) -> None:
    entry = LedgerEntry(Effect.TAKEN_OUT, LIGHT, START - timedelta(hours=1))
    forgery.ledger.append(entry)


def other_number(forgery: Forgery) -> None:
    with forgery.json("seal.json") as seal:
        seal["number"] = "00" * 32


def next_number(forgery: Forgery) -> None:
    """The number of the next round of drand, with its signature."""
    with forgery.json("seal.json") as seal:
        seal["source"] = signed_round(json.loads(seal["source"])["round"] + 1)
        seal["number"] = json.loads(seal["source"])["randomness"]
    digest = hashlib.sha256(bytes.fromhex(seal["number"])).hexdigest()
    place = forgery.place_of(Effect.NUMBER_DRAWN)
    forgery.ledger[place] = replace(forgery.ledger[place], digest=digest)


def other_source(forgery: Forgery) -> None:
    """Of DARK's program, with the same build."""
    path = next(path for path in forgery.files if path.startswith(f"programs/{DARK}/source/"))
    forgery.files[path] += b"\n"


def dates_of_another_zone(forgery: Forgery) -> None:
    """All dates two hours earlier, as they read; the ledger has the digest of these settings."""
    with forgery.json("contest.json") as facts:
        dates = facts["settings"]["dates"]
        facts["settings"]["dates"] = {name: f"{at[:-1]}+02:00" for name, at in dates.items()}
    forgery.ledger = frozen(forgery.files, forgery.ledger)


def title_in_half_a_sign(forgery: Forgery) -> None:
    """A text that has no UTF-8; the ledger has the digest of these settings."""
    file = forgery.files["contest.json"]
    forgery.files["contest.json"] = file.replace(b'"title": "', b'"title": "\\ud800', 1)


def key_twice(forgery: Forgery) -> None:
    """Each reader may take another one of two secret numbers."""
    file = forgery.files["contest.json"]
    forgery.files["contest.json"] = file.replace(b' "seed": ', b' "seed": "00",\n "seed": ', 1)


def page_of_its_own(forgery: Forgery) -> None:
    """A check page that always says that every result follows."""
    forgery.files["verify.html"] = b"<!doctype html><p>Every result follows.\n"


def other_members(forgery: Forgery) -> None:
    """An archive for one reader, in which nothing differs that follows from anything."""
    with forgery.json("entries.json") as entries:
        entries[0]["organization"] = "another one"


def added_round(forgery: Forgery) -> None:
    with forgery.json("rounds.json") as rounds:
        rounds.append({**rounds[-1], "number": len(rounds) + 1})
    last = len(rounds)
    for path, raw in dict(forgery.files).items():
        if path.startswith("rounds/1/"):
            forgery.files[path.replace("rounds/1/", f"rounds/{last}/")] = raw


def other_announcement(forgery: Forgery) -> None:
    forgery.files["announcement.txt"] = forgery.files["announcement.txt"].replace(b"1", b"2")


def no_close(forgery: Forgery) -> None:
    del forgery.ledger[forgery.place_of(Effect.PROGRAMS_CLOSED)]


def other_prize(forgery: Forgery) -> None:
    """The last team would be the first of those that wrote this into their form."""
    with forgery.json("entries.json") as entries:
        entries[-1]["prize_field"] = "AI"


# --- a season -------------------------------------------------------------------------------------
def forged_season(change: Callable[[Any], None]) -> Way:
    def way(hands: Hands) -> MailedContest:
        contest = hands.stage("played")
        contest.publish(hands.archive)
        file = hands.archive / SEASON
        season = json.loads(file.read_text())
        change(season)
        file.write_text(json.dumps(season, indent=1, ensure_ascii=False) + "\n")
        return contest

    return way


def other_season_points(season: Any) -> None:
    season["table"]["lines"][-1]["points"] += 1


def one_tournament_twice(season: Any) -> None:
    season["archives"][1] = season["archives"][0]


def tournaments_in_another_order(season: Any) -> None:
    season["archives"].reverse()


def one_tournament_less(season: Any) -> None:
    season["archives"].pop()
    season["table"]["tournaments"] = 1


WAYS: Mapping[str, Way] = {
    "starts before the deadline": started_before_the_deadline,
    "starts before the announced date": started_before_its_date,
    "starts with the deadline": started_with_the_deadline,
    "starts a minute after the deadline": started_a_minute_after_the_deadline,
    "sends the first list in the last minute": listed_in_the_last_minute,
    "sends no first list": listed_never,
    "dates a late first list back": listed_in_time_by_a_forged_ledger,
    "starts again after the results": started_again,
    "withdraws a team": withdrew_the_team,
    "withdraws a team, which objects": withdrew_the_team_that_objected,
    "sends a team's older program again": sent_the_older_program_again,
    "sends a worse program for a team": sent_a_worse_program,
    "leaves a team off the list": left_off,
    "leaves a team off, as if it had withdrawn": left_off_as_if_withdrawn,
    "lets an older program play": played_an_older_program,
    "lets another build play": played_another_build,
    "takes a team out before the start": took_out_before_the_start,
    "takes a team out with the number known": took_out_with_the_number_known,
    "hides a ban": hid_a_ban,
    "changes settings after the list": changed_the_rules_after_the_list,
    "changes points": forged(other_points),
    "swaps two games": forged(swapped_games),
    "leaves a generation out": forged(other_generation),
    "publishes no ledger": forged(no_ledger),
    "dates a ban back": forged(dated_back),
    "takes another number": forged(other_number),
    "takes over a team's name": took_over_the_name,
    "moves a team's mails to another address": moved_its_mails,
    "stops a team's reports": stopped_its_reports,
    "tells one team another ledger": told_it_another_ledger,
    "writes other results to one team": wrote_it_other_results,
    "sets the clock back for a friend": let_a_friend_in_by_a_clock_that_is_set_back,
    "moves the deadline, and tells nobody": moved_the_deadline,
    "waits when the number is known": waited_with_the_number,
    "plays a round again": played_a_round_again,
    "publishes another archive for one reader": forged(other_members),
    "adds a round": forged(added_round),
    "takes the deadline out of the ledger": forged(no_close),
    "sends one team the first list late": listed_late_to_one_team,
    "sends one team no first list": listed_to_all_but_one_team,
    "sends one team no results": sent_it_no_results,
    "holds the final list until the number is known": held_back_the_final_list,
    "extends the deadline for a friend": moved_the_deadline_for_a_friend,
    "changes a number of the rules before the list": changed_a_number_before_the_list,
    "damages a team's program before it is entered": damaged_its_program,
    "enters a friend as two teams": entered_a_friend_as_two_teams,
    "takes a team out as if it wished it": took_out_as_if_it_wished_it,
    "plays a round again, and hides it": hid_a_round_that_was_played_again,
    "writes another announcement": forged(other_announcement),
    "makes the contest anew when the number is known": made_anew,
    "starts two days after the announced date": started_two_days_late,
    "calls a program late that came in time": called_a_program_late,
    "refuses a program by a deadline that is put back": refused_its_program_by_a_date,
    "dates a team's newest program back": dated_its_program_back,
    "takes an objection out of the ledger": took_its_objection_out,
    "takes the number of the next round": forged(next_number),
    "changes a program's source, but not its build": forged(other_source),
    "lets other builds play, of a compiler that nobody has": (
        played_other_builds_of_another_compiler
    ),
    "writes the dates in another zone": forged(dates_of_another_zone),
    "writes a title that is no text": forged(title_in_half_a_sign),
    "writes a secret number twice": forged(key_twice),
    "publishes a check page of its own": forged(page_of_its_own),
}
WAYS_OF_KIND: Mapping[str, Mapping[str, Way]] = {
    "a class": {"gives a prize to another team": forged(other_prize)},
    "a season": {
        "writes other points into the season's table": forged_season(other_season_points),
        "leaves a tournament out of the season": forged_season(one_tournament_less),
        "counts one tournament twice": forged_season(one_tournament_twice),
        "changes the order of the tournaments": forged_season(tournaments_in_another_order),
    },
}
"""What only some kinds of contests have room for."""
BY_MAILS_ALONE = (
    "takes over a team's name",
    "moves a team's mails to another address",
    "stops a team's reports",
    "tells one team another ledger",
    "moves the deadline, and tells nobody",
    "sends a worse program for a team",
    "dates a late first list back",
    "starts again after the results",
    "sends one team the first list late",
    "sends one team no first list",
    "holds the final list until the number is known",
    "extends the deadline for a friend",
    "plays a round again, and hides it",
    "makes the contest anew when the number is known",
    "takes an objection out of the ledger",
)
"""What an archive alone does not show; docs/trust.md says who finds it."""
BY_NOBODY = (
    "writes other results to one team",
    "publishes another archive for one reader",
    "sends one team no results",
    "changes a number of the rules before the list",
    "damages a team's program before it is entered",
    "enters a friend as two teams",
    "calls a program late that came in time",
)
"""What neither archive nor mails show; docs/trust.md says what to do."""
UNSEEN_BY_THE_PAGE = (
    "lets another build play",
    "lets other builds play, of a compiler that nobody has",
    "publishes a check page of its own",
    "writes another announcement",
    *WAYS_OF_KIND["a season"],
)
VICTIM, THIRD = DARK, LIGHT
