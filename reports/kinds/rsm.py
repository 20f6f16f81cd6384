"""RSM: the summary of a round; that of the final has the results of the contest (K94)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from contest.language import by_language, in_language, noted
from contest.model import Attachment, Outgoing, Team
from reports import results, summary
from reports.certainty import MAX_LINES, certainty_facts, why_no_certainty
from reports.evolution_table import condensed
from reports.kinds.base import Audience, Disclosed, Report, RoundFinished, mail_to

SUMMARIES = "summaries"  # the thread


class RoundSummary(Report[RoundFinished]):
    code = "RSM"
    meaning = noted("send summaries of rounds (includes all group rankings)")
    when = RoundFinished
    to_whom = Audience.REGISTERED
    discloses = frozenset({Disclosed.TEAMS, Disclosed.RANKINGS, Disclosed.BRACKET, Disclosed.WORDS})

    def due(self, event: RoundFinished, offered: Collection[str]) -> Iterator[Outgoing]:
        if self.code not in offered:
            return
        own = event.settings.contest.language
        readers = dict(by_language(self.wanting(event), own))
        if event.observers:
            readers.setdefault(own, [])
        for language, wanting in readers.items():
            observers = event.observers if language == own else ()
            yield from in_language(language, self._write(event, wanting, observers))

    def write(self, event: RoundFinished, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        return self._write(event, wanting, event.observers)

    def _write(
        self, event: RoundFinished, wanting: Sequence[Team], observers: Sequence[str]
    ) -> Iterator[Outgoing]:
        outcome, evolution = event.history[-1], event.evolution
        rendered = event.templates.render(
            self.template_name,
            outcome=outcome,
            ranking=event.ranking,
            words=event.words,
            scores=event.scores,
            places=summary.places(outcome, event.game),
            failures=results.failures_of_round(outcome),
            evolution=evolution,
            generations=condensed(evolution) if evolution else None,
            margins=summary.margins(outcome, event.game),
            certainty=certainty_facts(event.certainty, MAX_LINES) if event.certainty else None,
            no_certainty=why_no_certainty(event.game, event.settings.programs) if event.ranking else "",
            **summary.seed_facts(event.settings, event.seed),
            **summary.bracket_facts(event.history, event.ranking, event.game),
            **summary.prize_facts(event.ranking, event.teams, event.settings),
        )
        table = (Attachment("scores.csv", "text/csv", event.scores.encode()),) if event.scores else ()
        for team in wanting:
            yield replace(mail_to(team, event, self.code, rendered, table), thread=SUMMARIES)
        for address in observers:
            yield Outgoing(
                key=f"{event.key}/{self.code}/observer/{address}",
                kind=self.code,
                to=address,
                subject=rendered.subject,
                body=rendered.body,
                attachments=table,
                broadcast=True,
                round=event.round,
                thread=SUMMARIES,
            )
