"""A season: several tournaments one after the other, by their dates alone."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from contest.actions.organizer_actions import OrganizerActions
from contest.model import BanKind
from contest.schema.sections import Season
from contest.store import submissions
from knobeln.context import ContestContext
from knobeln.season import go_on
from tests.support.archives import knobeln
from tests.support.mail_world import START, flat
from tests.support.mailed_contest import (
    CLOSES,
    DARK,
    HEAVY,
    KNOWN,
    LIGHT,
    LOST,
    PROGRAMS,
    MailedContest,
    small_settings,
)

DAYS = timedelta(days=14)
PUBLISHED = START + timedelta(days=7)
NEW = "the_new_lords_of_knobeln"


def goes_on(mailed: MailedContest) -> bool:
    with mailed.opened() as contest:
        went_on = go_on(contest)
    mailed.bring_mails()
    return went_on


def play(mailed: MailedContest, number: int) -> None:
    """Play a tournament from its last program to its results."""
    later = (number - 1) * DAYS
    mailed.clock.at = CLOSES + later + timedelta(minutes=5)
    mailed.tell_first_list()
    mailed.clock.at = START + later
    mailed.start()
    mailed.clock.at = KNOWN + later
    mailed.play()
    assert not goes_on(mailed)
    mailed.clock.at = PUBLISHED + later
    assert goes_on(mailed)
    assert not goes_on(mailed)


def later(mailed: MailedContest) -> MailedContest:
    mailed.clock.at += timedelta(minutes=1)
    return mailed


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> MailedContest:
    """Of two tournaments: LIGHT is disqualified in the first, DARK sends a better program, NEW is new, LOST has
    no program."""
    chosen = small_settings(final_size=2).model_copy(update={"season": Season(tournaments=2, days=14)})
    mailed = MailedContest.create(tmp_path_factory.mktemp("season"), chosen)
    mailed.take_part(PROGRAMS)
    later(mailed).register(LOST)
    with mailed.opened() as contest, contest.store.write() as tx:
        actions = OrganizerActions(tx, contest.settings, contest.templates, mailed.clock.at, "a test")
        actions.take_out(LIGHT, BanKind.DISQUALIFIED, "two teams, one author")
    play(mailed, 1)
    later(mailed).register(NEW)
    later(mailed).send_program(NEW, "log_dice")
    later(mailed).send_program(DARK, "log_dice")
    play(mailed, 2)
    return mailed


def test_it(season: MailedContest) -> None:
    for team in (HEAVY, DARK, NEW, LIGHT, LOST):
        for mail in season.mails(team):
            if mail["X-Knobeln-Report"] in ("tournament", "season"):
                from tests.support.mail_world import body_of
                print(body_of(mail))
    for n in (1, 2):
        target = season.place / f"a{n}"
        r = knobeln("publish", "--early", "--tournament", n, target, "-C", season.folder)
        print(r.output)
        assert r.exit_code == 0
        r = knobeln("verify", target)
        print(r.exit_code, r.output)
    r = knobeln("results", "season",  "-C", season.folder)
    print(r.exit_code, r.output)
    r = knobeln("results", "season", "--json", "-C", season.folder)
    print(r.exit_code, r.output)
    assert 0
