"""`subscribe`: nobody is put on a list; the answer says where the news of the contest are."""

from collections.abc import Callable

import pytest

from contest.schema.sections import Site
from reports.site import paths
from store import teams
from tests.support.mail_world import World, body_of, flat, registered

STRANGER = "reader@paper.example"
PAGES = "https://contest.example/knobeln"


@pytest.mark.parametrize("url", [PAGES, f"{PAGES}/"])
def test_a_reader_is_told_where_pages_feed_and_announcement_are(
    make_world: Callable[..., World], url: str
) -> None:
    world = make_world(site=Site(url=url))
    (mail,) = world.send("subscribe", "", sender=STRANGER)
    assert mail["To"] == STRANGER
    lines = body_of(mail).splitlines()
    for page in (paths.INDEX, paths.FEED, paths.ANNOUNCEMENT):
        assert f"  {PAGES}/{page}" in lines
    assert "`send announcement`" in flat(mail)


def test_without_pages_no_feed_is_promised(world: World) -> None:
    (mail,) = world.send("subscribe", "", sender=STRANGER)
    assert "no pages of the contest on the web" in flat(mail)
    assert "http" not in body_of(mail).partition("\n-- \n")[0]
    assert "`send announcement`" in flat(mail)


def test_a_letter_with_send_announcement_brings_it(world: World) -> None:
    world.send("subscribe", "", sender=STRANGER)
    (mail,) = world.send("send announcement", "", sender=STRANGER)
    assert mail["Subject"].startswith("Announcement: ")


def test_a_team_keeps_its_reports_and_is_told_how_to_choose_them(world: World) -> None:
    registered(world)
    with world.store.read() as tx:
        before = teams.all_teams(tx)
    (mail,) = world.send("Subscribe", "", sender=before[0].address)
    assert "`mail-preference`" in flat(mail)
    with world.store.read() as tx:
        assert teams.all_teams(tx) == before


def test_the_answer_comes_once_an_hour(world: World) -> None:
    assert len(world.send("subscribe", "", sender=STRANGER)) == 1
    assert world.send("subscribe", "", sender=STRANGER) == []


def test_in_a_german_contest_the_answer_is_german(make_world: Callable[..., World]) -> None:
    world = make_world(contest={"language": "de"}, site=Site(url=PAGES))
    (mail,) = world.send("subscribe", "", sender=STRANGER)
    assert "wo die Neuigkeiten stehen" in mail["Subject"]
    assert "Per Mail bekommt ihr die Ankündigung" in flat(mail)
    assert f"  {PAGES}/{paths.FEED}" in body_of(mail).splitlines()


@pytest.mark.parametrize("subject", ["Subscribe now and get 50% off all our dice", "subscribers"])
def test_other_subjects_with_the_word_are_not_meant(world: World, subject: str) -> None:
    for mail in world.send(subject, "", sender=STRANGER):
        assert "There is no list of readers" not in flat(mail)
