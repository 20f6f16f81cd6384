"""The mails of the contest day: one template per report, one mail per recipient.

What is the same for everybody is rendered once per group or round; the mails share the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from knobeln.config import Settings
from knobeln.form import record_text
from knobeln.games.knobeln import rules_of
from knobeln.model import (
    Attachment,
    EvolutionOutcome,
    GroupOutcome,
    GroupPlan,
    MailPreference,
    Match,
    Outgoing,
    RoundOutcome,
    Team,
)
from knobeln.ports import Rendered, Renderer
from reports import protocol, results
from reports.all_games import group_paragraphs
from reports.evolution_table import condensed
from reports.preferences import Occasion, due

Teams = Mapping[str, Team]


class ContestReporter:
    """Implements knobeln.ports.Reporter."""

    def __init__(self, settings: Settings, templates: Renderer) -> None:
        self._settings = settings
        self._templates = templates

    def contest_started(
        self, teams: Teams, without_program: Sequence[Team], seed_commitment: str
    ) -> Iterator[Outgoing]:
        """LAP (K91), and a word to those who take no part because there is no program of theirs."""
        facts = {"seed_commitment": seed_commitment, "number_of_teams": len(teams)}
        records = [record_text(team.registration) for team in sorted(teams.values(), key=_by_name)]
        for preference, wanting in due(Occasion.CONTEST_STARTED, teams.values()):
            yield from self._same("contest", preference, wanting, records=records, **facts)
        if without_program:
            yield from self._same("contest", "no program", without_program, **facts)

    def group_started(self, plan: GroupPlan, teams: Teams) -> Iterator[Outgoing]:
        """LGP (K92)."""
        members = sorted(plan.members, key=str.casefold)
        for preference, wanting in due(Occasion.GROUP_STARTED, teams.values(), _members(plan, teams)):
            yield from self._same(_group_key(plan), preference, wanting, plan=plan, members=members)

    def group_finished(self, outcome: GroupOutcome, teams: Teams) -> Iterator[Outgoing]:
        """DGP, GRP, GRG and GRR (K93)."""
        writers = {
            MailPreference.DGP: self._protocols,
            MailPreference.GRP: self._own_games,
            MailPreference.GRG: self._all_games,
            MailPreference.GRR: self._ranking,
        }
        members = _members(outcome.plan, teams)
        for preference, wanting in due(Occasion.GROUP_FINISHED, teams.values(), members):
            yield from writers[preference](outcome, wanting)

    def round_finished(
        self,
        outcome: RoundOutcome,
        teams: Teams,
        words: str,
        evolution: EvolutionOutcome | None,
        seed: bytes | None,
    ) -> Iterator[Outgoing]:
        """RSM (K94), to the eliminated and disqualified as well."""
        for preference, wanting in due(Occasion.ROUND_FINISHED, teams.values()):
            yield from self._same(
                f"round/{outcome.plan.number}",
                preference,
                wanting,
                outcome=outcome,
                words=words,
                failures=results.failures_of_round(outcome),
                evolution=evolution,
                generations=condensed(evolution) if evolution else None,
                seed=seed.hex() if seed else None,
                seed_commitment=hashlib.sha256(seed).hexdigest() if seed else None,
            )

    # --- one writer per report of a group --------------------------------------------------------------
    def _protocols(self, outcome: GroupOutcome, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        """The compact protocols of all attempts at each one's games (K93, K97)."""
        plan, facts = outcome.plan, results.GroupFacts.of(outcome)
        names = [f"round{plan.round}-group{plan.number}-{team.name}.protocol.gz" for team in wanting]
        with ThreadPoolExecutor(1, thread_name_prefix="packer") as packer:  # zlib lets others work meanwhile
            packed = packer.map(protocol.packed, self._protocol_texts(outcome, wanting))
            for team, name, data in zip(wanting, names, packed, strict=True):
                attached = Attachment(name, "application/gzip", data)
                yield self._to_one("DGP", outcome, team, facts, (attached,))

    def _protocol_texts(self, outcome: GroupOutcome, wanting: Sequence[Team]) -> Iterator[str]:
        """One for each team. A game between two of them is written once."""
        plan, rules = outcome.plan, rules_of(self._settings.game)
        blocks: dict[int, str] = {}

        def block(match: Match) -> str:
            if id(match) not in blocks:
                game = protocol.GameProtocol.of(match, plan.round, plan.number, rules)
                blocks[id(match)] = protocol.block(game)
            return blocks[id(match)]

        for team in wanting:
            yield protocol.text_of(map(block, results.matches_of(outcome, team.name)))

    def _own_games(self, outcome: GroupOutcome, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        facts = results.GroupFacts.of(outcome)
        for team in wanting:
            yield self._to_one("GRP", outcome, team, facts)

    def _all_games(self, outcome: GroupOutcome, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        paragraphs = group_paragraphs(outcome)
        yield from self._to_group("GRG", outcome, wanting, paragraphs=paragraphs)

    def _ranking(self, outcome: GroupOutcome, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        yield from self._to_group("GRR", outcome, wanting)

    def _to_group(
        self, kind: str, outcome: GroupOutcome, wanting: Sequence[Team], **facts: object
    ) -> Iterator[Outgoing]:
        yield from self._same(
            _group_key(outcome.plan),
            kind,
            wanting,
            plan=outcome.plan,
            standings=outcome.standings,
            failures=results.failures(outcome),
            **facts,
        )

    def _to_one(
        self,
        kind: str,
        outcome: GroupOutcome,
        team: Team,
        facts: results.GroupFacts,
        attachments: tuple[Attachment, ...] = (),
    ) -> Outgoing:
        rendered = self._templates.render(
            _template(kind),
            team=team.name,
            plan=outcome.plan,
            games=results.game_lines(facts, team.name),
            standing=next(s for s in outcome.standings if s.entry == team.name),
            failures=facts.failures.get(team.name, ()),
            attachments=attachments,
        )
        return _mail(_group_key(outcome.plan), kind, team, rendered, attachments)

    def _same(self, event: str, kind: str, wanting: Sequence[Team], **facts: object) -> Iterator[Outgoing]:
        """The same mail for each of these teams, rendered once."""
        rendered = self._templates.render(_template(kind), **facts)
        for team in wanting:
            yield _mail(event, kind, team, rendered)


def _mail(
    event: str, kind: str, team: Team, rendered: Rendered, attachments: tuple[Attachment, ...] = ()
) -> Outgoing:
    return Outgoing(
        key=f"{event}/{kind.replace(' ', '-')}/{team.name}",
        kind=str(kind),
        to=team.address,
        subject=rendered.subject,
        body=rendered.body,
        team_id=team.id,
        attachments=attachments,
    )


def _template(kind: str) -> str:
    return kind.lower().replace(" ", "_")


def _group_key(plan: GroupPlan) -> str:
    return f"round/{plan.round}/group/{plan.number}"


def _members(plan: GroupPlan, teams: Teams) -> tuple[Team, ...]:
    return tuple(teams[name] for name in plan.members)


def _by_name(team: Team) -> str:
    return team.name.casefold()
