"""The reports on groups: LGP, DGP, GRP, GRG, GRR (K92, K93)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, groupby

from contest.interfaces.events import GroupFinished, GroupStarted
from contest.language import noted
from contest.model import Attachment, Outgoing, Team
from reports import scores
from reports.all_games import all_games, as_csv
from reports.kinds.base import Audience, Disclosed, Mailing, Report, with_news
from reports.kinds.of_rounds import RoundSummary
from reports.play import packed_protocols, play_reports


class GroupParticipants(Report[GroupStarted]):
    code = "LGP"
    meaning = noted("send list of my groups' participants (team names only)")
    when = GroupStarted
    to_whom = Audience.GROUP
    discloses = frozenset({Disclosed.TEAMS})

    def write(self, mailing: Mailing[GroupStarted], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        """Members that are out are named separately, and games with them are not counted.

        A pairing of two needs both players; a game of all is played if two are left.
        """
        event = mailing.event
        plan, out = event.plan, event.out
        members = sorted(plan.members, key=str.casefold)
        return self.same_mail(
            mailing,
            wanting,
            plan=plan,
            is_final=event.final,
            members=[name for name in members if name not in out],
            out=[name for name in members if name in out],
            pairings=[p for p in plan.pairings if sum(name not in out for name in p.players) >= 2],
            shape=scores.shape_of(plan, mailing.game),
        )


class GameProtocols(Report[GroupFinished]):
    code = "DGP"
    meaning = noted("send detailed game protocol for each of my games (every %(turn_word)s)")
    when = GroupFinished
    to_whom = Audience.GROUP
    discloses = frozenset({Disclosed.OWN_MOVES})
    needs_moves = True

    def write(self, mailing: Mailing[GroupFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        group = mailing.group
        mails = (
            self.own_mail(
                mailing, team, group.for_member(team.name), _protocols(mailing, team.name)
            )
            for team in wanting
        )
        return with_news(mails, mailing, partial(group.news, games=True))


def _protocols(mailing: Mailing[GroupFinished], name: str) -> tuple[Attachment, ...]:
    """The compact protocols of all attempts at the entry's games (K93, K97), if there were any."""
    matches, plan = mailing.group.own_games[name].matches, mailing.event.plan
    if not matches:
        return ()
    file = f"round{plan.round}-group{plan.number}-{name}.protocol.gz"
    play = play_reports(mailing.game.play)
    text = play.protocols(matches, plan.round, plan.number, name, mailing.settings)
    return packed_protocols(file, text)


class OwnGamesReport(Report[GroupFinished]):
    code = "GRP"
    meaning = noted("send game result (points) for each of my games")
    when = GroupFinished
    to_whom = Audience.GROUP
    contained_in = "DGP"
    discloses = frozenset({Disclosed.OWN_GAMES})

    def write(self, mailing: Mailing[GroupFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        group = mailing.group
        mails = (self.own_mail(mailing, team, group.for_member(team.name)) for team in wanting)
        return with_news(mails, mailing, partial(group.news, games=True))


class AllGames(Report[GroupFinished]):
    code = "GRG"
    meaning = noted("send group result (all games of all participants)")
    when = GroupFinished
    to_whom = Audience.GROUP
    discloses = frozenset({Disclosed.TEAMS, Disclosed.RANKINGS, Disclosed.GAMES})

    def write(self, mailing: Mailing[GroupFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        group = mailing.group
        outcome, plan = group.outcome, group.outcome.plan
        if plan.title:  # a match: its games are those of each of the two
            offered = mailing.settings.reports.offered
            told = {GameProtocols.code, OwnGamesReport.code}.intersection(offered)
            wanting = [team for team in wanting if told.isdisjoint(team.registration.preferences)]
        file = f"round{plan.round}-group{plan.number}.csv"
        facts = {
            "melees": group.melees,
            # A match, from the view of the team that stands first.
            "score": scores.scores(group.own_games[outcome.standings[0].entry])[0]
            if plan.title
            else None,
            "file": file,
            **group.for_all,
        }
        has_table = not plan.title and group.shape is not scores.Shape.MELEE
        with_ranking = {RoundSummary.code, GroupRanking.code}
        with_ranking &= {*mailing.settings.reports.offered} if has_table else set()

        def has_ranking(team: Team) -> bool:
            """Whether another mail brings the ranking to the team."""
            return not with_ranking.isdisjoint(team.registration.preferences)

        mails: Iterator[Outgoing] = chain.from_iterable(
            self.same_mail(mailing, tuple(readers), has_ranking=has, **facts)
            for has, readers in groupby(sorted(wanting, key=has_ranking), key=has_ranking)
        )
        mails = with_news(mails, mailing, partial(group.news, games=False))
        if not has_table:
            return mails
        listed = all_games(outcome, group.own_games, group.shape, mailing.game.point)
        table = Attachment(file, "text/csv", as_csv(listed).encode())
        return (replace(mail, attachments=(table,)) for mail in mails)


class GroupRanking(Report[GroupFinished]):
    code = "GRR"
    meaning = noted("send group result (ranking)")
    when = GroupFinished
    to_whom = Audience.GROUP
    contained_in = "RSM"
    discloses = frozenset({Disclosed.TEAMS, Disclosed.RANKINGS})

    def write(self, mailing: Mailing[GroupFinished], wanting: Sequence[Team]) -> Iterator[Outgoing]:
        group = mailing.group
        return with_news(
            self.same_mail(mailing, wanting, **group.for_all),
            mailing,
            partial(group.news, games=False),
        )
