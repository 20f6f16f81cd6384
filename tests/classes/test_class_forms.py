"""The forms that a class is invited with: whatever its groups are called, the robot takes them."""

from __future__ import annotations

import pytest

from contest.errors import GiveUp
from contest.language import speaking
from contest.mail.form import short_preferences, with_examples
from contest.schema.sections import ExtraField
from knobeln.classes import class_forms, class_list
from knobeln.presets import for_class
from mailserver.reading import registration_form, team_names
from tests.support.contest_field import settings

SETTINGS = for_class(settings())


def a_list(*groups: str) -> class_list.ClassList:
    rows = "".join(f"P {n},p{n}@uni.example,{group}\n" for n, group in enumerate(groups))
    return class_list.read(f"name,mail,group\n{rows}".encode(), SETTINGS)


@pytest.mark.parametrize(
    ("group", "name"),
    [
        ("Gruppe 1", "Gruppe_1"),
        ("1", "group_1"),
        ("The Analysts!", "The_Analysts"),
        ("Müßiggänger", "Muessiggaenger"),
        ("Équipe été", "Equipe_ete"),
        ("int", "int_team"),
        ("house", "house_team"),
        ("第一组", "group"),
        ("a" * 40, "a" * 30),
        ("-- A --", "A"),
    ],
)
def test_a_group_makes_a_name_that_a_team_can_have(group: str, name: str) -> None:
    assert class_forms.team_name(group, in_c=True) == name
    assert team_names.fault(name) == ""


HOUSE = ExtraField(name="house", description="where you live", choices=("north", "south"))
TUTOR = ExtraField(name="tutor", description="where you live")


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("member_lines", [0, 1, 2])
def test_a_form_is_accepted_when_only_its_blanks_are_filled_in(
    member_lines: int, language: str
) -> None:
    own = SETTINGS.changed(
        teams={"member_lines": member_lines, "fields": (HOUSE, TUTOR)},
        contest={"language": language},
    )
    people = class_list.read(b"mail,name\na@uni.example,Ada\nb@uni.example,\n", own).people
    for invitation in class_forms.invitations(people, own):
        with speaking(language):
            text = with_examples(invitation.form, own).text
        assert "<" in invitation.form.text
        assert "<" not in text
        assert registration_form.read(text.split("\n"), own).problems == ()


def test_two_groups_whose_names_become_one_are_two_teams() -> None:
    made = class_forms.invitations(a_list("A!", "A?", "a-").people, SETTINGS)
    assert [each.form.team_name for each in made] == ["A", "A_2", "a_3"]


def test_a_group_that_is_too_large_is_told_at_once_or_split() -> None:
    people = a_list(*14 * ["2"], *11 * ["3"], "4").people
    with pytest.raises(GiveUp) as refused:
        class_forms.invitations(people, SETTINGS)
    assert "group '2': The team has 14 members, at most 10 are allowed" in str(refused.value)
    assert "group '3': The team has 11 members" in str(refused.value)
    split = class_forms.invitations(people, SETTINGS, "split")
    assert [len(each.members) for each in split] == [7, 7, 5, 6, 1]
    alone = class_forms.invitations(people, SETTINGS, "ignore")
    assert [len(each.members) for each in alone] == 26 * [1]


def test_everybody_in_a_group_hears_of_its_form() -> None:
    (group,) = class_forms.invitations(a_list("A", "A", "A").people, SETTINGS)
    assert group.form.address == "p0@uni.example"
    assert [person.address for person in group.others] == ["p1@uni.example", "p2@uni.example"]


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (("LGP", "DGP", "GRP", "GRG", "GRR", "RSM", "JSON"), "RSM,GRR,DGP"),
        (("OWN", "JSON"), "OWN"),
        (("GRP", "GRG"), "GRP"),
        ((), ""),
    ],
)
def test_a_class_is_offered_what_people_read(offered: tuple[str, ...], chosen: str) -> None:
    own = SETTINGS.changed(reports={"offered": offered})
    assert ",".join(short_preferences(own)) == chosen
