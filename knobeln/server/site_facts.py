"""Reads from the store what the pages may tell: only what has been released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from compiler.source import SourceText, decoded
from contest.config.settings import Settings
from contest.games.registry import game_of
from contest.mail.sent_files import strip_secret
from contest.model import ContestState, Phase
from knobeln.context import ContestContext
from knobeln.season import places_so_far, shows_programs
from mailserver.attachments import AnnouncementTexts, announcement_texts
from mailserver.commands import COMMANDS, help_topics
from mailserver.team_secret import without_strings
from reports.render import Templates
from reports.site.facts import (
    Event,
    MailCommand,
    PublishedProgram,
    ReleasedRound,
    SampleLetter,
    SiteFacts,
    SiteTexts,
    disclosure,
)
from reports.site.journal import public_event
from store import Transaction, decisions, ladder, outbox, submissions, teams
from store import contest_state as contest_store
from store import results as result_store
from store.results import Games, RoundLog
from store.submissions import Version
from tournament.derived_settings import format_of

_OF_TEAMS = ("disqualify", "drop", "reinstate")  # areas of the journal
_PUBLIC_AREAS = ("dates", "entries", "number", "season", "pause", "resume", *_OF_TEAMS)


def site_mark(tx: Transaction, contest: ContestContext) -> object:
    """Return a value that changes whenever the pages may have to. Reading it is quick."""
    noted = len(contest_store.journal_of(tx, _PUBLIC_AREAS))
    rounds = len(result_store.round_log(tx))
    phase = contest_store.state(tx).phase
    moved = (
        [ranking.id for ranking in ladder.rankings(tx, 1)]
        if contest.settings.ladder.enabled
        else []
    )
    dates = contest.settings.dates
    is_published = contest.clock.now() >= dates.results_published  # the archive, too
    season = contest_store.state(tx).number, contest_store.get_season(tx) is not None
    return (
        season,
        phase,
        _released(tx, contest),
        rounds,
        teams.count(tx),
        noted,
        dates,
        is_published,
        moved,
    )


def site_facts(tx: Transaction, contest: ContestContext) -> SiteFacts:
    """Return the facts that the pages may show."""
    settings, state = _as_told(tx, contest.settings), contest_store.state(tx)
    rounds = tuple(_round(tx, log) for log in _released(tx, contest))
    are_all = len(rounds) == len(result_store.round_log(tx))
    pause, former = decisions.paused(tx), result_store.former_outcomes(tx)
    facts = SiteFacts(
        settings=settings,
        game=game_of(settings.game, settings.programs).info,
        phase=state.phase,
        registered=teams.count(tx),
        commitment=state.seed.commitment,
        started_at=state.started_at,
        playing={} if state.phase is Phase.OPEN else submissions.participants(tx),
        rounds=rounds,
        entries_root=state.seed.entries_root.hex(),
        ladder=ladder.rankings(tx, 2) if settings.ladder.enabled else (),
        noted=_public_events(tx, settings, state.phase),
        paused_since=pause.since if pause else None,
        former=tuple(result for result in former if result.released),
        texts=site_texts(settings, contest.templates, announcement_texts(tx, settings)),
    )
    if contest.tournament is None:  # not of an earlier one of the season
        season = contest_store.get_season(tx) or places_so_far(contest, state.number)
        facts = replace(facts, earlier=state.number - 1, season=season)
    is_over = state.phase is Phase.FINISHED and are_all and bool(rounds)
    return _with_end(tx, facts, state) if is_over else facts


def _with_end(tx: Transaction, facts: SiteFacts, state: ContestState) -> SiteFacts:
    """Add what is shown after the contest's end."""
    history = [released.outcome for released in facts.rounds]
    return replace(
        facts,
        finished_at=state.finished_at,
        ranking=format_of(facts.settings).ranking(history),
        evolution=result_store.get_evolution(tx),
        certainty=result_store.get_certainty(tx),
        seed=state.seed.value.hex(),
        programs=_programs(tx, facts.settings) if facts.settings.site.programs else {},
    )


def _public_events(tx: Transaction, settings: Settings, phase: Phase) -> tuple[Event, ...]:
    """What pages show of the journal: teams only when they may be named."""
    names_teams = (
        phase is not Phase.OPEN and disclosure(settings.reports.offered, programs=False).teams
    )
    return tuple(
        public_event(line)
        for line in contest_store.journal_of(tx, _PUBLIC_AREAS)
        if names_teams or line.area not in _OF_TEAMS
    )


def _released(tx: Transaction, contest: ContestContext) -> tuple[RoundLog, ...]:
    """Return the rounds whose summaries have gone out, up to the first whose summary has not or is
    held."""
    if contest.tournament is not None:  # the next one has begun, so all reports are out
        return result_store.round_log(tx)
    return outbox.released_rounds(tx)


def _round(tx: Transaction, log: RoundLog) -> ReleasedRound:
    outcome = result_store.round_outcome(tx, log.number, Games.WITH_MOVES)
    played, released = log.played_at or log.planned_at, log.reported_at or log.planned_at
    return ReleasedRound(outcome, log.planned_at, played, released, log.words)


# --- texts of mails -------------------------------------------------------------------------------
def site_texts(settings: Settings, templates: Templates, announced: AnnouncementTexts) -> SiteTexts:
    """Return the texts of mails that pages show, in the organizer's own words where there are
    some."""
    draw = templates.part("_seed_commitment")
    ledger = templates.part("_ledger", ledger_key=announced["ledger_key"])
    return SiteTexts(
        about=templates.part("_what_it_is_about"),
        form_fields=templates.part("_fields_of_the_form"),
        announcement=templates.render("call", **{**announced, "rules": ""}).body,
        questions=templates.render("faq", **announced).body,
        numbers=templates.part("_contest"),
        programs=templates.part("_what_a_program_may_be"),
        faults=templates.part("_what_a_fault_costs"),
        limits=templates.part("_limits"),
        evolution=templates.part("_evolution_rule") if settings.evolution.enabled else "",
        draw=f"{draw}\n{ledger}",
        commands=tuple(
            MailCommand(
                command.name,
                help_topics.about(command, settings, templates.part),
                SampleLetter(
                    settings.contest.address,
                    command.sample_subject(settings),
                    command.sample_body(settings, templates.part),
                ),
            )
            for command in COMMANDS
            if command.subjects(settings)
        ),
    )


# --- programs -------------------------------------------------------------------------------------
def _as_told(tx: Transaction, settings: Settings) -> Settings:
    """The settings; programs have no pages as long as the season keeps them secret."""
    if shows_programs(tx, settings.season):
        return settings
    return settings.model_copy(
        update={"site": settings.site.model_copy(update={"programs": False})}
    )


def _programs(tx: Transaction, settings: Settings) -> Mapping[str, PublishedProgram]:
    dates = submissions.accepted(tx)
    return {
        entry.name: _published(
            submissions.entered(tx, entry), dates.get(entry.team_id, []), settings
        )
        for entry in submissions.all_entries(tx)
    }


def _published(
    version: Version, accepted: Sequence[tuple[int, datetime]], settings: Settings
) -> PublishedProgram:
    """Return the program with its description, and without its authentification string (K42)."""
    submission, play = version.submission, game_of(settings.game, settings.programs).info.play
    texts = {name: _public(data) for name, data in submission.files.items()}
    description = without_strings(submission.description)
    if play.is_in_c:
        description, texts[submission.program] = _described(texts.get(submission.program, ""))
    first_the_program = sorted(
        texts.items(), key=lambda file: (file[0] != submission.program, file[0])
    )
    report = version.report
    return PublishedProgram(
        report.language if report else "",
        description,
        tuple(first_the_program),
        tuple(accepted),
    )


def _described(program: str) -> tuple[str, str]:
    """Part the description of a program in C from the rest of its text."""
    source = SourceText.of(program)
    block = source.description_block
    if block is None:
        return "", program
    before, after = (
        source.physical_lines[: block.start - 1],
        source.physical_lines[block.stop - 1 :],
    )
    return "\n".join(source.description), "\n".join([*before, "(the description)", *after])


def _public(data: bytes) -> str:
    if b"\0" in data:
        return f"({len(data):,} bytes that are not text)"
    return strip_secret(decoded(data))
