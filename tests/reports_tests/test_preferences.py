"""Who gets which report (K91-K95)."""

from __future__ import annotations

from itertools import combinations

import pytest

from contest.model import MailPreference as P
from reports.preferences import REPORTS, Occasion, due, wants

SUPERFLUOUS = {(P.GRP, P.DGP), (P.GRR, P.RSM), (P.BRK, P.RSM)}


def test_the_table_has_every_preference_once_in_the_announcements_order() -> None:
    assert [report.preference for report in REPORTS] == list(P)


@pytest.mark.parametrize("preference", list(P))
def test_a_team_gets_what_it_asked_for_and_nothing_else(make_team, preference) -> None:
    team = make_team("example", preference)
    assert [report.preference for report in REPORTS if wants(team, report.preference)] == [preference]


@pytest.mark.parametrize(("one", "other"), list(combinations(P, 2)))
def test_of_two_reports_one_is_dropped_only_if_the_other_contains_it(make_team, one, other) -> None:
    team = make_team("example", one, other)
    assert wants(team, one) is ((one, other) not in SUPERFLUOUS)
    assert wants(team, other) is ((other, one) not in SUPERFLUOUS)


@pytest.mark.parametrize(
    ("occasion", "expected"),
    [
        (Occasion.CONTEST_STARTED, {P.LAP: "in out"}),
        (Occasion.GROUP_STARTED, {P.LGP: "in"}),
        (Occasion.GROUP_FINISHED, {P.DGP: "in", P.GRG: "in"}),
        (Occasion.ROUND_PLAYED, {P.OWN: "in"}),
        (Occasion.ROUND_FINISHED, {P.RSM: "in out"}),
    ],
)
def test_each_occasion_has_its_reports_for_the_group_or_for_everybody(make_team, occasion, expected) -> None:
    member, other = make_team("in", *P), make_team("out", *P)
    found = {
        preference: " ".join(t.name for t in to)
        for preference, to in due(occasion, (member, other), (member,))
    }
    assert found == expected


def test_recipients_come_in_the_order_given_and_a_report_for_nobody_is_not_due(make_team) -> None:
    teams = [make_team("c", P.GRR), make_team("a"), make_team("b", P.GRR), make_team("d", P.GRR, P.RSM)]
    ((preference, wanting),) = due(Occasion.GROUP_FINISHED, teams, teams)
    assert (preference, [team.name for team in wanting]) == (P.GRR, ["c", "b"])


def test_what_the_contest_does_not_offer_is_not_due(make_team) -> None:
    teams = [make_team("a", *P)]
    assert not list(due(Occasion.GROUP_FINISHED, teams, teams, offered=(P.OWN,)))
    assert [found for found, _ in due(Occasion.ROUND_PLAYED, teams, teams, offered=(P.OWN,))] == [P.OWN]


def test_the_bracket_goes_to_everybody_who_does_not_get_it_in_the_summary(make_team) -> None:
    teams = [make_team("a", P.BRK), make_team("b", P.BRK, P.RSM)]
    ((preference, wanting),) = due(Occasion.ROUND_PLAYED, teams)
    assert (preference, [team.name for team in wanting]) == (P.BRK, ["a"])
