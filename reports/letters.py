"""The mails of the contest day: one template per report, one mail per recipient.

What is the same for everybody is rendered once per group or round; the mails share the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from knobeln.config import Settings
from knobeln.form import record_text
from knobeln.games import Dialogue, Ruling, game_of
from knobeln.games.knobeln import rules_of
from knobeln.model import (
    Attachment,
    EvolutionOutcome,
    GroupOutcome,
    GroupPlan,
    MailPreference,
    Outgoing,
    RoundOutcome,
    Standing,
    Team,
)
from knobeln.ports import Rendered, Renderer
from reports import protocol, results, scores, summary, word_protocol
from reports.all_games import group_paragraphs
from reports.evolution_table import condensed
from reports.preferences import Occasion, due

Teams = Mapping[str, Team]


class ContestReporter:
    """Implements knobeln.ports.Reporter."""

    def __init__(self, settings: Settings, templates: Renderer) -> None:
        self._settings = settings
        self._templates = templates
        self._game = game_of(settings.game, settings.programs).info
        self._replays = self._game.ruling is Ruling.REPLAY

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

    def group_started(self, plan: GroupPlan, teams: Teams) -> Iterator[Outgoing]:
        """LGP (K92)."""
        members = sorted(plan.members, key=str.casefold)
        facts = {"plan": plan, "members": members, "shape": scores.shape_of(plan, self._game)}
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
        members = _members(outcome.plan, teams) if outcome.plan.pairings else ()
        for preference, wanting in self._due(Occasion.GROUP_FINISHED, teams, members):
            yield from writers[preference](outcome, wanting)

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
    ) -> Iterator[Outgoing]:
        """RSM (K94), to the eliminated and disqualified as well."""
        outcome = history[-1]
        for preference, wanting in self._due(Occasion.ROUND_FINISHED, teams):
            yield from self._same(
                f"round/{outcome.plan.number}",
                preference,
                wanting,
                outcome=outcome,
                ranking=ranking,
                words=words,
                places=summary.places(outcome, self._game),
                failures=results.failures_of_round(outcome),
                evolution=evolution,
                generations=condensed(evolution) if evolution else None,
                seed=seed.hex() if seed else None,
                seed_commitment=hashlib.sha256(seed).hexdigest() if seed else None,
                **summary.bracket_facts(history, ranking, self._game),
                **summary.prize_facts(ranking, teams, self._settings),
            )

    # --- one writer per report of a group --------------------------------------------------------------
    def _protocols(self, outcome: GroupOutcome, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        own_games = results.own_games(outcome)
        for team in wanting:
            protocols = self._packed_protocols(outcome.plan, own_games[team.name])
            yield self._to_one("DGP", outcome, team, own_games[team.name], protocols)

    def _own_games(self, outcome: GroupOutcome, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        own_games = results.own_games(outcome)
        for team in wanting:
            yield self._to_one("GRP", outcome, team, own_games[team.name])

    def _all_games(self, outcome: GroupOutcome, wanting: Sequence[Team]) -> Iterator[Outgoing]:
        shape = scores.shape_of(outcome.plan, self._game)
        yield from self._to_group(
            "GRG",
            outcome,
            wanting,
            paragraphs=() if shape is scores.Shape.MELEE else group_paragraphs(outcome, self._game),
            melees=scores.melees(outcome, self._game.max_turns),
            score=scores.winners_score(outcome) if outcome.plan.title else None,
        )

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
            shape=scores.shape_of(outcome.plan, self._game),
            standings=outcome.standings,
            places=scores.only_melee(outcome, self._game.max_turns),
            failures=results.failures(outcome),
            **facts,
        )

    def _to_one(
        self,
        kind: str,
        outcome: GroupOutcome,
        team: Team,
        own: results.OwnGames,
        attachments: tuple[Attachment, ...] = (),
    ) -> Outgoing:
        rendered = self._templates.render(
            _template(kind),
            team=team.name,
            plan=outcome.plan,
            shape=scores.shape_of(outcome.plan, self._game),
            games=own.lines,
            scores=scores.scores(own),
            melees=scores.melees(outcome, self._game.max_turns),
            standing=next(s for s in outcome.standings if s.entry == team.name),
            failures=own.failures if self._replays else results.alike(own.failures),
            attachments=attachments,
        )
        return _mail(_group_key(outcome.plan), kind, team, rendered, attachments)

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
        """The compact protocols of all attempts at the entry's games (K93, K97); a computed game has none."""
        if Dialogue.TABLE in self._game.dialogues:
            return ()
        if Dialogue.MACHINE in self._game.dialogues:
            rules = rules_of(self._settings.game)
            text = protocol.write(
                protocol.GameProtocol.of(match, plan.round, plan.number, rules) for match in own.matches
            )
        else:
            text = word_protocol.write(
                self._game,
                (word_protocol.of(match, plan.round, plan.number, own.entry) for match in own.matches),
            )
        name = f"round{plan.round}-group{plan.number}-{own.entry}.protocol.gz"
        return (Attachment(name, "application/gzip", protocol.packed(text)),)

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


def _members(plan: GroupPlan, teams: Teams) -> tuple[Team, ...]:
    return tuple(teams[name] for name in plan.members)


def _by_name(team: Team) -> str:
    return team.name.casefold()
