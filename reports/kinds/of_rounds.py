"""The reports on rounds and on the whole contest: LAP, RSM (K94), OWN, BRK, JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from contest.config.settings import Settings
from contest.interfaces.events import ContestStarted, RoundFinished, RoundPlayed
from contest.language import noted
from contest.mail import knobeln_json
from contest.mail.form import record_text
from contest.model import Attachment, Outgoing, Standing, Team
from contest.model.mail_records import QuotedWords, RankedGroup, ResultsRecord
from reports import summary
from reports.bracket import field_after, is_knock_out
from reports.certainty import certainty_sentence, why_no_certainty
from reports.evolution_table import condensed
from reports.kinds.base import (
    Audience,
    Disclosed,
    Mailing,
    Report,
    own_news,
    start_facts,
    with_news,
)
from reports.prizes import prize_fields, prize_lists
from reports.text import clean


class AllParticipants(Report[ContestStarted]):
    code = "LAP"
    meaning = noted("send list of all participants (full registration format)")
    when = ContestStarted
    to_whom = Audience.EVERYBODY
    discloses = frozenset({Disclosed.TEAMS})

    def write(
        self, mailing: Mailing[ContestStarted], wanting: Sequence[Team]
    ) -> Iterator[Outgoing]:
        event = mailing.event
        by_name = sorted(event.teams.values(), key=lambda team: team.name.casefold())
        forms = "\n\n".join(record_text(team.registration) for team in by_name)
        file = Attachment("participants.txt", "text/plain", f"{clean(forms)}\n".encode())
        mails = self.same_mail(mailing, wanting, file=file.name, **start_facts(event))
        return (replace(mail, attachments=(file,)) for mail in mails)


SUMMARIES = "summaries"  # the thread


class RoundSummary(Report[RoundFinished]):
    code = "RSM"
    meaning = noted("send summaries of rounds (includes all group rankings)")
    when = RoundFinished
    to_whom = Audience.REGISTERED
    discloses = frozenset({Disclosed.TEAMS, Disclosed.RANKINGS, Disclosed.BRACKET, Disclosed.WORDS})

    def write(self, mailing: Mailing[RoundFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        event, settings, outcome = mailing.event, mailing.settings, mailing.event.history[-1]
        prizes_by = prize_fields(event.teams, settings.teams)
        facts = summary.facts_of_contest(
            event.history,
            event.ranking,
            evolution=event.evolution,
            seed=event.seed,
            prize_fields=prizes_by,
            settings=settings,
        )
        facts |= {"outcome": outcome, "words": event.words, "certainty": _how_sure(mailing)}
        attached: tuple[Attachment, ...] = ()
        if event.evolution and not settings.reports.places:  # it has every team
            attached += (
                Attachment("evolution.csv", "text/csv", condensed(event.evolution).csv.encode()),
            )
        if event.seed:
            attached += (
                Attachment(
                    "seed.txt", "text/plain", mailing.templates.part("_seed", **facts).encode()
                ),
            )
        if facts["is_bracket"]:
            text = mailing.templates.part("_whole_bracket", **facts)
            attached += (Attachment("bracket.txt", "text/plain", text.encode()),)
        mails: Iterable[Outgoing] = (
            replace(mail, attachments=attached)
            for mail in self.same_mail(mailing, wanting, **facts)
        )
        mails = knobeln_json.with_file(mails, wanting, settings, lambda: _for_programs(mailing))
        with_worst_game = {team.name for team in wanting if _asks_for_worst_game(team, settings)}
        of_contest = _of_worst_games(event)
        for mail in with_news(mails, mailing, _news(event).get):
            lead = mail.lead
            if mail.team in with_worst_game and mail.team in event.worst_games:
                worst = event.worst_games[mail.team]
                part = mailing.templates.part("_worst_game", worst=worst, **of_contest)
                lead += f"{part}\n"
            yield replace(mail, lead=lead, thread=SUMMARIES)


def _asks_for_worst_game(team: Team, settings: Settings) -> bool:
    """Whether the team's summary tells its worst game, too."""
    code = WorstGameReport.code
    return code in settings.reports.offered and code in team.registration.preferences


def _of_worst_games(event: RoundFinished) -> Mapping[str, object]:
    """The facts of the template `_worst_game` that are the same for all teams, each of which reads
    of its own game."""
    games = [outcome.plan.planned_games for outcome in event.history]
    seed = event.seed.value.hex() if event.seed else ""
    return {"is_own": True, "seed": seed, "games": games}


class WorstGameReport(Report[RoundFinished]):
    code = "WHY"
    meaning = noted("send what decided my worst game, at the end of the contest")
    when = RoundFinished
    moment = noted("when the contest is over")
    to_whom = Audience.EVERYBODY
    contained_in = RoundSummary.code
    discloses = frozenset({Disclosed.OWN_RESULT})

    def write(self, mailing: Mailing[RoundFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        """No mails before the contest's end, nor to a team without a game that counts."""
        worst_games, of_contest = mailing.event.worst_games, _of_worst_games(mailing.event)
        for team in wanting:
            if team.name in worst_games:
                yield self.own_mail(mailing, team, {"worst": worst_games[team.name], **of_contest})


def _news(event: RoundFinished) -> Mapping[str, Mapping[str, object]]:
    """What the mails to all teams that have played begin with."""
    places = summary.places_of(event.history[-1], event.ranking)
    evolved = {line.entry: line for line in event.evolution.ranking} if event.evolution else {}
    titles = {
        name: "" if event.ranking else group.plan.title
        for group in event.history[-1].groups
        if group.plan.pairings
        for name in group.plan.members
    }
    told = places if event.ranking else {name: places[name] for name in titles if name in places}
    news = {
        name: own_news(place, event.round, titles.get(name, "")) | {"evolved": evolved.get(name)}
        for name, place in told.items()
    }
    return {**_news_of_absent(event), **news}


def _news_of_absent(event: RoundFinished) -> Mapping[str, Mapping[str, object]]:
    """What the mails to the teams begin with that have played, but not in this round."""
    last_rounds = {
        name: outcome.plan.number
        for outcome in event.history
        for group in outcome.groups
        for name in group.plan.members
    }
    still_in: frozenset[str] = frozenset()
    if is_knock_out(event.history[-1]) and not event.ranking:
        field = field_after(event.history)
        still_in = frozenset((*field.unbeaten, *field.beaten))
    return {
        name: {"at": None, "last_round": None if name in still_in else number, "best": None}
        for name, number in last_rounds.items()
    }


def _how_sure(mailing: Mailing[RoundFinished]) -> str:
    """How sure the contest's ranking is, or why nobody knows; "" before its end."""
    if mailing.event.certainty:
        return certainty_sentence(mailing.event.certainty)
    is_over = bool(mailing.event.ranking)
    return why_no_certainty(mailing.game, mailing.settings.programs) if is_over else ""


class OwnResultReport(Report[RoundPlayed]):
    code = "OWN"
    meaning = noted("send my own result (place and points) at the end")
    when = RoundPlayed
    moment = noted("when the contest is over for you")
    to_whom = Audience.LEAVING
    discloses = frozenset({Disclosed.OWN_RESULT})

    def write(self, mailing: Mailing[RoundPlayed], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        event, settings = mailing.event, mailing.settings.teams
        prizes = prize_lists(event.ranking, prize_fields(event.teams, settings), settings)
        results = summary.OwnResults(event.history, event.ranking, prizes if event.ranking else ())
        evolved = {line.entry: line for line in event.evolution.ranking} if event.evolution else {}
        for team in wanting:
            facts = {
                "team": team.name,
                "own": results.of(team.name),
                "plan": event.history[-1].plan,
                "is_over": bool(event.ranking),
                "evolved": evolved.get(team.name),
            }
            yield self.own_mail(mailing, team, facts)


class BracketReport(Report[RoundPlayed]):
    code = "BRK"
    meaning = noted("send the bracket after each round")
    when = RoundPlayed
    to_whom = Audience.EVERYBODY
    contained_in = "RSM"
    discloses = frozenset({Disclosed.TEAMS, Disclosed.BRACKET, Disclosed.MATCHES})

    def write(self, mailing: Mailing[RoundPlayed], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        """No mails if the contest has no bracket."""
        event = mailing.event
        facts = summary.bracket_facts(event.history, event.ranking, mailing.game)
        if facts["is_bracket"]:
            yield from self.same_mail(mailing, wanting, outcome=event.history[-1], **facts)


class ForPrograms(Report[RoundFinished]):
    code = knobeln_json.CODE
    meaning = noted(
        "send results as JSON, and add JSON to other mails, for a program that reads them"
    )
    when = RoundFinished
    to_whom = Audience.REGISTERED
    contained_in = RoundSummary.code
    discloses = frozenset({Disclosed.OWN_RESULT})

    def write(self, mailing: Mailing[RoundFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        """Without summaries in the contest, a team gets its own lines, when the contest is over for
        it."""
        event = mailing.event
        is_open = self.contained_in in mailing.settings.reports.offered
        over = {team.name for team in event.concerned}
        shared = knobeln_json.file(_for_programs(mailing)) if is_open else None
        for team in wanting:
            if shared or team.name in over:
                file = shared or knobeln_json.file(_for_programs(mailing, team))
                yield self.own_mail(mailing, team, {"plan": event.history[-1].plan}, (file,))


def _for_programs(mailing: Mailing[RoundFinished], own: Team | None = None) -> ResultsRecord:
    """The results as `knobeln.json`. `own`: the team whose lines alone are told; None =
    everybody's."""
    event = mailing.event
    recipients = [own] if own else list(event.teams.values())
    numbers = knobeln_json.numbers(recipients)

    def lines(standings: Sequence[Standing]) -> tuple[Standing, ...]:
        return tuple(
            replace(standing, entry=numbers[standing.entry])
            for standing in standings
            if standing.entry in numbers
        )

    groups = (
        RankedGroup(group.plan.number, lines(group.standings)) for group in event.history[-1].groups
    )
    evolution = event.evolution.ranking if event.evolution else ()
    return ResultsRecord(
        round=event.round,
        final=event.history[-1].plan.final,
        groups=tuple(group for group in groups if group.standings),
        ranking=lines(event.ranking),
        evolution=tuple(
            replace(line, entry=numbers[line.entry]) for line in evolution if line.entry in numbers
        ),
        quoted=knobeln_json.quoted(QuotedWords, mailing.settings, recipients, words=event.words),
    )
