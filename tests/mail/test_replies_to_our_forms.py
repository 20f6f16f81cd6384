"""Every form that a mail or a command of ours prints is read when its blanks are filled in, however
the mailer of its reader quotes it."""

import email
import email.policy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from email.message import EmailMessage

import pytest

from contest.config.settings import Settings
from contest.language import speaking
from contest.mail.compose import compose
from contest.mail.form import blank, record_text, sample
from contest.model import Member, Outgoing, Registration
from contest.schema.sections import ExtraField, Mail, Teams
from contest.schema.sections import Registration as Confirmation
from knobeln.classes import class_forms, class_list
from mailserver.limits import MAX_UNPROVED_MAIL_BYTES
from mailserver.reading.form_of_letter import read_form
from mailserver.reading.letter import parse
from tests.support.mail_world import REGISTER, World, body_of, program
from tests.support.replies import MAILERS, Fill

MakeWorld = Callable[..., World]
HOUSE = ExtraField(name="house", choices=("north", "south"))
MOTTO = ExtraField(name="motto", description="what you fight for", required=False)
CONTESTS: dict[str, Teams] = {
    "of 1994": Teams(),
    "for a class": Teams(member_lines=0, max_members=3),
    "with affiliations": Teams(member_lines=1),
    "with fields of its own": Teams(fields=(HOUSE, MOTTO)),
}


REFUSED, SUGGESTED = "9 heavy lords", "team_9_heavy_lords"


@dataclass(frozen=True)
class Said:
    """What somebody fills in."""

    address: str = "jane@uni.example"
    team: str = "heavy_lords"
    organization: str = "University of Northeast Sacrodata, Intellect City, Eggland"
    name: str = "Joe Cool"
    background: str = "20-year-experienced programmer"

    def _member(self, lines_each: int) -> Member:
        if lines_each == 2:
            return Member(self.name, 45, "programmer", self.background)
        return Member(self.name, None, self.organization if lines_each else "", "")

    def fill(self, settings: Settings) -> Fill:
        """What fills in our forms, wherever they are in a text."""

        def filled(text: str) -> str:
            lines = text.split("\n")
            for at, line in enumerate(lines):
                indent = line[: len(line) - len(line.lstrip())]
                for asked, said in self._answers(settings):
                    if line.strip() == asked:
                        lines[at] = indent + said
            return "\n".join(lines)

        return filled

    def _answers(self, settings: Settings) -> Iterator[tuple[str, str]]:
        """The lines of our forms in which there is something to fill in, and what they become."""
        yield f"team-name: {SUGGESTED}", f"team-name: {self.team}"
        right = record_text(self.registration(settings)).split("\n")
        for form in (blank(settings), sample(settings)):
            filled_in = replace(form, preferences=sample(settings).preferences)
            asked = filled_in.text.split("\n")
            yield from zip(map(str.strip, asked), map(str.strip, right), strict=True)

    def registration(self, settings: Settings) -> Registration:
        fields = {"house": "north", "motto": "peace"}
        lines_each = settings.teams.member_lines
        return Registration(
            self.address,
            tuple(sample(settings).preferences.split(",")),
            self.team,
            self.organization if lines_each else "",
            (self._member(lines_each),),
            tuple((field.name, fields[field.name]) for field in settings.teams.fields),
        )


def mails_with_forms(world: World) -> Mapping[str, EmailMessage]:
    """All mails of ours in which there is a form."""
    settings, writer = world.settings, "jane@uni.example"

    def answer(subject: str, text: str) -> EmailMessage:
        (mail,) = world.send(subject, text, sender=writer)
        return mail

    right = record_text(Said().registration(settings))
    return {
        "invitation": invitation(world, "mail\njane@uni.example"),
        "empty refusal": answer(REGISTER, "We would like to take part.\n"),
        "refusal": answer(REGISTER, right.replace("heavy_lords", REFUSED)),
        "help": answer("help", ""),
        "help registration": answer("help registration", ""),
        "did you mean": answer("regitsration for KNOBELN", ""),
        "announcement": answer("send announcement", ""),
        "program of a stranger": answer(
            "please compile", program("<<FROM>> lords k7qd-2mxw-9rtz-h4pc-v8sn\n")
        ),
        "welcome": answer(REGISTER, right.replace("heavy_lords", "heavy_lords.")),
    }


def invitation(world: World, people: str) -> EmailMessage:
    """The invitation to a class of one team, as `class invite` sends it."""
    settings = world.settings
    found = class_list.read(people.encode(), settings).people
    (form,) = (each.form for each in class_forms.invitations(found, settings))
    with speaking(settings.contest.language):
        rendered = world.renderer.render("invitation", form=form.text, is_open=True)
    outgoing = Outgoing("k", "invitation", form.address, rendered.subject, rendered.body)
    raw = compose(outgoing, settings, bytes(32), world.clock.now()).raw
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    return mail


CASES = [
    pytest.param(
        kind,
        language,
        marks=[] if (kind, language) == ("for a class", "de") else [pytest.mark.slow],
    )
    for kind in CONTESTS
    for language in ("en", "de")
]


@pytest.mark.parametrize(("kind", "language"), CASES)
def test_every_form_of_ours_is_read_in_replies(
    make_world: MakeWorld, kind: str, language: str
) -> None:
    world = make_world(teams=CONTESTS[kind], contest={"language": language})
    settings, said = world.settings, Said()
    wrong = []
    for name, mail in mails_with_forms(world).items():
        for mailer, reply in MAILERS.items():
            with speaking(language):
                letter = reply(mail, said.fill(settings), language)
                found = read_form(parse(letter.as_bytes()), settings)
            expected = said.registration(settings)
            if name == "invitation" and found.registration:  # it has a name and reports already
                given = found.registration
                expected = replace(
                    expected, team_name=given.team_name, preferences=given.preferences
                )
            if found.registration != expected:
                wrong.append((name, mailer, found.problems))
    assert wrong == []


LISTS: Sequence[tuple[str, str]] = [
    ("mail,name,team\njane@uni.example,Jane More,Gruppe 1", "team-name: Gruppe_1\n"),
    ("mail,name,team\njane@uni.example,Jane More,14", "team-name: group_14\n"),
    ("mail,name,team\njane@uni.example,Jane More,Übung Müller", "team-name: Uebung_Mueller\n"),
    ('mail,name\njane@uni.example,"More, Jane"', "\n  Jane More"),
]


@pytest.mark.parametrize(("people", "line"), LISTS)
def test_what_a_class_list_says_is_written_as_the_form_takes_it(
    make_world: MakeWorld, people: str, line: str
) -> None:
    world = make_world(teams=CONTESTS["for a class"])
    mail = invitation(world, people)
    assert line in body_of(mail)
    reply = MAILERS["mutt"](mail, lambda text: text.replace("<a C identifier>", "lords"), "en")
    found = read_form(parse(reply.as_bytes()), world.settings)
    assert found.registration is not None
    assert found.registration.members[0].name == "Jane More"


def test_a_class_is_preset_to_summaries_and_to_nothing_for_programs(make_world: MakeWorld) -> None:
    offered = ("LGP", "DGP", "GRP", "GRG", "GRR", "RSM", "JSON")
    world = make_world(teams=CONTESTS["for a class"], reports={"offered": offered})
    assert "mail-preference: RSM,GRR,DGP\n" in body_of(invitation(world, "mail\njane@uni.example"))


# --- refusals -------------------------------------------------------------------------------------
WRONG = """mail-address: jane
mail-preference: lap, XYZ, dgp
team-name: Ünsere Lords
team-motto: never give up
Organization:
team-members:
  Joe Cool, x, programmer,
  20 years of C
"""


def test_a_refusal_tells_three_mistakes_and_has_the_form_as_it_was_understood(
    world: World,
) -> None:
    (mail,) = world.send(REGISTER, WRONG)
    head, form, _ = body_of(mail).split("\n---\n")
    assert head.count("It should be like this:") <= 3
    assert "There are 5 more mistakes." in head
    assert "send only this form" in " ".join(head.split())
    assert form.split("\n") == [
        "mail-address: jane",
        "mail-preference: LAP,DGP",
        "team-name: Uensere_Lords",
        "Organization: <institution, city, country>",
        "team-members:",
        "  Joe Cool, x, programmer,",
        "  20 years of C",
    ]


@pytest.mark.parametrize(
    ("written", "returned"),
    [
        ("", "mail-preference: LAP,DGP,GRG,RSM"),  # forgotten: nobody is left without reports
        ("mail-preference: all of them\n", "mail-preference: LAP,DGP,GRG,RSM"),
        ("mail-preference: rsm, DGB\n", "mail-preference: RSM"),
        ("mail-preference:\n", "mail-preference:"),  # empty: no reports, on purpose
    ],
)
def test_a_refused_form_comes_back_with_reports_that_the_contest_has(
    world: World, written: str, returned: str
) -> None:
    form = WRONG.replace("mail-preference: lap, XYZ, dgp\n", written)
    (mail,) = world.send(REGISTER, form)
    assert body_of(mail).split("\n---\n")[1].split("\n")[1] == returned


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_refusal_is_not_cut_above_the_end_of_its_form(
    make_world: MakeWorld, language: str
) -> None:
    world = make_world(mail=Mail(), registration=Confirmation(), contest={"language": language})
    member = f"  {'Jö' * 40}, x, {'ö' * 90}\n  {'ü' * 190}\n"
    long = WRONG.replace("Organization:", f"Organization: {'Ü' * 490}") + member * 9
    (mail,) = world.send(REGISTER, long, sender="jane@uni.example")
    assert body_of(mail).count("\n---\n") == 2
    assert len(mail.as_bytes()) < MAX_UNPROVED_MAIL_BYTES + 3 * len(long.encode())


@pytest.mark.parametrize("text", ["", "We would like to take part.\n", WRONG])
def test_a_refusal_of_little_stays_short(make_world: MakeWorld, text: str) -> None:
    world = make_world(mail=Mail(), registration=Confirmation(), contest={"language": "de"})
    (mail,) = world.send(REGISTER, text, sender="jane@uni.example")
    assert body_of(mail).count("\n---\n") == 2
    assert "\n-- \n" in body_of(mail)
    assert len(mail.as_bytes()) < MAX_UNPROVED_MAIL_BYTES
