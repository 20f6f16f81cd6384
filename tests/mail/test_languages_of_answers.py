"""The language of answers: the contest's, or the team's own."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from pydantic import ValidationError

from contest.language import chosen
from contest.mail.form import record_text
from contest.schema.sections import Contest, ExtraField, Teams
from mailserver.commands import COMMANDS
from mailserver.reading.registration_form import read
from store import teams
from tests.support.german import english_in
from tests.support.mail_world import FORM, OPENS, REGISTER, World, make_settings

GERMAN = FORM.replace("team-members:", "language: de\nteam-members:")
ENGLISH_WORDS = re.compile(r"\b(the|your|you|of|were|with|this|that|not)\b")


@pytest.fixture
def german_world(make_world: Callable[..., World]) -> World:
    return make_world(contest={"language": "de"})


def body(mail: object) -> str:
    return str(mail.get_content()) if hasattr(mail, "get_content") else ""


def text_of(mail: object) -> str:
    return body(mail.get_body(("plain",)) if hasattr(mail, "get_body") else None)


def test_a_contest_answers_in_its_language(german_world: World) -> None:
    mail = german_world.send("status", "")[-1]
    assert "die Termine" in mail["Subject"]
    assert "Anmeldeschluss            12. Mai 1994, 12:00 UT" in text_of(mail)


@pytest.mark.parametrize(
    "subject", [f"help {command.name}" for command in COMMANDS] + ["help", "send faq", "x y"]
)
def test_what_a_german_contest_answers_has_no_english_in_it(
    german_world: World, subject: str
) -> None:
    for mail in german_world.send(subject, ""):
        # Samples of the form, and what people type, are the same in all languages.
        text = re.sub(
            r"`[^`]*`|^ *(?:subject|---).*$|^        .*$", "", text_of(mail), flags=re.M | re.I
        )
        assert not english_in(text, ENGLISH_WORDS), text


@pytest.mark.parametrize(
    ("subject", "letter"), [("send rules", ""), ("send announcement", ""), (REGISTER, FORM)]
)
def test_the_rules_of_the_game_come_in_german(
    german_world: World, subject: str, letter: str
) -> None:
    mail = german_world.send(subject, letter)[-1]
    assert "auf Englisch" not in text_of(mail)
    words = text_of(mail) + "".join(
        body(part) for part in mail.iter_attachments() if part.get_filename() == "rules.txt"
    )
    assert "Jeder Spieler wirft" in words
    assert "Each player throws" not in words


def test_what_is_wrong_with_a_form_is_told_in_german(german_world: World) -> None:
    form = FORM.replace("the_heavy_lords_of_knobeln", "for").replace("LAP", "LAPP")
    told = text_of(german_world.send(REGISTER, form)[-1])
    assert "Schlüsselwort von C" in told
    assert "`LAPP` ist keiner von" in told


def test_a_team_chooses_its_own_language_in_the_form(world: World) -> None:
    welcome = world.send(REGISTER, GERMAN)[-1]
    assert "Eure Anmeldung ist angenommen." in " ".join(text_of(welcome).split())
    with world.store.read() as tx:
        assert teams.all_teams(tx)[0].language == "de"


def test_other_teams_have_the_language_of_the_contest(world: World) -> None:
    assert "Your registration is accepted." in " ".join(
        text_of(world.send(REGISTER, FORM)[-1]).split()
    )
    assert chosen() is None  # nothing is left over for the next letter


def test_the_language_may_be_anywhere_in_the_form() -> None:
    settings = make_settings()
    for form in (
        f"language: de\n{FORM}",
        GERMAN,
        FORM.replace("team-name:", "Language : DE\nteam-name:"),
    ):
        registration = read(form.split("\n"), settings).registration
        assert registration, form
        assert registration.language == "de"
        assert read(record_text(registration).split("\n"), settings).registration == registration


def test_a_language_without_a_catalogue_is_refused() -> None:
    result = read(GERMAN.replace("language: de", "language: tlh").split("\n"), make_settings())
    assert result.registration is None
    assert [problem.text for problem in result.problems] == ["`tlh` is not one of de, en."]
    with pytest.raises(ValidationError, match="no complete catalogue of 'tlh', only of de, en"):
        Contest(language="tlh")


def test_a_contest_may_ask_for_the_language_itself() -> None:
    own = ExtraField(name="language", choices=("de", "en"), required=True)
    settings = make_settings(teams=Teams(fields=(own,), member_lines=2))
    assert read(GERMAN.split("\n"), settings).registration
    assert not read(FORM.split("\n"), settings).registration


def test_the_choice_outlives_the_letter(world: World) -> None:
    world.send(REGISTER, GERMAN)
    world.clock.at = OPENS + timedelta(days=6)
    told = text_of(world.send("status", "", sender="our_team@machine.domain.alfdkj")[-1])
    assert "Name eures Teams" in told
    assert "Die Anmeldung ist offen." in told
