"""A season: when its tournaments begin and run, what of earlier ones is public, and its table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial

from contest.config.settings import Settings
from contest.errors import NotFound
from contest.interfaces.protocols import to_all
from contest.language import noted
from contest.ledger.receipts import Effect, LedgerEntry
from contest.mail import knobeln_json
from contest.model import OutboxState, Outgoing, Phase, SeasonTable, Team
from contest.model.mail_records import MailRecord, Quoted, SeasonRecord, TournamentRecord
from contest.schema.sections import Season
from contest.util.clock import TIME_FORMAT
from knobeln.context import ContestContext
from knobeln.steps import Steps
from store import (
    Transaction,
    contest_state,
    decisions,
    ledger,
    outbox,
    results,
    submissions,
    teams,
)
from tournament.certainty import places
from tournament.derived_settings import format_of, frozen_settings
from tournament.runners import open_runner
from tournament.season import Played, season_table


def go_on_as_step(contest: ContestContext, steps: Steps) -> bool:
    """`go_on` as a scheduled step of a server."""
    contest = contest.current()
    with contest.store.read() as tx:
        is_over = _is_due(tx, contest)
    if not is_over or why_not_out(contest):
        return False
    return steps.take(
        contest, noted("the season's next tournament, or its end"), partial(go_on, contest)
    )


def order_run_as_step(contest: ContestContext, steps: Steps) -> bool:
    """`order_run_if_due` as a scheduled step of a server."""
    with contest.store.read() as tx:
        if not _is_run_due(tx, contest, contest.clock.now()):
            return False
    return steps.take(contest, noted("the run of a tournament"), partial(order_run_if_due, contest))


def go_on(contest: ContestContext) -> bool:
    """Begin the season's next tournament, or end the season, and tell all registered teams. False:
    it is not due.

    The teams keep their names, strings and programs, and can send better ones.
    """
    contest = contest.current()
    with contest.store.read() as tx:
        number = contest_state.state(tx).number
        if not _is_due(tx, contest):
            return False
    if why_not_out(contest):
        return False
    is_last = number >= contest.settings.season.tournaments
    table = season_so_far(contest) if is_last else None
    with contest.store.write() as tx:
        if contest_state.state(tx).number != number or not _is_due(tx, contest):
            return False  # another process was quicker
        if table:
            _end(tx, contest, table)
        else:
            _begin_next(tx, contest)
    return True


def season_so_far(contest: ContestContext) -> SeasonTable:
    """The table of the tournaments whose results are out. Raises NotFound without one."""
    with contest.store.read() as tx:
        newest = contest_state.state(tx).number
        if table := contest_state.get_season(tx):
            return table
        is_finished = contest_state.state(tx).phase is Phase.FINISHED
    is_out = is_finished and not why_not_out(contest)
    images: dict[str, bytes] = {}
    tournaments = []
    for number in range(1, newest + is_out):
        with contest.store.of_tournament(number).read() as tx:
            tournaments.append(_played(tx, contest.settings))
            images |= submissions.load_images(tx, tuple(tournaments[-1].builds.values()))
    if not tournaments:
        raise NotFound("no tournament of this season is over yet")
    return season_table(tournaments, images, contest.settings, open_runner)


def places_so_far(contest: ContestContext, newest: int) -> SeasonTable | None:
    """The table of the tournaments before the newest by their places alone, as strengths need
    games; None before the second one."""
    tournaments = []
    for number in range(1, newest):
        with contest.store.of_tournament(number).read() as tx:
            tournaments.append(_played(tx, contest.settings))
    return season_table(tournaments, {}, contest.settings, open_runner) if tournaments else None


def _played(tx: Transaction, settings: Settings) -> Played:
    settings = frozen_settings(contest_state.started_settings(tx), settings)
    return Played(
        places(format_of(settings), results.finished_rounds(tx)),
        {entry.name: entry.image_digest for entry in submissions.all_entries(tx)},
    )


def _begin_next(tx: Transaction, contest: ContestContext) -> None:
    before = _played(tx, contest.settings)
    contest_state.begin_next(tx)
    now = contest.clock.now()
    ledger.append(tx, LedgerEntry(Effect.TOURNAMENT_BEGUN, "", now))
    number = contest_state.state(tx).number
    contest_state.note(tx, "season", f"tournament {number} has begun", now)
    contest = contest.as_of(tx)

    def facts(team: Team) -> Mapping[str, object]:
        own = submissions.program_of(tx, team.id)
        place = before.places.get(team.name)
        is_in = team.name in before.builds
        return {
            "number": number,
            "place": place,
            "of": len(before.places),
            "is_in": is_in,
            "own": own,
        }

    def record(team: Team) -> TournamentRecord:
        return TournamentRecord(
            team=knobeln_json.number_of(team),
            number=number,
            tournaments=contest.settings.season.tournaments,
            place=before.places.get(team.name),
            entrants=len(before.places),
            counts=submissions.program_of(tx, team.id).counts,
            dates=dict(contest.settings.dates),
            quoted=knobeln_json.quoted(Quoted, contest.settings, [team]),
        )

    key = f"{contest_state.mark(tx)}begun"
    _tell_all(
        tx, contest, key=key, template="tournament", facts=facts, record=record, has_calendar=True
    )


def _end(tx: Transaction, contest: ContestContext, table: SeasonTable) -> None:
    now, finished = contest.clock.now(), contest_state.state(tx).finished_at
    contest_state.set_season(tx, table)
    contest_state.note(tx, "season", "the season is over", now)
    lines = {line.team: line for line in table.lines}
    everybody = teams.all_teams(tx)
    numbers = knobeln_json.numbers(everybody)
    record = SeasonRecord(
        tournaments=table.tournaments,
        lines=tuple(replace(line, team=numbers[line.team]) for line in table.lines),
        versions=table.versions,
        games=table.games,
        quoted=knobeln_json.quoted(
            Quoted, contest.settings, (team for team in everybody if team.name in lines)
        ),
    )
    _tell_all(
        tx,
        contest,
        f"season/{finished}",
        "season",
        facts=lambda team: {"table": table, "own": lines.get(team.name)},
        record=lambda _team: record,
    )


def _tell_all(
    tx: Transaction,
    contest: ContestContext,
    key: str,
    template: str,
    facts: Callable[[Team], Mapping[str, object]],
    record: Callable[[Team], MailRecord],
    *,
    has_calendar: bool = False,
) -> None:
    """Queue a mail from this template to each registered team, in its language.

    `has_calendar`: with the dates for its calendar.
    """
    settings, now = contest.settings, contest.clock.now()

    def mails() -> Iterator[Outgoing]:
        for team in teams.present(tx):
            mails_to_all = to_all(
                [team], key, template, settings, contest.templates, team=team, **facts(team)
            )
            if has_calendar:
                mails_to_all = decisions.with_calendar(tx, mails_to_all, settings, now)
            yield from knobeln_json.with_file(mails_to_all, [team], settings, partial(record, team))

    outbox.put_all(tx, mails(), settings, now)


def order_run_if_due(contest: ContestContext) -> bool:
    """Order the run of the contest, or of a season's tournament, once its date has come. False: it
    is not due, or was ordered.

    A run that failed is not ordered again: the organizer has a mail that says why.
    """
    now = contest.clock.now()
    with contest.store.read() as tx:
        if not _is_run_due(tx, contest, now):
            return False
    with contest.store.write() as tx:
        # another process was quicker, or the next tournament has begun
        if not _is_run_due(tx, contest, now):
            return False
        contest_state.change(tx, due_at=now)
        decisions.order_run(tx, now)
        contest_state.note(tx, "run", "the run was ordered by its date", now)
    return True


def _is_run_due(tx: Transaction, contest: ContestContext, now: datetime) -> bool:
    is_ordered = (
        contest_state.column(tx, "due_at") is not None or decisions.run_ordered(tx) is not None
    )
    is_open = contest_state.state(tx).phase is Phase.OPEN
    return is_open and not is_ordered and now >= contest.as_of(tx).settings.dates.contest_starts


def shows_programs(tx: Transaction, season: Season) -> bool:
    """Whether the programs of a finished tournament are public, as far as the season is
    concerned."""
    return not season.is_season or season.open or contest_state.is_season_over(tx, season)


def why_not_out(contest: ContestContext) -> str:
    """Why the results of the tournament are not out; "" if they are."""
    with contest.store.read() as tx:
        waiting = results.unreported_rounds(tx)
        held = outbox.listing(tx, state=OutboxState.HELD, to=None, count=1)
    published = contest.settings.dates.results_published
    if waiting:
        return f"the summary of round {waiting[0]} has not gone out"
    if held:
        return f"mails to teams are held ({held[0].kind})"
    if contest.clock.now() < published:
        return f"the results are to be published on {published:{TIME_FORMAT}}"
    return ""


def _is_due(tx: Transaction, contest: ContestContext) -> bool:
    """Whether the tournament is finished, and what follows it has not happened yet.

    As long as a run is ordered, a process may be on its way that would start the next tournament at
    once.
    """
    season, state = contest.settings.season, contest_state.state(tx)
    waits = decisions.reports_held(tx) is not None or decisions.run_ordered(tx) is not None
    is_finished = state.phase is Phase.FINISHED and not waits
    return season.is_season and is_finished and contest_state.get_season(tx) is None
