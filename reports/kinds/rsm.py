"""RSM: the summary of a round; that of the final has the results of the contest (K94)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from contest.model import Attachment, Outgoing, Team
from reports import results, summary
from reports.evolution_table import condensed
from reports.kinds.base import Audience, Disclosed, Report, RoundFinished

SUMMARIES = "summaries"  # the thread


class RoundSummary(Report[RoundFinished]):
    code = "RSM"
    meaning = "send summaries of rounds (includes all group rankings)"
    when = RoundFinished
    to_whom = Audience.REGISTERED
    discloses = frozenset({Disclosed.TEAMS, Disclosed.RANKINGS, Disclosed.BRACKET, Disclosed.WORDS})

    def write(self, event: RoundFinished, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        outcome, evolution, seed = event.history[-1], event.evolution, event.seed
        mails = self.same_mail(
            event,
            wanting,
            outcome=outcome,
            ranking=event.ranking,
            words=event.words,
            scores=event.scores,
            places=summary.places(outcome, event.game),
            failures=results.failures_of_round(outcome),
            evolution=evolution,
            generations=condensed(evolution) if evolution else None,
            margins=summary.margins(outcome, event.game),
            replays=event.replays,
            seed=seed.hex() if seed else None,
            seed_commitment=hashlib.sha256(seed).hexdigest() if seed else None,
            drawn=summary.drawn_facts(event.settings, seed) if seed else {},
            **summary.bracket_facts(event.history, event.ranking, event.game),
            **summary.prize_facts(event.ranking, event.teams, event.settings),
        )
        table = (Attachment("scores.csv", "text/csv", event.scores.encode()),) if event.scores else ()
        return (replace(mail, attachments=table, thread=SUMMARIES) for mail in mails)
