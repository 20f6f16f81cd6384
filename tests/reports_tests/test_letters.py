"""The mails of the contest day: who gets what, once, in 72 columns, with nothing secret in it."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from itertools import combinations_with_replacement

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from contest.config.settings import Settings
from contest.interfaces.events import GroupFinished, GroupStarted, RoundFinished, RoundPlayed
from contest.mail.compose import compose
from contest.model import GroupOutcome, Member, Outgoing, Pairing, Standing, Team
from contest.schema.sections import Reports
from reports.contest_reporter import ContestReporter
from reports.kinds import reports
from reports.render import Templates
from reports.text import WIDTH, columns_of
from tests.reports_tests.conftest import MakeGroup, MakeTeam, SmallContest
from tests.support.golden import csv_rows

NAMES_30 = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,29}", fullmatch=True)
LINES = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), min_size=1, max_size=500)


def by_kind(mails: Iterable[Outgoing], kind: str) -> list[Outgoing]:
    return [mail for mail in mails if mail.kind == kind]


def names(mails: Iterable[Outgoing]) -> list[str]:
    return [mail.key.rpartition("/")[2] for mail in mails]


def first_summary(contest) -> RoundFinished:
    return RoundFinished(teams=contest.teams, history=[contest.first], words="Well played!")


@pytest.fixture(scope="module")
def started(reporter: ContestReporter, contest: SmallContest) -> list[Outgoing]:
    return list(reporter.mails(contest.started))


@pytest.fixture(scope="module")
def group_mails(reporter: ContestReporter, contest: SmallContest) -> list[Outgoing]:
    """Those of the group in which somebody was disqualified."""
    return list(reporter.mails(GroupFinished(teams=contest.teams, outcome=contest.first.groups[1])))


@pytest.fixture(scope="module")
def summaries(reporter: ContestReporter, contest: SmallContest) -> list[Outgoing]:
    return list(reporter.mails(first_summary(contest)))


@pytest.fixture(scope="module")
def final(reporter: ContestReporter, contest: SmallContest) -> Outgoing:
    return next(iter(reporter.mails(contest.finished)))


# --- the start ------------------------------------------------------------------------------------


def test_lap_never_holds_an_authentification_string(started: list[Outgoing]) -> None:
    for mail in started:
        assert not re.search(r"\w{4}(-\w{4}){4}", mail.body)
        assert "<<FROM>>" not in mail.body


def test_lgp_names_who_was_taken_out_and_counts_no_games_with_them(
    reporter: ContestReporter, contest: SmallContest
) -> None:
    plan = contest.first.groups[1].plan
    (mail,) = reporter.mails(GroupStarted(teams=contest.teams, plan=plan, out={"silent"}))
    assert "3 participants:\n\n  greedy, patient_cooperator, zero_thrower\n" in mail.body
    assert "silent was taken out of the contest, and no games of it are played" in mail.body
    assert "6 games are played." in mail.body
    out = {"silent", "zero_thrower"}
    (mail,) = reporter.mails(GroupStarted(teams=contest.teams, plan=plan, out=out))
    assert "silent and zero_thrower were taken out of the contest" in mail.body
    assert "3 games are played." in mail.body


@pytest.mark.parametrize("out", [{"silent"}, {"silent", "greedy"}])
def test_lgp_says_where_nobody_is_left_to_play_against(
    reporter: ContestReporter, contest: SmallContest, out: set[str]
) -> None:
    two = {"members": ("greedy", "silent"), "pairings": (Pairing(("greedy", "silent")),)}
    plan = replace(contest.first.groups[1].plan, **two)
    (mail,) = reporter.mails(GroupStarted(teams=contest.teams, plan=plan, out=out))
    assert ("1 participant:\n\n  greedy\n" in mail.body) == ("greedy" not in out)
    assert "0 participants" not in mail.body
    assert "nobody to play against" in mail.body
    assert "1 game is" not in mail.body


# --- the end of a group ---------------------------------------------------------------------------
def test_every_report_goes_to_those_who_asked_for_it_and_do_not_get_it_inside_another(
    group_mails: list[Outgoing],
) -> None:
    found = {kind: names(by_kind(group_mails, kind)) for kind in ("DGP", "GRP", "GRG", "GRR")}
    assert found == {
        "DGP": ["zero_thrower"],
        "GRP": ["greedy", "patient_cooperator"],
        "GRG": ["zero_thrower"],
        "GRR": ["greedy", "zero_thrower", "patient_cooperator"],
    }


def test_each_mail_has_one_recipient_and_a_key_of_its_own(
    group_mails: list[Outgoing], contest: SmallContest
) -> None:
    assert len({mail.key for mail in group_mails}) == len(group_mails)
    for mail in group_mails:
        team = contest.teams[mail.key.rpartition("/")[2]]
        assert (mail.to, mail.team_id) == (team.address, team.id)
        assert mail.key == f"round/1/group/2/{mail.kind}/{team.name}"


def test_reporting_again_makes_the_same_mails(
    reporter: ContestReporter, contest: SmallContest, group_mails: list[Outgoing]
) -> None:
    event = GroupFinished(teams=contest.teams, outcome=contest.first.groups[1])
    assert list(reporter.mails(event)) == group_mails


def test_all_reports_of_a_team_are_one_thread_and_all_summaries_another(
    started: list[Outgoing],
    group_mails: list[Outgoing],
    summaries: list[Outgoing],
    settings: Settings,
    contest: SmallContest,
) -> None:
    def thread(mail: Outgoing) -> str:
        head = message_from_bytes(
            compose(mail, settings, bytes(32), datetime(1994, 5, 14, tzinfo=UTC)).raw
        )
        assert head["References"] == head["In-Reply-To"] != head["Message-ID"]
        assert head["X-Knobeln-Contest"] == settings.contest.title
        assert head["X-Knobeln-Team"] == names([mail])[0]
        assert head["X-Knobeln-Report"] == mail.kind.replace(" ", "-")
        assert head["X-Knobeln-Round"] == (None if mail in started else "1")
        return str(head["References"])

    threads = {thread(mail) for mail in summaries}
    assert len(threads) == 1 < len(summaries)
    for name in contest.teams:
        mine = [mail for mail in (*started, *group_mails) if names([mail]) == [name]]
        assert len({thread(mail) for mail in mine}) == bool(mine)
        threads |= {thread(mail) for mail in mine}
    assert len(threads) > 3


def test_what_is_the_same_for_everybody_is_one_text(
    group_mails: list[Outgoing], summaries: list[Outgoing], started: list[Outgoing]
) -> None:
    for mails in (by_kind(group_mails, "GRR"), summaries, by_kind(started, "LAP")):
        assert len(mails) > 1
        assert all(mail.body is mails[0].body for mail in mails)


@pytest.mark.parametrize("kind", ["DGP", "GRP"])
def test_a_team_of_which_nothing_was_played_is_told_why(
    reporter: ContestReporter, contest: SmallContest, kind: str
) -> None:
    group = contest.first.groups[1]
    plan = replace(
        group.plan, members=("greedy", "silent"), pairings=(Pairing(("greedy", "silent")),)
    )
    standings = (
        Standing("greedy", 0, 1, 0, False, True),
        Standing("silent", 0, None, 0, True, False),
    )
    outcome = GroupOutcome(plan, (), standings)
    wanting = {name: wants(contest.teams[name], kind) for name in plan.members}
    one, other = by_kind(reporter.mails(GroupFinished(teams=wanting, outcome=outcome)), kind)
    assert "No game of greedy was played here, because silent was taken out.\n" in one.body
    assert "Your strategy was taken out of the contest" in other.body
    for mail in (one, other):
        assert mail.attachments == ()
        for words in ("These are the games", "opponent ", "Remarks", "Your points", "attached"):
            assert words not in mail.body


def wants(team: Team, kind: str) -> Team:
    return replace(team, registration=replace(team.registration, preferences=(kind,)))


def test_grg_has_every_game_of_the_group_once(
    reporter: ContestReporter, make_group: MakeGroup, make_team: MakeTeam
) -> None:
    members = [f"team_{at:02}_with_the_longest_of_na" for at in range(41)]
    teams = {name: make_team(name, "GRG") for name in members}
    group = make_group(members)
    mail = next(iter(reporter.mails(GroupFinished(teams=teams, outcome=group))))
    found = {(row["player_1"], row["player_2"]): row for row in csv_rows(mail)}
    assert len(found) == len(csv_rows(mail)) == 861
    assert {Pairing((min(pair), max(pair))) for pair in found} == {
        Pairing(pair) for pair in combinations_with_replacement(members, 2)
    }
    for match in group.matches:
        row = found[match.players]
        assert [row["points_1"], row["points_2"]] == [
            str(seat.points) for seat in match.result.seats
        ]


@pytest.mark.parametrize(
    ("codes", "has_ranking"),
    [
        (("GRG",), True),
        (("GRG", "DGP"), True),
        (("GRG", "GRR"), False),
        (("GRG", "RSM"), False),
        (("GRG", "GRR", "RSM"), False),
    ],
)
def test_grg_has_the_ranking_if_no_other_mail_brings_it(
    reporter: ContestReporter,
    make_group: MakeGroup,
    make_team: MakeTeam,
    codes: tuple[str, ...],
    has_ranking: bool,
) -> None:
    teams = {name: make_team(name, *codes) for name in ("fish", "fowl")}
    event = GroupFinished(teams=teams, outcome=make_group(list(teams)))
    mails = [mail for mail in reporter.mails(event) if mail.kind == "GRG"]
    assert len(mails) == 2
    for mail in mails:
        assert ("rank  team" in mail.body) is has_ranking
        assert ("The ranking comes in a mail of its own." in mail.body) is not has_ranking


# --- the end of a round ---------------------------------------------------------------------------
def test_rsm_goes_to_the_eliminated_and_disqualified_too(
    reporter: ContestReporter, contest: SmallContest
) -> None:
    asking = {name: wants(team, "RSM") for name, team in contest.teams.items()}
    event = RoundFinished(teams=asking, history=[contest.final], ranking=contest.ranking)
    mails = list(reporter.mails(event))
    assert names(mails) == list(contest.teams)
    assert {mail.key for mail in mails} == {f"round/2/RSM/{name}" for name in contest.teams}


def test_the_organizers_words_are_no_template_and_keep_their_layout(
    reporter: ContestReporter, contest: SmallContest
) -> None:
    words = "Look:\n  * {{ settings.mail.password }}\n  * {% raw %}"
    mail = next(iter(reporter.mails(replace(first_summary(contest), words=words))))
    assert mail.body.startswith(words + "\n\n")


def test_a_final_in_which_all_were_disqualified_has_no_winner(
    reporter: ContestReporter, contest: SmallContest
) -> None:
    group = contest.final.groups[0]
    gone = tuple(replace(s, rank=None, disqualified=True, failures=2) for s in group.standings)
    outcome = replace(contest.final, groups=(replace(group, standings=gone),))
    event = RoundFinished(teams=contest.teams, history=[outcome], ranking=gone, seed=contest.seed)
    mail = next(iter(reporter.mails(event)))
    assert "There is no winner: all participants of the final were disqualified." in mail.body


def test_the_mails_of_the_last_round_say_that_it_is_the_final_and_where_the_evolution_is(
    reporter: ContestReporter, contest: SmallContest, final: Outgoing
) -> None:
    group = contest.final.groups[0]
    mails = [
        *reporter.mails(GroupStarted(teams=contest.teams, plan=group.plan, final=True)),
        *reporter.mails(GroupFinished(teams=contest.teams, outcome=group, final=True)),
    ]
    texts = {mail.kind: (mail.subject, " ".join(mail.body.split())) for mail in mails}
    for kind in ("GRR", "GRP", "DGP"):
        subject, body = texts[kind]
        assert subject.startswith("KNOBELN round 2, the final: ")
        assert body.startswith("The final is finished, and with it the contest.")
        assert "The evolution is now computed from the games of the final." in body
        assert "Teams with RSM in their mail-preference get them by mail." in body
    assert texts["LGP"][1].startswith(
        "The final (round 2) starts now. It is the last round of the contest."
    )
    assert "The final (round 2) has been played, and the contest is over." in final.body


def test_own_says_that_the_contest_is_over_and_how_the_evolution_ended(
    settings: Settings, templates: Templates, contest: SmallContest, make_team: MakeTeam
) -> None:
    own = {name: make_team(name, "OWN") for name in contest.teams}
    offered = settings.reports.model_copy(update={"offered": ("OWN",)})
    reporter = ContestReporter(settings.model_copy(update={"reports": offered}), templates)
    history, ranking = (contest.first, contest.final), contest.ranking
    event = RoundPlayed(teams=own, history=history, ranking=ranking, evolution=contest.evolution)
    bodies = {
        mail.key.split("/")[-1]: " ".join(mail.body.split()) for mail in reporter.mails(event)
    }
    assert "is over: the final has been played." in bodies["example"]
    assert "; in the evolution you became extinct in generation 5." in bodies["example"]
    assert "; in the evolution 1st with 60.0 %." in bodies["patient_cooperator"]


# --- all of them ----------------------------------------------------------------------------------
@hypothesis_settings(
    max_examples=20,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(NAMES_30, min_size=2, max_size=5, unique=True), LINES, LINES, LINES)
def test_no_mail_is_wider_than_72_columns_or_says_what_cannot_be_printed(
    reporter: ContestReporter,
    make_group: MakeGroup,
    make_team: MakeTeam,
    contest: SmallContest,
    members,
    organization,
    occupation,
    words,
) -> None:
    people = (Member("Joe Cool", 45, occupation, words),)
    teams = {
        name: make_team(name, *reports(), organization=organization, members=people)
        for name in members
    }
    group = make_group(members)
    final = replace(contest.final, groups=(group,))
    summary = replace(contest.finished, history=[final], ranking=group.standings, words=words)
    events = [
        replace(contest.started, without_program=()),
        GroupStarted(teams=teams, plan=group.plan),
        GroupFinished(teams=teams, outcome=group),
        summary,
    ]
    mails = [mail for event in events for mail in reporter.mails(replace(event, teams=teams))]
    assert len(mails) == 5 * len(members)
    for mail in mails:
        texts = [mail.body]
        if mail.kind == "LAP":  # people copy the form, so each of its fields is one line
            forms = mail.attachments[0].data.decode()
            assert f"\nOrganization: {organization}".rstrip() + "\n" in forms
            texts.append(forms)
        assert max(map(columns_of, mail.body.split("\n"))) <= WIDTH
        for text in texts:
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
        assert "\n" not in mail.subject


# --- a team's own result --------------------------------------------------------------------------
@pytest.fixture
def offering(settings: Settings, templates: Templates) -> ContestReporter:
    """The reporter of a contest that offers everything."""
    offered = Reports(offered=tuple(reports()))
    return ContestReporter(settings.model_copy(update={"reports": offered}), templates)


def test_who_does_not_proceed_is_told_the_place_in_its_group(
    offering: ContestReporter, contest: SmallContest
) -> None:
    asking = {name: wants(team, "OWN") for name, team in contest.teams.items()}
    event = RoundPlayed(teams=asking, history=[contest.first])
    mails = {mail.to.partition("@")[0]: mail for mail in offering.mails(event)}
    out = {
        line.entry
        for group in contest.first.groups
        for line in group.standings
        if not line.advances
    }
    assert mails.keys() == out
    assert (
        "Your team is out of the International KNOBELN contest after round 1."
        in mails["greedy"].body
    )
    assert "You are 3rd of 3 ranked in your group with" in mails["greedy"].body
    thrower = " ".join(mails["zero_thrower"].body.split())
    assert "Your program was disqualified, because it failed twice in a round" in thrower
    assert "throw 17 was 0, but only 1..12288 are allowed" in thrower
    assert not any(other in thrower for other in ("greedy", "silent"))


# --- only the first places ------------------------------------------------------------------------
def test_mails_show_the_first_places_alone_and_each_team_its_own(
    contest: SmallContest, settings: Settings
) -> None:
    first = settings.changed(reports={"places": 1, "offered": ("DGP", "RSM", "GRR")})
    reporter = ContestReporter(first, Templates(first, None))
    group = max((group for group in contest.first.groups), key=lambda group: len(group.standings))
    ranks = {standing.entry: standing.rank for standing in group.standings}
    for mail in (
        *reporter.mails(GroupFinished(teams=contest.teams, outcome=group)),
        *by_kind(reporter.mails(first_summary(contest)), "RSM"),
    ):
        if mail.kind == "DGP":  # its own games name those that it has met
            continue
        shown = {name for name in ranks if name in mail.body}
        assert shown == {name for name, rank in ranks.items() if rank == 1}, mail.body
        own = mail.key.rpartition("/")[2]
        assert own not in ranks or mail.lead.startswith(
            ("You are ", "Your program was disqualified")
        ), mail.lead
    final = next(iter(by_kind(reporter.mails(contest.finished), "RSM")))
    winners = {line.entry for line in contest.finished.ranking if line.rank == 1}
    winners |= {line.entry for line in contest.finished.evolution.ranking if line.rank == 1}
    words = set(re.findall(r"(?<![\w@.])\w+(?![\w@])", final.body))
    assert contest.teams.keys() & words == winners
    assert [each.name for each in final.attachments] == ["seed.txt"]
