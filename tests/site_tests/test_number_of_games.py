"""How many games the front page tells."""

import re
from dataclasses import replace

from knobeln.context import ContestContext
from knobeln.server.site_facts import site_facts
from reports.site import paths
from reports.site.facts import SiteFacts
from reports.site.pages import navigation, pages, plan
from reports.site.templates import SiteTemplates
from tests.support.command_line import knobeln_in


def announced(contest: ContestContext) -> int:
    text = knobeln_in(contest.path, "announce", "--results").stdout
    return int(re.search(r"in ([\d,]+) games of", " ".join(text.split()))[1].replace(",", ""))


def front_page(facts: SiteFacts, contest: ContestContext) -> str:
    templates = SiteTemplates(
        facts.settings, facts.game, navigation(facts), contest.path / "templates"
    )
    page = next(page for page in pages(facts, plan(facts)) if page.path == paths.INDEX)
    return " ".join(templates.files(page)["index.html"].decode().split())


def test_the_front_page_tells_the_number_of_the_announcement_and_what_counts(
    finished: ContestContext,
) -> None:
    with finished.store.read() as tx:
        facts = site_facts(tx, finished)
    (released,) = facts.rounds
    (group,) = released.outcome.groups
    # As if a player had been disqualified after this game.
    one_less = (replace(group.matches[0], counted=False), *group.matches[1:])
    outcome = replace(released.outcome, groups=(replace(group, matches=one_less),))
    games = announced(finished)
    assert f"{games} games were played. Each can be replayed" in front_page(facts, finished)
    text = front_page(replace(facts, rounds=(replace(released, outcome=outcome),)), finished)
    assert (
        f"{games} games were played; {games - 1} of them count. Each that counts can be replayed"
        in text
    )
