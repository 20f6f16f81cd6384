"""The mails of the contest day: one template per report, one mail per recipient.

What is the same for everybody is rendered once per group or round; the mails share the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property

from contest.config.settings import Settings
from contest.games.base import FaultRule, GameInfo
from contest.games.registry import game_of
from contest.model import (
    Attachment,
    EvolutionOutcome,
    FinalReplays,
    GroupOutcome,
    GroupPlan,
    MailPreference,
    Outgoing,
    Pairing,
    RoundOutcome,
    Standing,
    Team,
)
from contest.protocols import Rendered, Renderer
from contest.registration_form import record_text
from reports import protocol_attachments, results, scores, summary
from reports.all_games import group_paragraphs
from reports.evolution_table import condensed
from reports.preferences import Occasion, due

Teams = Mapping[str, Team]


@dataclass(frozen=True)
class _Told:
    """A group that has finished, with what many of its mails tell."""

    outcome: GroupOutcome
    game: GameInfo

    @property
    def plan(self) -> GroupPlan:
        return self.outcome.plan

    @cached_property
    def shape(self) -> scores.Shape:
        return scores.shape_of(self.plan, self.game)

    @cached_property
    def own_games(self) -> Mapping[str, results.OwnGames]:
        return results.own_games(self.outcome)

    @cached_property
    def failures(self) -> Mapping[str, tuple[results.Failure, ...]]:
        return results.failures(self.outcome)

    @cached_property
    def gone(self) -> str:
        return results.gone(self.outcome.standings)

    @cached_property
    def melees(self) -> tuple[tuple[scores.Place, ...], ...]:
        return scores.melees(self.outcome, self.game.max_turns)


class ContestReporter:
    """Implements contest.protocols.Reporter."""

    def __init__(self, settings: Settings, templates: Renderer) -> None:
        self._settings = settings
        self._templates = templates
        self._game = game_of(settings.game, settings.programs).info
        self._replays = self._game.fault_rule is FaultRule.REPLAY

    def contest_started(
        self, teams: Teams, without_program: Sequence[Team], seed_commitment: str
    ) -> Iterator[Outgoing]:
        """LAP (K91), and a word to those who take no part because there is no program of theirs."""
        facts = {"seed_commitment": seed_commitment, "number_of_teams": len(teams)}
        records = [record_text(team.registration) for team in sorted(teams.values(), key=_by_name)]
        for preference, wanting in self._due(Occasion.CONTEST_STARTED, teams):
            yield from self._same("contest", preference, wanting, records=records, **facts)
        if without_program:
            yield from self._same("contest", "no program", without_program, **facts)

    def group_started(
        self, plan: GroupPlan, teams: Teams, out: AbstractSet[str] = frozenset()
    ) -> Iterator[Outgoing]:
        """LGP (K92). Who is `out` is named apart, and games with it are not counted."""
        members = sorted(plan.members, key=str.casefold)
        facts = {
            "plan": plan,
            "members": [name for name in members if name not in out],
            "out": [name for name in members if name in out],
            "pairings": [pairing for pairing in plan.pairings if _is_played(pairing, out)],
            "shape": scores.shape_of(plan, self._game),
        }
        for preference, wanting in self._due(Occasion.GROUP_STARTED, teams, _members(plan, teams)):
            yield from self._same(_group_key(plan), preference, wanting, **facts)

    def group_finished(self, outcome: GroupOutcome, teams: Teams) -> Iterator[Outgoing]:
        """DGP, GRP, GRG and GRR (K93); none where nothing was played, as in a bye."""
        writers = {
            MailPreference.DGP: self._protocols,
            MailPreference.GRP: self._own_games,
            MailPreference.GRG: self._all_games,
            MailPreference.GRR: self._ranking,
        }
        told = _Told(outcome, self._game)
        members = _members(outcome.plan, teams) if outcome.plan.pairings else ()
        for preference, wanting in self._due(Occasion.GROUP_FINISHED, teams, members):
            yield from writers[preference](told, wanting)

    def round_played(
        self, history: Sequence[RoundOutcome], ranking: Sequence[Standing], teams: Teams
    ) -> Iterator[Outgoing]:
        """OWN to those whose contest is over, and BRK, where there is a bracket."""
        event = f"round/{history[-1].plan.number}"
        facts = summary.bracket_facts(history, ranking, self._game)
        for preference, wanting in self._due(Occasion.ROUND_PLAYED, teams, summary.leaving(history, teams)):
            if preference is MailPreference.OWN:
                yield from self._own_results(history, ranking, teams, wanting)
            elif facts["is_bracket"]:
                yield from self._same(event, preference, wanting, outcome=history[-1], **facts)

    def round_finished(
        self,
        history: Sequence[RoundOutcome],
        ranking: Sequence[Standing],
        teams: Teams,
        words: str,
        evolution: EvolutionOutcome | None,
        seed: bytes | None,
        replays: FinalReplays | None = None,
        scores: str = "",
    ) -> Iterator[Outgoing]:
        """RSM (K94), to the eliminated and disqualified as well."""
        outcome = history[-1]
        table = (Attachment("scores.csv", "text/csv", scores.encode()),) if scores else ()
        for preference, wanting in self._due(Occasion.ROUND_FINISHED, teams):
            mails = self._same(
                f"round/{outcome.plan.number}",
                preference,
                wanting,
                outcome=outcome,
                ranking=ranking,
                words=words,
                scores=scores,
                places=summary.places(outcome, self._game),
                failures=results.failures_of_round(outcome),
                evolution=evolution,
                generations=condensed(evolution) if evolution else None,
                margins=summary.margins(outcome, self._game),
                replays=replays,
                seed=seed.hex() if seed else None,
                seed_commitment=hashlib.sha256(seed).hexdigest() if seed else None,
                rounds_drawn=summary.rounds_drawn(self._settings, seed) if seed else None,
                **summary.bracket_facts(history, ranking, self._game),
                **summary.prize_facts(ranking, teams, self._settings),
            )
            yield from (replace(mail, attachments=table) for mail in mails)

    # --- one writer per report of a group --------------------------------------------------------------
    def _protocols(self, told: _Told, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        for team in wanting:
            protocols = self._packed_protocols(told.plan, told.own_games[team.name])
            yield self._to_one("DGP", told, team, protocols)

    def _own_games(self, told: _Told, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        for team in wanting:
            yield self._to_one("GRP", told, team)

    def _all_games(self, told: _Told, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        outcome, is_melee = told.outcome, told.shape is scores.Shape.MELEE
        yield from self._to_group(
            "GRG",
            told,
            wanting,
            paragraphs=() if is_melee else group_paragraphs(outcome, told.own_games, told.shape, self._game),
            melees=told.melees,
            score=scores.winners_score(outcome, told.own_games) if outcome.plan.title else None,
        )

    def _ranking(self, told: _Told, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        yield from self._to_group("GRR", told, wanting)

    def _to_group(
        self, kind: str, told: _Told, wanting: Sequence[Team], **facts: object
    ) -> Iterator[Outgoing]:
        yield from self._same(
            _group_key(told.plan),
            kind,
            wanting,
            plan=told.plan,
            shape=told.shape,
            standings=told.outcome.standings,
            places=told.melees[0] if len(told.melees) == 1 else (),
            failures=told.failures,
            **facts,
        )

    def _to_one(
        self,
        kind: str,
        told: _Told,
        team: Team,
        attachments: tuple[Attachment, ...] = (),
    ) -> Outgoing:
        own = told.own_games[team.name]
        rendered = self._templates.render(
            _template(kind),
            team=team.name,
            plan=told.plan,
            shape=told.shape,
            is_played=bool(own.matches),
            gone=told.gone,
            games=own.lines,
            scores=scores.scores(own),
            melees=told.melees,
            standing=next(s for s in told.outcome.standings if s.entry == team.name),
            failures=own.failures if self._replays else results.alike(own.failures),
            attachments=attachments,
        )
        return _mail(_group_key(told.plan), kind, team, rendered, attachments)

    def _own_results(
        self,
        history: Sequence[RoundOutcome],
        ranking: Sequence[Standing],
        teams: Teams,
        wanting: Sequence[Team],
    ) -> Iterator[Outgoing]:
        prizes = summary.prizes_of(ranking, teams, self._settings)
        for team in wanting:
            own = summary.own_result(history, ranking, team.name, prizes)
            rendered = self._templates.render(
                "own", team=team.name, own=own, plan=history[-1].plan, is_over=bool(ranking)
            )
            yield _mail(f"round/{history[-1].plan.number}", "OWN", team, rendered)

    def _packed_protocols(self, plan: GroupPlan, own: results.OwnGames) -> tuple[Attachment, ...]:
        """The compact protocols of all attempts at the entry's games (K93, K97), if there were any; a
        computed game has none."""
        if not own.matches:
            return ()
        name = f"round{plan.round}-group{plan.number}-{own.entry}.protocol.gz"
        return protocol_attachments.attached(
            own.matches, plan.round, plan.number, own.entry, self._settings, name
        )

    def _due(
        self, occasion: Occasion, teams: Teams, some: Sequence[Team] = ()
    ) -> Iterator[tuple[MailPreference, tuple[Team, ...]]]:
        return due(occasion, teams.values(), some, self._settings.reports.offered)

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
        broadcast=True,
    )


def _template(kind: str) -> str:
    return kind.lower().replace(" ", "_")


def _group_key(plan: GroupPlan) -> str:
    return f"round/{plan.round}/group/{plan.number}"


def _is_played(pairing: Pairing, out: AbstractSet[str]) -> bool:
    """A pairing of two needs both; a game of all begins with whoever is left, if there are two."""
    return sum(name not in out for name in pairing.players) >= 2


def _members(plan: GroupPlan, teams: Teams) -> tuple[Team, ...]:
    return tuple(teams[name] for name in plan.members)


def _by_name(team: Team) -> str:
    return team.name.casefold()
