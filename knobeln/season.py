"""A season: when each tournament begins, when it is run, and what may be seen of the one before."""

from __future__ import annotations

from collections.abc import Iterator

from contest.interfaces.protocols import Renderer, to_team
from contest.language import by_language, speaking
from contest.ledger.receipts import Effect, LedgerEntry
from contest.model import OutboxState, Outgoing, Phase, Standing
from contest.schema.sections import Season
from contest.store import Transaction, contest_state, decisions, ledger, outbox, results, submissions, teams
from contest.util.clock import TIME_FORMAT
from knobeln.context import ContestContext
from tournament.derived_settings import format_of


def begin_next_tournament(contest: ContestContext) -> bool:
    """Begin the season's next tournament, and tell all registered teams. False: it is not due, or there is
    none.

    The teams keep their names, strings and programs, and can send better ones.
    """
    contest = contest.current()
    with contest.store.read() as tx:
        number = contest_state.state(tx).number
        if not _is_before_next(tx, contest):
            return False
    if why_not_out(contest):
        return False
    with contest.store.write() as tx:
        if contest_state.state(tx).number != number or not _is_before_next(tx, contest):
            return False  # another process was quicker
        ranking = format_of(contest.settings).ranking(results.finished_rounds(tx))
        contest_state.begin_next(tx)
        now = contest.clock.now()
        ledger.append(tx, LedgerEntry(Effect.TOURNAMENT_BEGUN, "", now))
        contest_state.note(tx, "season", f"tournament {number + 1} has begun", now)
        contest = contest.as_of(tx)
        outbox.put_all(tx, _mails(tx, contest, {line.entry: line for line in ranking}), contest.settings, now)
    return True


def order_run_if_due(contest: ContestContext) -> bool:
    """Order the run of a tournament of a season once its date has come. False: it is not due, or was ordered.

    A run that failed is not ordered again: the organizer has a mail that says why.
    """
    contest = contest.current()
    now = contest.clock.now()
    if now < contest.settings.dates.contest_starts:
        return False
    with contest.store.write() as tx:
        is_ordered = contest_state.column(tx, "due_at") is not None or decisions.run_ordered(tx)
        if is_ordered or contest_state.state(tx).phase is not Phase.OPEN:
            return False
        contest_state.change(tx, due_at=now)
        decisions.order_run(tx, now)
        contest_state.note(tx, "season", "the run was ordered by its date", now)
    return True


def shows_programs(tx: Transaction, season: Season) -> bool:
    """Whether the programs of a finished tournament are public, as far as the season is concerned."""
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


def _is_before_next(tx: Transaction, contest: ContestContext) -> bool:
    state = contest_state.state(tx)
    is_last = state.number >= contest.settings.season.tournaments
    return state.phase is Phase.FINISHED and not is_last and decisions.reports_held(tx) is None


def _mails(tx: Transaction, contest: ContestContext, ranking: dict[str, Standing]) -> Iterator[Outgoing]:
    templates: Renderer = contest.templates
    number = contest_state.state(tx).number
    for language, readers in by_language(teams.present(tx), contest.settings.contest.language):
        for team in readers:
            with speaking(language):
                rendered = templates.render(
                    "tournament",
                    team=team,
                    number=number,
                    own=ranking.get(team.name),
                    of=len(ranking),
                    good=submissions.latest_good(tx, team.id),
                )
            yield to_team(team, f"{contest_state.mark(tx)}begun/{team.name}", "tournament", rendered)
