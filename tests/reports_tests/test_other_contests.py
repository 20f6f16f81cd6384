"""The mails of the contest day of every game, played by its rules: what they say, and what they do
not."""

import gzip
import re
from collections.abc import Callable

import pytest

from reports.text import WIDTH, columns_of, ordinal
from tests.support import other_contests
from tests.support.golden import compare, whole_mail
from tests.support.other_contests import Played

# 1.2.DGP.greedy is the mail with the key round/1/group/2/DGP/greedy, 1.RSM.greedy is
# round/1/RSM/greedy.
GOLDEN = {
    "bid_tac_toe": """
        1.1.LGP.greedy 1.1.DGP.greedy 1.1.GRP.crashing 1.1.GRG.greedy 1.1.GRR.crashing 1.RSM.greedy
        1.OWN.crashing 1.OWN.diagonal
    """,
    "ultimate_tic_tac_toe": """
        1.1.LGP.playouts 1.5.LGP.mid_player 1.1.DGP.playouts 8.1.GRP.often_late 8.1.GRG.toe
        1.2.GRR.random_mover 2.OWN.random_mover 1.BRK.toe 4.BRK.toe 9.BRK.toe 9.RSM.tic
    """,
    "counted_ultimate_tic_tac_toe": "1.2.DGP.often_late 1.1.GRP.playouts",
    "cooperation": """
        1.1.DGP.shouting 1.1.GRP.always_cooperate 1.1.GRG.tit_for_tat 1.RSM.shouting 1.OWN.shouting
    """,
    "cooperation_legacy": """
        1.1.DGP.grudger 1.1.GRP.lost_at_first 1.1.GRG.grudger 1.1.GRR.lost_at_first
        1.RSM.tit_for_tat 1.OWN.lost_at_first
    """,
    "standoff": "1.1.LGP.dice 1.1.DGP.clumsy 1.1.GRP.dice 1.1.GRG.clumsy 1.RSM.clumsy 1.OWN.clumsy",
    "hog": """
        1.1.LGP.chaser 1.1.DGP.always_six 1.1.GRP.chaser 1.1.GRG.chaser 1.1.GRR.chaser
        1.RSM.always_six 1.OWN.chaser
    """,
}
CONTESTS: dict[str, Callable[[], Played]] = {name: getattr(other_contests, name) for name in GOLDEN}
MAILS = [(contest, key) for contest, keys in GOLDEN.items() for key in keys.split()]
SECRET = re.compile(r"Traceback|KeyError|thinking")


@pytest.fixture(params=sorted(CONTESTS))
def played(request: pytest.FixtureRequest) -> Played:
    return CONTESTS[request.param]()


@pytest.mark.parametrize(("contest", "key"), MAILS)
def test_a_mail_of_another_contest_looks_as_it_did(contest: str, key: str) -> None:
    number, *group, kind, team = key.split(".")
    in_round = [f"group/{group[0]}", kind, team] if group else [kind, team]
    mail = CONTESTS[contest]().mails["/".join(["round", number, *in_round])]
    name = "_".join([f"round{number}", *in_round]).replace("/", "_")
    compare(f"{contest}/{name}", whole_mail(mail))


@pytest.mark.parametrize("contest", sorted(CONTESTS))
def test_the_announcement_of_another_contest_looks_as_it_did(contest: str) -> None:
    compare(f"{contest}/announcement", CONTESTS[contest]().announcement)


def test_every_mail_fits_has_a_key_of_its_own_and_speaks_of_no_throws_or_evolution(
    played: Played,
) -> None:
    for key, mail in played.mails.items():
        assert key.endswith(f"/{mail.to.partition('@')[0]}")
        assert max(map(columns_of, f"{mail.lead}{mail.body}".split("\n"))) <= WIDTH, key
        assert not re.search(r"throw|strategy failed|evolution|knobellib", mail.body, re.IGNORECASE)
    assert max(map(columns_of, played.announcement.split("\n"))) <= WIDTH


def test_what_a_program_said_is_told_to_its_own_team_alone(played: Played) -> None:
    for mail in played.mails.values():
        if SECRET.search(mail.lead + mail.body):
            assert mail.kind in ("DGP", "GRP", "OWN")
            assert mail.to.startswith(("crashing@", "lost_at_first@", "often_late@"))
    assert not SECRET.search(played.announcement)


def test_nobody_gets_the_protocol_of_anothers_fault(played: Played) -> None:
    for mail in played.mails.values():
        for attachment in mail.attachments if mail.kind == "DGP" else ():
            own = mail.to.partition("@")[0]
            for game in gzip.decompress(attachment.data).decode().split("\ngame ")[1:]:
                players = (
                    game.partition("\nplayers ")[2]
                    .partition("\npoints ")[0]
                    .replace("\\", "")
                    .split()
                )
                assert own in players
                blamed = re.findall(r"^fault seat=(\d+) turn=\d+ turns=\d+ ", game, re.MULTILINE)
                assert {players[int(seat) - 1] for seat in blamed} <= {own}


def test_everybody_is_told_the_own_result_once(played: Played) -> None:
    told = [mail.to for mail in played.mails.values() if mail.kind == "OWN"]
    assert sorted(told) == sorted(team.address for team in played.teams.values())


def test_the_own_result_says_nothing_about_others() -> None:
    """B23: the contest offers nothing else, whatever teams ask for."""
    played = other_contests.bid_tac_toe(own_only=True)
    assert any("RSM" in team.registration.preferences for team in played.teams.values())
    assert {mail.kind for mail in played.mails.values()} == {"OWN"}
    for mail in played.mails.values():
        own = mail.to.partition("@")[0]
        assert own in mail.subject
        for other in set(played.teams) - {own}:
            assert other not in mail.subject + mail.body
        own_school = played.teams[own].registration.field("school")
        for school in set(other_contests.SCHOOLS) - {own_school}:
            assert school not in mail.body


def test_where_teams_are_told_nothing_the_public_is_told_the_winners_and_no_points() -> None:
    posting = other_contests.bid_tac_toe(own_only=True).announcement
    assert "The grand prize goes to diagonal." in posting
    assert "400" not in posting
    assert "faulty" not in posting


def test_the_places_in_own_results_are_those_of_the_ranking(played: Played) -> None:
    ranks = {standing.entry: standing.rank for standing in played.ranking}
    shared = list(ranks.values())
    for name, rank in ranks.items():
        (mail,) = (
            m for m in played.mails.values() if m.kind == "OWN" and m.to.startswith(f"{name}@")
        )
        last = (rank or 0) + shared.count(rank) - 1
        place = ordinal(rank) if last == rank else f"{ordinal(rank)} to {ordinal(last)}"
        assert f"You are {place} of {len(ranks)}" in " ".join(mail.body.split())


def test_of_a_match_nobody_gets_the_same_games_in_two_mails() -> None:
    mails = other_contests.ultimate_tic_tac_toe().mails
    readers = {kind: set[str]() for kind in ("DGP", "GRP", "GRG")}
    for key, mail in mails.items():
        if mail.kind in readers:
            readers[mail.kind].add(key.rpartition("/")[2])
    assert readers["GRG"] == {"toe"}
    assert "toe" not in readers["DGP"] | readers["GRP"]
    assert len(readers["DGP"] | readers["GRP"]) == 11


def test_a_summary_has_the_whole_bracket_attached() -> None:
    mails = other_contests.ultimate_tic_tac_toe().mails
    for number in (2, 9):
        mail = mails[f"round/{number}/RSM/tic"]
        (file,) = (file for file in mail.attachments if file.name == "bracket.txt")
        assert b"The bracket: winners' side" in file.data
        assert "The bracket" not in mail.body
    assert "The bracket" in mails["round/2/BRK/toe"].body


def test_a_summary_begins_with_its_reader_also_in_rounds_without_a_match_of_it() -> None:
    mails = other_contests.ultimate_tic_tac_toe().mails
    leads = {key: mail.lead for key, mail in mails.items() if mail.kind == "RSM"}
    assert all(lead.startswith("You ") for lead in leads.values())
    assert any("were out after round" in lead for lead in leads.values())
    assert any("no match in this round" in lead for lead in leads.values())


def test_a_bye_is_told_and_nothing_else_is_reported_of_it() -> None:
    played = other_contests.ultimate_tic_tac_toe()
    byes = [g.plan for g in played.history[0].groups if not g.plan.pairings]
    assert byes
    for plan in byes:
        (name,) = plan.members
        mails = [
            m for key, m in played.mails.items() if key.startswith(f"round/1/group/{plan.number}/")
        ]
        assert [mail.kind for mail in mails] == ["LGP"]
        assert mails[0].to.startswith(name)
        assert "gave you a bye" in mails[0].body
