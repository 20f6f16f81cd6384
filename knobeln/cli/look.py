"""Looking at a contest: results, status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.markup import escape

from knobeln.cli.folder import ContestCommand, ContestFolder, contest_folder
from knobeln.cli.gateway import open_doors
from knobeln.cli.show import console, json_option, moment, print_json
from knobeln.clock import Seeds
from knobeln.config import Settings
from knobeln.errors import NotFound, NotNow
from knobeln.games import GameInfo, game_of
from knobeln.model import (
    EvolutionOutcome,
    GroupOutcome,
    LetterState,
    OutboxState,
    Phase,
    RoundOutcome,
    RoundPlan,
    Standing,
    SubmissionState,
)
from knobeln.store import Transaction, letters, outbox, submissions, teams
from knobeln.store import contest as contest_store
from knobeln.store import results as result_store
from knobeln.store.results import Games
from reports import terminal
from reports.announcement import announcement
from reports.bracket import is_knock_out
from reports.prizes import PrizeList, grand_prize, prize_lists
from reports.render import where
from reports.scores import Shape, shape_of
from tournament.contest import format_of

JOURNAL_LINES = 8


# --- results ----------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@click.option(
    "--round", "number", type=int, default=None, help="This round; default: the last one, and the evolution."
)
@click.option("--games", is_flag=True, help="All games of the groups too.")
@click.option("--announce", is_flag=True, help="The text for a public posting.")
@json_option
def results(number: int | None, games: bool, announce: bool, as_json: bool) -> None:
    """Show the rankings and the evolution."""
    folder = contest_folder()
    if announce:
        click.echo(_announcement(folder), nl=False)
    elif as_json:
        print_json(_results_as_json(folder, number))
    else:
        show_results(folder, number, games=games)


def show_results(folder: ContestFolder, number: int | None = None, *, games: bool = False) -> None:
    """Print the ranking of each group of a round (default: the last that has results), and the evolution; of
    a knock-out the bracket; after the last round the contest's ranking and its prizes."""
    settings = folder.settings
    info = game_of(settings.game, settings.programs).info
    with folder.store.read() as tx:
        # In a melee the games say who fell when; there are few of them.
        has_games = games or format_of(settings).seats is None
        rounds = result_store.all_rounds(tx, Games.ALL if has_games else Games.NONE)
        evolution = result_store.get_evolution(tx)
        result = _result(tx, folder.settings)
        playing = submissions.participants(tx)
    plan, outcomes = _chosen(rounds, number)
    history = [RoundOutcome(each, done) for each, done in rounds if each.number <= plan.number and done]
    if history and any(map(is_knock_out, history)):
        console.print(terminal.bracket(history, info))
    for outcome in outcomes:
        _show_group(outcome, plan, settings, info, games=games)
    if len(outcomes) < len(plan.groups):
        console.print(f"{len(plan.groups) - len(outcomes)} groups are still to be played.")
    if plan.final and result and outcomes[0].plan.title:
        console.print(terminal.ranking(result, "The contest", info))
    if plan.final and result:
        _show_prizes(prize_lists(result, playing, settings.teams), settings, info)
    if plan.final and evolution is not None:
        console.print(terminal.evolution_table(evolution, console.width))
        console.print(terminal.evolution_chart(evolution, min(console.width, 100)))


def _show_group(
    outcome: GroupOutcome, plan: RoundPlan, settings: Settings, info: GameInfo, *, games: bool
) -> None:
    """The group's ranking, or the places of its only game of many, and its games if they are asked for."""
    title = where(settings.tournament, outcome.plan).capitalize() or "The contest"
    title = "The final" if plan.final and title.endswith("group 1") else title
    if shape_of(outcome.plan, info) is Shape.MELEE:
        console.print(terminal.group_results(outcome, info, title))
        return
    if not outcome.plan.title:
        console.print(terminal.ranking(outcome.standings, title, info))
    if games and outcome.plan.pairings:
        console.print(terminal.group_results(outcome, info, title))


def _result(tx: Transaction, settings: Settings) -> tuple[Standing, ...]:
    """The contest's ranking; () before its end."""
    history = result_store.finished_rounds(tx)
    return format_of(settings).ranking(history) if history and history[-1].plan.final else ()


def _show_prizes(lists: Sequence[PrizeList], settings: Settings, info: GameInfo) -> None:
    if lists:
        console.print(terminal.prizes(lists, f"Prizes by {settings.teams.prizes_by}", info))
        winners = ", ".join(standing.entry for standing in grand_prize(lists)) or "nobody"
        console.print(f"Grand prize: {winners}", markup=False)


def _chosen(
    rounds: tuple[tuple[RoundPlan, tuple[GroupOutcome, ...]], ...], number: int | None
) -> tuple[RoundPlan, tuple[GroupOutcome, ...]]:
    if not rounds:
        raise NotFound("nothing has been played yet; `knobeln run` starts the contest")
    if number is None:
        return next(((plan, done) for plan, done in reversed(rounds) if done), rounds[-1])
    for plan, outcomes in rounds:
        if plan.number == number:
            return plan, outcomes
    raise NotFound(f"there is no round {number}; the last is {rounds[-1][0].number}")


def _announcement(folder: ContestFolder) -> str:
    with folder.store.read() as tx:
        state = contest_store.state(tx)
        if state.phase is not Phase.FINISHED:
            raise NotNow("the contest is not finished, so there is nothing to announce yet")
        rounds = result_store.finished_rounds(tx, Games.ALL)
        evolution = result_store.get_evolution(tx)
        result = _result(tx, folder.settings)
        playing = submissions.participants(tx)
    words = announcement(rounds, result, evolution, state.seed, playing, folder.settings, folder.templates)
    return f"Subject: {words.subject}\n\n{words.body}"


def _results_as_json(folder: ContestFolder, number: int | None) -> dict[str, Any]:
    with folder.store.read() as tx:
        state = contest_store.state(tx)
        rounds = result_store.all_rounds(tx)
        evolution = result_store.get_evolution(tx)
        result = _result(tx, folder.settings)
        playing = submissions.participants(tx)
    settings = folder.settings
    point = game_of(settings.game, settings.programs).info.point
    lists = prize_lists(result, playing, settings.teams)
    return {
        "phase": str(state.phase),
        "seed_commitment": Seeds(state.seed).commitment,
        "seed": state.seed.hex() if state.phase is Phase.FINISHED else None,
        "rounds": [
            _round_as_json(plan, done, point) for plan, done in rounds if number in (None, plan.number)
        ],
        "ranking": [_standing_as_json(s, point) for s in result] or None,
        "prizes": {
            prizes.value: [{"place": place, "team": s.entry} for place, s in prizes.places]
            for prizes in lists
        },
        "grand_prize": [s.entry for s in grand_prize(lists)],
        "evolution": None if evolution is None else _evolution_as_json(evolution),
    }


def _round_as_json(plan: RoundPlan, outcomes: tuple[GroupOutcome, ...], point: int) -> dict[str, Any]:
    done = {o.plan.number: [_standing_as_json(s, point) for s in o.standings] for o in outcomes}
    groups = [
        {
            "number": group.number,
            "title": group.title,
            "members": list(group.members),
            "standings": done.get(group.number),
        }
        for group in plan.groups
    ]
    return {"number": plan.number, "final": plan.final, "groups": groups}


def _standing_as_json(standing: Standing, point: int) -> dict[str, Any]:
    return {
        "team": standing.entry,
        "points": None if standing.disqualified else standing.half_points / (2 * point),
        "rank": standing.rank,
        "failures": standing.failures,
        "disqualified": standing.disqualified,
        "advances": standing.advances,
    }


def _evolution_as_json(evolution: EvolutionOutcome) -> dict[str, Any]:
    return {
        "ending": str(evolution.ending),
        "cycle_start": evolution.cycle_start,
        "entries": list(evolution.entries),
        "generations": [list(counts) for counts in evolution.generations],
        "ranking": [
            {"team": r.entry, "rank": r.rank, "fraction": list(r.fraction), "extinct_in": r.extinct_in}
            for r in evolution.ranking
        ],
    }


# --- status -----------------------------------------------------------------------------------------------
@click.command(cls=ContestCommand)
@json_option
def status(as_json: bool) -> None:
    """Show on one screen where the contest is and what waits."""
    folder = contest_folder()
    facts = _status(folder)
    if as_json:
        print_json(facts)
        return
    title, path = escape(folder.settings.contest.title), escape(str(folder.path.resolve()))
    console.print(f"[bold]{title}[/] in {path}: {facts['phase']}")
    for door, is_open in facts["open"].items():
        console.print(f"  {door:<14} {'open' if is_open else 'closed'}")
    for name, at in facts["dates"].items():
        console.print(f"  {name.replace('_', ' '):<24} {moment(at)}")
    console.print(f"  teams {facts['teams']}, with a program that counts {facts['with_program']}")
    for what in ("letters", "programs", "mails"):
        counts = ", ".join(f"{count} {state}" for state, count in facts[what].items() if count) or "none"
        console.print(f"  {what:<9} {counts}")
    if facts["oldest_mail_waits_since"]:
        console.print(f"  the oldest waiting mail was queued on {moment(facts['oldest_mail_waits_since'])}")
    if facts["rounds"]:
        console.print(f"  rounds    {'; '.join(facts['rounds'])}")
    for advice in facts["advice"]:
        console.print(f"[yellow]  {advice}[/]")
    for at, area, text in facts["journal"]:
        console.print(f"  {moment(at)}  {area}: {text.splitlines()[0]}", markup=False)


def _status(folder: ContestFolder) -> dict[str, Any]:
    now = folder.clock.now()
    with folder.store.read() as tx:
        state = contest_store.state(tx)
        facts: dict[str, Any] = {
            "phase": str(state.phase),
            "open": open_doors(folder.settings.dates, now, state.phase),
            "dates": folder.settings.dates.model_dump(),
            "started_at": state.started_at,
            "finished_at": state.finished_at,
            "seed_commitment": Seeds(state.seed).commitment,
            "teams": teams.count(tx),
            "with_program": submissions.count_with_program(tx),
            "letters": _counts(LetterState, letters.count_by_state(tx)),
            "programs": _counts(SubmissionState, submissions.count_by_state(tx)),
            "mails": _counts(OutboxState, outbox.count_by_state(tx)),
            "oldest_mail_waits_since": outbox.oldest_ready(tx),
            "rounds": _rounds(result_store.all_rounds(tx)),
            "waiting_summaries": list(result_store.unreported_rounds(tx)),
            "journal": contest_store.journal_tail(tx, JOURNAL_LINES),
        }
    facts["advice"] = _advice(facts)
    return facts


def _counts(states: type[Any], found: dict[Any, int]) -> dict[str, int]:
    return {str(state): found.get(state, 0) for state in states}


def _rounds(rounds: tuple[tuple[RoundPlan, tuple[GroupOutcome, ...]], ...]) -> list[str]:
    return [
        f"round {plan.number}: {len(done)} of {len(plan.groups)} groups finished" for plan, done in rounds
    ]


def _advice(facts: dict[str, Any]) -> list[str]:
    """What the organizer should do something about."""
    found = []
    if facts["letters"][LetterState.FAILED]:
        found.append("letters were set aside: `knobeln letters --state failed`, then `knobeln letters retry`")
    if facts["programs"][SubmissionState.SET_ASIDE]:
        found.append(
            "programs were set aside by a fault of ours: see the journal, then `knobeln letters retry`"
        )
    if facts["mails"][OutboxState.FAILED]:
        found.append("mails were refused for good: `knobeln outbox list --state failed`")
    if facts["mails"][OutboxState.BOUNCED]:
        found.append("mails came back: `knobeln outbox list --state bounced`")
    if facts["mails"][OutboxState.HELD]:
        found.append("mails are held: `knobeln outbox list --state held`, then `knobeln outbox release`")
    found += [
        f"round {number} waits for your words: `knobeln summary {number}`"
        for number in facts["waiting_summaries"]
    ]
    return found
