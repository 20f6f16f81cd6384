"""Every form that a mail or a command of ours prints is read when its blanks are filled in, however
the mailer of its reader quotes it."""

import email
import email.policy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import EmailMessage

import pytest

from contest.config.settings import Settings
from contest.language import speaking
from contest.mail.compose import compose
from contest.mail.form import blank, sample
from contest.model import Member, Outgoing, Registration
from contest.schema.sections import ExtraField, Teams
from knobeln.organizer import class_list
from mailserver.reading.form_of_letter import read_form
from mailserver.reading.letter import parse
from tests.support.mail_world import REGISTER, World, program
from tests.support.replies import MAILERS

HOUSE = ExtraField(name="house", choices=("north", "south"))
MOTTO = ExtraField(name="motto", description="what you fight for", required=False)
CONTESTS: dict[str, Teams] = {
    "of 1994": Teams(),
    "for a class": Teams(member_lines=0, max_members=3),
    "with affiliations": Teams(member_lines=1),
    "with fields of its own": Teams(fields=(HOUSE, MOTTO)),
}


@dataclass(frozen=True)
class Said:
    """What somebody fills in."""

    address: str = "jane@uni.example"
    team: str = "heavy_lords"
    organization: str = "University of Northeast Sacrodata, Intellect City, Eggland"
    name: str = "Joe Cool"
    background: str = "20-year-experienced programmer"

    def member(self, lines_each: int) -> Member:
        if lines_each == 2:
            return Member(self.name, 45, "programmer", self.background)
        return Member(self.name, None, self.organization if lines_each else "", "")

    def pairs(self, settings: Settings) -> Iterator[tuple[str, str]]:
        """What our forms say in places to fill in, and what comes there."""
        for form in (blank(settings), sample(settings)):
            yield form.address, self.address
            yield form.team_name, self.team
            yield form.organization, self.organization
            yield from (
                (f"{name}: {text}", f"{name}: {'north' if name == 'house' else 'peace'}")
                for name, text in form.fields
            )
            yield from self._members(form.members, settings.teams.member_lines)

    def _members(self, lines: tuple[str, ...], lines_each: int) -> Iterator[tuple[str, str]]:
        if lines_each == 2:
            yield lines[0], f"{self.name}, 45, programmer,"
            yield lines[1], self.background
        elif lines_each == 1:
            yield lines[0], f"{self.name}, {self.organization}"
        else:
            yield f"team-members:\n  {lines[0]}", f"team-members:\n  {self.name}"

    def fill(self, settings: Settings) -> Callable[[str], str]:
        def filled(text: str) -> str:
            for blank_text, value in sorted(self.pairs(settings), key=lambda p: -len(p[0])):
                for indent in ("", " " * 4, " " * 8):
                    lines = blank_text.replace("\n", f"\n{indent}")
                    text = (
                        text.replace(lines, value.replace("\n", f"\n{indent}")) if lines else text
                    )
            return text

        return filled

    def registration(self, settings: Settings) -> Registration:
        fields = {"house": "north", "motto": "peace"}
        lines_each = settings.teams.member_lines
        return Registration(
            self.address,
            tuple(sample(settings).preferences.split(",")),
            self.team,
            self.organization if lines_each else "",
            (self.member(lines_each),),
            tuple((field.name, fields[field.name]) for field in settings.teams.fields),
        )


def mails_with_forms(world: World) -> Mapping[str, EmailMessage]:
    """All mails of ours in which there is a form that is to be filled in."""
    settings, writer = world.settings, "jane@uni.example"

    def answer(subject: str, text: str) -> EmailMessage:
        (mail,) = world.send(subject, text, sender=writer)
        return mail

    return {
        "invitation": invitation(world, settings),
        "refusal": answer(REGISTER, "We would like to take part.\n"),
        "help": answer("help", ""),
        "help registration": answer("help registration", ""),
        "did you mean": answer("regitsration for KNOBELN", ""),
        "announcement": answer("send announcement", ""),
        "program of a stranger": answer(
            "please compile", program("<<FROM>> lords k7qd-2mxw-9rtz-h4pc-v8sn\n")
        ),
    }


def invitation(
    world: World, settings: Settings, columns: str = "mail\njane@uni.example"
) -> EmailMessage:
    with speaking(settings.contest.language):
        (form,) = class_list.forms(class_list.read(columns.encode(), settings), settings)
        rendered = world.renderer.render("invitation", form=form.text, is_open=True)
    outgoing = Outgoing("k", "invitation", form.address, rendered.subject, rendered.body)
    raw = compose(outgoing, settings, bytes(32), world.clock.now()).raw
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    return mail


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("kind", CONTESTS)
def test_every_form_of_ours_is_read_in_replies(
    make_world: Callable[..., World], kind: str, language: str
) -> None:
    world = make_world(teams=CONTESTS[kind], contest={"language": language})
    settings, said = world.settings, Said()
    wrong = []
    for name, mail in mails_with_forms(world).items():
        for mailer, reply in MAILERS.items():
            with speaking(language):
                letter = parse(reply(mail, said.fill(settings), language).as_bytes())
                found = read_form(letter, settings)
            if found.registration != said.registration(settings):
                wrong.append((name, mailer, found.problems[:4], found.registration))
    assert not wrong
