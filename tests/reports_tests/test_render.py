"""Templates: the organizer's win, strangers' words are values, and mistakes are named."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from contest.config.settings import Settings
from contest.errors import ConfigError
from contest.games.built_in import BidTacToeSettings
from contest.schema.sections import Contest
from reports import render
from reports.render import Templates
from reports.text import WIDTH, columns_of

HOSTILE = (
    "{{7*7}}",
    "{% for x in y %}",
    "{{ settings.mail.password }}",
    "{{ ''.__class__.__mro__ }}",
    "%s%n${7*7}#{7*7}",
    "{#",
)
OWN = "Subject: {{ name }}\n\nDear {{ name }}!\n{{ words|wrap }}\n"

NO_PROGRAM = {
    "number_of_teams": 3,
    "seed_commitment": "c0ffee",
    "entries_root": "2",
    "is_pending": False,
}


@pytest.fixture
def own(settings: Settings, tmp_path: Path) -> Templates:
    (tmp_path / "own.txt.j2").write_text(OWN)
    return Templates(settings, tmp_path)


@pytest.mark.parametrize("name", HOSTILE)
def test_what_strangers_write_is_never_evaluated(own: Templates, name: str) -> None:
    mail = own.render("own", name=name, words=name)
    assert mail.subject == name
    assert mail.body == f"Dear {name}!\n{name}\n"


def test_a_line_break_in_a_value_makes_no_second_header(own: Templates) -> None:
    mail = own.render("own", name="x\r\nBcc: victim@machine.example\n\nbody", words="")
    assert mail.subject == "x Bcc: victim@machine.example body"


@hypothesis_settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(name=st.text(st.characters()), words=st.text(st.characters()))
def test_any_text_makes_a_printable_mail_of_72_columns(
    own: Templates, name: str, words: str
) -> None:
    mail = own.render("own", name=name, words=words)
    assert all(columns_of(line) <= WIDTH for line in mail.body.split("\n"))
    assert not any(
        ord(c) < 32 or 127 <= ord(c) < 160 for c in mail.subject + mail.body.replace("\n", "")
    )
    (mail.subject + mail.body).encode()


def test_no_article_stands_before_a_title_that_is_a_name() -> None:
    """`the_contest` has one where the title says what it is."""
    ours = Path(render.__file__).parent / "templates"
    for template in ours.glob("*.j2"):
        assert not re.search(r'\bthe (" ~ |\{\{ )contest.title', template.read_text(), re.I), (
            template.name
        )


def test_the_organizers_template_wins_over_ours(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "grr.txt.j2").write_text("Subject: mine\n\n{{ contest.title }}, in my own words\n")
    mail = Templates(settings, tmp_path).render("grr")
    assert (mail.subject, mail.body) == ("mine", "International KNOBELN contest, in my own words\n")


def test_the_organizers_signature_stands_below_our_templates(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "_signature.txt.j2").write_text("-- \nyours, L.\n")
    mail = Templates(settings, tmp_path).render("no_program", **NO_PROGRAM)
    assert mail.body.endswith("\n-- \nyours, L.\n")


def test_new_and_removed_parts_count_from_the_next_mail_on(
    settings: Settings, tmp_path: Path
) -> None:
    """Also a part of a mail that went out before, and a more special one than ours."""
    (tmp_path / "own.txt.j2").write_text('Subject: x\n\n{% include part("_game_numbers") %}')
    templates, part = (
        Templates(settings, tmp_path),
        tmp_path / "games" / "knobeln" / "_game_numbers.txt.j2",
    )
    ours = templates.render("own").body
    part.parent.mkdir(parents=True)
    part.write_text("mine\n")
    assert templates.render("own").body == "mine\n"
    part.unlink()
    assert templates.render("own").body == ours != "mine\n"


@pytest.mark.parametrize(("beacon", "is_drawn"), [("none", False), ("drand", True), ("file", True)])
def test_mails_name_the_public_number_exactly_where_one_is_drawn(
    settings: Settings, beacon: str, is_drawn: bool
) -> None:
    templates = Templates(settings.changed(tournament={"beacon": beacon}), None)
    facts = {**NO_PROGRAM, "entries_root": "1", "ledger_key": "a key"}
    assert (
        "a public number" in " ".join(templates.render("faq", **facts).body.split())
    ) is is_drawn
    has_digests = facts["seed_commitment"] in templates.render("no_program", **facts).body
    assert has_digests is not is_drawn  # with a number, the list with them has gone out before


def test_a_folder_of_templates_that_is_not_there_is_no_mistake(
    settings: Settings, tmp_path: Path
) -> None:
    assert Templates(settings, tmp_path / "none").render("no_program", **NO_PROGRAM).body


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("no subject\n\nbody", "template own.txt.j2: it must begin with a line `Subject: ...`"),
        (
            "Subject: x\nbody at once",
            "template own.txt.j2: it must begin with a line `Subject: ...`",
        ),
        ("Subject: x\n\nline 3\n{% if %}", "template own.txt.j2, line 4: "),
        ("Subject: x\n\n{{ nobody }}", "template own.txt.j2: 'nobody' is undefined"),
        ("Subject: {{ nobody }}\n\n", "template own.txt.j2: 'nobody' is undefined"),
        (
            "Subject: x\n\n{% include 'gone.txt.j2' %}",
            "template own.txt.j2: there is no template gone.txt.j2",
        ),
        (
            "Subject: x\n\n{{ ''.__class__.__mro__[1].__subclasses__() }}",
            "template own.txt.j2: access to",
        ),
        (
            "Subject: x\n\n{{ where.func.__globals__ }}",
            "template own.txt.j2: access to attribute '__globals__'",
        ),
        (
            "Subject: x\n\n{{ '{0.__class__}'.format(game) }}",
            "template own.txt.j2: access to attribute",
        ),
        # What was allowed before allows nothing else.
        (
            "Subject: x\n\n{{ game.name ~ game.name ~ game.__class__ }}",
            "template own.txt.j2: access to",
        ),
        (
            (
                "Subject: x\n\n{% for form in '{0}', '{0.__class__}' %}{{ form.format(game) }}{%"
                " endfor %}"
            ),
            "template own.txt.j2: access to attribute",
        ),
        (
            "Subject: {{ cycler.__init__.__globals__.os }}\n\n",
            "template own.txt.j2: access to attribute",
        ),
    ],
)
def test_a_mistake_in_a_template_is_named(
    own: Templates, tmp_path: Path, source: str, message: str
) -> None:
    (tmp_path / "own.txt.j2").write_text(source)
    with pytest.raises(ConfigError) as caught:
        own.render("own")
    assert str(caught.value).startswith(message)


def test_a_template_that_nobody_wrote_is_named(own: Templates) -> None:
    with pytest.raises(ConfigError, match=r"there is no template nothing\.txt\.j2"):
        own.render("nothing")


def test_templates_know_the_game_and_count_its_points(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "own.txt.j2").write_text(
        "Subject: {{ game.title }}\n\n{{ 206|points }} {{ game.name }}\n"
    )
    halves = settings.model_copy(update={"game": BidTacToeSettings(name="bid-tac-toe")})
    shown = Templates(halves, tmp_path).render("own")
    assert (shown.subject, shown.body) == ("Bid-Tac-Toe", "51.5 bid-tac-toe\n")


@pytest.mark.parametrize(
    ("language", "moment", "said"),
    [
        ("en", datetime(1994, 5, 12, 12, tzinfo=UTC), "1994-05-12 12:00 UT (14:00 CEST)"),
        ("en", datetime(1994, 1, 12, 12, tzinfo=UTC), "1994-01-12 12:00 UT (13:00 CET)"),
        (
            "de",
            datetime(1994, 5, 31, 23, tzinfo=UTC),
            "31. Mai 1994, 23:00 UT (1. Juni 1994, 01:00 CEST)",
        ),
    ],
)
def test_local_time_stands_beside_universal_time(
    settings: Settings, tmp_path: Path, language: str, moment: datetime, said: str
) -> None:
    (tmp_path / "own.txt.j2").write_text("Subject: x\n\n{{ at|date }}\n")
    chosen = settings.changed(contest={"zone": "Europe/Berlin", "language": language})
    assert Templates(chosen, tmp_path).render("own", at=moment).body == f"{said}\n"
    without = said.partition(" (")[0]
    chosen = settings.changed(contest={"language": language})
    assert Templates(chosen, tmp_path).render("own", at=moment).body == f"{without}\n"


@pytest.mark.parametrize("zone", ["Mars/Olympus", "../etc/passwd", "/etc/passwd"])
def test_a_zone_that_nobody_knows_is_refused(zone: str) -> None:
    with pytest.raises(ValueError, match="this host knows no time zone"):
        Contest(zone=zone)
