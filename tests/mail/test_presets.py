"""Contests of all games, from the form to the welcome: each in its own words, and nothing of
KNOBELN's C."""

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest

from contest.config.settings import Settings
from contest.games.registry import game_plugins, rules_text
from contest.mail.form import record_text, sample
from contest.model import Team
from knobellib.kit_archives import tar_archive
from knobellib.kits import kit_of
from knobeln import presets
from mailserver.attachments import announcement_texts
from mailserver.team_secret import without_strings
from reports.render import Templates
from store import Store, teams
from tests.support.clocks import FixedClock
from tests.support.mail_world import BELIEVED, World, body_of, flat

NOW = datetime(2026, 3, 21, 15, 5, tzinfo=UTC)
OTHERS = sorted(set(game_plugins()) - {"knobeln"})
OF_C = re.compile(
    r"\bC\b|compiled|\bthrows?\b|knobellib|lexical|#if|gcc|a_C_|KNOBELN|knobeln(?!s?@|/[0-9a-f]{64})",
    re.MULTILINE,
)


def without_languages(text: str) -> str:
    """The text without the list of languages, which names C and its compiler everywhere."""
    return re.sub(
        r"^- Languages, each with .*?(?=^- |^$)", "", text, flags=re.DOTALL | re.MULTILINE
    )


@dataclass(frozen=True)
class Contest:
    """A contest of one game, and the form as its team fills it in."""

    world: World

    @property
    def settings(self) -> Settings:
        return self.world.settings

    @property
    def subject(self) -> str:
        return f"registration for {self.settings.contest.subject_word}"

    def form(self, **changes: str) -> str:
        text = sample(self.settings).text.replace("name@machine.domain", "our_team@machine.example")
        text = text.replace(
            "name, affiliation", "Joe Cool, University of Northeast Sacrodata, Eggland"
        )
        for old, new in changes.items():
            name = old.replace("_", "-")
            text = re.sub(rf"^{name}: .*$", f"{name}: {new}", text, flags=re.MULTILINE)
        return text

    def register(self, **changes: str) -> EmailMessage:
        (mail,) = self.world.send(self.subject, self.form(**changes), sender="joe@machine.example")
        return mail

    def all_teams(self) -> tuple[Team, ...]:
        with self.world.store.read() as tx:
            return teams.all_teams(tx)


@pytest.fixture
def contest_of(store: Store) -> Callable[..., Contest]:
    def make(game: str, /, **sections: object) -> Contest:
        settings = presets.settings(game, NOW).model_copy(
            update={"registration": BELIEVED, **sections}
        )
        clock = FixedClock(NOW + timedelta(hours=1))
        return Contest(World(store, settings, Templates(settings, None), clock))

    return make


def attached(mail: EmailMessage) -> dict[str, str]:
    return {str(part.get_filename()): part.get_content() for part in mail.iter_attachments()}


# --- from the form to the welcome -----------------------------------------------------------------
@pytest.mark.parametrize("game", sorted(game_plugins()))
def test_the_form_that_a_contest_asks_for_is_accepted_and_brings_the_rules(
    contest_of: Callable[..., Contest], game: str
) -> None:
    contest = contest_of(game)
    form = contest.form().replace("name, age in years", "Joe Cool, 45")
    (mail,) = contest.world.send(contest.subject, form, sender="joe@machine.example")
    assert [team.address for team in contest.all_teams()] == ["our_team@machine.example"]
    assert "Your registration is accepted." in flat(mail)
    assert re.search(r"authentification string \S{24}\s", body_of(mail))
    assert "rules.txt" in flat(mail)
    assert attached(mail)["rules.txt"].startswith(rules_text(game)[2:].partition("\n")[0] + "\n===")


@pytest.mark.parametrize("game", sorted(game_plugins()))
def test_the_announcement_says_all_that_a_stranger_needs_and_its_form_is_accepted(
    contest_of: Callable[..., Contest], game: str
) -> None:
    contest = contest_of(game)
    (mail,) = contest.world.send("send announcement", "", sender="stranger@machine.example")
    text = body_of(mail)
    settings = contest.world.settings
    for named in (settings.contest.address, settings.contest.organizer_address, contest.subject):
        assert named in text
    for date in vars(settings.dates).values():
        assert date.strftime("%Y-%m-%d %H:%M UT") in text
    assert set(settings.reports.offered) <= set(
        re.findall(r"^ +([A-Z]{3,4})  ", text, re.MULTILINE)
    )
    assert "left out: this mail would be too long" not in text
    assert game == "knobeln" or not re.search(
        r"KNOBELN|knobellib\.c|lexical|gcc", without_languages(text)
    )
    assert max(map(len, text.splitlines())) <= 72
    form = text.partition(contest.subject)[2].partition("A program reads it.")[0]
    filled = textwrap.dedent(form.strip("\n")).replace("name, age in years", "Joe Cool, 45")
    (answer,) = contest.world.send(contest.subject, filled, sender="joe@machine.example")
    assert "Your registration is accepted." in flat(answer)


OF_ORGANIZERS = re.compile(
    r"\bsettings?\b|contest\.toml|\bgame\.[a-zA-Z]|\w ="
    r" \"|knobellib/|knobeln/(?![0-9a-f]{64})|docs/"
    r"|\b(?:[Tt]his|the|a) page\b"
)


@pytest.mark.parametrize("game", sorted(game_plugins()))
def test_the_rules_speak_of_nothing_that_only_organizers_or_readers_of_the_program_know(
    contest_of: Callable[..., Contest], game: str
) -> None:
    contest = contest_of(game)
    (mail,) = contest.world.send("send announcement", "", sender="stranger@machine.example")
    with contest.world.store.read() as tx:
        words = announcement_texts(tx, contest.world.settings)
    for text in (words["rules"], flat(mail)):
        assert OF_ORGANIZERS.findall(text.replace('PLAYER_NAME = "', "")) == []


FORGED = "<<FROM>> name_of_your_team 0000-1111-2222-3333-4444"


@pytest.mark.parametrize("game", OTHERS)
def test_no_mail_of_another_contest_speaks_of_c_or_of_knobeln(
    contest_of: Callable[..., Contest], game: str
) -> None:
    contest = contest_of(game)
    world = contest.world
    mails = [
        contest.register(team_name="9 lives", mail_preference="all, XYZ", Organization=""),
        contest.register(),
        *world.send("hello", "what can I do?"),
        *world.send(contest.subject, "please let me in", sender="jane@machine.example"),
        *world.send("send rules", ""),
        *world.send("send software", ""),
        *world.send("send faq", ""),
        *world.send("please compile", "my program"),
        *world.send("please compile", FORGED, attached={"final_strategy.py": b"pass\n"}),
    ]
    with world.store.write() as tx:
        (team,) = teams.all_teams(tx)
        facts = {"team": team, "record": record_text(team.registration), "remarks": ()}
    words = [world.renderer.render("registration_pending", **facts)]
    words.append(
        world.renderer.render(
            "no_program", number_of_teams=7, seed_commitment="0", entries_root="1", is_pending=False
        )
    )
    texts = [f"{mail['Subject']}\n{body_of(mail)}" for mail in mails]
    texts += [f"{each.subject}\n{each.body}" for each in words]
    assert len(mails) == 9 + 1  # a wrong string is also told to the team that was named
    for text in map(without_strings, texts):  # chance may write gcc in them
        assert not OF_C.search(without_languages(text)), text


def test_the_numbers_of_the_contest_stand_in_the_mail(contest_of: Callable[..., Contest]) -> None:
    usual = presets.settings("bid-tac-toe", NOW)
    contest = contest_of(
        "bid-tac-toe",
        game=usual.game.model_copy(update={"illegal_bid": "zero"}),
        programs=usual.programs.model_copy(update={"seconds": 0.5, "memory_mb": 64}),
        tournament=usual.tournament.model_copy(update={"games": 250}),
    )
    for text in (flat(contest.register()), flat(*contest.world.send("send rules", ""))):
        assert "Everybody meets everybody else in 250 games." in text
        assert (
            "0.5 s of processor time for each answer; all its processes and threads count" in text
        )
        assert "It may sleep for 6 s in a game;" in text
        assert "A program can use 64 MB of memory." in text
        assert "Illegal bids end the game and count as nine zeros" in text
        assert (
            "prizes for the best 3 of each school, and a grand prize for the best of all." in text
        )
        assert "Teams with equal places share a prize." in text


def test_a_team_gets_a_kit_with_the_settings_of_its_contest(
    contest_of: Callable[..., Contest],
) -> None:
    contest = contest_of("standoff")
    contest.register()
    (team,) = contest.all_teams()
    (mail,) = contest.world.send("send software", "", sender=team.address)
    kit = kit_of(contest.world.settings)
    assert attached(mail) == {kit.tar_name: tar_archive(kit)}
    assert (
        f"    tar -xzf {kit.tar_name}\n    cd {kit.folder}\n    {kit.first_command}\n"
        in body_of(mail)
    )
    assert len(mail.as_bytes()) < Settings.MAX_LETTER_BYTES


def test_the_rules_come_on_request_once_an_hour(contest_of: Callable[..., Contest]) -> None:
    world, subject = contest_of("standoff").world, "send Standoff rules"
    (mail,) = world.send(subject, "")
    assert mail["Subject"] == "Mega mexican standoff: the rules"
    assert world.send(subject, "") == []
    assert world.send(subject, "", at=NOW + timedelta(hours=3)) != []


# --- limits ---------------------------------------------------------------------------------------
def test_nobody_plays_hog_in_two_teams(contest_of: Callable[..., Contest]) -> None:
    contest = contest_of("hog")
    contest.register()
    mail = contest.register(mail_address="others@machine.example", team_name="others")
    assert "each person can be in one team only" in flat(mail)
    assert len(contest.all_teams()) == 1
    assert "name_of_your_team" not in body_of(mail)


def test_a_keyword_of_c_may_be_a_name_in_another_contest(
    contest_of: Callable[..., Contest],
) -> None:
    assert "welcome, int" in contest_of("standoff").register(team_name="int")["Subject"]
