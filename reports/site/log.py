"""The public events of the contest: as a page, as a feed, and for the front page. Pure."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from uuid import NAMESPACE_URL, uuid5

from contest.formats import format_named
from contest.language import date, gettext, listed, ngettext, noted_plural
from contest.model import Former
from contest.public_number.beacon import BeaconKind
from reports.site import paths
from reports.site.facts import Event, ReleasedRound, SiteFacts, about_results
from reports.site.groups import round_link, what_again
from reports.site.tables import Cell, Column, Page, Table, cell, name_cell
from reports.text import opening


def events(facts: SiteFacts) -> tuple[Event, ...]:
    """Return the public events, newest first."""
    all_events = [
        *facts.noted,
        *_started(facts),
        *(_released(facts, released) for released in facts.rounds),
    ]
    all_events += [
        *_finished(facts),
        *(event for rerun in facts.former for event in _former(facts, rerun)),
    ]
    return tuple(sorted(all_events, key=lambda event: event.at, reverse=True))


def _started(facts: SiteFacts) -> Iterator[Event]:
    if facts.started_at:
        title = gettext("The contest started")
        if facts.teams:
            title = ngettext(
                "The contest started with %(num)s program",
                "The contest started with %(num)s programs",
                len(facts.teams),
            )
        yield Event(facts.started_at, "start", title, about_the_seed(facts), paths.INDEX)


def about_the_seed(facts: SiteFacts) -> str:
    """Say what the random draws of a contest that has started follow from."""
    if facts.settings.tournament.beacon == BeaconKind.NONE:
        return gettext(
            "The contest seed is made of a secret number, whose sha256 is %(commitment)s, and of"
            " the final list of entries, whose root is %(root)s. Without a public number one has to"
            " trust that the organizer tried no other list.",
            commitment=facts.commitment,
            root=facts.entries_root,
        )
    return gettext(
        "The contest seed is made of a secret number, whose sha256 is %(commitment)s, and of the"
        " final list of entries, whose root is %(root)s, and of a public number that nobody knew"
        " when the list became final.",
        commitment=facts.commitment,
        root=facts.entries_root,
    )


def _released(facts: SiteFacts, released: ReleasedRound) -> Event:
    groups = [group for group in released.outcome.groups if group.plan.pairings]
    drawn, played = date(released.drawn_at), date(released.played_at)
    forms = _MATCHES if any(group.plan.title for group in groups) else _GROUPS
    text = ngettext(*forms, len(groups), drawn=drawn, played=played)
    if released.words and facts.shows.words:
        text = f"{released.words.strip()}\n\n{text}"
    key = _key(facts, released.number)
    if undisclosed := about_results(facts):
        text = f"{text}\n\n{undisclosed}"
        return Event(released.released_at, key, _played(facts, released), text, paths.INDEX)
    title = _out(released.number)
    if released.final:
        title = gettext("The results of the final are out")
    link = round_link(released, facts.shows)
    return Event(released.released_at, key, title, text, link)


_GROUPS = noted_plural(
    "%(num)s group. Drawn on %(drawn)s, played on %(played)s.",
    "%(num)s groups. Drawn on %(drawn)s, played on %(played)s.",
)
_MATCHES = noted_plural(
    "%(num)s match. Drawn on %(drawn)s, played on %(played)s.",
    "%(num)s matches. Drawn on %(drawn)s, played on %(played)s.",
)


def _out(number: int) -> str:
    return gettext("The results of round %(number)s are out", number=number)


def _key(facts: SiteFacts, number: int, until: int = sys.maxsize) -> str:
    """The permanent name of the release of a round's results, which may come again after each
    rerun."""
    before = [
        former.rerun.id
        for former in facts.former
        if number in former.released and former.rerun.id < until
    ]
    return f"round-{number}-again-{before[-1]}" if before else f"round-{number}"


def _former(facts: SiteFacts, former: Former) -> Iterator[Event]:
    """The order to play again, and the results that were out before."""
    rerun, link = former.rerun, paths.former(former.rerun) if facts.told_former else ""
    what = opening(what_again(rerun))
    title = gettext("%(what)s is played again", what=what)
    text = gettext("Its former results, and those of later rounds, no longer count.")
    yield Event(rerun.at, f"rerun-{rerun.id}", title, f"{rerun.reason}\n\n{text}", link)
    for number, moment in former.released.items():
        yield Event(
            moment,
            _key(facts, number, rerun.id),
            _out(number),
            gettext("These results no longer count."),
            link,
        )


def _played(facts: SiteFacts, released: ReleasedRound) -> str:
    if not format_named(facts.settings.tournament.format).has_rounds:
        return gettext("All games have been played")
    if released.final:
        return gettext("The final has been played")
    return gettext("Round %(number)s has been played", number=released.number)


def _finished(facts: SiteFacts) -> Iterator[Event]:
    if facts.is_over and facts.rounds and facts.finished_at:
        winners = [s.entry for s in facts.ranking if s.rank == 1]
        title = gettext("The contest is over")
        if facts.shows.rankings and winners:
            title = ngettext(
                "The contest is over: %(winners)s won",
                "The contest is over: %(winners)s won",
                len(winners),
                winners=listed(winners),
            )
        elif facts.shows.rankings:
            title = gettext("The contest is over without a winner")
        finished_at = max(facts.finished_at, facts.rounds[-1].released_at)
        yield Event(
            finished_at,
            "end",
            title,
            gettext("The contest seed was %(seed)s.", seed=facts.seed),
            paths.INDEX,
        )


def log(facts: SiteFacts) -> Page:
    happened = events(facts)
    columns = (Column("time", ""), Column("event", ""), Column("text", ""))
    rows = tuple(
        (Cell(date(e.at), e.at.isoformat()), name_cell(e.title, e.link), cell(e.text))
        for e in happened
    )
    table = Table("events", gettext("Events"), columns, rows)
    return Page(paths.LOG, "log", gettext("Log"), {"events": happened}, (table,))


def feed(facts: SiteFacts) -> Page:
    """Make the log as an Atom feed."""
    happened = events(facts)
    return Page(
        paths.FEED,
        "feed",
        facts.settings.contest.title,
        {
            "id": _identifier(facts),
            "entries": [(event, _identifier(facts, event.key)) for event in happened],
            "updated": happened[0].at if happened else facts.settings.dates.registration_opens,
            "url": facts.settings.site.url.rstrip("/"),
        },
    )


def _identifier(facts: SiteFacts, key: str = "") -> str:
    """The name of the feed or of an entry, which no other contest has: the commitment to the
    contest's secret number stays, whatever dates and addresses do."""
    return uuid5(NAMESPACE_URL, f"knobeln:{facts.commitment}/{key}").urn
